// The text form of a whole account: what MongoDB keeps and what state hashes are made of. Canonical: keys in a fixed order,
// maps sorted by key and numbers as plain decimal text, so equal states give equal text.
import { hourOf } from '../../../market/domain/fundingHour.ts';
import { Decimal, ZERO } from '../../../shared/domain/decimal.ts';
import { type Format, readableFormat } from '../../../shared/domain/formats.ts';
import { HISTORY_KINDS } from '../messages/command.ts';
import { noRows, type OrderView, type TriggerView } from '../messages/historyRows.ts';
import type { Account, ConsumedLevel, HistoryStart, LeverageSetting, Position, WaitingOrder } from './account.ts';
import type { CoinFunding } from './fundingAccrual.ts';
import { type OpenOrder, RestingOrders } from './openOrderBook.ts';
import { NOT_SCHEDULED, type ScheduledCancel } from './scheduledCancel.ts';
import type { Twap } from './twap.ts';

/** Plain JSON of the whole state with a schema version, keys in a fixed order: equal states give equal text. */
export function toSnapshot(account: Account, format: Format): string {
  const { totals } = account;
  return JSON.stringify({
    schemaVersion: format,
    id: account.id,
    seq: account.seq,
    timeMs: account.timeMs,
    openedAtMs: account.openedAtMs,
    cash: text(account.cash),
    positions: sorted(account.positions).map(([, position]) => positionForm(position)),
    orders: sorted(account.orders).map(([, order]) => orderForm(order)),
    triggers: sorted(account.triggers).map(([, order]) => waitingForm(order)),
    leverage: sorted(account.leverage).map(([asset, { marginMode, leverage }]) => [asset, marginMode, leverage]),
    consumption: sorted(account.consumption).map(([asset, { bid, ask }]) => [asset, levelsForm(bid), levelsForm(ask)]),
    ...(isScheduledOrHasFired(account.scheduledCancel) && { scheduledCancel: scheduledForm(account.scheduledCancel) }),
    ...(account.twaps.size > 0 && { twaps: sorted(account.twaps).map(([, twap]) => twapForm(twap)) }),
    funding: sorted(account.funding).map(([asset, funding]) => fundingForm(asset, funding)),
    commandIds: sorted(account.commandIds).map(([incarnation, { counter, timeMs }]) => [incarnation, counter, timeMs]),
    rowCounts: countsForm(account.rowCounts),
    ...(beginsLater(account.historyStart) && {
      historyStart: historyStartForm(account.historyStart),
    }),
    ...(account.isPlanCredited && { isPlanCredited: true }),
    ...(account.equityNotedMs > 0 && { equityNotedMs: account.equityNotedMs }),
    netDepositsUsd: text(totals.netDepositsUsd),
    volumeUsd: text(totals.volumeUsd),
    realizedPnlUsd: text(totals.realizedPnlUsd),
    feesUsd: text(totals.feesUsd),
    fundingUsd: text(totals.fundingUsd),
    dailyVolumes: totals.dailyVolumes.map(({ day, takerUsd, makerUsd }) => [day, text(takerUsd), text(makerUsd)]),
    requestsUsed: totals.requestsUsed,
    ...(account.liquidation && {
      liquidation: [account.liquidation.cooldownUntilMs, sorted(account.liquidation.bookTimesMs)],
    }),
  });
}

/** @throws {NewerFormat} when a newer build has written it */
export function fromSnapshot(snapshot: string): Account {
  const stored: StoredAccount = JSON.parse(snapshot);
  readableFormat('snapshot', stored.schemaVersion);
  return {
    id: stored.id,
    seq: stored.seq,
    timeMs: stored.timeMs,
    openedAtMs: stored.openedAtMs,
    cash: new Decimal(stored.cash),
    positions: new Map(stored.positions.map((position) => [position.asset, toPosition(position)])),
    orders: new RestingOrders(stored.orders.map((order) => [order.oid, order] as const)),
    triggers: new Map(stored.triggers?.map((order) => [order.oid, order])),
    leverage: new Map(stored.leverage.map(([asset, marginMode, leverage]) => [asset, { marginMode, leverage }])),
    consumption: new Map(stored.consumption.map(([asset, bid, ask]) => [asset, { bid: toLevels(bid), ask: toLevels(ask) }])),
    scheduledCancel: stored.scheduledCancel ? toScheduled(stored.scheduledCancel) : NOT_SCHEDULED,
    twaps: new Map(stored.twaps?.map((twap) => [twap.twapId, twap])),
    funding: new Map(toFundings(stored)),
    commandIds: new Map(stored.commandIds.map(([incarnation, counter, timeMs]) => [incarnation, { counter, timeMs }])),
    rowCounts: toRowCounts(stored.rowCounts),
    historyStart: toHistoryStart(stored.historyStart),
    isPlanCredited: stored.isPlanCredited ?? false,
    equityNotedMs: stored.equityNotedMs ?? 0,
    totals: {
      netDepositsUsd: new Decimal(stored.netDepositsUsd),
      volumeUsd: new Decimal(stored.volumeUsd),
      realizedPnlUsd: new Decimal(stored.realizedPnlUsd ?? 0),
      feesUsd: new Decimal(stored.feesUsd ?? 0),
      fundingUsd: new Decimal(stored.fundingUsd ?? 0),
      dailyVolumes: stored.dailyVolumes.map(([day, takerUsd, makerUsd]) => ({
        day,
        takerUsd: new Decimal(takerUsd),
        makerUsd: new Decimal(makerUsd),
      })),
      requestsUsed: stored.requestsUsed,
    },
    ...(stored.liquidation && {
      liquidation: { cooldownUntilMs: stored.liquidation[0], bookTimesMs: new Map(stored.liquidation[1]) },
    }),
  };
}

