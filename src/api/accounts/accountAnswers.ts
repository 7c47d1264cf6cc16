// Answers about an account with the sequence number of the state that they show: for a header of the answer, and for streams,
// whose messages are made by the same code.
import type { AccountQuery } from '../../actors/core/messages/command.ts';
import type { AnswerOf } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import type { RouteContext } from '../access/requestContext.ts';
import type { AccountGateway } from './accountGateway.ts';
import type { HistoryReader } from './historyReader.ts';
import { type AccountHistory, type Call, type Services, sendOptionsOf } from './services.ts';

interface AccountAnswersParts {
  readonly services: Services;
  /** The account's history, read through the same gateway; `onKept` is told the view of what need not be read. */
  readonly historyOf: (gateway: AccountGateway, onKept: (view: Required<Moment>) => void) => AccountHistory;
  readonly history: Pick<HistoryReader, 'stored'>;
}

/** The state of the account that an answer shows. */
export interface Moment {
  /** Sequence number of the account's newest entry. */
  readonly seq: number;
  /** Hash of the state, where it was asked for. */
  readonly stateHash?: string;
}

export class AccountAnswers {
  readonly #parts: AccountAnswersParts;

  constructor(parts: AccountAnswersParts) {
    this.#parts = parts;
  }

  get services(): Services {
    return this.#parts.services;
  }

  /** Rows of entries that are in MongoDB, from the history reader. */
  get history(): Pick<HistoryReader, 'stored'> {
    return this.#parts.history;
  }

  /**
   * Reads something about the caller's account.
   * @returns the data, and the account state at the `first` and at the `last` question that it took; data from one question
   *   shows exactly that state
   * @throws {RequestError} as the read does
   */
  async read<Data>(
    read: (services: Services) => Promise<Data> | Data,
    { withHash }: { readonly withHash: boolean },
  ): Promise<{ readonly data: Data; readonly first: Moment; readonly last: Moment }> {
    const { services, historyOf } = this.#parts;
    const moments: Moment[] = [];
    const gateway: AccountGateway = {
      send: async (accountId, command, context) => {
        const isHashed = withHash && command.type === 'query';
        const outcome = await services.gateway.send(accountId, isHashed ? { ...command, stateHash: true } : command, context);
        if (outcome.type === 'answer') {
          const { seq, stateHash } = outcome;
          moments.push({ seq, ...(stateHash !== undefined && { stateHash }) });
        }
        return outcome;
      },
    };
    const history = historyOf(gateway, (view) => {
      moments.push({ seq: view.seq, ...(withHash && { stateHash: view.stateHash }) });
    });
    const data = await read({ ...services, gateway, history });
    return { data, first: moments[0] ?? { seq: 0 }, last: moments.at(-1) ?? { seq: 0 } };
  }

  /** Entries after `afterSeq`, as far as the account still holds them. @throws {RequestError} as the gateway does */
  async entries(call: Call, afterSeq: number): Promise<AnswerOf<'entries'> & { readonly seq: number }> {
    const query: AccountQuery = { kind: 'entries', afterSeq };
    const outcome = await this.#parts.services.gateway.send(call.caller.accountId, { type: 'query', query }, sendOptionsOf(call));
    assert(outcome.type === 'answer' && outcome.answer.kind === 'entries', 'a question for entries is answered by them');
    return { ...outcome.answer, seq: outcome.seq };
  }
}

/**
 * Says in a header of which state of the account an answer is.
 * `X-Account-Seq`: the account's newest entry that the answer surely shows. An answer that took several questions may show
 * later ones in part. Absent where no account was asked.
 */
export function tellMoment({ state }: Pick<RouteContext, 'state'>, { seq }: Moment): void {
  if (seq > 0) state.headers = [...(state.headers ?? []), 'X-Account-Seq', String(seq)];
}
