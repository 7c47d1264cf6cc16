// The info answers as the stream needs them: by the same code, and with the sequence number of the account that they are of.
import type { AccountQuery } from '../../../actors/domain/messages/command.ts';
import type { AnswerOf } from '../../../actors/domain/messages/outcome.ts';
import { assert } from '../../../shared/domain/assert.ts';
import type { AccountGateway } from '../../accounts/accountGateway.ts';
import type { HistoryReader } from '../../accounts/historyReader.ts';
import type { AccountHistory, Call, Services } from '../../accounts/services.ts';

export interface AccountAnswersParts {
  readonly services: Services;
  /** The past as this gateway's account knows it. */
  readonly historyOf: (gateway: AccountGateway) => AccountHistory;
  readonly history: Pick<HistoryReader, 'stored'>;
}

/** What an answer is of. */
export interface Moment {
  /** Of the account's newest entry. */
  readonly seq: number;
  /** Of the state, where it was asked for. */
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

  /** Rows of entries that MongoDB has, as the history reader gives them. */
  get history(): Pick<HistoryReader, 'stored'> {
    return this.#parts.history;
  }

  /**
   * Reads something about the caller's account.
   * @returns moments of the `first` question that the account was asked for it, and of the `last`: what is read in one
   *   question is of exactly that moment
   * @throws {RequestError} as what is read does
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
    const data = await read({ ...services, gateway, history: historyOf(gateway) });
    return { data, first: moments[0] ?? { seq: 0 }, last: moments.at(-1) ?? { seq: 0 } };
  }

  /** Entries after `afterSeq`, as far as the account still holds them. @throws {RequestError} as the gateway does */
  async entries({ caller, requestId }: Call, afterSeq: number): Promise<AnswerOf<'entries'> & { readonly seq: number }> {
    const query: AccountQuery = { kind: 'entries', afterSeq };
    const outcome = await this.#parts.services.gateway.send(caller.accountId, { type: 'query', query }, { requestId });
    assert(outcome.type === 'answer' && outcome.answer.kind === 'entries', 'a question for entries is answered by them');
    return { ...outcome.answer, seq: outcome.seq };
  }
}