type StoredLevels = readonly (readonly [price: string, consumed: string, lastFillFeedTimeMs: number])[];

type StoredSchedule = readonly [dueMs: number | null, day: string, firings: number];

interface StoredPosition {
  readonly asset: number;
  readonly coin: string;
  readonly signedSize: string;
  readonly entryNotional: string;
  readonly marginMode: 'cross' | 'isolated';
  readonly leverage: number;
  readonly rawUsd: string;
  readonly funding: readonly [allTime: string, sinceOpen: string, sinceChange: string];
}

type StoredFunding = readonly [
  asset: number,
  coin: string,
  accruedToMs: number | null,
  paidUsd: string,
  owed: readonly (readonly [fromMs: number, toMs: number, signedSize: string, isOpen: boolean])[],
  /** Absent without a position, and in snapshots from before it was written down. */
  openedAtMs?: number,
];

interface StoredAccount {
  readonly schemaVersion: number;
  readonly id: string;
  readonly seq: number;
  readonly timeMs: number;
  readonly openedAtMs: number;
  readonly cash: string;
  readonly positions: readonly StoredPosition[];
  readonly orders: readonly OpenOrder[];
  /** Absent in snapshots from before there were any. */
  readonly triggers?: readonly WaitingOrder[];
  readonly leverage: readonly (readonly [asset: number, LeverageSetting['marginMode'], leverage: number])[];
  readonly consumption: readonly (readonly [asset: number, bid: StoredLevels, ask: StoredLevels])[];
  readonly scheduledCancel?: StoredSchedule;
  readonly twaps?: readonly Twap[];
  /** Absent in snapshots from before funding was settled. */
  readonly funding?: readonly StoredFunding[];
  readonly commandIds: readonly (readonly [incarnation: string, counter: number, timeMs: number])[];
  /** In the order of `HISTORY_KINDS`; a kind that was not known yet is absent. */
  readonly rowCounts: readonly number[];
  /** Absent while nothing is gone; counts as in `rowCounts`. */
  readonly historyStart?: readonly [firstRows: readonly number[], seq: number, lastSeqs?: readonly number[]];
  readonly isPlanCredited?: boolean;
  readonly netDepositsUsd: string;
  readonly volumeUsd: string;
  /** These, and `equityNotedMs`, are absent in snapshots from before they were kept. */
  readonly realizedPnlUsd?: string;
  readonly feesUsd?: string;
  readonly fundingUsd?: string;
  readonly equityNotedMs?: number;
  readonly dailyVolumes: readonly (readonly [day: string, takerUsd: string, makerUsd: string])[];
  readonly requestsUsed: number;
  readonly liquidation?: readonly [cooldownUntilMs: number, bookTimesMs: readonly (readonly [asset: number, timeMs: number])[]];
}

function toRowCounts(stored: readonly number[]): Account['rowCounts'] {
  const counts = noRows();
  HISTORY_KINDS.forEach((kind, index) => {
    counts[kind] = stored[index] ?? 0;
  });
  return counts;
}

const beginsLater = ({ firstRows, seq }: HistoryStart): boolean => seq > 0 || HISTORY_KINDS.some((kind) => firstRows[kind] > 0);

function historyStartForm({ firstRows, seq, lastSeqs }: HistoryStart): StoredAccount['historyStart'] {
  return lastSeqs ? [countsForm(firstRows), seq, countsForm(lastSeqs)] : [countsForm(firstRows), seq];
}

function toHistoryStart([firstRows, seq, lastSeqs]: NonNullable<StoredAccount['historyStart']> = [[], 0]): HistoryStart {
  return { firstRows: toRowCounts(firstRows), seq, ...(lastSeqs && { lastSeqs: toRowCounts(lastSeqs) }) };
}

const countsForm = (counts: Account['rowCounts']): number[] => HISTORY_KINDS.map((kind) => counts[kind]);

/** Plain decimal text; negative zero is zero. */
function text(value: Decimal): string {
  return value.toString();
}

