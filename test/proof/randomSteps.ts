// Random lives of an account for property tests: commands near the market, books that move, trades, marks and waiting.
// A life is plain data, so fast-check can shrink it and the failing one can be read.
import fc from 'fast-check';
import { waitingForMarkOf } from '../../src/actors/core/account/ownOrders.ts';
import type { AccountCommand, OwnersCommand } from '../../src/actors/core/messages/command.ts';
import type { OrderRequest, Side, TimeInForce } from '../../src/actors/core/messages/order.ts';
import type { FeeChoice, OwnTerms } from '../../src/actors/core/messages/terms.ts';
import { allOpenOrders } from '../../src/actors/core/orders/endOrders.ts';
import { hourOf } from '../../src/market/domain/fundingRecords.ts';
import { Decimal } from '../../src/shared/domain/decimal.ts';
import { HOUR_MS } from '../../src/shared/domain/units.ts';
import type { FixtureMarket, Levels } from '../support/fixtureMarket.ts';
import {
  addMargin,
  book,
  cancel,
  cap,
  delist,
  leverage,
  type MarketMove,
  mark,
  modify,
  modifyAlways,
  type OrderFields,
  place,
  placeGroup,
  type Scenario,
  type Step,
  topUpMargin,
  wait,
} from '../support/scenario.ts';

/** Coins of the fixture market that random lives trade: SOL (cross), ISO (isolated only), TIER (two margin tiers). */
const COINS = [
  { coin: 'SOL', asset: 2, mid: 100 },
  { coin: 'ISO', asset: 3, mid: 50 },
  { coin: 'TIER', asset: 4, mid: 100 },
] as const;

const LOT = 0.1;

/** Prices are steps of 0.1 around the coin's mid of old; sizes are tenths of a coin. */
export type RandomStep =
  | { readonly kind: 'place'; readonly orders: readonly RandomOrder[] }
  | { readonly kind: 'cancel'; readonly open: number }
  | ({ readonly kind: 'modify'; readonly open: number; readonly always: boolean } & Pick<RandomOrder, 'price' | 'size' | 'tif'>)
  | { readonly kind: 'leverage'; readonly coin: number; readonly leverage: number; readonly isolated: boolean }
  | {
      readonly kind: 'book';
      readonly coin: number;
      readonly mid: number;
      readonly bids: readonly number[];
      readonly asks: readonly number[];
    }
  | { readonly kind: 'trade'; readonly coin: number; readonly side: Side; readonly price: number; readonly size: number }
  /** A trade that comes after the book that contains it. */
  | { readonly kind: 'lateTrade'; readonly coin: number; readonly side: Side; readonly price: number; readonly size: number }
  /** An aggregated book: buckets beyond the displayed levels. */
  | { readonly kind: 'deep'; readonly coin: number; readonly mid: number; readonly sizes: readonly number[] }
  | { readonly kind: 'mark'; readonly coin: number; readonly price: number }
  /** The mark comes to the nearest stop of the coin. */
  | { readonly kind: 'stopFires'; readonly coin: number }
  /** A stop, and something taken from the side that it will fire into, or, where `isFull`, 20 small levels shown on it. */
  | {
      readonly kind: 'stopOut';
      readonly coin: number;
      readonly taken: number;
      readonly size: number;
      readonly beyond: number;
      readonly isFull: boolean;
    }
  /** Time passes. A feed that goes on shows the same books again; else what is known grows old. */
  | { readonly kind: 'wait'; readonly ms: number; readonly feedGoesOn: boolean }
  | { readonly kind: 'isolatedMargin'; readonly coin: number; readonly cents: number }
  | { readonly kind: 'topUpMargin'; readonly coin: number; readonly tenths: number }
  | { readonly kind: 'reserve'; readonly weight: number }
  /** USD go to another account or come from one; `at` of a few numbers, so that some come twice or in another order. */
  | { readonly kind: 'transfer'; readonly act: 'send' | 'receive' | 'settle'; readonly cents: number; readonly at: number }
  | { readonly kind: 'scheduleCancel'; readonly aheadMs: number | null }
  /** Under a failure lab: an order, or the cancel of one, with a latency and a script. */
  | ({ readonly kind: 'lab'; readonly cancels: number | null; readonly order: RandomOrder } & RandomLab)
  | ({ readonly kind: 'twap' } & RandomTwap)
  | { readonly kind: 'cancelTwap'; readonly running: number }
  | { readonly kind: 'scan' }
  /** Other fees and another fill model; null: the service's own. */
  | { readonly kind: 'terms'; readonly fees: FeeChoice | null; readonly fillModel: OwnTerms['fillModel'] | null }
  /** Seldom, so that most lives keep their coins: only when `dice` is 0. */
  /** The account as a whole; rarely, or lives would be short. */
  | {
      readonly kind: 'account';
      readonly act: AccountAct;
      readonly isPro: boolean;
      readonly thousands: number;
      readonly dice: number;
    }
  | { readonly kind: 'delist'; readonly coin: number; readonly price: number; readonly dice: number }
  /** The venue says that a coin is at its open-interest cap, or no longer. */
  | { readonly kind: 'cap'; readonly coin: number; readonly isCapped: boolean }
  | ({ readonly kind: 'trigger' } & RandomTrigger)
  | ({ readonly kind: 'group' } & RandomGroup)
  /** Reduce-only orders against the position that there is, so far behind its best price. */
  | {
      readonly kind: 'exits';
      readonly coin: number;
      readonly orders: readonly { readonly away: number; readonly size: number }[];
    }
  /** Hours pass, each with a rate for each coin (in millionths; null = not known), and perhaps they are settled, the last time late. */
  | {
      readonly kind: 'hours';
      readonly rates: readonly (readonly (number | null)[])[];
      readonly settlements: number;
      readonly late: boolean;
    };

