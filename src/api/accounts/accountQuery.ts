// Asks a question about the live state of the caller's account. A client always reads its own writes.

import type { AccountQuery } from '../../actors/core/messages/command.ts';
import type { AnswerOf } from '../../actors/core/messages/queryAnswer.ts';
import type { AccountGateway, Answered } from './accountGateway.ts';
import { type Call, sendOptionsOf } from './services.ts';

interface Asked {
  readonly gateway: Pick<AccountGateway, 'ask'>;
}

/** @throws {RequestError} as the gateway does when the account cannot answer in time */
export const askAccount = async <K extends AccountQuery['kind']>(
  call: Call,
  services: Asked,
  query: Extract<AccountQuery, { kind: K }>,
): Promise<AnswerOf<K>> => (await askWithSeq(call, services, query)).answer;

/** The answer, with the number of the account's newest entry in it. @throws {RequestError} as `askAccount` */
export const askWithSeq = <K extends AccountQuery['kind']>(
  call: Call,
  { gateway }: Asked,
  query: Extract<AccountQuery, { kind: K }>,
): Promise<Answered<K>> => gateway.ask(call.caller.accountId, query, sendOptionsOf(call));
