// How an account stands in its snapshot: one table for each record of the state. The tables are typed over every key,
// so a field of the state that is not written and read does not compile.
import {
  type Codec,
  decimal,
  listOf,
  mapBy,
  mapInOrder,
  mapOf,
  optional,
  orUndefined,
  plain,
  plainList,
  record,
  tuple,
} from '../../../shared/domain/codec.ts';
import {
  type Downcasters,
  downcast,
  type Format,
  readForm,
  type StoredForm,
  type Upcasters,
  writeForm,
} from '../../../shared/domain/formats.ts';
import type { ForkOrigin } from '../messages/command.ts';
import type { DirectionSums, HistoryKind, TripSums } from '../messages/historyRows.ts';
import type { OrderView, TriggerView, TwapTrigger } from '../messages/order.ts';
import type { WhatIfProgress } from '../messages/queryAnswer.ts';
import type { RestingState, TakenOff } from '../messages/queuePlace.ts';
import type { Terms } from '../messages/terms.ts';
import type {
  Account,
  AccountTotals,
  HistoryStart,
  LeverageSetting,
  LiquidationMemory,
  OpenTrip,
  Position,
  TakenLevel,
  TakenLiquidity,
  WaitingOrder,
  WaitingOrders,
} from './account.ts';
import type { Following, Fork, HeardFill, Imported, SeenOrder, WaitingCopy, WhatIfQueue } from './copies.ts';
import { kept, labState, limitsState, orderNotes } from './featureCodecs.ts';
import type { CoinFunding, OwedHours } from './fundingAccrual.ts';
import type { AddressLimit, DayStart, OrdersBySecond, OrdersInSecond } from './limits.ts';
import { type OpenOrder, OpenOrderBook, type OpenOrders } from './openOrderBook.ts';
import { OrderMap } from './orderMap.ts';
import type { ScheduledCancel } from './scheduledCancel.ts';
import type { ReceivedEarly, SubAccount, TransfersWith, TransferUnderWay } from './subAccounts.ts';
import type { TermsState } from './terms.ts';
import type { Twap } from './twap.ts';

const number = plain<number>();
const text = plain<string>();
const flag = plain<boolean>();

const trigger = record<TriggerView>('trigger', {
  price: text,
  tpsl: plain(),
  isMarket: flag,
  hasFired: optional(plain<true>()),
  placedFlat: optional(plain<true>()),
  grouping: optional(plain()),
  parentOid: optional(number),
});

const orderView = record<OrderView>('order', {
  oid: number,
  cloid: optional(text),
  asset: number,
  coin: text,
  side: plain(),
  limitPrice: text,
  size: text,
  originalSize: text,
  requestedSize: optional(text),
  filledSize: text,
  filledUsd: optional(text),
  reduceOnly: flag,
  timeInForce: plain(),
  placedAtMs: number,
  trigger: optional(trigger),
  twapId: optional(number),
  lab: optional(orderNotes),
  lossMaxUsd: optional(text),
});

const resting = record<RestingState>('queue position', {
  ahead: text,
  acceptedFeedTimeMs: number,
  acceptedTick: text,
  model: optional(plain()),
  shown: optional(text),
  takenOff: optional(plainList()),
});

const openOrders = mapBy('oid', record<OpenOrder>('open order', { ...orderView.fields, resting }));

const waitingOrder = record<WaitingOrder>('waiting order', {
  ...orderView.fields,
  trigger,
  waitsFor: plain(),
  fired: optional(record<NonNullable<WaitingOrder['fired']>>('firing', { timeMs: number, outOfReach: plain() })),
});

const position = record<Position>('position', {
  asset: number,
  coin: text,
  signedSize: decimal,
  entryNotional: decimal,
  marginMode: plain(),
  leverage: number,
  rawUsd: decimal,
  funding: tuple<Position['funding']>('funding of a position', { allTime: decimal, sinceOpen: decimal, sinceChange: decimal }),
  trip: tuple<OpenTrip>('round trip', {
    ...{ openedAtMs: number, openedSeq: number, fills: number, sizeMax: decimal, openedSize: decimal, openedUsd: decimal },
    ...{ pnlUsd: decimal, feesUsd: decimal },
  }),
});

