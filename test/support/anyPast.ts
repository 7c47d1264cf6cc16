// Random pasts of an account: entries that give rows of every kind, numbered from 0, with times that never fall. For tests of
// who keeps and reads rows; no account could have folded them.
import fc from 'fast-check';
import { countRows } from '../../src/actors/core/history/rowsOfEvents.ts';
import type { AccountEntry } from '../../src/actors/core/messages/entry.ts';
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import { HISTORY_KINDS, NO_ROWS, type RowsWanted } from '../../src/actors/core/messages/historyRows.ts';

const WHATS = ['order', 'fill', 'twapFill', 'ledger', 'funding', 'twap'] as const;
type What = (typeof WHATS)[number];

interface Drawn {
  readonly afterMs: number;
  readonly whats: readonly What[];
  readonly isNoted: boolean;
  readonly oid: number;
}

/** @param max entries at most */
export const anyPast = (max: number): fc.Arbitrary<AccountEntry[]> =>
  fc
    .array(
      fc.record({
        afterMs: fc.nat(3),
        whats: fc.array(fc.constantFrom(...WHATS), { maxLength: 4 }),
        isNoted: fc.boolean(),
        oid: fc.nat(11),
      }),
      { maxLength: max },
    )
    .map((drawn) => pastOf('0xaa', drawn));

/** Bounds of every sort, about rows up to `max` and times up to about as many ms. */
export const anyWant = (max: number): fc.Arbitrary<RowsWanted> =>
  fc.record(
    {
      limit: fc.nat(max),
      newestFirst: fc.constant(true as const),
      from: fc.nat(max),
      before: fc.nat(max),
      startMs: fc.nat(max),
      endMs: fc.nat(max),
      maxTid: fc.nat(max),
    },
    { requiredKeys: ['limit'] },
  );

/** A past of an account, entry by entry. */
export function pastOf(accountId: string, drawn: readonly Drawn[]): AccountEntry[] {
  const next = { ...NO_ROWS };
  let timeMs = 0;
  let tid = 0;
  return drawn.map(({ afterMs, whats, isNoted, oid }, at) => {
    timeMs += afterMs;
    const events = whats.map((what) => {
      tid += 1;
      return eventOf(what, { oid, tid, timeMs });
    });
    const equity = { accountValue: '1', balance: '1', netDepositsUsd: '1', openPositions: 0 };
    const counts = countRows({ events, ...(isNoted && { equity }) });
    const firstRows = Object.fromEntries(HISTORY_KINDS.filter((kind) => counts[kind] > 0).map((kind) => [kind, next[kind]]));
    for (const kind of HISTORY_KINDS) next[kind] += counts[kind];
    return { accountId, seq: at + 1, timeMs, events, firstRows, ...(isNoted && { equity }) };
  });
}

function eventOf(what: What, { oid, tid, timeMs }: { oid: number; tid: number; timeMs: number }): AccountEvent {
  const order = { oid, cloid: `0x${oid}`, coin: 'BTC', tid };
  const twap = { twapId: oid, coin: 'BTC' };
  const events: Readonly<Record<What, unknown>> = {
    order: { type: 'orderEnded', order, status: 'canceled' },
    fill: { type: 'orderFilled', oid, tid, coin: 'BTC', fee: '0', trip: { pnlUsd: String(tid) } },
    twapFill: { type: 'orderFilled', oid, tid, coin: 'BTC', fee: '0', twapId: 1 },
    ledger: { type: 'balanceAdjusted', usd: String(tid) },
    funding: { type: 'fundingSettled', timeMs, coin: 'BTC', usd: String(tid), hours: 1 },
    twap: { type: 'twapStarted', twap },
  };
  return events[what] as AccountEvent;
}
