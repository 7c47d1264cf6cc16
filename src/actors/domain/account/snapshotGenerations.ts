// Snapshots of generation 1, and the steps between them and those of generation 2. In generation 1 a field was left
// out while it had its default, and later fields are missing in older snapshots.
import { hourOf } from '../../../market/domain/fundingHour.ts';
import { asBefore, type Downcasters, type StoredForm, type Upcasters } from '../../../shared/domain/formats.ts';

export const SNAPSHOT_UPCASTERS: Upcasters = {
  1: (stored) => toGeneration2(stored as unknown as Generation1),
  2: asBefore,
  3: (stored) => ({ ...stored, consumption: mapTaken(stored, ([consumed, timeMs]) => [consumed, timeMs, null]) }),
  4: asBefore,
};

export const SNAPSHOT_DOWNCASTERS: Downcasters = {
  1: toGeneration1,
  2: asBefore,
  3: ({ addressLimit: _, ...form }) => ({ ...form, consumption: mapTaken(form, ([consumed, timeMs]) => [consumed, timeMs]) }),
  4: ({
    subAccounts: _made,
    transfers: _with,
    lab: _lab,
    fork: _fork,
    keyOrders: _sent,
    dayStart: _day,
    mirrors: _mirrors,
    terms: _terms,
    house: _rules,
    imported: _imported,
    following: _following,
    ...form
  }) => ({
    ...form,
    orders: (form['orders'] as readonly StoredForm[]).map(withoutNotes),
    triggers: (form['triggers'] as readonly StoredForm[]).map(withoutNotes),
  }),
};

/** Before generation 5 no order has draws of a failure lab beside it. */
const withoutNotes = ({ lab: _notes, ...order }: StoredForm): StoredForm => order;

/** The kinds of rows in their order in generation 1. */
const KINDS = ['fills', 'orders', 'ledger', 'funding', 'twapFills', 'twaps', 'equity'] as const;

type Counts = Readonly<Record<(typeof KINDS)[number], number>>;
type Levels = readonly (readonly [price: string, consumed: string, lastFillFeedTimeMs: number])[];

type Schedule = readonly [dueMs: number | null, day: string, firings: number];

type Funding = readonly [
  asset: number,
  coin: string,
  accruedToMs: number | null,
  paidUsd: string,
  owed: readonly unknown[],
  /** Absent without a position, and in snapshots from before it was written down. */
  openedAtMs?: number,
];

interface Generation1 extends StoredForm {
  readonly timeMs: number;
  readonly positions: readonly { readonly asset: number; readonly coin: string }[];
  readonly orders: readonly StoredForm[];
  /** Absent in snapshots from before there were any. */
  readonly triggers?: readonly StoredForm[];
  readonly leverage: readonly (readonly [asset: number, marginMode: string, leverage: number])[];
  readonly consumption: readonly (readonly [asset: number, bid: Levels, ask: Levels])[];
  readonly scheduledCancel?: Schedule;
  readonly twaps?: readonly StoredForm[];
  /** Absent in snapshots from before funding was settled. */
  readonly funding?: readonly Funding[];
  readonly commandIds: readonly (readonly [incarnation: string, counter: number, timeMs: number])[];
  /** In the order of `KINDS`; a kind that was not known yet is absent. */
  readonly rowCounts: readonly number[];
  /** Absent while nothing was dropped; counts as in `rowCounts`. */
  readonly historyStart?: readonly [firstRows: readonly number[], seq: number, lastSeqs?: readonly number[]];
  readonly isPlanCredited?: true;
  readonly netDepositsUsd: string;
  readonly volumeUsd: string;
  /** These, and `equityNotedMs`, are absent in snapshots from before they were kept. */
  readonly realizedPnlUsd?: string;
  readonly feesUsd?: string;
  readonly fundingUsd?: string;
  readonly equityNotedMs?: number;
  readonly dailyVolumes: readonly unknown[];
  readonly requestsUsed: number;
  readonly liquidation?: readonly [cooldownUntilMs: number, bookTimesMs: readonly unknown[]];
}

