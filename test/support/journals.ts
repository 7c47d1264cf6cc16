// Journals for tests of their readers: accounts trade by a script, their entries are committed as the shard's owner
// commits them, and every reader should find the expected result.

import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { type Account, emptyAccount } from '../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../src/actors/core/account/accountCodec.ts';
import { toEntry } from '../../src/actors/core/fold/recordEntry.ts';
import { rowsOf } from '../../src/actors/core/history/rowsOfEvents.ts';
import { type AccountEntry, writeEntry } from '../../src/actors/core/messages/entry.ts';
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import type { NumberedRow } from '../../src/actors/core/messages/historyRows.ts';
import type { OrderView } from '../../src/actors/core/messages/order.ts';
import { applyEntry } from '../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import type { Redis } from '../../src/shared/redis/redis.ts';

/** A shard with an owner that commits by hand. */
export class TestShard {
  readonly accounts = new Map<string, Account>();
  readonly entries: { readonly commit: number; readonly entry: AccountEntry }[] = [];
  commit = 0;
  readonly #rows = new WeakMap<AccountEntry, readonly NumberedRow[]>();
  #nextId = 1;
  readonly #redis: Redis;
  readonly #shard: number;
  #token = '';
  #epoch = 0;

  constructor(redis: Redis, shard: number) {
    this.#redis = redis;
    this.#shard = shard;
  }

  get token(): string {
    return this.#token;
  }

  /** Becomes the owner under a new token. */
  async take(epoch: number, commit = this.commit): Promise<string> {
    this.#epoch = epoch;
    this.#token = `${epoch}:test:${epoch}`;
    this.commit = commit;
    await this.#redis.set(shardKeys.lease(this.#shard), this.#token);
    await this.#redis.hset(shardKeys.head(this.#shard), { n: commit, epoch, ids: this.#nextId });
    return this.#token;
  }

  /** Commits one entry for each account at `timeMs`. */
  async write(timeMs: number, accountIds: readonly string[], eventsFor: (account: Account) => AccountEvent[]): Promise<void> {
    const entries = accountIds.map((accountId) => {
      const account = this.accounts.get(accountId) ?? emptyAccount(accountId);
      const entry = toEntry(account, { timeMs, events: eventsFor(account) });
      this.accounts.set(accountId, applyEntry(account, structuredClone(entry)));
      return entry;
    });
    this.commit += 1;
    for (const entry of entries) this.entries.push({ commit: this.commit, entry });
    const fields = {
      t: timeMs,
      k: this.#epoch,
      i: this.#nextId,
      e: `[${entries.map((entry) => writeEntry(entry, NEWEST_FORMAT)).join(',')}]`,
    };
    await this.#redis
      .multi()
      .xadd(shardKeys.journal(this.#shard), `${this.commit}-0`, ...Object.entries(fields).flat())
      .hset(shardKeys.head(this.#shard), {
        n: this.commit,
        epoch: this.#epoch,
        ids: this.#nextId,
        tick: `${timeMs}-0`,
        atMs: timeMs,
      })
      .exec();
  }

  /** Opens the account when it is new; then an order that rests and fills, with its history rows. */
  readonly trade = (account: Account): AccountEvent[] => [
    ...(account.seq === 0 ? [{ type: 'accountOpened' as const, depositUsd: '10000' }] : []),
    ...this.#filledOrder(account),
  ];

  /** An order that stays on the book. */
  readonly rest = (): AccountEvent[] => [
    { type: 'orderRested', order: this.#order({}), resting: { ahead: '0', acceptedFeedTimeMs: 0, acceptedTick: '0-0' } },
  ];

  /** Rows of the account in all entries so far, as a reader should see them. */
  rows(accountId: string, kind: NumberedRow['kind']): NumberedRow[] {
    return this.entries
      .filter(({ entry }) => entry.accountId === accountId)
      .flatMap(({ entry }) => this.rowsOf(entry))
      .filter((row) => row.kind === kind);
  }

  /** Rows of one entry, made once. */
  rowsOf(entry: AccountEntry): readonly NumberedRow[] {
    let rows = this.#rows.get(entry);
    if (!rows) {
      rows = rowsOf(entry);
      this.#rows.set(entry, rows);
    }
    return rows;
  }

  /** The entries that the actor would hand to the history writer. */
  readonly snapshotOf = (accountId: string): { seq: number; text: string; commit: number } | undefined => {
    const account = this.accounts.get(accountId);
    const commit = this.entries.findLast(({ entry }) => entry.accountId === accountId)?.commit;
    return account && commit !== undefined ? { seq: account.seq, text: toSnapshot(account, NEWEST_FORMAT), commit } : undefined;
  };

  #filledOrder(account: Account): AccountEvent[] {
    const order = this.#order({ cloid: `0x${String(this.#nextId).padStart(32, '0')}` });
    const tid = this.#id();
    const startPosition = account.positions.get(0)?.signedSize.toFixed() ?? '0';
    return [
      {
        ...{
          type: 'orderFilled',
          oid: order.oid,
          tid,
          cloid: order.cloid ?? '',
          asset: 0,
          coin: 'BTC',
          side: 'buy',
          price: '100',
        },
        ...{ size: '0.1', liquidity: 'taker', fee: '0.0045', closedPnl: '0', startPosition, direction: 'Open Long' },
        ...{ marginMode: 'cross', leverage: 10, evidence: { bookTimeMs: 1, bookVersion: 1 } },
      },
      { type: 'orderEnded', order: { ...order, size: '0', filledSize: '0.1' }, status: 'filled' },
    ];
  }

  #order(fields: Partial<OrderView>): OrderView {
    const numbers = { limitPrice: '100', size: '0.1', originalSize: '0.1', filledSize: '0', placedAtMs: 0 };
    const rest = { asset: 0, coin: 'BTC', side: 'buy', reduceOnly: false, timeInForce: 'gtc' } as const;
    return { oid: this.#id(), ...numbers, ...rest, ...fields };
  }

  #id(): number {
    this.#nextId += 1;
    return this.#nextId * 16 + this.#shard;
  }
}

/** chai's comparison says what differs, and takes a second for two thousand rows: it is asked when they do. */
export function expectRows(found: readonly unknown[], want: readonly unknown[], what?: string): void {
  if (!isDeepStrictEqual(found, want)) expect(found, what).to.deep.equal(want);
}