/** Entries by ascending key: ids as numbers, names by code unit. */
function sorted<Key extends number | string, Value>(map: ReadonlyMap<Key, Value>): (readonly [Key, Value])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function positionForm({ funding, ...position }: Position): StoredPosition {
  return {
    asset: position.asset,
    coin: position.coin,
    signedSize: text(position.signedSize),
    entryNotional: text(position.entryNotional),
    marginMode: position.marginMode,
    leverage: position.leverage,
    rawUsd: text(position.rawUsd),
    funding: [text(funding.allTime), text(funding.sinceOpen), text(funding.sinceChange)],
  };
}

function toPosition({ funding: [allTime, sinceOpen, sinceChange], ...stored }: StoredPosition): Position {
  return {
    asset: stored.asset,
    coin: stored.coin,
    signedSize: new Decimal(stored.signedSize),
    entryNotional: new Decimal(stored.entryNotional),
    marginMode: stored.marginMode,
    leverage: stored.leverage,
    rawUsd: new Decimal(stored.rawUsd),
    funding: { allTime: new Decimal(allTime), sinceOpen: new Decimal(sinceOpen), sinceChange: new Decimal(sinceChange) },
  };
}

function fundingForm(asset: number, { coin, accruedToMs, openedAtMs, owed, paidUsd }: CoinFunding): StoredFunding {
  const hours = owed.map(({ fromMs, toMs, signedSize, isOpen }) => [fromMs, toMs, text(signedSize), isOpen] as const);
  const form = [asset, coin, accruedToMs ?? null, text(paidUsd), hours] as const;
  return openedAtMs === undefined ? form : [...form, openedAtMs];
}

/** A position of a snapshot without funding owes nothing up to the snapshot's hour. */
function toFundings({ funding, positions, timeMs }: StoredAccount): (readonly [number, CoinFunding])[] {
  if (!funding) {
    const accruedToMs = hourOf(timeMs);
    return positions.map(({ asset, coin }) => [asset, { coin, accruedToMs, openedAtMs: undefined, owed: [], paidUsd: ZERO }]);
  }
  return funding.map(([asset, coin, accruedToMs, paidUsd, hours, openedAtMs]) => {
    const owed = hours.map(([fromMs, toMs, size, isOpen]) => ({ fromMs, toMs, signedSize: new Decimal(size), isOpen }));
    return [asset, { coin, accruedToMs: accruedToMs ?? undefined, openedAtMs, owed, paidUsd: new Decimal(paidUsd) }];
  });
}

function orderForm({ resting, ...order }: OpenOrder): OpenOrder {
  const { ahead, acceptedFeedTimeMs, acceptedTick } = resting;
  return { ...viewForm(order), resting: { ahead, acceptedFeedTimeMs, acceptedTick } };
}

function waitingForm({ waitsFor, ...order }: WaitingOrder): WaitingOrder {
  return { ...viewForm(order), trigger: triggerForm(order.trigger), waitsFor };
}

function viewForm(order: OrderView): OrderView {
  const { oid, cloid, asset, coin, side, limitPrice, size, originalSize, filledSize, filledUsd } = order;
  const { reduceOnly, timeInForce, placedAtMs } = order;
  return {
    oid,
    ...(cloid !== undefined && { cloid }),
    asset,
    coin,
    side,
    limitPrice,
    size,
    originalSize,
    filledSize,
    ...(filledUsd !== undefined && { filledUsd }),
    reduceOnly,
    timeInForce,
    placedAtMs,
    ...(order.trigger && { trigger: triggerForm(order.trigger) }),
  };
}

function triggerForm({ price, tpsl, isMarket, hasFired, grouping, parentOid }: TriggerView): TriggerView {
  return {
    price,
    tpsl,
    isMarket,
    ...(hasFired && { hasFired }),
    ...(grouping && { grouping }),
    ...(parentOid !== undefined && { parentOid }),
  };
}

function isScheduledOrHasFired({ dueMs, firings }: ScheduledCancel): boolean {
  return dueMs !== undefined || firings > 0;
}

function scheduledForm({ dueMs, day, firings }: ScheduledCancel): StoredSchedule {
  return [dueMs ?? null, day, firings];
}

function toScheduled([dueMs, day, firings]: StoredSchedule): ScheduledCancel {
  return { dueMs: dueMs ?? undefined, day, firings };
}

function twapForm(twap: Twap): Twap {
  const { twapId, asset, coin, side, size, executedSize, executedUsd, minutes, reduceOnly, randomize, startedAtMs } = twap;
  const { slices, nextSlice, seed } = twap;
  const view = { twapId, asset, coin, side, size, executedSize, executedUsd, minutes, reduceOnly, randomize, startedAtMs };
  return { ...view, slices, nextSlice, seed };
}

function levelsForm(levels: ReadonlyMap<string, ConsumedLevel>): StoredLevels {
  return sorted(levels).map(([price, { consumed, lastFillFeedTimeMs }]) => [price, consumed, lastFillFeedTimeMs]);
}

function toLevels(stored: StoredLevels): Map<string, ConsumedLevel> {
  return new Map(stored.map(([price, consumed, lastFillFeedTimeMs]) => [price, { consumed, lastFillFeedTimeMs }]));
}
