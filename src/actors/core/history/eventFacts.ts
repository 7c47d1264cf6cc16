// What each event means to those who do not fold it: the history, the margin check, the equity curve, the house and the
// indexes. One row for each type, every column filled in: an event that is new does not compile before all of it is said.
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

export const EVENT_FACTS: EventTable = {
  accountOpened: {
    row: gives(
      ({ depositUsd }) => (depositUsd === '0' ? undefined : 'ledger'),
      ({ depositUsd }, timeMs) => ({ timeMs, kind: 'deposit', usd: depositUsd }),
    ),
    margin: 'same',
    isEquityPoint: yes,
    house: nothing,
    touches: nothing,
    past: 'kept',
  },
  balanceAdjusted: {
    row: gives('ledger', ({ usd }, timeMs) => ({ timeMs, kind: usd.startsWith('-') ? 'withdraw' : 'deposit', usd })),
    margin: 'moved',
    isEquityPoint: yes,
    house: nothing,
    touches: nothing,
    past: 'kept',
  },
  accountReset: {
    row: gives('ledger', ({ balanceUsd }, timeMs) => ({ timeMs, kind: 'deposit', usd: balanceUsd })),
    margin: 'same',
    isEquityPoint: yes,
    house: nothing,
    touches: nothing,
    past: 'begunAnew',
  },
  historyForgotten: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'cut' },
  subAccountCreated: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  forked: {
    row: gives('ledger', ({ usd }, timeMs) => ({ timeMs, kind: usd.startsWith('-') ? 'withdraw' : 'deposit', usd })),
    margin: 'moved',
    isEquityPoint: yes,
    house: nothing,
    touches: ({ state, resting }) => ({ orders: resting.map(([oid]) => oid), triggers: waitingOf(readSnapshot(state)) }),
    past: 'kept',
  },
  imported: {
    row: gives('ledger', ({ usd }, timeMs) => ({ timeMs, kind: usd.startsWith('-') ? 'withdraw' : 'deposit', usd })),
    margin: 'moved',
    isEquityPoint: yes,
    house: nothing,
    touches: nothing,
    past: 'kept',
  },
  followBegun: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  followEnded: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  followTermBegun: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  sourceOrderSeen: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  sourceOrderEnded: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  sourceFilled: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  sourceTaken: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  subAccountRenamed: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  transferSent: {
    row: gives('ledger', ({ to, number, usd }, timeMs) => ({ timeMs, kind: 'transfer', usd: `-${usd}`, with: to, number })),
    margin: 'moved',
    isEquityPoint: yes,
    house: nothing,
    touches: nothing,
    past: 'kept',
  },
  transferReceived: {
    row: gives('ledger', ({ from, number, usd }, timeMs) => ({ timeMs, kind: 'transfer', usd, with: from, number })),
    margin: 'moved',
    isEquityPoint: yes,
    house: nothing,
    touches: nothing,
    past: 'kept',
  },
  mirrorAdded: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  commandMirrored: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  mirrorSettled: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  mirrorEnded: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  mirrorReceived: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  transferSettled: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  orderRested: {
    row: gives('orders', ({ order }, timeMs) => ({ order, status: 'open', timeMs })),
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ order }) => ({ orders: [order.oid] }),
    past: 'kept',
  },
  orderEnded: {
    row: gives('orders', ({ order, status, gaveWayTo }, timeMs) => ({
      order,
      status,
      timeMs,
      ...(gaveWayTo !== undefined && { gaveWayTo }),
    })),
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ order }) => ({ orders: [order.oid], triggers: [order.oid] }),
    past: 'kept',
  },
  triggerPlaced: {
    row: gives('orders', ({ order }, timeMs) => ({ order, status: 'open', timeMs })),
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ order }) => ({ triggers: [order.oid] }),
    past: 'kept',
  },
  triggersArmed: {
    row: 'none',
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ oids }) => ({ triggers: oids }),
    past: 'kept',
  },
  orderTriggered: {
    row: gives('orders', ({ order }, timeMs) => ({ order, status: 'triggered', timeMs })),
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ order }) => ({ triggers: [order.oid] }),
    past: 'kept',
  },
  triggerWaits: {
    row: 'none',
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ order }) => ({ triggers: [order.oid] }),
    past: 'kept',
  },
  parentReplaced: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  orderResized: {
    row: gives('orders', ({ order }, timeMs) => {
      const status = statusOfOpen(order);
      return { order, status, timeMs, ...(status === 'triggered' && { isCut: true }) };
    }),
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ order }) => ({ orders: [order.oid] }),
    past: 'kept',
  },
  orderFilled: {
    row: gives(({ twapId }) => (twapId === undefined ? 'fills' : 'twapFills'), toFillRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: ({ fee }) => (fee === '0' ? undefined : { cashUsd: new Decimal(fee), feesUsd: new Decimal(fee) }),
    touches: ({ oid }) => ({ orders: [oid] }),
    past: 'kept',
  },
  positionTakenOver: {
    row: gives('fills', toTakeOverRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: toTakenPosition,
    touches: nothing,
    past: 'kept',
  },
  positionClosed: {
    row: gives('fills', toClosingRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: toTakenPosition,
    touches: nothing,
    past: 'kept',
  },
  positionSettled: {
    row: gives('fills', toClosingRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: nothing,
    touches: nothing,
    past: 'kept',
  },
  liquidated: {
    row: gives('ledger', toLiquidationRow),
    margin: 'moved',
    isEquityPoint: yes,
    house: ({ paidUsd = 0, houseLossUsd = 0 }) => ({ cashUsd: new Decimal(paidUsd).neg(), lossUsd: new Decimal(houseLossUsd) }),
    touches: nothing,
    past: 'kept',
  },
  fundingSettled: {
    row: gives(({ hours }) => (hours > 0 ? 'funding' : undefined), toFundingRow),
    margin: 'moved',
    isEquityPoint: ({ hours }) => hours > 0,
    house: ({ usd }) => ({ cashUsd: new Decimal(usd).neg() }),
    touches: nothing,
    past: 'kept',
  },
  isolatedMarginMoved: { row: 'none', margin: 'moved', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  leverageSet: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  queueMoved: {
    row: 'none',
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ ahead }) => ({ orders: ahead.map(([oid]) => oid) }),
    past: 'kept',
  },
  consumptionSet: {
    row: 'none',
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ asset }) => ({ consumption: asset }),
    past: 'kept',
  },
  cancelScheduled: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  scheduledCancelFired: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  twapStarted: {
    row: gives('twaps', ({ twap, isWaiting }, timeMs) => {
      return { timeMs, twap, change: { status: isWaiting ? 'waitingForTrigger' : 'activated' } };
    }),
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ twap }) => (hasPrices(twap) ? { triggers: [twap.twapId] } : undefined),
    past: 'kept',
  },
  twapTriggered: {
    row: gives('twaps', ({ twap }, timeMs) => ({ timeMs, twap, change: { status: 'activated' } })),
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ twap }) => ({ triggers: [twap.twapId] }),
    past: 'kept',
  },
  twapSliced: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  twapEnded: {
    row: gives('twaps', ({ twap, end }, timeMs) => ({ timeMs, twap, change: end })),
    margin: 'same',
    isEquityPoint: no,
    house: nothing,
    touches: ({ twap }) => (hasPrices(twap) ? { triggers: [twap.twapId] } : undefined),
    past: 'kept',
  },
  requestsReserved: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  requestLetThrough: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  labDrawn: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  actionDelayed: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  delayedActionDecided: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  delayedActionsDropped: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  orderHeld: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  orderLetGo: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  keyOrderCounted: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  houseRulesSet: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  termsSet: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  housePeakRaised: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  houseRuleBroken: { row: 'none', margin: 'same', isEquityPoint: yes, house: nothing, touches: nothing, past: 'kept' },
  houseHoursTurned: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  dayBegun: { row: 'none', margin: 'same', isEquityPoint: no, house: nothing, touches: nothing, past: 'kept' },
  equitySampled: { row: 'none', margin: 'same', isEquityPoint: yes, house: nothing, touches: nothing, past: 'kept' },
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

