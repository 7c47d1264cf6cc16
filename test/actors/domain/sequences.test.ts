// Invariants of trading-rules section 8 over random lives of an account. A failure prints the seed and the shrunk life.
import { expect } from 'chai';
import fc from 'fast-check';
import { type Account, emptyAccount, type OpenOrder } from '../../../src/actors/domain/account.ts';
import { availableAt } from '../../../src/actors/domain/consumption.ts';
import type { AccountEvent } from '../../../src/actors/domain/event.ts';
import { applyEntry } from '../../../src/actors/domain/evolve.ts';
import type { OrderView } from '../../../src/actors/domain/history.ts';
import { accountValue, freeMargin } from '../../../src/actors/domain/margin.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/domain/snapshot.ts';
import { Decimal, ZERO } from '../../../src/shared/domain/decimal.ts';
import { FIXTURE_COINS, FixtureMarket } from '../../support/fixtureMarket.ts';
import { LedgerOracle } from '../../support/ledgerOracle.ts';
import { assetOf, randomLife as life, type RandomStep, randomStep, toStep } from '../../support/randomSteps.ts';
import { ACCOUNT_ID, deposit, place, Scenario, type Step } from '../../support/scenario.ts';

const DEPOSIT = '5000';
/** Per property; about 15 steps each. */
const RUNS = 120;

type Fill = Extract<AccountEvent, { type: 'orderFilled' }>;

function begun(market?: FixtureMarket): Scenario {
  return new Scenario(market).given(deposit(DEPOSIT));
}

/** Lives the steps; `check` sees the scenario after each, with the step and the account's text before it. */
function live(
  steps: readonly RandomStep[],
  check: (scenario: Scenario, step: RandomStep, before: Account) => void = () => undefined,
  scenario = begun(),
): Scenario {
  for (const step of steps) {
    const before = fromSnapshot(toSnapshot(scenario.account));
    scenario.when(toStep(step, scenario));
    check(scenario, step, before);
  }
  return scenario;
}

const fillsOf = (events: readonly AccountEvent[]): Fill[] => events.filter((event) => event.type === 'orderFilled');
const signed = ({ side, size }: Pick<Fill, 'side' | 'size'>) => new Decimal(size).times(side === 'buy' ? 1 : -1);
const sum = (values: Iterable<Decimal>) => [...values].reduce((total, value) => total.plus(value), ZERO);

describe('sequences: random lives are worth checking', function () {
  this.timeout(60_000);

  it('they meet every way in which an order fills, rests and ends', () => {
    const met = new Set<string>();
    for (const steps of fc.sample(life, { numRuns: 300, seed: 1 })) {
      for (const event of live(steps).entries.flatMap(({ events }) => events)) met.add(kindOf(event));
    }
    expect([...met]).to.include.members([
      'taker Open Long cross',
      'taker Open Short isolated',
      'taker Close Long cross',
      'taker Close Short isolated',
      'taker Long > Short cross',
      'taker Short > Long cross',
      'maker Open Long cross trade',
      'maker Open Short isolated book',
      'maker Close Long cross book',
      'ended filled',
      'ended canceled',
      'ended selfTradeCanceled',
      'ended reduceOnlyCanceled',
      'ended reduceOnlyRejected',
      'ended badAloPxRejected',
      'ended iocCancelRejected',
      'ended minTradeNtlRejected',
      'ended perpMarginRejected',
      'leverageSet',
      'queueMoved',
      'consumptionSet',
    ]);
  });
});

