// The words of the rule tests: given what happened, when a command or a market change comes, then these outcomes or
// events. Each step is decided, made an entry and folded, exactly as the actor does it, so a scenario is also a replay.

import { expect } from 'chai';
import { type Account, emptyAccount } from '../../src/actors/core/account/account.ts';
import { firesWhen } from '../../src/actors/core/account/ownOrders.ts';
import type { Decided } from '../../src/actors/core/fold/draft.ts';
import { rowsOf } from '../../src/actors/core/history/rowsOfEvents.ts';
import type { AccountStateView } from '../../src/actors/core/messages/accountFigures.ts';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { AccountEntry, EntryCause } from '../../src/actors/core/messages/entry.ts';
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import type { OrderRequest, OrderTarget, TimeInForce } from '../../src/actors/core/messages/order.ts';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import { earliestTimeMs, type ShardCommand } from '../../src/actors/core/messages/shardCommand.ts';
import { accountState } from '../../src/actors/core/views/accountState.ts';
import {
  decide,
  decideDue,
  decideMarket,
  decideShardCommand,
  nextDueMs,
  recordEntry,
  settleDelisted,
} from '../../src/features/rules.ts';
import type { BookChange, ContextChange, TradesChange } from '../../src/market/domain/feed.ts';
import { type Format, NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import type { KeyGuard } from '../../src/shared/domain/limits.ts';
import { ShardIds } from '../../src/shared/domain/shards.ts';
import { stateHashOf } from '../../src/shared/stateHash.ts';
import { FixtureMarket, type Levels } from './fixtureMarket.ts';

export const ACCOUNT_ID = '0x00000000000000000000000000000000000000aa';

/** `delisted`: a coin is off the list. */
export type MarketMove = (market: FixtureMarket) => BookChange | TradesChange | ContextChange | 'delisted' | undefined;
/** A command of the account's owner, of a job for its whole shard, or a move of the market. */
export type Step = AccountCommand | ShardCommand | MarketMove;

export class Scenario {
  readonly market: FixtureMarket;
  readonly entries: AccountEntry[] = [];
  account: Account = emptyAccount(ACCOUNT_ID);
  events: readonly AccountEvent[] = [];
  outcome: Outcome | undefined;
  readonly #ids: ShardIds;
  readonly #format: Format;
  #commandCounter = 0;
  /** Whether actions beyond the address limit are refused. */
  addressLimit = false;
  /** Limits of the API key that sends the commands from now on. */
  key: KeyGuard | undefined;

  /** @param format that the events may be of; @param idCounter ids that were given before */
  constructor(market = new FixtureMarket(), format: Format = NEWEST_FORMAT, idCounter = 0) {
    this.market = market;
    this.#format = format;
    this.#ids = new ShardIds({ shard: 1, shards: 16, counter: idCounter });
  }

  /** As for the shell: an account's time never runs backwards, though the clock may be set. */
  get #timeMs(): number {
    return Math.max(this.market.nowMs, this.account.timeMs);
  }

  given(...steps: readonly Step[]): this {
    for (const step of steps) this.when(step);
    return this;
  }

  when(step: Step): this {
    if (typeof step === 'function') this.#move(step);
    else if (isShardCommand(step)) this.asked(step);
    else this.#command(step);
    return this;
  }

  /** Decides a step without folding it, as an actor does before its commit. */
  decideOnly(step: Step): void {
    if (typeof step !== 'function') {
      if (isShardCommand(step)) decideShardCommand(this.account, step, this.#context());
      else decide(this.account, step, this.#context());
    } else {
      const change = step(this.market);
      if (change === 'delisted') settleDelisted(this.account, this.#context());
      else if (change) decideMarket(this.account, change, this.#context());
    }
  }

  /** A job's command to all accounts, as the shard's owner applies it. */
  asked(command: ShardCommand): this {
    const nowMs = Math.max(this.market.nowMs, this.account.timeMs, earliestTimeMs(command));
    this.outcome = undefined;
    this.#take(decideShardCommand(this.account, command, { ...this.#context(), nowMs }), nowMs);
    return this;
  }

  /** Outcomes in words: see `inWords`. */
  thenOutcomes(...wanted: readonly string[]): this {
    expect(this.outcome && inWords(this.outcome)).to.deep.equal(wanted);
    return this;
  }

  /** Events by the fields that the test names. */
  thenEvents(...wanted: readonly Partial<AccountEvent>[]): this {
    expect(this.events.map(({ type }) => type)).to.deep.equal(wanted.map(({ type }) => type));
    wanted.forEach((fields, index) => {
      expect(this.events[index]).to.deep.include(fields);
    });
    return this;
  }

  /** Open orders in words: `buy 4 @ 99.5`. */
  thenOpen(...wanted: readonly string[]): this {
    const open = [...this.account.orders.values()].map(({ side, size, limitPrice }) => `${side} ${size} @ ${limitPrice}`);
    expect(open).to.deep.equal(wanted);
    return this;
  }

  /** Orders that wait in words: `sell 1 @ 85 when below 95`, `… for its parent`, `… for a newer book`. */
  thenWaiting(...wanted: readonly string[]): this {
    const waiting = [...this.account.triggers.values()].map(({ side, size, limitPrice, trigger, waitsFor }) => {
      const when = {
        fill: 'for its parent',
        book: 'for a newer book',
        mark: `when ${firesWhen({ side, trigger })} ${trigger.price}`,
      };
      return `${side} ${size} @ ${limitPrice} ${when[waitsFor]}`;
    });
    expect(waiting).to.deep.equal(wanted);
    return this;
  }

  /** The statuses of orders in the last step: `triggered`, `open`, or their ends, in order. */
  thenStatuses(...wanted: readonly string[]): this {
    expect(
      rowsOf(this.entries.at(-1) as AccountEntry).flatMap((row) => (row.kind === 'orders' ? [row.row.status] : [])),
    ).to.deep.equal(wanted);
    return this;
  }

  /** Fills of the last step in words: `sell 6 @ 99.5 maker`. */
  thenFills(...wanted: readonly string[]): this {
    expect(this.fillsInWords()).to.deep.equal(wanted);
    return this;
  }

  /** How orders ended in the last step, oldest first. */
  thenEnds(...wanted: readonly string[]): this {
    expect(this.events.flatMap((event) => (event.type === 'orderEnded' ? [event.status] : []))).to.deep.equal(wanted);
    return this;
  }

  thenPosition(coin: string, signedSize: string): this {
    const position = this.account.positions.get(this.market.require(coin).id);
    expect(position?.signedSize.toString() ?? '0').to.equal(signedSize);
    return this;
  }

  fillsInWords(): string[] {
    return this.events.flatMap((event) =>
      event.type === 'orderFilled' ? [`${event.side} ${event.size} @ ${event.price} ${event.liquidity}`] : [],
    );
  }

  /** Queue ahead of each open order, in order of acceptance. */
  get ahead(): string[] {
    return [...this.account.orders.values()].map(({ resting }) => resting.ahead);
  }

  /** Oid of the order placed `index`-th among the orders that wait now. */
  waitingOid(index = 0): number {
    const oid = [...this.account.triggers.keys()][index];
    if (oid === undefined) throw new Error(`no waiting order ${index}`);
    return oid;
  }

  /** Oid of the order accepted `index`-th among those open now. */
  oid(index = 0): number {
    const oid = [...this.account.orders.keys()][index];
    if (oid === undefined) throw new Error(`no open order ${index}`);
    return oid;
  }

  /** The figures of `clearinghouseState` now. */
  state(): AccountStateView {
    return accountState(this.account, this.market, this.market.nowMs);
  }

  #command(command: AccountCommand): void {
    const { outcome, leavesNoEntry, ...decided } = decide(this.account, command, { ...this.#context(), key: this.key });
    this.outcome = outcome;
    if (command.type === 'query' || leavesNoEntry) {
      this.#take(decided);
      return;
    }
    this.#commandCounter += 1;
    this.#fold({ ...decided, timeMs: this.#timeMs, command: { incarnation: 'test', counter: this.#commandCounter } });
  }

  #move(move: MarketMove): void {
    const change = move(this.market);
    this.outcome = undefined;
    const isDue = !change && (nextDueMs(this.account) ?? Number.POSITIVE_INFINITY) <= this.market.nowMs;
    if (change === 'delisted') this.#take(settleDelisted(this.account, this.#context()));
    else if (change) this.#take(decideMarket(this.account, change, this.#context()));
    else this.#take(isDue ? decideDue(this.account, this.#context()) : { events: [] });
  }

  /** A decision without a command of the owner becomes an entry only when it has events. */
  #take({ events }: Decided, timeMs = this.#timeMs): void {
    this.events = events;
    if (events.length > 0) this.#fold({ timeMs, events });
  }

  #fold(cause: EntryCause): void {
    this.events = cause.events;
    const { entry, account } = recordEntry(this.account, cause, this.market);
    this.entries.push(entry);
    this.account = account;
  }

  #context() {
    const { market, addressLimit } = this;
    const own = { ids: this.#ids, format: this.#format, addressLimit, stateHashOf };
    return { nowMs: this.#timeMs, clockMs: market.nowMs, market, ...own };
  }
}

function isShardCommand(step: AccountCommand | ShardCommand): step is ShardCommand {
  return step.type === 'settleFunding' || step.type === 'scanLiquidation' || step.type === 'sampleEquity';
}

/** A scenario of an account with 10,000 USD to which these steps have happened. */
export function given(...steps: readonly Step[]): Scenario {
  return new Scenario().given(deposit('10000'), ...steps);
}

/** The same with another deposit. */
export function givenUsd(depositUsd: string, ...steps: readonly Step[]): Scenario {
  return new Scenario().given(deposit(depositUsd), ...steps);
}

export function deposit(depositUsd: string): AccountCommand {
  return { type: 'openAccount', depositUsd };
}

/** Fields of an order that a test cares about; SOL (asset 2), buy 1 at 100, Gtc otherwise. */
export interface OrderFields extends Partial<Omit<OrderRequest, 'type'>> {
  readonly tif?: TimeInForce;
  /** A trigger order, market unless a field says otherwise. */
  readonly trigger?: { readonly price: string; readonly tpsl: 'tp' | 'sl'; readonly isMarket?: boolean };
}

export function order({ tif = 'gtc', trigger, ...fields }: OrderFields = {}): OrderRequest {
  return {
    asset: 2,
    side: 'buy',
    limitPrice: '100',
    size: '1',
    reduceOnly: false,
    type: trigger
      ? { kind: 'trigger', triggerPrice: trigger.price, tpsl: trigger.tpsl, isMarket: trigger.isMarket ?? true }
      : { kind: 'limit', timeInForce: tif },
    ...fields,
  };
}

/** A stop-loss sell of 1 SOL: market, reduce-only, its limit 10 % beyond. */
export function stop(price: string, fields: OrderFields = {}): OrderFields {
  return { side: 'sell', reduceOnly: true, limitPrice: '85', trigger: { price, tpsl: 'sl' }, ...fields };
}

/** A take-profit sell of 1 SOL: market, reduce-only. */
export function takeProfit(price: string, fields: OrderFields = {}): OrderFields {
  return { side: 'sell', reduceOnly: true, limitPrice: '85', trigger: { price, tpsl: 'tp' }, ...fields };
}

export function place(...orders: readonly OrderFields[]): AccountCommand {
  return { type: 'placeOrders', orders: orders.map(order), grouping: 'na' };
}

/** A parent and its children, or the orders of a position. */
export function placeGroup(grouping: 'normalTpsl' | 'positionTpsl', ...orders: readonly OrderFields[]): AccountCommand {
  return { type: 'placeOrders', orders: orders.map(order), grouping };
}

export function cancel(...cancels: readonly { readonly asset?: number; readonly target: OrderTarget }[]): AccountCommand {
  return { type: 'cancelOrders', cancels: cancels.map(({ asset = 2, target }) => ({ asset, target })) };
}

interface Modified {
  readonly target: OrderTarget;
  readonly order: OrderFields;
}

export function modify(...modifies: readonly Modified[]): AccountCommand {
  return { type: 'modifyOrders', modifies: modifies.map(({ target, order: fields }) => ({ target, order: order(fields) })) };
}

/** With the flag `a`: any kind of order, also where there is none to replace. */
export function modifyAlways(...modifies: readonly Modified[]): AccountCommand {
  return { ...modify(...modifies), alwaysPlace: true } as AccountCommand;
}

export function leverage(asset: number, value: number, marginMode: 'cross' | 'isolated' = 'cross'): AccountCommand {
  return { type: 'updateLeverage', asset, marginMode, leverage: value };
}

/** USD into the bucket of an isolated position, or out of it when negative. */
export function addMargin(asset: number, usd: string): AccountCommand {
  return { type: 'updateIsolatedMargin', asset, usd };
}

/** The missing part of an isolated position's margin for a leverage. */
export function topUpMargin(asset: number, leverage: string): AccountCommand {
  return { type: 'topUpIsolatedMargin', asset, leverage };
}

export function book(coin: string, bids: Levels, asks: Levels): MarketMove {
  return (market) => market.setBook(coin, { bids, asks });
}

export function trade(coin: string, ...trades: readonly (readonly ['buy' | 'sell', string, string])[]): MarketMove {
  return (market) => market.trade(coin, ...trades);
}

/** The newest book contains them, and came before them. */
export function lateTrade(coin: string, ...trades: readonly (readonly ['buy' | 'sell', string, string])[]): MarketMove {
  return (market) => market.lateTrade(coin, ...trades);
}

export function mark(coin: string, price: string): MarketMove {
  return (market) => market.setPrices(coin, { mark: price });
}

/** The coin's open interest comes to its cap, or below it again. */
export function cap(coin: string, isCapped = true): MarketMove {
  return (market) => {
    market.capOpenInterest(coin, isCapped);
    return undefined;
  };
}

/** The venue takes the coin off its list; positions are settled at this price. */
export function delist(coin: string, settlementPrice: string): MarketMove {
  return (market) => {
    market.delist(coin, settlementPrice);
    return 'delisted';
  };
}

/** Time passes; the feed says nothing. Work that is due by then is done, as by a wake-up. */
export function wait(ms: number): MarketMove {
  return (market) => {
    market.advance(ms);
    return undefined;
  };
}

/** `resting`, `filled 12 @ 100.05833`, `success`, or the text of the refusal. */
export function inWords(outcome: Outcome): string[] {
  switch (outcome.type) {
    case 'orders':
      return outcome.orders.map((element) => {
        if (element.type === 'filled') return `filled ${element.totalSize} @ ${element.averagePrice}`;
        return element.type === 'error' ? element.text : element.type;
      });
    case 'cancels':
      return outcome.cancels.map((element) => (element.type === 'error' ? element.text : element.type));
    case 'refused':
      return [outcome.text];
    default:
      return [outcome.type];
  }
}