function toFillRow(fill: EventOf<'orderFilled'>, timeMs: number): FillRow {
  const { tid, oid, cloid, coin, side, price, size, startPosition, direction, closedPnl, fee, liquidity, evidence } = fill;
  const { exactPnl, twapId, liquidation } = fill;
  return {
    tid,
    oid,
    ...(cloid !== undefined && { cloid }),
    coin,
    side,
    price,
    size,
    timeMs,
    startPosition,
    direction,
    closedPnl,
    ...(exactPnl !== undefined && { exactPnl }),
    fee,
    liquidity,
    evidence,
    ...(twapId !== undefined && { twapId }),
    ...(liquidation && { liquidation: { method: liquidation.method, markPrice: liquidation.markPrice } }),
  };
}

function toTakeOverRow(event: EventOf<'positionTakenOver'>, timeMs: number): FillRow {
  const { tid, oid, coin, side, price, size, startPosition, direction, closedPnl, exactPnl, markPrice, usd } = event;
  const fill = {
    tid,
    oid,
    coin,
    side,
    price,
    size,
    timeMs,
    startPosition,
    direction,
    closedPnl,
    ...(exactPnl !== undefined && { exactPnl }),
  };
  return { ...fill, fee: '0', liquidity: 'maker', liquidation: { method: 'backstop', markPrice, usd } };
}

function toClosingRow(event: EventOf<'positionClosed' | 'positionSettled'>, timeMs: number): FillRow {
  const { type, tid, oid, coin, side, price, size, startPosition, direction, closedPnl, exactPnl } = event;
  const fill = {
    tid,
    oid,
    coin,
    side,
    price,
    size,
    timeMs,
    startPosition,
    direction,
    closedPnl,
    ...(exactPnl !== undefined && { exactPnl }),
  };
  return { ...fill, fee: '0', liquidity: 'taker', ...(type === 'positionClosed' && { evidence: { markPrice: price } }) };
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
