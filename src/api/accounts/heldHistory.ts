// The part of an account's history that its actor holds, because MongoDB may not have it yet: asked for by kind, number and
// time, a bounded number of rows at a time. Rows with lower numbers than it holds are in MongoDB only.

import type { AccountQuery, RowsWanted } from '../../actors/core/messages/command.ts';
import type { NumberedRow } from '../../actors/core/messages/historyRows.ts';
import type { AnswerOf } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import type { AccountGateway, SendOptions } from './accountGateway.ts';
import type { RowSeries } from './storedHistory.ts';

/** Whose past is read, and for which request: what the account is asked carries its id. */
export interface Past extends Omit<SendOptions, 'idempotency'> {
  readonly accountId: string;
}

/** One kind of rows of it. */
export type PastRows = Past & RowSeries;

/** Rows of one kind that the actor holds. */
export interface Held {
  /** Those that were wanted, by rising numbers. */
  readonly rows: readonly NumberedRow[];
  /** True when more are wanted than came: later ones, or earlier ones where the newest come first. */
  readonly isCut: boolean;
  /** Number of the next row that the account will get. */
  readonly total: number;
  /** Rows before this one were removed; it is the first of a bucket. */
  readonly first: number;
  /** Rows with lower numbers are in MongoDB only. */
  readonly from: number;
  /** Time of that row; absent when nothing is held. */
  readonly fromMs?: number;
}

export class HeldHistory {
  readonly #gateway: AccountGateway;

  constructor(gateway: AccountGateway) {
    this.#gateway = gateway;
  }

  /** @throws {RequestError} as the gateway does */
  async rows(past: PastRows, want: RowsWanted): Promise<Held> {
    const answer = await this.ask(past, { kind: 'history', rows: past.kind, want });
    const { rows, total, first, held } = answer ?? { rows: [], total: 0, first: 0, held: { from: 0 } };
    return { rows, isCut: false, total, first, ...held };
  }

  /** The answer of the account; undefined for one that was never opened. @throws {RequestError} as the gateway does */
  async ask<K extends 'history' | 'orderStatus'>(
    { accountId, requestId, trace, opensEmpty }: Past,
    query: AccountQuery & { readonly kind: K },
  ): Promise<AnswerOf<K> | undefined> {
    const options = { requestId, trace, ...(opensEmpty && { opensEmpty }) };
    const outcome = await this.#gateway.send(accountId, { type: 'query', query }, options);
    if (outcome.type === 'unknownAccount') return undefined;
    assert(outcome.type === 'answer' && outcome.answer.kind === query.kind, `a ${query.kind} query is answered by its answer`);
    return outcome.answer as AnswerOf<K>;
  }
}