/** `away` counts steps from the mark to the trigger; not above 0 = reached already. `beyond`: from the trigger to the limit. */
interface RandomTrigger {
  readonly coin: number;
  readonly side: Side;
  readonly size: number;
  readonly tpsl: 'tp' | 'sl';
  readonly away: number;
  readonly isMarket: boolean;
  readonly beyond: number;
  readonly reduceOnly: boolean;
}

/** Children of an order, or of the position that it would close; `size` 0 = all of the position. */
interface RandomGroup {
  readonly parent: RandomOrder | null;
  readonly coin: number;
  readonly size: number;
  readonly takeProfit: number | null;
  readonly stop: number | null;
}

interface RandomTwap {
  readonly coin: number;
  readonly side: Side;
  readonly size: number;
  readonly minutes: number;
  readonly reduceOnly: boolean;
  readonly randomize: boolean;
  /** Steps from the mark to the price that starts it (above the mark when positive), and from there to the price that ends it. */
  readonly trigger?: number | null;
  readonly stop?: number | null;
}

type AccountAct = 'topUp' | 'resetAccount' | 'setBalance' | 'creditPlan' | 'closeAccount';

interface RandomLab {
  readonly delayMs: number;
  readonly fillPercent: number | null;
  /** 0 = it is not held; -1 = for ever. */
  readonly holdMs: number;
}

interface RandomOrder {
  readonly coin: number;
  readonly side: Side;
  readonly price: number;
  readonly size: number;
  readonly tif: TimeInForce;
  readonly reduceOnly: boolean;
  readonly cloid: number | null;
}

/** Mostly the first, so that things happen to one position. */
const coin = fc.constantFrom(0, 0, 0, 0, 1, 1, 2);
const side = fc.constantFrom<Side>('buy', 'sell');
const near = fc.oneof(fc.integer({ min: -4, max: 4 }), fc.integer({ min: -15, max: 15 }));
const size = fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 3000 }));
const displayed = fc.array(fc.oneof(fc.nat(40), fc.nat(3000)), { minLength: 1, maxLength: 6 });