const takenAtPrice = tuple<Omit<TakenLevel, 'from' | 'takenOff'>>('consumed level', {
  ...{ consumed: text, lastFillFeedTimeMs: number, halvings: optional(number) },
});

/** Few levels are ranges, or have lost something to a book: the others have no places for where one begins, and for that. */
const levels = mapOf<string, TakenLevel>({
  write: (level) => {
    const { from, takenOff } = level;
    const further = takenOff === undefined ? (from === undefined ? [] : [from]) : [from ?? null, takenOff];
    return [...(takenAtPrice.write(level) as readonly unknown[]), ...further];
  },
  read: (stored: never) => {
    const [, , , from = null, takenOff] = stored as readonly [unknown, unknown, unknown, (string | null)?, TakenOff?];
    return { ...takenAtPrice.read(stored), ...(from !== null && { from }), ...(takenOff && { takenOff }) };
  },
});

const twap = record<Twap>('TWAP', {
  twapId: number,
  asset: number,
  coin: text,
  side: plain(),
  size: text,
  executedSize: text,
  executedUsd: text,
  minutes: number,
  reduceOnly: flag,
  randomize: flag,
  startedAtMs: number,
  trigger: optional(record<TwapTrigger>('trigger of a TWAP', { price: text, above: flag })),
  stopPrice: optional(text),
  lossMaxUsd: optional(text),
  slices: number,
  nextSlice: number,
  seed: number,
  isWaiting: optional(plain<true>()),
});

const owedHours = tuple<OwedHours>('owed hours', { fromMs: number, toMs: number, signedSize: decimal, isOpen: flag });

const funding = record<CoinFunding>('funding of a coin', {
  coin: text,
  accruedToMs: orUndefined(number),
  openedAtMs: orUndefined(number),
  owed: listOf(owedHours),
  paidUsd: decimal,
});

const rowCounts = record<Readonly<Record<HistoryKind, number>>>('row counts', {
  fills: number,
  orders: number,
  ledger: number,
  funding: number,
  twapFills: number,
  twaps: number,
  equity: number,
  roundTrips: number,
});

const directionSums = optional(
  record<DirectionSums>('sums of round trips', {
    ...{ trips: number, wins: number, losses: number, wonUsd: text, lostUsd: text },
    ...{ feesUsd: text, fundingUsd: text, heldMs: number },
  }),
);

const transfersWith = record<TransfersWith>('transfers', {
  lastSent: number,
  sentUsd: decimal,
  receivedUsd: decimal,
  underWay: listOf(record<TransferUnderWay>('transfer under way', { number, after: number, usd: decimal, sentAtMs: number })),
  receivedThrough: number,
  receivedBeyond: listOf(record<ReceivedEarly>('transfer received early', { number, after: number })),
});

const terms = record<Terms>('terms', {
  fees: optional(kept()),
  leverage: optional(number),
  fillModel: optional(plain()),
  latency: optional(kept()),
});

const forkOrigin = record<ForkOrigin>('origin of a fork', { of: text, seq: number, hash: text, terms: optional(terms) });

const mirrors = record<WhatIfQueue>('mirrors', {
  last: number,
  waiting: listOf(record<WaitingCopy>('mirrored command', { number, command: kept() })),
  to: listOf(record<WhatIfProgress>('mirror', { account: text, start: number, through: number, ended: optional(plain()) })),
});

const following = record<Following>('following', {
  ...{ id: text, term: number, sinceMs: number, cursorMs: number, floorMs: number },
  heard: listOf(tuple<HeardFill>('fill of the address', { timeMs: number, tid: number, oid: number })),
  // Which of those that are over is forgotten next is a matter of their order.
  orders: mapInOrder<number, SeenOrder>(
    record<SeenOrder>('order of the address', {
      oid: optional(number),
      before: optional(text),
      taken: text,
      ordered: optional(text),
      isOver: optional(plain<true>()),
    }),
  ),
});

type DailyVolume = AccountTotals['dailyVolumes'][number];

