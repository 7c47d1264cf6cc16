// `twapCancel`: ends a running TWAP by its id.
import { Type } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { WholeNumber } from '../requestReader.ts';
import { actionType, refusal, sendCommand } from './actionType.ts';
import { twapEnvelope, twapFields } from './twapFields.ts';

/** `a` asset id, `t` id of the TWAP. */
const readFields = twapFields(Type.Object({ a: WholeNumber, t: WholeNumber }));

export const twapCancel = actionType({
  type: 'twapCancel',
  schema: twapEnvelope({ type: Type.Literal('twapCancel') }),
  async run(action, context) {
    const { a, t } = readFields(action);
    const outcome = await sendCommand(context, { type: 'cancelTwap', asset: a, twapId: t });
    if (outcome.type === 'refused') return refusal(outcome.text);
    if (outcome.type === 'twapRefused') return toAnswer({ error: outcome.text });
    assert(outcome.type === 'done', `twapCancel is answered by done, not ${outcome.type}`);
    return toAnswer('success');
  },
});

const toAnswer = (status: 'success' | { readonly error: string }) =>
  ({ status: 'ok', response: { type: 'twapCancel', data: { status } } }) as const;
