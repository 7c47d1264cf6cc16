// Asks a question about the live state of the caller's account, through the account's own mailbox, so that a client
// always reads its own writes.

import type { AccountQuery } from '../../actors/core/messages/command.ts';
import type { AnswerOf } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import { type Call, type Services, sendOptionsOf } from './services.ts';

/** @throws {RequestError} as the gateway does when the account cannot answer in time */
export const askAccount = async <K extends AccountQuery['kind']>(
  call: Call,
  services: Pick<Services, 'gateway'>,
  query: Extract<AccountQuery, { kind: K }>,
): Promise<AnswerOf<K>> => (await askWithSeq(call, services, query)).answer;

/** The answer, with the number of the account's newest entry in it. @throws {RequestError} as `askAccount` */
export async function askWithSeq<K extends AccountQuery['kind']>(
  call: Call,
  services: Pick<Services, 'gateway'>,
  query: Extract<AccountQuery, { kind: K }>,
): Promise<{ readonly answer: AnswerOf<K>; readonly seq: number }> {
  const outcome = await services.gateway.send(call.caller.accountId, { type: 'query', query }, sendOptionsOf(call));
  assert(outcome.type === 'answer' && outcome.answer.kind === query.kind, `a ${query.kind} query is answered by its answer`);
  return { answer: outcome.answer as AnswerOf<K>, seq: outcome.seq };
}