const order: fc.Arbitrary<RandomOrder> = fc.record({
  coin,
  side,
  price: near,
  size,
  tif: fc.constantFrom<TimeInForce>('gtc', 'gtc', 'ioc', 'ioc', 'alo', 'frontendMarket'),
  reduceOnly: fc.constantFrom(false, false, false, true),
  cloid: fc.constantFrom(null, null, null, null, 0, 1),
});

const fees: fc.Arbitrary<FeeChoice> = fc.oneof(
  fc.record({ kind: fc.constant('tier' as const), tier: fc.nat(6) }),
  fc.record({ kind: fc.constant('tier' as const), tier: fc.nat(6), rebate: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    kind: fc.constant('own' as const),
    maker: fc.constantFrom('-0.001', '-0.00003', '0', '0.0001', '0.01'),
    taker: fc.constantFrom('-0.001', '0', '0.00035', '0.01'),
  }),
  fc.constant({ kind: 'volume' as const }),
);

const fillModel = fc.constantFrom<OwnTerms['fillModel'] | null>('probable', 'probable', 'touch', 'pessimistic', null);

const away = fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: -3, max: 150 }));

export const randomStep: fc.Arbitrary<RandomStep> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('place' as const), orders: fc.array(order, { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), open: fc.nat(5) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('modify' as const),
      open: fc.nat(5),
      price: near,
      size,
      tif: fc.constantFrom<TimeInForce>('gtc', 'gtc', 'alo', 'ioc'),
      always: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('leverage' as const),
      coin,
      leverage: fc.integer({ min: 1, max: 21 }),
      isolated: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('book' as const), coin, mid: near, bids: displayed, asks: displayed }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('trade' as const), coin, side, price: near, size }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lateTrade' as const), coin, side, price: near, size }) },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('deep' as const), coin, mid: near },
      sizes: fc.array(fc.nat(400), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('mark' as const),
      coin,
      price: fc.oneof(fc.integer({ min: -15, max: 15 }), fc.integer({ min: -400, max: 400 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('stopFires' as const), coin }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('stopOut' as const),
      coin,
      taken: size,
      size,
      beyond: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 200 })),
      isFull: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.constantFrom(1, 500, 6_000, 30_000, 31_000, 95_000, 700_000),
      feedGoesOn: fc.constantFrom(true, true, false),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('isolatedMargin' as const),
      coin,
      cents: fc.oneof(fc.integer({ min: -5_000, max: 20_000 }), fc.integer({ min: -200_000, max: 600_000 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('topUpMargin' as const), coin, tenths: fc.integer({ min: 0, max: 220 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('reserve' as const),
      weight: fc.oneof(fc.nat(5), fc.integer({ min: 1, max: 30_000_000 })),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('transfer' as const),
      act: fc.constantFrom('send', 'send', 'receive', 'settle', 'settle'),
      cents: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: -5, max: 900_000 })),
      at: fc.nat(5),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('scheduleCancel' as const),
      aheadMs: fc.constantFrom(null, 4_999, 5_000, 5_000, 20_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('twap' as const),
      coin,
      side,
      size: fc.integer({ min: 5, max: 400 }),
      minutes: fc.constantFrom(4, 5, 5, 7, 30),
      reduceOnly: fc.constantFrom(false, false, true),
      randomize: fc.boolean(),
      trigger: fc.option(fc.integer({ min: -6, max: 6 }), { freq: 2 }),
      stop: fc.option(fc.integer({ min: 0, max: 12 }), { freq: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancelTwap' as const), running: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('scan' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('terms' as const), fees: fc.option(fees, { freq: 4 }), fillModel }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('account' as const),
      act: fc.constantFrom<AccountAct>('topUp', 'resetAccount', 'setBalance', 'creditPlan', 'closeAccount'),
      isPro: fc.boolean(),
      thousands: fc.integer({ min: 1, max: 9999 }),
      dice: fc.nat(2),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('delist' as const),
      coin,
      price: fc.oneof(fc.integer({ min: -15, max: 15 }), fc.integer({ min: -400, max: 400 })),
      dice: fc.nat(7),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cap' as const), coin, isCapped: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('trigger' as const),
      coin,
      side,
      size,
      tpsl: fc.constantFrom('tp' as const, 'sl' as const),
      away,
      isMarket: fc.boolean(),
      beyond: fc.integer({ min: -5, max: 20 }),
      reduceOnly: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('group' as const),
      parent: fc.option(order, { freq: 4 }),
      coin,
      size: fc.constantFrom(0, 0, 10, 300),
      takeProfit: fc.option(away, { freq: 4 }),
      stop: fc.option(away, { freq: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('exits' as const),
      coin,
      orders: fc.array(fc.record({ away: fc.integer({ min: -2, max: 15 }), size }), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hours' as const),
      rates: fc.array(
        fc.array(
          fc.oneof({ weight: 9, arbitrary: fc.integer({ min: -400, max: 400 }) }, { weight: 1, arbitrary: fc.constant(null) }),
          {
            minLength: 3,
            maxLength: 3,
          },
        ),
        { minLength: 1, maxLength: 4 },
      ),
      settlements: fc.nat(2),
      late: fc.boolean(),
    }),
  },
);

/** A life of an account. */
const labStep: fc.Arbitrary<RandomStep> = fc.record<Extract<RandomStep, { kind: 'lab' }>>({
  kind: fc.constant('lab' as const),
  cancels: fc.option<number>(fc.nat(3)),
  order,
  delayMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 10_000 })),
  fillPercent: fc.option<number>(fc.nat(99)),
  holdMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: -1, max: 10_000 })),
});

