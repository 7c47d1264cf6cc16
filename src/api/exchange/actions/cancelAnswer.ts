// The answer of `cancel` and `cancelByCloid`: one status per element, both under the type `cancel` (wire-format 4.3).
import type { Outcome } from '../../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { type ActionAnswer, refusal } from '../actionType.ts';

export function toCancelAnswer(outcome: Outcome): ActionAnswer {
  if (outcome.type === 'refused') return refusal(outcome.text);
  assert(outcome.type === 'cancels', `a cancel batch is answered by cancels, not ${outcome.type}`);
  const statuses = outcome.cancels.map((cancel) => (cancel.type === 'success' ? 'success' : { error: cancel.text }));
  return { status: 'ok', response: { type: 'cancel', data: { statuses } } };
}