describe('sequences: money', function () {
  this.timeout(60_000);

  it('invariant 1: cash and buckets are deposits less what fills and fees cost, exactly', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const { account, entries } = live(steps);
        const fills = fillsOf(entries.flatMap(({ events }) => events));
        const spent = sum(fills.map((fill) => signed(fill).times(fill.price).plus(fill.fee)));
        const held = account.cash.plus(sum([...account.positions.values()].map(({ rawUsd }) => rawUsd)));
        expect(held.toString()).to.equal(new Decimal(DEPOSIT).minus(spent).toString());
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 3: positions are the sum of their fills, each fill knows the position before it', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const { account, entries } = live(steps);
        const sizes = new Map<number, Decimal>();
        for (const fill of fillsOf(entries.flatMap(({ events }) => events))) {
          const before = sizes.get(fill.asset) ?? ZERO;
          expect(fill.startPosition).to.equal(before.toString());
          sizes.set(fill.asset, before.plus(signed(fill)));
        }
        for (const [asset, size] of sizes) {
          expect(account.positions.get(asset)?.signedSize.toString() ?? '0').to.equal(size.toString());
        }
        for (const position of account.positions.values()) expect(position.signedSize.isZero()).to.equal(false);
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 5, 6: account value is raw cash plus positions at mark; without positions it is the cash', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const { account, market } = live(steps);
        const positions = [...account.positions.values()];
        const raw = account.cash.plus(sum(positions.map(({ rawUsd }) => rawUsd)));
        const atMark = sum(positions.map(({ asset, signedSize }) => signedSize.times(market.prices(asset)?.markPrice ?? ZERO)));
        expect(accountValue(account, market).toString()).to.equal(raw.plus(atMark).toString());
      }),
      { numRuns: RUNS },
    );
  });

  it('a second bookkeeping in exact rationals agrees after every step', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const oracle = new LedgerOracle();
        oracle.deposit(DEPOSIT);
        live(steps, ({ events, account, market }) => {
          for (const fill of fillsOf(events)) {
            const markPrice = market.prices(fill.asset)?.markPrice.toString() ?? '0';
            const numbers = oracle.fill({ ...fill, markPrice });
            expect({ fee: fill.fee, closedPnl: fill.closedPnl, startPosition: fill.startPosition }).to.deep.equal({
              fee: numbers.fee,
              closedPnl: numbers.closedPnl,
              startPosition: numbers.startPosition,
            });
            expect(fill.marginMovedUsd ?? '0').to.equal(numbers.marginMovedUsd);
          }
          expect(account.cash.toString()).to.equal(oracle.cash);
          for (const [asset, { signedSize, rawUsd }] of account.positions) {
            expect(oracle.position(asset)).to.include({ signedSize: signedSize.toString(), rawUsd: rawUsd.toString() });
          }
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 29: on a frozen book and mark nothing that ends flat earns more than minus its fees', () => {
    const takers = fc.array(
      fc.record({ side: fc.constantFrom('buy' as const, 'sell' as const), size: fc.integer({ min: 2, max: 90 }) }),
      {
        minLength: 1,
        maxLength: 8,
      },
    );
    fc.assert(
      fc.property(takers, (orders) => {
        const scenario = begun();
        const take = (side: 'buy' | 'sell', size: string) =>
          scenario.when(place({ side, size, limitPrice: side === 'buy' ? '110' : '90', tif: 'ioc' }));
        for (const { side, size } of orders) take(side, new Decimal(size).div(10).toString());
        const held = scenario.account.positions.get(2)?.signedSize;
        if (held) take(held.isPos() ? 'sell' : 'buy', held.abs().toString());
        if (scenario.account.positions.size > 0) return;
        const fees = sum(fillsOf(scenario.entries.flatMap(({ events }) => events)).map(({ fee }) => new Decimal(fee)));
        expect(scenario.account.cash.lte(new Decimal(DEPOSIT).minus(fees))).to.equal(true);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('sequences: orders', function () {
  this.timeout(60_000);

  it('invariants 4, 13, 15: sizes add up, an order ends once, roles follow time in force, ids rise', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const { account, entries } = live(steps);
        const events = entries.flatMap((entry) => entry.events);
        const filled = new Map<number, Decimal>();
        const ended = new Map<number, OrderView>();
        const seen = new Map<number, OrderView>();
        const tids: number[] = [];
        for (const event of events) {
          if (event.type === 'orderRested' || event.type === 'orderEnded') {
            expect(ended.has(event.order.oid), `order ${event.order.oid} after its end`).to.equal(false);
            seen.set(event.order.oid, event.order);
            if (event.type === 'orderEnded') ended.set(event.order.oid, event.order);
            expect(filled.get(event.order.oid)?.toString() ?? '0').to.equal(event.order.filledSize);
            if (event.type === 'orderEnded' && event.status === 'filled') expect(event.order.size).to.equal('0');
          }
          if (event.type === 'orderFilled') {
            expect(ended.has(event.oid)).to.equal(false);
            filled.set(event.oid, (filled.get(event.oid) ?? ZERO).plus(event.size));
            tids.push(event.tid);
          }
        }
        for (const order of [...ended.values(), ...account.orders.values()]) {
          const total = new Decimal(order.size).plus(order.filledSize);
          expect(total.lte(order.originalSize)).to.equal(true);
          if (!order.reduceOnly) expect(total.toString()).to.equal(order.originalSize);
        }
        for (const fill of fillsOf(events)) {
          const { timeInForce, limitPrice } = seen.get(fill.oid) ?? raise(`fill of unknown order ${fill.oid}`);
          if (timeInForce === 'alo') expect(fill.liquidity).to.equal('maker');
          if (timeInForce === 'ioc' || timeInForce === 'frontendMarket') expect(fill.liquidity).to.equal('taker');
          // Invariant 10: never beyond the limit, a maker exactly at it.
          const beyond = fill.side === 'buy' ? new Decimal(fill.price).gt(limitPrice) : new Decimal(fill.price).lt(limitPrice);
          expect(beyond).to.equal(false);
          if (fill.liquidity === 'maker') expect(fill.price).to.equal(limitPrice);
        }
        expect(tids).to.deep.equal([...new Set(tids)].sort((a, b) => a - b));
        const oids = [...account.orders.keys()];
        expect(oids).to.deep.equal([...oids].sort((a, b) => a - b));
      }),
      { numRuns: RUNS },
    );
  });

  it('invariants 7, 8: an accepted opening order leaves free margin, a refused one changes nothing, a reduce-only one is never short of margin', () => {
    fc.assert(
      fc.property(life, (steps) => {
        live(steps, ({ events, outcome, account, market }, step, before) => {
          if (step.kind !== 'place' || outcome?.type !== 'orders') return;
          const [first] = outcome.orders;
          const [order] = step.orders;
          outcome.orders.forEach((element, index) => {
            if (step.orders[index]?.reduceOnly && element.type === 'error') expect(element.text).not.to.match(/margin/);
          });
          if (outcome.orders.length !== 1 || !first || !order) return;
          if (first.type === 'error') {
            expect(events.map(({ type }) => type)).to.deep.equal(['orderEnded']);
            const { seq: _a, timeMs: _b, ...after } = JSON.parse(toSnapshot(account));
            const { seq: _c, timeMs: _d, ...untouched } = JSON.parse(toSnapshot(before));
            for (const field of ['cash', 'positions', 'orders', 'consumption'])
              expect(after[field]).to.deep.equal(untouched[field]);
          } else if (opens(events)) {
            expect(freeMargin(account, market).isNeg()).to.equal(false);
          }
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 9: reduce-only orders fit their position and never grow or flip it', () => {
    fc.assert(
      fc.property(life, (steps) => {
        live(steps, ({ events, account }, step, before) => {
          for (const { reduceOnly, asset, size, side } of account.orders.values()) {
            if (!reduceOnly) continue;
            const held = account.positions.get(asset)?.signedSize ?? ZERO;
            expect(held.isNeg()).to.equal(side === 'buy');
            expect(held.abs().gte(size)).to.equal(true);
          }
          const orders = new Map<number, OrderView>(before.orders);
          for (const event of events) if ('order' in event) orders.set(event.order.oid, event.order);
          for (const fill of fillsOf(events)) {
            if (!orders.get(fill.oid)?.reduceOnly) continue;
            const start = new Decimal(fill.startPosition);
            expect(start.isZero() || start.isPos() === (fill.side === 'buy'), `fill of ${step.kind}`).to.equal(false);
            expect(start.abs().gte(fill.size)).to.equal(true);
          }
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('invariants 11, 12: best price first, older first, and never more than was displayed or traded', () => {
    fc.assert(
      fc.property(life, (steps) => {
        const takenOf = new Map<string, Decimal>();
        live(steps, ({ events, market }, step, before) => {
          const fills = fillsOf(events);
          if (step.kind === 'book' || step.kind === 'wait') takenOf.clear();
          for (const fill of fills.filter(({ liquidity }) => liquidity === 'taker')) {
            const level = `${fill.asset} ${fill.side} ${fill.price}`;
            const taken = (takenOf.get(level) ?? ZERO).plus(fill.size);
            takenOf.set(level, taken);
            const book = market.book(fill.asset) ?? raise('no book');
            const shown = (fill.side === 'buy' ? book.asks : book.bids).find(({ price }) => price.eq(fill.price));
            expect(shown?.size.gte(taken)).to.equal(true);
          }
          for (const oid of new Set(fills.map((fill) => fill.oid))) {
            const prices = fills.filter((fill) => fill.oid === oid).map(({ price }) => new Decimal(price));
            const direction = fills.find((fill) => fill.oid === oid)?.side === 'buy' ? 1 : -1;
            prices.forEach((price, index) => {
              const next = prices[index + 1];
              if (next) expect(next.cmp(price) * direction).to.equal(1);
            });
          }
          if (step.kind !== 'trade') return;
          expect(sum(fills.map(({ size }) => new Decimal(size))).lte(new Decimal(step.size).div(10))).to.equal(true);
          expectOlderFirst(before, events, fills);
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 14: no own order crosses another at rest, nor what a new book still has for the account', () => {
    fc.assert(
      fc.property(life, (steps) => {
        live(steps, ({ account, market }, step) => {
          const orders = [...account.orders.values()];
          for (const buy of orders.filter(({ side }) => side === 'buy')) {
            const crossed = orders.filter(
              ({ side, asset, limitPrice }) => side === 'sell' && asset === buy.asset && crosses(buy, limitPrice),
            );
            expect(crossed).to.deep.equal([]);
          }
          if (step.kind !== 'book') return;
          const moved = assetOf(step);
          for (const order of orders.filter(({ asset }) => asset === moved))
            expect(findsNothing(account, order, market), `order ${order.oid}`).to.equal(true);
        });
      }),
      { numRuns: RUNS },
    );
  });
});

describe('sequences: memory', function () {
  this.timeout(60_000);

  it('invariant 27: folding the journal gives the live state, at every step also from a snapshot and the tail', () => {
    fc.assert(
      fc.property(life, fc.nat(20), (steps, cut) => {
        const { account, entries } = live(steps);
        const journal: typeof entries = JSON.parse(JSON.stringify(entries));
        const text = toSnapshot(account);
        expect(toSnapshot(journal.reduce(applyEntry, emptyAccount(ACCOUNT_ID)))).to.equal(text);
        const snapshot = toSnapshot(journal.slice(0, cut).reduce(applyEntry, emptyAccount(ACCOUNT_ID)));
        expect(toSnapshot(journal.slice(cut).reduce(applyEntry, fromSnapshot(snapshot)))).to.equal(text);
      }),
      { numRuns: RUNS },
    );
  });

  it('invariants 27, 28: the same life gives the same events, whatever another account does meanwhile', () => {
    fc.assert(
      fc.property(life, life, (steps, others) => {
        const alone = live(steps);
        const market = new FixtureMarket(FIXTURE_COINS);
        const [one, other] = [begun(market), begun(market)];
        steps.forEach((step, index) => {
          const otherStep = others[index];
          const command: Step | undefined = otherStep && toStep(otherStep, other);
          if (command && typeof command !== 'function') other.when(command);
          one.when(toStep(step, one));
        });
        expect(one.entries).to.deep.equal(alone.entries);
      }),
      { numRuns: RUNS },
    );
  });

  it('deciding changes nothing: not the account, not its maps', () => {
    fc.assert(
      fc.property(life, randomStep, (steps, last) => {
        const scenario = live(steps);
        const { account } = scenario;
        const frozen = toSnapshot(account);
        scenario.decideOnly(toStep(last, scenario));
        expect(toSnapshot(account)).to.equal(frozen);
      }),
      { numRuns: RUNS },
    );
  });

  it('invariant 30: every number is plain decimal text on its grid', () => {
    fc.assert(
      fc.property(life, (steps) => {
        for (const event of live(steps).entries.flatMap(({ events }) => events)) {
          for (const [field, value] of Object.entries(event)) {
            if (['price', 'size', 'fee', 'closedPnl', 'startPosition', 'marginMovedUsd', 'depositUsd'].includes(field)) {
              expect(value, field).to.match(/^(0|-?(?=.*[1-9])(0|[1-9]\d*)(\.\d{0,5}[0-9])?)$/);
            }
          }
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** What a random life should meet, in a word or two. */
function kindOf(event: AccountEvent): string {
  if (event.type === 'orderEnded') return `ended ${event.status}`;
  if (event.type !== 'orderFilled') return event.type;
  const { liquidity, direction, marginMode, evidence } = event;
  const cause = evidence.tradeTid === undefined ? 'book' : 'trade';
  return `${liquidity} ${direction} ${marginMode}${liquidity === 'maker' ? ` ${cause}` : ''}`;
}

/** True when a fill opened or increased a position. */
function opens(events: readonly AccountEvent[]): boolean {
  return fillsOf(events).some(({ direction }) => direction.includes('Open') || direction.includes('>'));
}

function crosses(buy: OpenOrder, sellPrice: string): boolean {
  return new Decimal(buy.limitPrice).gte(sellPrice);
}

/** True when the newest book has nothing left for this order inside its limit. */
function findsNothing(account: Account, { asset, side, limitPrice }: OpenOrder, market: FixtureMarket): boolean {
  const book = market.book(asset);
  if (!book || market.nowMs - (market.prices(asset)?.timeMs ?? 0) > market.maxAgeMs) return true;
  const place = {
    asset,
    bookSide: side === 'buy' ? 'ask' : 'bid',
    feedTimeMs: market.feedTimeMs(asset),
    sizeDecimals: 2,
  } as const;
  return (side === 'buy' ? book.asks : book.bids)
    .filter(({ price }) => (side === 'buy' ? price.lte(limitPrice) : price.gte(limitPrice)))
    .every((level) => availableAt(account, level, place).available.isZero());
}

/** Of two own orders at one price a younger one fills only when the older one has ended. */
function expectOlderFirst(before: Account, events: readonly AccountEvent[], fills: readonly Fill[]): void {
  const ended = new Set(events.flatMap((event) => (event.type === 'orderEnded' ? [event.order.oid] : [])));
  for (const fill of fills) {
    for (const older of before.orders.values()) {
      if (older.oid >= fill.oid || older.asset !== fill.asset || older.side !== fill.side || older.limitPrice !== fill.price)
        continue;
      expect(ended.has(older.oid), `${fill.oid} before ${older.oid}`).to.equal(true);
    }
  }
}

function raise(why: string): never {
  throw new Error(why);
}
