// The one way to the accounts: every caller of a node has the same gateway. `send` puts a command into its account's mailbox
// (gateway/commandGateway.ts). `ask` has a view of the account answer a question where one can (views/accountViews.ts).
import type { AccountCommand, AccountQuery } from '../../actors/core/messages/command.ts';
import type { AnswerOf, Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import type { KeyGuard } from '../../shared/domain/limits.ts';
import { OPENING_BALANCE_USD } from '../../shared/domain/plan.ts';
import type { Span } from '../../shared/tracing/tracing.ts';

/** Options of one question on its way to the account. */
export interface AskOptions {
  readonly requestId: string;
  /** The user whose request it is, where one asks. */
  readonly user?: string;
  /** What the command belongs to, where that is traced. */
  readonly trace?: Span | undefined;
  /** The account is a sub-account: where it was never opened, it is opened with nothing. */
  readonly opensEmpty?: true;
  /** Limits of the API key that asks, where it has any. */
  readonly key?: KeyGuard;
  /** The answer is to name the state that it shows. */
  readonly withHash?: true;
}

/** Options of one command on its way to the account. */
export interface SendOptions extends Omit<AskOptions, 'withHash'> {
  readonly idempotency?: { readonly key: string; readonly bodyDigest: string };
  /** An account that was never opened stays so: the outcome is `unknownAccount`. */
  readonly staysUnopened?: true;
}

/** An answer to a question, with the account's newest entry that it shows. */
export type Answered<K extends AccountQuery['kind']> = Omit<Extract<Outcome, { type: 'answer' }>, 'answer'> & {
  readonly answer: AnswerOf<K>;
};

/** An account that a crash left unopened is opened by the first command or question. */
export interface AccountGateway {
  /** @throws {RequestError} 422, 429, 500, 503 or 504 according to the command's outcome */
  readonly send: (accountId: string, command: AccountCommand, options: SendOptions) => Promise<Outcome>;
  /** @throws {RequestError} as `send` does when the account cannot answer in time */
  readonly ask: <K extends AccountQuery['kind']>(
    accountId: string,
    query: Extract<AccountQuery, { kind: K }>,
    options: AskOptions,
  ) => Promise<Answered<K>>;
}

/** The outcome of a question, which is an answer of its kind. */
export function answeredIn<K extends AccountQuery['kind']>(outcome: Outcome, kind: K): Answered<K> {
  assert(outcome.type === 'answer' && outcome.answer.kind === kind, `a ${kind} query is answered by its answer`);
  return outcome as Answered<K>;
}

/** Opens the account with its first deposit, which a sub-account does not get; an open account stays as it is. */
export async function openAccount(
  { send }: Pick<AccountGateway, 'send'>,
  accountId: string,
  { requestId, trace, opensEmpty }: Pick<SendOptions, 'requestId' | 'trace' | 'opensEmpty'>,
): Promise<void> {
  const command = { type: 'openAccount', depositUsd: opensEmpty ? '0' : OPENING_BALANCE_USD } as const;
  const outcome = await send(accountId, command, { requestId, trace });
  assert(outcome.type === 'accountOpened', `openAccount is answered by accountOpened, not ${outcome.type}`);
}