interface FundingOf2 {
  readonly coin: string;
  readonly accruedToMs: number | null;
  readonly openedAtMs: number | null;
  readonly owed: readonly unknown[];
  readonly paidUsd: string;
}

interface Generation2 extends Omit<StoredForm, 'schemaVersion'> {
  readonly positions: Generation1['positions'];
  readonly orders: readonly StoredForm[];
  readonly triggers: readonly StoredForm[];
  readonly leverage: readonly (readonly [asset: number, readonly [marginMode: string, leverage: number]])[];
  readonly consumption: readonly (readonly [asset: number, readonly [bid: LevelsOf2, ask: LevelsOf2]])[];
  readonly scheduledCancel: { readonly dueMs: number | null; readonly day: string; readonly firings: number };
  readonly twaps: readonly StoredForm[];
  readonly funding: readonly (readonly [asset: number, FundingOf2])[];
  readonly commandIds: readonly (readonly [incarnation: string, readonly [counter: number, timeMs: number]])[];
  readonly rowCounts: Counts;
  readonly historyStart: { readonly firstRows: Counts; readonly seq: number; readonly lastSeqs?: Counts };
  readonly isPlanCredited: boolean;
  readonly equityNotedMs: number;
  readonly totals: {
    readonly netDepositsUsd: string;
    readonly volumeUsd: string;
    readonly realizedPnlUsd: string;
    readonly feesUsd: string;
    readonly fundingUsd: string;
    readonly dailyVolumes: readonly unknown[];
    readonly requestsUsed: number;
  };
  readonly liquidation?: { readonly cooldownUntilMs: number; readonly bookTimesMs: readonly unknown[] };
}

type LevelsOf2 = readonly (readonly [price: string, readonly [consumed: string, lastFillFeedTimeMs: number]])[];

function toGeneration2(stored: Generation1): StoredForm {
  const [dueMs, day, firings] = stored.scheduledCancel ?? [null, '', 0];
  const [firstRows, seq, lastSeqs] = stored.historyStart ?? [[], 0];
  const [cooldownUntilMs, bookTimesMs] = stored.liquidation ?? [];
  const { id, seq: entry, timeMs, openedAtMs, cash } = stored as StoredForm & Generation1;
  const form: Generation2 = {
    ...{ id, seq: entry, timeMs, openedAtMs, cash, positions: stored.positions },
    orders: stored.orders,
    triggers: stored.triggers ?? [],
    leverage: stored.leverage.map(([asset, marginMode, leverage]) => [asset, [marginMode, leverage]]),
    consumption: stored.consumption.map(([asset, bid, ask]) => [asset, [toLevelsOf2(bid), toLevelsOf2(ask)]]),
    scheduledCancel: { dueMs, day, firings },
    twaps: stored.twaps ?? [],
    funding: (stored.funding ?? withoutFunding(stored)).map(([asset, coin, accruedToMs, paidUsd, owed, openedMs]) => [
      asset,
      { coin, accruedToMs, openedAtMs: openedMs ?? null, owed, paidUsd },
    ]),
    commandIds: stored.commandIds.map(([incarnation, counter, atMs]) => [incarnation, [counter, atMs]]),
    rowCounts: toCounts(stored.rowCounts),
    historyStart: { firstRows: toCounts(firstRows), seq, ...(lastSeqs && { lastSeqs: toCounts(lastSeqs) }) },
    equityNotedMs: stored.equityNotedMs ?? 0,
    totals: {
      netDepositsUsd: stored.netDepositsUsd,
      volumeUsd: stored.volumeUsd,
      realizedPnlUsd: stored.realizedPnlUsd ?? '0',
      feesUsd: stored.feesUsd ?? '0',
      fundingUsd: stored.fundingUsd ?? '0',
      dailyVolumes: stored.dailyVolumes,
      requestsUsed: stored.requestsUsed,
    },
    isPlanCredited: stored.isPlanCredited ?? false,
    ...(cooldownUntilMs !== undefined && { liquidation: { cooldownUntilMs, bookTimesMs: bookTimesMs ?? [] } }),
  };
  return form;
}

