// One account on the bench market, through decide, entry and fold, as the actor runs them.
import { type Account, emptyAccount } from '../../src/actors/core/account/account.ts';
import type { Decided, Decision } from '../../src/actors/core/fold/draft.ts';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { AccountEntry } from '../../src/actors/core/messages/entry.ts';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import { decide, recordEntry } from '../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { ShardIds } from '../../src/shared/domain/shards.ts';
import { BenchMarket } from './benchMarket.ts';

export class BenchAccount {
  readonly market: BenchMarket;
  account: Account;
  readonly #ids = new ShardIds({ shard: 0, shards: 16, counter: 0 });
  #counter = 0;

  private constructor(market: BenchMarket) {
    this.market = market;
    this.account = emptyAccount('bench');
  }

  static open(coins: number, depositUsd = '20000000'): BenchAccount {
    const opened = new BenchAccount(new BenchMarket(coins));
    opened.record(opened.decide({ type: 'openAccount', depositUsd }));
    return opened;
  }

  /** @throws when an element of the action ends otherwise than expected */
  run(command: AccountCommand, expected: string): void {
    const decision = this.decide(command);
    requireOutcome(decision.outcome, expected);
    this.record(decision);
  }

  decide(command: AccountCommand): Decision {
    return decide(this.account, command, this.context);
  }

  record({ events }: Decided): AccountEntry {
    this.#counter += 1;
    const command = { incarnation: 'bench', counter: this.#counter };
    const { entry, account } = recordEntry(this.account, { timeMs: this.market.nowMs, command, events }, this.market);
    this.account = account;
    return entry;
  }

  get context() {
    return { nowMs: this.market.nowMs, market: this.market, ids: this.#ids, format: NEWEST_FORMAT };
  }
}

/** @throws when an element of the action has another outcome */
export function requireOutcome(outcome: Outcome, expected: string): void {
  const found = outcome.type === 'orders' ? outcome.orders : outcome.type === 'cancels' ? outcome.cancels : [];
  const other = found.find(({ type }) => type !== expected);
  if (found.length === 0 || other) throw new Error(`not ${expected}: ${JSON.stringify(other ?? outcome)}`);
}