/** A life of which a part comes with a key that has a failure lab. */
export const lifeInLab = fc.array(fc.oneof({ weight: 3, arbitrary: randomStep }, { weight: 1, arbitrary: labStep }), {
  ...{ minLength: 12, maxLength: 28, size: 'max' },
});

export const randomLife = fc.array(randomStep, { minLength: 12, maxLength: 28, size: 'max' });

/** The asset that a market step is about. */
export function assetOf({ coin: index }: Extract<RandomStep, { coin: number }>): number {
  return ofCoin(index).asset;
}

/** The step for this scenario as it is now: `open` and `running` count its open orders and running TWAPs. */
export function toSteps(step: RandomStep, scenario: Scenario): Step[] {
  if (step.kind === 'wait') return step.feedGoesOn ? [...feedAfter(step.ms), wait(0)] : [wait(step.ms)];
  if (step.kind === 'lateTrade') return tradeAfterBook(step, scenario);
  if (step.kind === 'deep') return [deepBook(step)];
  if (step.kind === 'book') return [sameMark(ofCoin(step.coin).coin), toStep(step, scenario)];
  if (step.kind === 'hours') return hoursPass(step, scenario);
  if (step.kind === 'account') return step.dice === 0 ? [accountStep(step)] : [];
  if (step.kind === 'stopOut') return stopsOut(step, scenario);
  if (step.kind === 'stopFires') return stopFires(step, scenario);
  if (step.kind === 'delist') return step.dice === 0 ? [delist(ofCoin(step.coin).coin, priceOf(step.coin, step.price))] : [];
  return [toStep(step, scenario)];
}

function accountStep({ act, isPro, thousands }: Extract<RandomStep, { kind: 'account' }>): Step {
  const start = { plan: isPro ? 'pro' : 'basic', balanceUsd: isPro ? '100000' : '10000' } as const;
  switch (act) {
    case 'topUp':
    case 'resetAccount':
      return { type: act, ...start };
    case 'setBalance':
      return { type: act, balanceUsd: new Decimal(thousands).times(1000).plus('0.000001').toString() };
    case 'creditPlan':
      return { type: act, usd: '90000' };
    case 'closeAccount':
      return { type: act };
  }
}

