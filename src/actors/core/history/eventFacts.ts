// What each event means to those who do not fold it: the history, the margin check, the equity curve, the house and the
// indexes. One row for each type: an event that is new does not compile before the row says it. Columns that a row leaves out are those of `PLAIN`.
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { readSnapshot } from '../account/accountCodec.ts';
import { statusOfOpen } from '../account/ownOrders.ts';
import type { AccountEvent } from '../messages/event.ts';
import type { FillRow, FundingRow, HistoryKind, HistoryRows, LedgerRow, RoundTripRow } from '../messages/historyRows.ts';
import type { TwapView } from '../messages/order.ts';

type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;

export interface EventFacts<Event extends AccountEvent> {
  readonly row: RowFacts<Event> | 'none';
  /** `'moved'` when a margin pool may be below its maintenance margin after it. */
  readonly margin: 'moved' | 'same';
  /** Whether its entry notes what the account is worth: a point of the equity curve. */
  readonly isEquityPoint: (event: Event) => boolean;
  /** What the house gets of it; undefined = nothing. */
  readonly house: (event: Event) => HouseShare | undefined;
  /**
   * What the indexes of the shard read again of the account; undefined = nothing. Wake prices and due times are not named:
   * they follow the account's state after every entry.
   */
  readonly touches: (event: Event) => Touched | undefined;
  /** `'cut'` when rows of the account are no part of its history any more, `'begunAnew'` when all before it are not. */
  readonly past: 'kept' | 'cut' | 'begunAnew';
}

/** The history row that an event gives. */
export interface RowFacts<Event extends AccountEvent> {
  /** Undefined when this event gives none. */
  readonly kindOf: (event: Event) => HistoryKind | undefined;
  readonly toRow: (event: Event, timeMs: number) => HistoryRows[HistoryKind];
}

/** USD as decimals; absent = 0. */
export interface HouseShare {
  /** What the house gets; negative = it pays. */
  readonly cashUsd: Decimal;
  readonly feesUsd?: Decimal;
  readonly lossUsd?: Decimal;
  /** A position that it takes over. */
  readonly position?: { readonly coin: string; readonly signedSize: Decimal };
}

export interface Touched {
  /** Oids of orders that may rest on the book. */
  readonly orders?: readonly number[];
  /** Oids of orders that may wait for the mark, and ids of TWAPs that may. */
  readonly triggers?: readonly number[];
  /** Asset of which something was taken from the book, or given back. */
  readonly consumption?: number;
}

export type EventTable = { readonly [Type in AccountEvent['type']]: EventFacts<EventOf<Type>> };

const yes = () => true;
const no = () => false;
const nothing = () => undefined;