const totals = record<AccountTotals>('totals', {
  netDepositsUsd: decimal,
  volumeUsd: decimal,
  realizedPnlUsd: decimal,
  feesUsd: decimal,
  fundingUsd: decimal,
  dailyVolumes: listOf(tuple<DailyVolume>('daily volume', { day: text, takerUsd: decimal, makerUsd: decimal })),
  requestsUsed: number,
});

/** The same with what only maps of orders know: coins and sides, cloids, groups. */
const orders: Codec<OpenOrders> = {
  write: openOrders.write,
  read: (stored: never) => new OpenOrderBook(openOrders.read(stored)),
};

const waitingOrders = mapBy('oid', waitingOrder);

const triggers: Codec<WaitingOrders> = {
  write: waitingOrders.write,
  read: (stored: never) => new OrderMap(waitingOrders.read(stored)),
};

export const accountCodec = record<Account>('account', {
  id: text,
  seq: number,
  timeMs: number,
  openedAtMs: number,
  cash: decimal,
  positions: mapBy('asset', position),
  orders,
  triggers,
  leverage: mapOf<number, LeverageSetting>(tuple<LeverageSetting>('leverage', { marginMode: plain(), leverage: number })),
  consumption: mapOf<number, TakenLiquidity>(tuple<TakenLiquidity>('consumption', { bid: levels, ask: levels })),
  scheduledCancel: record<ScheduledCancel>('scheduled cancel', { dueMs: orUndefined(number), day: text, firings: number }),
  twaps: mapBy('twapId', twap),
  funding: mapOf<number, CoinFunding>(funding),
  commandIds: mapOf(
    tuple<{ readonly counter: number; readonly timeMs: number }>('command id', { counter: number, timeMs: number }),
  ),
  rowCounts,
  historyStart: record<HistoryStart>('history start', { firstRows: rowCounts, seq: number, lastSeqs: optional(rowCounts) }),
  equityNotedMs: number,
  totals,
  isPlanCredited: flag,
  tripSums: optional(record<TripSums>('sums by direction', { long: directionSums, short: directionSums })),
  liquidation: optional(
    record<LiquidationMemory>('liquidation memory', { cooldownUntilMs: number, bookTimesMs: mapOf<number, number>(number) }),
  ),
  addressLimit: optional(record<AddressLimit>('address limit', { reserved: number, nextAtMs: number })),
  subAccounts: optional(
    listOf(record<SubAccount>('sub-account', { name: text, createdAtMs: number, fork: optional(forkOrigin) })),
  ),
  transfers: optional(mapOf<string, TransfersWith>(transfersWith)),
  lab: optional(labState),
  fork: optional(record<Fork>('fork', { ...forkOrigin.fields, timeMs: number, usd: decimal, received: optional(number) })),
  mirrors: optional(mirrors),
  keyOrders: optional(
    mapOf<string, OrdersBySecond>(listOf(tuple<OrdersInSecond>('orders in a second', { second: number, orders: number }))),
  ),
  dayStart: optional(record<DayStart>('start of a day', { startMs: number, resultUsd: decimal })),
  terms: optional(
    record<TermsState>('terms of an account', {
      fees: optional(kept()),
      fillModel: optional(plain()),
      changedAtMs: optional(number),
    }),
  ),
  house: optional(limitsState),
  imported: optional(record<Imported>('import', { source: text, scale: text, seq: number, timeMs: number, usd: decimal })),
  following: optional(following),
});

// The text form of a whole account, as MongoDB keeps it, and the steps between its generations. Canonical: equal states give
// equal text.

const UPCASTERS: Upcasters = {};
const DOWNCASTERS: Downcasters = {};

/** The whole state as JSON text of the given generation. */
export function toSnapshot(account: Account, format: Format): string {
  const form = accountCodec.write(account) as StoredForm;
  return writeForm(downcast(form, format, DOWNCASTERS), format);
}

/** @throws {NewerFormat} when a newer build has written it; Error when it is no snapshot */
export const fromSnapshot = (snapshot: string): Account => toAccount(JSON.parse(snapshot));

/** @param stored a snapshot as `JSON.parse` gives it @throws as `fromSnapshot` */
export const readSnapshot = (stored: StoredForm): Account => toAccount({ ...stored });

const toAccount = (parsed: unknown): Account => accountCodec.read(readForm('snapshot', parsed, UPCASTERS) as never);