function toStep(
  step: Exclude<RandomStep, { kind: 'wait' | 'hours' | 'delist' | 'account' | 'stopOut' | 'stopFires' | 'lateTrade' | 'deep' }>,
  { account, market }: Scenario,
): Step {
  const { nowMs } = market;
  switch (step.kind) {
    case 'place':
      return place(...step.orders.map(toFields));
    case 'cancel': {
      const open = allOpenOrders(account)[step.open];
      return open ? cancel({ asset: open.asset, target: { oid: open.oid } }) : cancel({ target: { oid: 1 } });
    }
    case 'modify': {
      const open = [...account.orders.values()][step.open];
      if (!open) return modify({ target: { oid: 1 }, order: {} });
      const { asset, oid } = open;
      const coinOf = COINS.findIndex((each) => each.asset === asset);
      return (step.always ? modifyAlways : modify)({
        target: { oid },
        order: {
          asset,
          side: open.side,
          limitPrice: priceOf(coinOf, step.price),
          size: sizeOf(step.size),
          tif: step.tif,
          reduceOnly: open.reduceOnly,
        },
      });
    }
    case 'leverage':
      return leverage(ofCoin(step.coin).asset, step.leverage, step.isolated ? 'isolated' : 'cross');
    case 'book': {
      const coinName = ofCoin(step.coin).coin;
      const levels = (sizes: readonly number[], direction: 1 | -1): Levels =>
        sizes.flatMap((each, index) =>
          each === 0 ? [] : [[priceOf(step.coin, step.mid + direction * (index + 1)), sizeOf(each)] as const],
        );
      return book(coinName, levels(step.bids, -1), levels(step.asks, 1));
    }
    case 'trade':
      return tradeAndFold(ofCoin(step.coin).coin, [step.side, priceOf(step.coin, step.price), sizeOf(step.size)]);
    case 'mark':
      return mark(ofCoin(step.coin).coin, priceOf(step.coin, step.price));
    case 'cap':
      return cap(ofCoin(step.coin).coin, step.isCapped);
    case 'isolatedMargin':
      return addMargin(ofCoin(step.coin).asset, new Decimal(step.cents).div(100).toString());
    case 'reserve':
      return { type: 'reserveRequests', weight: step.weight };
    case 'lab':
      return labOf(step, account, nowMs);
    case 'transfer':
      return transferOf(step, account);
    case 'topUpMargin':
      return topUpMargin(ofCoin(step.coin).asset, new Decimal(step.tenths).div(10).toString());
    case 'scheduleCancel':
      return step.aheadMs === null ? { type: 'scheduleCancel' } : { type: 'scheduleCancel', dueMs: nowMs + step.aheadMs };
    case 'twap': {
      const { kind: _, coin: index, size: tenths, trigger, stop, ...twap } = step;
      const prices = twapPrices({ index, of: step.side, trigger, stop }, market);
      return { type: 'startTwap', asset: ofCoin(index).asset, size: sizeOf(tenths), ...twap, ...prices };
    }
    case 'trigger':
      return place(triggerFields(step, market));
    case 'group':
      return groupOf(step, { account, market });
    case 'exits':
      return place(...exitsOf(step, account));
    case 'terms':
      return {
        type: 'setTerms',
        terms: { ...(step.fees && { fees: { ...step.fees } }), ...(step.fillModel && { fillModel: step.fillModel }) },
      };
    case 'scan':
      return { type: 'scanLiquidation' };
    case 'cancelTwap': {
      const twap = [...account.twaps.values()][step.running];
      return { type: 'cancelTwap', asset: twap?.asset ?? 2, twapId: twap?.twapId ?? 1 };
    }
  }
}

