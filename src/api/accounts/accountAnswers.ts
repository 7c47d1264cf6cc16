// Answers about an account with the sequence number of the state that they show: for a header of the answer, and for streams,
// whose messages are made by the same code.
import type { RouteContext } from '../access/requestContext.ts';
import type { AccountGateway } from './accountGateway.ts';
import type { HistoryReader } from './historyReader.ts';
import type { AccountHistory, Services } from './services.ts';

interface AccountAnswersParts {
  readonly services: Services;
  /** The account's history, read through the same gateway; `onKept` is told the view of what need not be read. */
  readonly historyOf: (gateway: Pick<AccountGateway, 'ask'>, onKept: (view: Required<Moment>) => void) => AccountHistory;
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
      ...services.gateway,
      ask: async (accountId, query, options) => {
        const answered = await services.gateway.ask(accountId, query, withHash ? { ...options, withHash } : options);
        const { seq, stateHash } = answered;
        moments.push({ seq, ...(stateHash !== undefined && { stateHash }) });
        return answered;
      },
    };
    const history = historyOf(gateway, (view) => {
      moments.push({ seq: view.seq, ...(withHash && { stateHash: view.stateHash }) });
    });
    const data = await read({ ...services, gateway, history });
    return { data, first: moments[0] ?? { seq: 0 }, last: moments.at(-1) ?? { seq: 0 } };
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
