// Accounts in any state that the types allow, whether the rules can bring one about or not: every field has other values
// than its default. The generators are typed over every key, so a new field of the state has to be drawn here too.
import fc from 'fast-check';
import type {
  Account,
  AccountTotals,
  HistoryStart,
  LiquidationMemory,
  Position,
  WaitingOrder,
} from '../../src/actors/core/account/account.ts';
import type { Following, Fork, Imported, WhatIfQueue } from '../../src/actors/core/account/copies.ts';
import type { CoinFunding, OwedHours } from '../../src/actors/core/account/fundingAccrual.ts';
import type { LabState } from '../../src/actors/core/account/labState.ts';
import type { AddressLimit, LimitsState } from '../../src/actors/core/account/limits.ts';
import { type OpenOrder, OpenOrderBook } from '../../src/actors/core/account/openOrderBook.ts';
import { OrderMap } from '../../src/actors/core/account/orderMap.ts';
import type { ScheduledCancel } from '../../src/actors/core/account/scheduledCancel.ts';
import type { TransfersWith } from '../../src/actors/core/account/subAccounts.ts';
import type { TermsState } from '../../src/actors/core/account/terms.ts';
import type { Twap } from '../../src/actors/core/account/twap.ts';
import type { ForkOrigin } from '../../src/actors/core/messages/command.ts';
import type { DirectionSums, HistoryKind } from '../../src/actors/core/messages/historyRows.ts';
import type { LabNote, OrderNote } from '../../src/actors/core/messages/labNote.ts';
import type { OrderView, TriggerView } from '../../src/actors/core/messages/order.ts';
import type { Breach } from '../../src/actors/core/messages/queryAnswer.ts';
import { FILL_MODELS } from '../../src/actors/core/messages/terms.ts';
import { Decimal } from '../../src/shared/domain/decimal.ts';

/** An arbitrary of every key, also of keys that may be absent. */
type Fields<Of> = { readonly [Key in keyof Of]-?: fc.Arbitrary<Exclude<Of[Key], undefined> | Extract<Of[Key], undefined>> };

/** As the code makes objects. */
const PLAIN = { noNullPrototype: true } as const;

const count = fc.integer({ min: 1, max: 1e9 });
const timeMs = fc.integer({ min: 1, max: 4e12 });
const flag = fc.boolean();
const text = fc.string({ unit: 'grapheme', maxLength: 8 });
const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 24n), max: 10n ** 24n }), fc.integer({ min: 0, max: 18 }))
  .map(([digits, places]) => new Decimal(digits.toString()).div(new Decimal(10).pow(places)));