function labOf(
  { cancels, order: fields, delayMs, fillPercent, holdMs }: Extract<RandomStep, { kind: 'lab' }>,
  account: Scenario['account'],
  nowMs: number,
): AccountCommand {
  const open = cancels === null ? undefined : allOpenOrders(account)[cancels];
  const script = {
    ...(fillPercent !== null && { fillPercent }),
    ...(holdMs !== 0 && { fillPercent: 0, holdMs: holdMs < 0 ? null : holdMs }),
  };
  const command = open ? cancel({ asset: open.asset, target: { oid: open.oid } }) : place({ ...toFields(fields), script });
  const note = {
    key: 'key_1',
    on: 'exchange',
    number: account.seq,
    atMs: nowMs,
    draw: 0.5,
    ...(delayMs > 0 && { delayMs }),
  } as const;
  return { type: 'inLab', note, command: command as OwnersCommand };
}

const OTHER_ID = `0x${'cd'.repeat(20)}`;

function transferOf(
  { act, cents, at }: Extract<RandomStep, { kind: 'transfer' }>,
  { transfers }: Scenario['account'],
): AccountCommand {
  const usd = new Decimal(cents).div(100).toString();
  if (act === 'send') return { type: 'sendTransfer', to: OTHER_ID, usd };
  const number = at + 1;
  if (act === 'receive')
    return {
      type: 'receiveTransfer',
      from: OTHER_ID,
      number,
      after: at,
      usd: new Decimal(Math.abs(cents) + 1).div(100).toString(),
    };
  const underWay = transfers?.get(OTHER_ID)?.underWay ?? [];
  return { type: 'settleTransfer', to: OTHER_ID, number: underWay[at % (underWay.length + 1)]?.number ?? number };
}

/** Lives that were drawn before TWAPs had prices have none. */
function twapPrices(
  {
    index,
    of,
    trigger,
    stop,
  }: {
    readonly index: number;
    readonly of: Side;
    readonly trigger: number | null | undefined;
    readonly stop: number | null | undefined;
  },
  market: FixtureMarket,
): Pick<Extract<AccountCommand, { type: 'startTwap' }>, 'trigger' | 'stopPrice'> {
  const mark = market.prices(ofCoin(index).asset)?.markPrice ?? new Decimal(ofCoin(index).mid);
  const startsAt = mark.plus(new Decimal(trigger ?? 0).times(LOT));
  const endsAt = startsAt.plus(new Decimal(stop ?? 0).times(of === 'buy' ? LOT : -LOT));
  return {
    ...(trigger != null && { trigger: { price: startsAt.toString(), above: trigger > 0 } }),
    ...(stop != null && { stopPrice: endsAt.toString() }),
  };
}

function triggerFields(trigger: RandomTrigger, market: FixtureMarket): OrderFields {
  const { coin: index, side: of, size: tenths, tpsl, away: steps, isMarket, beyond, reduceOnly } = trigger;
  const direction = (tpsl === 'tp') === (of === 'sell') ? 1 : -1;
  const mark = market.prices(ofCoin(index).asset)?.markPrice ?? new Decimal(ofCoin(index).mid);
  const price = mark.plus(new Decimal(steps * direction).times(LOT));
  const further = of === 'buy' ? 1 : -1;
  const limit = isMarket ? price.times(100 + 8 * further).div(100) : price.plus(new Decimal(beyond * further).times(LOT));
  return {
    asset: ofCoin(index).asset,
    side: of,
    size: sizeOf(tenths),
    limitPrice: limit.toDecimalPlaces(1, Decimal.ROUND_DOWN).toString(),
    trigger: { price: price.toString(), tpsl, isMarket },
    reduceOnly,
  };
}

/** A parent with children of its size, or children of the position there is. */
function groupOf(
  { parent, coin: index, size: tenths, takeProfit, stop }: RandomGroup,
  { account, market }: Pick<Scenario, 'account' | 'market'>,
): Step {
  const of = parent ? parent.coin : index;
  const isLong = parent ? parent.side === 'buy' : account.positions.get(ofCoin(of).asset)?.signedSize.isPos() !== false;
  const children = (['tp', 'sl'] as const).flatMap((tpsl) => {
    const steps = tpsl === 'tp' ? takeProfit : stop;
    if (steps === null) return [];
    const common = { coin: of, side: isLong ? ('sell' as const) : ('buy' as const), size: parent?.size ?? tenths };
    return [triggerFields({ ...common, tpsl, away: steps, isMarket: steps % 3 !== 0, beyond: 5, reduceOnly: true }, market)];
  });
  return parent ? placeGroup('normalTpsl', toFields(parent), ...children) : placeGroup('positionTpsl', ...children);
}

