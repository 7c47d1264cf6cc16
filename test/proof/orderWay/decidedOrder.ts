// One IOC order that fills, decided and folded by the rules alone, as the actor does it.
import { type Account, emptyAccount } from '../../../src/actors/core/account/account.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { decide, recordEntry } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { ShardIds } from '../../../src/shared/domain/shards.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';

export class DecidedOrder {
  readonly #market = new FixtureMarket();
  readonly #ids = new ShardIds({ shard: 0, shards: 16, counter: 0 });
  #account = emptyAccount('reader');

  /** The account before the order: opened, with a position that an earlier order has bought, and an order on the book. */
  constructor() {
    for (const command of [{ type: 'openAccount', depositUsd: '10000' }, buy('100', 'ioc'), buy('99', 'gtc')] as const)
      this.#account = this.#run(command);
  }

  get fills(): number {
    return this.#account.rowCounts.fills;
  }

  take(): void {
    this.#account = this.#run(buy('100', 'ioc'));
  }

  #run(command: AccountCommand): Account {
    const market = this.#market;
    const context = { nowMs: market.nowMs, market, ids: this.#ids, format: NEWEST_FORMAT };
    const { events, requests } = decide(this.#account, command, context);
    return recordEntry(this.#account, { timeMs: market.nowMs, requests, events }, market).account;
  }
}

/** Buys 1 SOL: at the best ask at once, or on the book below the best bid. */
function buy(limitPrice: string, timeInForce: 'ioc' | 'gtc'): AccountCommand {
  const type = { kind: 'limit', timeInForce } as const;
  const order = { asset: 2, side: 'buy', limitPrice, size: '1', reduceOnly: false, type } as const;
  return { type: 'placeOrders', orders: [order], grouping: 'na' };
}