/** An event that gives no row and moves no money, of which no index reads anything again. */
const PLAIN = { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' } as const;

export const EVENT_FACTS: EventTable = {
  accountOpened: {
    ...PLAIN,
    row: gives(
      ({ depositUsd }) => (depositUsd === '0' ? undefined : 'ledger'),
      ({ depositUsd }, timeMs) => ({ timeMs, kind: 'deposit', usd: depositUsd }),
    ),
    isEquityPoint: yes,
  },
  balanceAdjusted: {
    ...PLAIN,
    row: gives('ledger', ({ usd }, timeMs) => ({ timeMs, kind: usd.startsWith('-') ? 'withdraw' : 'deposit', usd })),
    margin: 'moved',
    isEquityPoint: yes,
  },
  accountReset: {
    ...PLAIN,
    row: gives('ledger', ({ balanceUsd }, timeMs) => ({ timeMs, kind: 'deposit', usd: balanceUsd })),
    isEquityPoint: yes,
    past: 'begunAnew',
  },
  historyForgotten: { ...PLAIN, past: 'cut' },
  subAccountCreated: PLAIN,
  forked: {
    ...PLAIN,
    row: gives('ledger', ({ usd }, timeMs) => ({ timeMs, kind: usd.startsWith('-') ? 'withdraw' : 'deposit', usd })),
    margin: 'moved',
    isEquityPoint: yes,
    touches: ({ state, resting }) => ({ orders: resting.map(([oid]) => oid), triggers: waitingOf(readSnapshot(state)) }),
  },
  imported: {
    ...PLAIN,
    row: gives('ledger', ({ usd }, timeMs) => ({ timeMs, kind: usd.startsWith('-') ? 'withdraw' : 'deposit', usd })),
    margin: 'moved',
    isEquityPoint: yes,
  },
  followBegun: PLAIN,
  followEnded: PLAIN,
  followTermBegun: PLAIN,
  sourceOrderSeen: PLAIN,
  sourceOrderEnded: PLAIN,
  sourceFilled: PLAIN,
  sourceTaken: PLAIN,
  subAccountRenamed: PLAIN,
  transferSent: {
    ...PLAIN,
    row: gives('ledger', ({ to, number, usd }, timeMs) => ({ timeMs, kind: 'transfer', usd: `-${usd}`, with: to, number })),
    margin: 'moved',
    isEquityPoint: yes,
  },
  transferReceived: {
    ...PLAIN,
    row: gives('ledger', ({ from, number, usd }, timeMs) => ({ timeMs, kind: 'transfer', usd, with: from, number })),
    margin: 'moved',
    isEquityPoint: yes,
  },
  mirrorAdded: PLAIN,
  commandMirrored: PLAIN,
  mirrorSettled: PLAIN,
  mirrorEnded: PLAIN,
  mirrorReceived: PLAIN,
  transferSettled: PLAIN,
  orderRested: {
    ...PLAIN,
    row: gives('orders', ({ order }, timeMs) => ({ order, status: 'open', timeMs })),
    touches: ({ order }) => ({ orders: [order.oid] }),
  },
  orderEnded: {
    ...PLAIN,
    row: gives('orders', ({ order, status, gaveWayTo }, timeMs) => ({
      order,
      status,
      timeMs,
      ...(gaveWayTo !== undefined && { gaveWayTo }),
    })),
    touches: ({ order }) => ({ orders: [order.oid], triggers: [order.oid] }),
  },
  triggerPlaced: {
    ...PLAIN,
    row: gives('orders', ({ order }, timeMs) => ({ order, status: 'open', timeMs })),
    touches: ({ order }) => ({ triggers: [order.oid] }),
  },
  triggersArmed: {
    ...PLAIN,
    touches: ({ oids }) => ({ triggers: oids }),
  },
  orderTriggered: {
    ...PLAIN,
    row: gives('orders', ({ order }, timeMs) => ({ order, status: 'triggered', timeMs })),
    touches: ({ order }) => ({ triggers: [order.oid] }),
  },
  triggerWaits: {
    ...PLAIN,
    touches: ({ order }) => ({ triggers: [order.oid] }),
  },
  parentReplaced: PLAIN,
  orderResized: {
    ...PLAIN,
    row: gives('orders', ({ order }, timeMs) => {
      const status = statusOfOpen(order);
      return { order, status, timeMs, ...(status === 'triggered' && { isCut: true }) };
    }),
    touches: ({ order }) => ({ orders: [order.oid] }),
  },
  orderFilled: {
    ...PLAIN,
    row: gives(({ twapId }) => (twapId === undefined ? 'fills' : 'twapFills'), toFillRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: ({ fee }) => (fee === '0' ? undefined : { cashUsd: new Decimal(fee), feesUsd: new Decimal(fee) }),
    touches: ({ oid }) => ({ orders: [oid] }),
  },
  positionTakenOver: {
    ...PLAIN,
    row: gives('fills', toTakeOverRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: toTakenPosition,
  },
  positionClosed: {
    ...PLAIN,
    row: gives('fills', toClosingRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: toTakenPosition,
  },
  positionSettled: {
    ...PLAIN,
    row: gives('fills', toClosingRow),
    margin: 'moved',
    isEquityPoint: yes,
  },
  liquidated: {
    ...PLAIN,
    row: gives('ledger', toLiquidationRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: ({ paidUsd = 0, houseLossUsd = 0 }) => ({ cashUsd: new Decimal(paidUsd).neg(), lossUsd: new Decimal(houseLossUsd) }),
  },
  fundingSettled: {
    ...PLAIN,
    row: gives(({ hours }) => (hours > 0 ? 'funding' : undefined), toFundingRow),
    margin: 'moved',
    isEquityPoint: ({ hours }) => hours > 0,
    house: ({ usd }) => ({ cashUsd: new Decimal(usd).neg() }),
  },
  isolatedMarginMoved: { ...PLAIN, margin: 'moved' },
  leverageSet: PLAIN,
  queueMoved: {
    ...PLAIN,
    touches: ({ ahead }) => ({ orders: ahead.map(([oid]) => oid) }),
  },
  consumptionSet: {
    ...PLAIN,
    touches: ({ asset }) => ({ consumption: asset }),
  },
  cancelScheduled: PLAIN,
  scheduledCancelFired: PLAIN,
  twapStarted: {
    ...PLAIN,
    row: gives('twaps', ({ twap, isWaiting }, timeMs) => {
      return { timeMs, twap, change: { status: isWaiting ? 'waitingForTrigger' : 'activated' } };
    }),
    touches: ({ twap }) => (hasPrices(twap) ? { triggers: [twap.twapId] } : undefined),
  },
  twapTriggered: {
    ...PLAIN,
    row: gives('twaps', ({ twap }, timeMs) => ({ timeMs, twap, change: { status: 'activated' } })),
    touches: ({ twap }) => ({ triggers: [twap.twapId] }),
  },
  twapSliced: PLAIN,
  twapEnded: {
    ...PLAIN,
    row: gives('twaps', ({ twap, end }, timeMs) => ({ timeMs, twap, change: end })),
    touches: ({ twap }) => (hasPrices(twap) ? { triggers: [twap.twapId] } : undefined),
  },
  requestsReserved: PLAIN,
  requestLetThrough: PLAIN,
  labDrawn: PLAIN,
  actionDelayed: PLAIN,
  delayedActionDecided: PLAIN,
  delayedActionsDropped: PLAIN,
  orderHeld: PLAIN,
  orderLetGo: PLAIN,
  keyOrderCounted: PLAIN,
  houseRulesSet: PLAIN,
  termsSet: PLAIN,
  housePeakRaised: PLAIN,
  houseRuleBroken: { ...PLAIN, isEquityPoint: yes },
  houseHoursTurned: PLAIN,
  dayBegun: PLAIN,
  equitySampled: { ...PLAIN, isEquityPoint: yes },
};

/** Orders and TWAPs of a state that wait for a mark. */
const waitingOf = ({ triggers, twaps }: Account): number[] => [
  ...triggers.keys(),
  ...[...twaps.values()].filter(hasPrices).map(({ twapId }) => twapId),
];

/** True of a TWAP that a mark can start or end. */
function hasPrices({ trigger, stopPrice }: TwapView): boolean {
  return trigger !== undefined || stopPrice !== undefined;
}

/** The facts of one event. */
export function factsOf(event: AccountEvent): EventFacts<AccountEvent> {
  // The table pairs each type with facts of that very type, which the compiler cannot follow through an index.
  return EVENT_FACTS[event.type] as EventFacts<never> as EventFacts<AccountEvent>;
}

/** The round trip that an event ends, as the row that it gives beside its own. */
export function tripRowOf(event: AccountEvent, timeMs: number): RoundTripRow | undefined {
  if (!('trip' in event) || event.trip === undefined) return undefined;
  return { timeMs, coin: event.coin, ...event.trip, tid: event.tid, endedBy: event.direction };
}

/** One kind of row, or one of two with the same fields. */
function gives<Kind extends HistoryKind, Event extends AccountEvent>(
  kind: Kind | ((event: Event) => Kind | undefined),
  toRow: (event: Event, timeMs: number) => HistoryRows[Kind],
): RowFacts<Event> {
  return { kindOf: typeof kind === 'function' ? kind : () => kind, toRow };
}

function toFundingRow(settled: EventOf<'fundingSettled'>): FundingRow {
  const { timeMs, coin, usd, signedSize, fundingRate, hours } = settled;
  return { timeMs, coin, usd, signedSize, fundingRate, hours };
}

/** The fields that every fill has. */
function fillRow(
  event: EventOf<'orderFilled' | 'positionTakenOver' | 'positionClosed' | 'positionSettled'>,
  timeMs: number,
): Omit<FillRow, 'fee' | 'liquidity'> {
  const { tid, oid, coin, side, price, size, startPosition, direction, closedPnl, exactPnl } = event;
  return {
    ...{ tid, oid, ...('cloid' in event && { cloid: event.cloid }), coin, side, price, size, timeMs },
    ...{ startPosition, direction, closedPnl, ...(exactPnl !== undefined && { exactPnl }) },
  };
}

function toFillRow(fill: EventOf<'orderFilled'>, timeMs: number): FillRow {
  const { fee, liquidity, evidence, twapId, liquidation } = fill;
  return {
    ...fillRow(fill, timeMs),
    ...{ fee, liquidity, evidence },
    ...(twapId !== undefined && { twapId }),
    ...(liquidation && { liquidation: { method: liquidation.method, markPrice: liquidation.markPrice } }),
  };
}

function toTakeOverRow(event: EventOf<'positionTakenOver'>, timeMs: number): FillRow {
  const { markPrice, usd } = event;
  const liquidation = { method: 'backstop', markPrice, usd } as const;
  return { ...fillRow(event, timeMs), fee: '0', liquidity: 'maker', liquidation };
}

function toClosingRow(event: EventOf<'positionClosed' | 'positionSettled'>, timeMs: number): FillRow {
  const evidence = event.type === 'positionClosed' && { evidence: { markPrice: event.price } };
  return { ...fillRow(event, timeMs), fee: '0', liquidity: 'taker', ...evidence };
}

function toLiquidationRow(event: EventOf<'liquidated'>, timeMs: number): LedgerRow {
  const { lid, marginMode, notional, accountValue, positions, paidUsd } = event;
  const row = { timeMs, kind: 'liquidation', lid, marginMode, notional, accountValue, positions } as const;
  return paidUsd === undefined ? row : { ...row, paidUsd };
}

/** The house pays what the position is worth, and has it from then on. */
function toTakenPosition({ coin, usd, startPosition }: EventOf<'positionTakenOver' | 'positionClosed'>): HouseShare {
  return { cashUsd: new Decimal(usd).neg(), position: { coin, signedSize: new Decimal(startPosition) } };
}