/** Nothing without a position. */
function stopsOut(
  { coin: index, taken, size: tenths, beyond, isFull }: Extract<RandomStep, { kind: 'stopOut' }>,
  { account, market }: Scenario,
): Step[] {
  const { coin: name, asset } = ofCoin(index);
  const position = account.positions.get(asset);
  const mark = market.prices(asset)?.markPrice;
  if (!position || !mark) return [];
  const side = position.signedSize.isPos() ? 'sell' : 'buy';
  const [direction, steps] = [side === 'sell' ? -1 : 1, (count: number) => new Decimal(count).times(LOT)];
  const priceAt = (count: number): string => mark.plus(steps(count * direction)).toString();
  const exits = Array.from({ length: 20 }, (_, at) => [priceAt(at + 1), sizeOf(1)] as const);
  const others = [[priceAt(-1), sizeOf(50)]] as const;
  const full = book(name, side === 'sell' ? exits : others, side === 'sell' ? others : exits);
  const common = { asset, side } as const;
  const stop = { price: priceAt(1), tpsl: 'sl', isMarket: true } as const;
  return [
    ...(isFull ? [sameMark(name), full] : []),
    place({ ...common, size: sizeOf(tenths), limitPrice: priceAt((isFull ? 21 : 1) + beyond), trigger: stop, reduceOnly: true }),
    ...(isFull ? [] : [place({ ...common, size: sizeOf(taken), limitPrice: priceAt(15), tif: 'ioc' })]),
  ];
}

function stopFires({ coin: index }: Extract<RandomStep, { kind: 'stopFires' }>, { account, market }: Scenario): Step[] {
  const { coin: name, asset } = ofCoin(index);
  const mark = market.prices(asset)?.markPrice ?? ofCoin(index).mid;
  const stops = waitingForMarkOf(account, asset).filter(({ trigger, reduceOnly }) => reduceOnly && trigger.tpsl === 'sl');
  const [nearest] = stops
    .map(({ trigger }) => new Decimal(trigger.price))
    .sort((a, b) => a.minus(mark).abs().cmp(b.minus(mark).abs()));
  return nearest ? [(view) => view.setPrices(name, { mark: nearest.toString() })] : [];
}

function exitsOf(
  { coin: index, orders }: Extract<RandomStep, { kind: 'exits' }>,
  { positions }: Scenario['account'],
): OrderFields[] {
  const isLong = positions.get(ofCoin(index).asset)?.signedSize.isPos() !== false;
  const side = isLong ? 'sell' : 'buy';
  return orders.map(({ away: steps, size: tenths }) =>
    toFields({ coin: index, side, price: isLong ? steps : -steps, size: tenths, tif: 'gtc', reduceOnly: true, cloid: null }),
  );
}

/** The books and marks of all coins as they were, so much later. */
function feedAfter(ms: number): MarketMove[] {
  const later: MarketMove = (market) => {
    market.advance(ms);
    return sameMark(ofCoin(0).coin)(market);
  };
  const marks = COINS.slice(1).map(({ coin: name }) => sameMark(name));
  return [later, ...marks, ...COINS.map(({ coin: name }) => sameBook(name))];
}