const numberText = decimal.map((value) => value.toString());
const side = fc.constantFrom('buy' as const, 'sell' as const);
const marginMode = fc.constantFrom('cross' as const, 'isolated' as const);
const perhaps = <Value>(values: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> => fc.option(values, { nil: undefined });

const TRIGGER: Fields<TriggerView> = {
  price: numberText,
  tpsl: fc.constantFrom('tp', 'sl'),
  isMarket: flag,
  hasFired: fc.constant(true),
  placedFlat: fc.constant(true),
  grouping: fc.constantFrom('normalTpsl', 'positionTpsl'),
  parentOid: count,
};
const trigger: fc.Arbitrary<TriggerView> = fc.record(TRIGGER, { ...PLAIN, requiredKeys: ['price', 'tpsl', 'isMarket'] });

const labNote: fc.Arbitrary<LabNote> = fc.record(
  { key: text, on: fc.constantFrom('exchange', 'info'), number: count, atMs: timeMs, draw: fc.constant(0.25), delayMs: count },
  PLAIN,
);

const LAB: Fields<LabState> = {
  next: count,
  waiting: fc.array(
    fc.record(
      {
        ...{ number: count, dueMs: timeMs, note: labNote, command: fc.constant({ type: 'cancelOrders' as const, cancels: [] }) },
        key: fc.constant({ keyId: 'key_1', orderUsd: '5' }),
      },
      PLAIN,
    ),
    { minLength: 1, maxLength: 2 },
  ),
  decided: fc.array(fc.record({ number: count, atMs: timeMs, outcome: fc.constant({ type: 'done' as const }) }, PLAIN), {
    minLength: 1,
    maxLength: 2,
  }),
  held: fc.array(fc.record({ oid: count, untilMs: fc.option(timeMs) }, PLAIN), { minLength: 1, maxLength: 2 }),
};

const ORDER: Fields<OrderView> = {
  oid: count,
  cloid: text,
  asset: fc.nat(9),
  coin: text,
  side,
  limitPrice: numberText,
  size: numberText,
  originalSize: numberText,
  requestedSize: numberText,
  filledSize: numberText,
  filledUsd: numberText,
  reduceOnly: flag,
  timeInForce: fc.constantFrom('gtc', 'ioc', 'alo', 'frontendMarket', 'liquidationMarket'),
  placedAtMs: timeMs,
  trigger,
  twapId: count,
  lab: fc.array(
    labNote.map((note): OrderNote => ({ ...note, act: 'cancel' })),
    { minLength: 1, maxLength: 2 },
  ),
  lossMaxUsd: numberText,
};

const takenOff = fc.array(fc.tuple(timeMs, numberText), { minLength: 1, maxLength: 4 });

const OPEN_ORDER: Fields<OpenOrder> = {
  ...ORDER,
  resting: fc.record(
    {
      ...{ ahead: fc.oneof(numberText, fc.constant('unknown')), acceptedFeedTimeMs: timeMs, acceptedTick: text },
      ...{ model: fc.constantFrom('probable' as const, 'touch' as const, 'pessimistic' as const), shown: numberText, takenOff },
    },
    PLAIN,
  ),
};
const ABSENT_AT_FIRST = ['cloid', 'requestedSize', 'filledUsd', 'trigger', 'twapId', 'lab', 'lossMaxUsd'];
const keysOf = <Of extends object>(fields: Of, absent: readonly string[]): (keyof Of)[] =>
  (Object.keys(fields) as (keyof Of & string)[]).filter((key) => !absent.includes(key));

const openOrder = fc.record(OPEN_ORDER, {
  ...PLAIN,
  requiredKeys: keysOf(OPEN_ORDER, ABSENT_AT_FIRST),
}) as fc.Arbitrary<OpenOrder>;

const WAITING_ORDER: Fields<WaitingOrder> = {
  ...ORDER,
  trigger,
  waitsFor: fc.constantFrom('mark', 'fill', 'book'),
  fired: fc.record({ timeMs, outOfReach: fc.constantFrom('taken' as const, 'beyond' as const) }, PLAIN),
};
const waitingOrder = fc.record(WAITING_ORDER, {
  ...PLAIN,
  requiredKeys: keysOf(WAITING_ORDER, ['cloid', 'filledUsd', 'twapId', 'lab', 'lossMaxUsd', 'fired']),
}) as fc.Arbitrary<WaitingOrder>;

const POSITION: Fields<Position> = {
  asset: fc.nat(9),
  coin: text,
  signedSize: decimal,
  entryNotional: decimal,
  marginMode,
  leverage: count,
  rawUsd: decimal,
  funding: fc.record({ allTime: decimal, sinceOpen: decimal, sinceChange: decimal }, PLAIN),
  trip: fc.record(
    {
      ...{ openedAtMs: count, openedSeq: count, fills: count, sizeMax: decimal, openedSize: decimal, openedUsd: decimal },
      ...{ pnlUsd: decimal, feesUsd: decimal },
    },
    PLAIN,
  ),
};

const TWAP: Fields<Twap> = {
  twapId: count,
  asset: fc.nat(9),
  coin: text,
  side,
  size: numberText,
  executedSize: numberText,
  executedUsd: numberText,
  minutes: count,
  reduceOnly: flag,
  randomize: flag,
  startedAtMs: timeMs,
  trigger: fc.record({ price: numberText, above: flag }, PLAIN),
  stopPrice: numberText,
  lossMaxUsd: numberText,
  slices: count,
  nextSlice: count,
  seed: count,
  isWaiting: fc.constant(true as const),
};

/** Most TWAPs have no prices. */
const twap = fc.record(TWAP, {
  ...PLAIN,
  requiredKeys: keysOf(TWAP, ['trigger', 'stopPrice', 'lossMaxUsd', 'isWaiting']),
}) as fc.Arbitrary<Twap>;

const OWED: Fields<OwedHours> = { fromMs: timeMs, toMs: timeMs, signedSize: decimal, isOpen: flag };

const FUNDING: Fields<CoinFunding> = {
  coin: text,
  accruedToMs: perhaps(timeMs),
  openedAtMs: perhaps(timeMs),
  owed: fc.array(fc.record(OWED, PLAIN), { maxLength: 3 }),
  paidUsd: decimal,
};

const COUNTS: Fields<Readonly<Record<HistoryKind, number>>> = {
  fills: count,
  orders: count,
  ledger: count,
  funding: count,
  twapFills: count,
  roundTrips: count,
  twaps: count,
  equity: count,
};
const counts = fc.record(COUNTS, PLAIN);

const HISTORY_START: Fields<HistoryStart> = { firstRows: counts, seq: count, lastSeqs: counts };
const historyStart: fc.Arbitrary<HistoryStart> = fc.record(HISTORY_START, { ...PLAIN, requiredKeys: ['firstRows', 'seq'] });

const TOTALS: Fields<AccountTotals> = {
  netDepositsUsd: decimal,
  volumeUsd: decimal,
  realizedPnlUsd: decimal,
  feesUsd: decimal,
  fundingUsd: decimal,
  dailyVolumes: fc.array(fc.record({ day: text, takerUsd: decimal, makerUsd: decimal }, PLAIN), { maxLength: 3 }),
  requestsUsed: count,
};

const SCHEDULED: Fields<ScheduledCancel> = { dueMs: perhaps(timeMs), day: text, firings: count };

const ADDRESS_LIMIT: Fields<AddressLimit> = { reserved: count, nextAtMs: timeMs };

const LIQUIDATION: Fields<LiquidationMemory> = { cooldownUntilMs: timeMs, bookTimesMs: mapOf(fc.nat(9), timeMs) };

const levels = mapOf(
  text,
  fc.record(
    { consumed: numberText, lastFillFeedTimeMs: timeMs, halvings: timeMs, from: numberText, takenOff },
    { ...PLAIN, requiredKeys: ['consumed', 'lastFillFeedTimeMs'] },
  ),
);

const setting = fc.record({ marginMode, leverage: count }, PLAIN);
const consumption = fc.record({ bid: levels, ask: levels }, PLAIN);
const commandId = fc.record({ counter: count, timeMs }, PLAIN);

const terms = fc.option(
  fc.record(
    {
      fees: fc.record({ maker: numberText, taker: numberText }, PLAIN),
      leverage: count,
      fillModel: fc.constantFrom(...FILL_MODELS),
      latency: fc.record(
        { seed: count, submit: count, cancel: fc.record({ medianMs: count, sigma: fc.constant(0.5) }, PLAIN) },
        PLAIN,
      ),
    },
    { ...PLAIN, requiredKeys: [] },
  ),
  { nil: undefined },
);
const ORIGIN: Fields<ForkOrigin> = { of: text, seq: count, hash: text, terms };
const FORK: Fields<Fork> = { ...ORIGIN, timeMs, usd: decimal, received: fc.option(count, { nil: undefined }) };
const MIRRORS: Fields<WhatIfQueue> = {
  last: count,
  waiting: fc.array(
    fc.record(
      { number: count, command: fc.record({ type: fc.constant('cancelTwap' as const), asset: count, twapId: count }, PLAIN) },
      PLAIN,
    ),
    { maxLength: 2 },
  ),
  to: fc.array(
    fc.record(
      { account: text, start: count, through: count, ended: fc.constantFrom(undefined, 'lagging' as const, 'gone' as const) },
      PLAIN,
    ),
    { maxLength: 2 },
  ),
};
const IMPORTED: Fields<Imported> = { source: text, scale: text, seq: count, timeMs, usd: decimal };
const FOLLOWING: Fields<Following> = {
  ...{ id: text, term: count, sinceMs: timeMs, cursorMs: timeMs, floorMs: timeMs },
  heard: fc.array(fc.record({ timeMs, tid: count, oid: count }, PLAIN), { minLength: 1, maxLength: 3 }),
  orders: mapOf(
    count,
    fc.record({ oid: count, before: text, taken: text, ordered: text, isOver: fc.constant(true as const) }, PLAIN),
    1,
  ),
};
const TRANSFERS: Fields<TransfersWith> = {
  lastSent: count,
  sentUsd: decimal,
  receivedUsd: decimal,
  underWay: fc.array(fc.record({ number: count, after: count, usd: decimal, sentAtMs: timeMs }, PLAIN), { maxLength: 2 }),
  receivedThrough: count,
  receivedBeyond: fc.array(fc.record({ number: count, after: count }, PLAIN), { maxLength: 2 }),
};

const HOUSE: Fields<LimitsState> = {
  rules: fc.constant({ dailyLoss: { usd: '200', act: 'close' }, coins: { only: ['BTC'], act: 'warn' } }),
  peakUsd: decimal,
  shareKept: decimal,
  turnedMs: timeMs,
  breaches: fc.array(
    fc.record({ rule: fc.constantFrom('dailyLoss', 'drawdown'), timeMs, coin: text, found: numberText } as const, {
      ...PLAIN,
      requiredKeys: ['rule', 'timeMs'],
    }) as fc.Arbitrary<Breach>,
    { minLength: 1, maxLength: 2 },
  ),
};

const DIRECTION_SUMS: Fields<DirectionSums> = {
  ...{ trips: count, wins: count, losses: count, wonUsd: numberText, lostUsd: numberText },
  ...{ feesUsd: numberText, fundingUsd: numberText, heldMs: count },
};

const TERMS: Fields<TermsState> = {
  fees: fc.constantFrom(
    { kind: 'tier', tier: 2, rebate: 1 } as const,
    { kind: 'own', maker: '-0.001', taker: '0.01' } as const,
    { kind: 'volume' } as const,
  ),
  fillModel: fc.constantFrom('probable', 'touch', 'pessimistic'),
  changedAtMs: timeMs,
};

const ACCOUNT: Fields<Account> = {
  id: text,
  seq: count,
  timeMs,
  openedAtMs: timeMs,
  cash: decimal,
  positions: mapBy('asset', fc.record(POSITION, PLAIN)),
  orders: mapBy('oid', openOrder).map((orders) => new OpenOrderBook(orders)),
  triggers: mapBy('oid', waitingOrder).map((triggers) => new OrderMap(triggers)),
  leverage: mapOf(fc.nat(9), setting),
  consumption: mapOf(fc.nat(9), consumption),
  scheduledCancel: fc.record(SCHEDULED, PLAIN),
  twaps: mapBy('twapId', twap),
  funding: mapOf(fc.nat(9), fc.record(FUNDING, PLAIN)),
  commandIds: mapOf(text, commandId),
  rowCounts: counts,
  historyStart,
  equityNotedMs: timeMs,
  totals: fc.record(TOTALS, PLAIN),
  isPlanCredited: flag,
  tripSums: fc.record({ long: fc.record(DIRECTION_SUMS, PLAIN), short: fc.record(DIRECTION_SUMS, PLAIN) }, PLAIN),
  liquidation: fc.record(LIQUIDATION, PLAIN),
  addressLimit: fc.record(ADDRESS_LIMIT, PLAIN),
  subAccounts: fc.array(fc.record({ name: text, createdAtMs: timeMs, fork: fc.record(ORIGIN, PLAIN) }, PLAIN), {
    minLength: 1,
    maxLength: 3,
  }),
  transfers: mapOf(text, fc.record(TRANSFERS, PLAIN), 1),
  lab: fc.record(LAB, PLAIN),
  fork: fc.record(FORK, PLAIN),
  keyOrders: mapOf(text, fc.array(fc.record({ second: count, orders: count }, PLAIN), { minLength: 1, maxLength: 3 }), 1),
  dayStart: fc.record({ startMs: timeMs, resultUsd: decimal }, PLAIN),
  mirrors: fc.record(MIRRORS, PLAIN),
  terms: fc.record(TERMS, PLAIN),
  house: fc.record(HOUSE, PLAIN),
  imported: fc.record(IMPORTED, PLAIN),
  following: fc.record(FOLLOWING, PLAIN),
};

/** Keys that an account may be without. */
export const anyAccount: fc.Arbitrary<Account> = fc.record(ACCOUNT, {
  ...PLAIN,
  requiredKeys: keysOf(ACCOUNT, [
    'tripSums',
    'liquidation',
    'addressLimit',
    'subAccounts',
    'transfers',
    'lab',
    'fork',
    'imported',
    'following',
    'keyOrders',
    'dayStart',
    'mirrors',
    'terms',
    'house',
  ]),
}) as fc.Arbitrary<Account>;

/** An account with something in every field of every record. */
export const fullAccount: fc.Arbitrary<Account> = fc
  .record(
    {
      ...ACCOUNT,
      positions: mapBy('asset', fc.record(POSITION, PLAIN), 1),
      orders: mapBy('oid', fc.record(OPEN_ORDER, PLAIN) as fc.Arbitrary<OpenOrder>, 1).map((orders) => new OpenOrderBook(orders)),
      triggers: mapBy('oid', fc.record(WAITING_ORDER, PLAIN) as fc.Arbitrary<WaitingOrder>, 1).map(
        (triggers) => new OrderMap(triggers),
      ),
      twaps: mapBy('twapId', fc.record(TWAP, PLAIN) as fc.Arbitrary<Twap>, 1),
      leverage: mapOf(fc.nat(9), setting, 1),
      consumption: mapOf(fc.nat(9), consumption, 1),
      funding: mapOf(fc.nat(9), fc.record(FUNDING, PLAIN), 1),
      commandIds: mapOf(text, commandId, 1),
      historyStart: fc.record(HISTORY_START, PLAIN) as fc.Arbitrary<HistoryStart>,
      isPlanCredited: fc.constant(true),
    },
    PLAIN,
  )
  .filter((account) => account.cash.abs().gt(0)) as fc.Arbitrary<Account>;

function mapOf<Key, Value>(keys: fc.Arbitrary<Key>, values: fc.Arbitrary<Value>, minLength = 0): fc.Arbitrary<Map<Key, Value>> {
  return fc.array(fc.tuple(keys, values), { minLength, maxLength: 3 }).map((entries) => new Map(entries));
}

function mapBy<Id extends string, Value extends { readonly [Key in Id]: number }>(
  key: Id,
  values: fc.Arbitrary<Value>,
  minLength = 0,
): fc.Arbitrary<Map<number, Value>> {
  return fc
    .array(values, { minLength, maxLength: 3 })
    .map((list) => new Map(list.map((value): [number, Value] => [value[key], value])));
}
