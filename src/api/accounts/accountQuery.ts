// Asks a question about the live state of the caller's account, through the account's own mailbox, so that a client
// always reads its own writes.

import type { AnswerOf } from '../../actors/domain/messages/answers/queryAnswer.ts';
import type { AccountQuery } from '../../actors/domain/messages/command.ts';
import { assert } from '../../shared/domain/assert.ts';
import type { Call, Services } from './services.ts';

/** @throws {RequestError} as the gateway does when the account cannot answer in time */
export async function askAccount<K extends AccountQuery['kind']>(
  call: Call,
  services: Services,
  query: Extract<AccountQuery, { kind: K }>,
): Promise<AnswerOf<K>> {
  const { caller, requestId, trace } = call;
  const outcome = await services.gateway.send(caller.accountId, { type: 'query', query }, { requestId, trace });
  assert(outcome.type === 'answer' && outcome.answer.kind === query.kind, `a ${query.kind} query is answered by its answer`);
  return outcome.answer as AnswerOf<K>;
}