/** To one second after each hour boundary, when its rates are known; the last of them settles. */
function hoursPass(
  { rates, settlements, late }: Extract<RandomStep, { kind: 'hours' }>,
  { market: { nowMs } }: Scenario,
): Step[] {
  const firstMs = hourOf(nowMs) + HOUR_MS;
  const passed = rates.map((ofHour, index): MarketMove => {
    const hourMs = firstMs + index * HOUR_MS;
    return (market) => {
      market.advance(hourMs + 1000 - market.nowMs);
      ofHour.forEach((millionths, which) => {
        const { coin: name, asset } = ofCoin(which);
        const oracle = market.prices(asset)?.oraclePrice.toString();
        if (millionths === null || oracle === undefined) return;
        market.setFunding(name, hourMs, { rate: new Decimal(millionths).div(1_000_000).toString(), oracle });
      });
      return undefined;
    };
  });
  const throughMs = firstMs + (rates.length - 1) * HOUR_MS;
  const settlementsOf = Array.from({ length: settlements }, (_, index): Step => {
    const isLate = late && index === settlements - 1;
    return { type: 'settleFunding', throughMs, hours: [], ...(isLate && { late: true }) };
  });
  return [...passed, ...settlementsOf];
}

/** The venue says the same mark again. */
function sameMark(name: string): MarketMove {
  return (market) => market.setPrices(name, { mark: String(market.prices(market.require(name).id)?.markPrice) });
}

function sameBook(name: string): MarketMove {
  return (market) => {
    const { bids, asks } = market.book(market.require(name).id) ?? { bids: [], asks: [] };
    const levels = (side: typeof bids): Levels => side.map(({ price, size: shown }) => [price.toString(), shown.toString()]);
    return market.setBook(name, { bids: levels(bids), asks: levels(asks) });
  };
}

function toFields({ coin: index, side: of, price, size: tenths, tif, reduceOnly, cloid }: RandomOrder): OrderFields {
  const fields = {
    asset: ofCoin(index).asset,
    side: of,
    limitPrice: priceOf(index, price),
    size: sizeOf(tenths),
    tif,
    reduceOnly,
  };
  return cloid === null ? fields : { ...fields, cloid: cloidOf(cloid) };
}

function cloidOf(n: number): NonNullable<OrderRequest['cloid']> {
  return `0x${String(n).padStart(32, '0')}`;
}

function priceOf(index: number, steps: number): string {
  return new Decimal(ofCoin(index).mid).plus(new Decimal(steps).times(LOT)).toString();
}

function sizeOf(tenths: number): string {
  return new Decimal(tenths).times(LOT).toString();
}

function ofCoin(index: number): (typeof COINS)[number] {
  return COINS[index] ?? COINS[0];
}

/** A public trade; the book shows its level smaller from then on. */
function tradeAndFold(coin: string, one: readonly [side: Side, price: string, size: string]): MarketMove {
  return (market) => {
    const change = market.trade(coin, one);
    market.foldTrade(coin, one);
    return change;
  };
}

/** The whole book without what was traded, then the trade. */
function tradeAfterBook({ coin, side, price, size }: Extract<RandomStep, { kind: 'lateTrade' }>, { market }: Scenario): Step[] {
  const { coin: name, asset } = ofCoin(coin);
  const one = [side, priceOf(coin, price), sizeOf(size)] as const;
  if (market.book(asset) === undefined) return [];
  const shown: MarketMove = (at) => {
    at.foldTrade(name, one);
    const { bids = [], asks = [] } = at.book(asset) ?? {};
    const text = (levels: typeof bids): Levels => levels.map((level) => [level.price.toFixed(), level.size.toFixed()] as const);
    return at.setBook(name, { bids: text(bids), asks: text(asks) });
  };
  return [shown, (at) => at.lateTrade(name, one)];
}

function deepBook({ coin, mid, sizes }: Extract<RandomStep, { kind: 'deep' }>): MarketMove {
  const levels = (direction: 1 | -1): Levels =>
    sizes.map((each, index) => [priceOf(coin, mid + direction * 6 * (index + 1)), sizeOf(each)] as const);
  return (market) => void market.setDeep(ofCoin(coin).coin, { bids: levels(-1), asks: levels(1) });
}