/** A position of a snapshot without funding owes nothing up to the snapshot's hour. */
const withoutFunding = ({ positions, timeMs }: Generation1): Funding[] =>
  positions.map(({ asset, coin }) => [asset, coin, hourOf(timeMs), '0', []]);

const toLevelsOf2 = (levels: Levels): LevelsOf2 => levels.map(([price, consumed, timeMs]) => [price, [consumed, timeMs]]);

const toCounts = (stored: readonly number[]): Counts =>
  Object.fromEntries(KINDS.map((kind, index) => [kind, stored[index] ?? 0])) as Counts;

/** A snapshot of generation 2 as generation 1 had it, key by key in its order. */
function toGeneration1(form: StoredForm): StoredForm {
  const { id, seq, timeMs, openedAtMs, cash, positions, ...of2 } = form as Generation2 & Pick<Generation1, 'timeMs'>;
  const { scheduledCancel, twaps, historyStart, isPlanCredited, equityNotedMs, totals, liquidation } = of2;
  const { dueMs, day, firings } = scheduledCancel;
  const { requestsUsed, dailyVolumes, netDepositsUsd, volumeUsd, realizedPnlUsd, feesUsd, fundingUsd } = totals;
  return {
    ...{ id, seq, timeMs, openedAtMs, cash, positions },
    orders: of2.orders,
    triggers: of2.triggers,
    leverage: of2.leverage.map(([asset, setting]) => [asset, ...setting]),
    consumption: of2.consumption.map(([asset, [bid, ask]]) => [asset, toLevelsOf1(bid), toLevelsOf1(ask)]),
    ...((dueMs !== null || firings > 0) && { scheduledCancel: [dueMs, day, firings] }),
    ...(twaps.length > 0 && { twaps }),
    funding: of2.funding.map(([asset, { coin, accruedToMs, paidUsd, owed, openedAtMs: openedMs }]) => {
      const known = [asset, coin, accruedToMs, paidUsd, owed];
      return openedMs === null ? known : [...known, openedMs];
    }),
    commandIds: of2.commandIds.map(([incarnation, [counter, atMs]]) => [incarnation, counter, atMs]),
    rowCounts: fromCounts(of2.rowCounts),
    ...(beginsLater(historyStart) && { historyStart: historyStartOf1(historyStart) }),
    ...(isPlanCredited && { isPlanCredited }),
    ...(equityNotedMs > 0 && { equityNotedMs }),
    ...{ netDepositsUsd, volumeUsd, realizedPnlUsd, feesUsd, fundingUsd, dailyVolumes, requestsUsed },
    ...(liquidation && { liquidation: [liquidation.cooldownUntilMs, liquidation.bookTimesMs] }),
  };
}

const toLevelsOf1 = (levels: LevelsOf2): Levels => levels.map(([price, [consumed, timeMs]]) => [price, consumed, timeMs]);

const fromCounts = (counts: Counts): number[] => KINDS.map((kind) => counts[kind]);

const beginsLater = ({ firstRows, seq }: Generation2['historyStart']): boolean =>
  seq > 0 || KINDS.some((kind) => firstRows[kind] > 0);

const historyStartOf1 = ({ firstRows, seq, lastSeqs }: Generation2['historyStart']): Generation1['historyStart'] =>
  lastSeqs ? [fromCounts(firstRows), seq, fromCounts(lastSeqs)] : [fromCounts(firstRows), seq];

type TakenOf = readonly [consumed: string, lastFillFeedTimeMs: number, goneFeedTimeMs?: number | null];
type SideOf = readonly (readonly [price: string, taken: TakenOf])[];

/** Taken liquidity with each level changed: from generation 4 on a level says since when it is not shown. */
function mapTaken(form: StoredForm, change: (taken: TakenOf) => TakenOf): unknown {
  const consumption = form['consumption'] as readonly (readonly [asset: number, sides: readonly [bid: SideOf, ask: SideOf]])[];
  const side = (levels: SideOf) => levels.map(([price, taken]) => [price, change(taken)]);
  return consumption.map(([asset, [bid, ask]]) => [asset, [side(bid), side(ask)]]);
}
