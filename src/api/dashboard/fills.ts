// GET …/account/fills: every execution, including those of TWAP slices, newest first. The two kinds are stored apart;
// each page merges them by their trade ids, which rise with time.

import { Type } from '@sinclair/typebox';
import type { FillRow, NumberedRow } from '../../actors/core/messages/historyRows.ts';
import { everyRow, readCursor, type Scanned, scan, writeCursor } from '../accounts/historyPages.ts';
import { type AccountHistory, type Call, pastOf } from '../accounts/services.ts';
import {
  type AnswerFor,
  CoinName,
  Cursor,
  exactly,
  IsoTime,
  Liquidity,
  OrderId,
  TradeId,
  TradeSide,
  WireDecimal,
} from '../contract/answerValues.ts';
import { named } from '../contract/named.ts';
import { wireNumber } from '../domain/wireText.ts';
import type { ListQuery } from '../http/listQuery.ts';

export const FillItem = named(
  'AccountFill',
  exactly({
    tid: TradeId,
    oid: OrderId,
    coin: CoinName,
    side: TradeSide,
    direction: Type.String({ examples: ['Open Long'] }),
    price: WireDecimal,
    size: WireDecimal,
    fee: WireDecimal,
    liquidity: Liquidity,
    closed_pnl: WireDecimal,
    time: IsoTime,
  }),
);

export const FillPage = named('FillPage', exactly({ items: Type.Array(FillItem), next_cursor: Cursor }));

const KINDS = ['fills', 'twapFills'] as const;

export async function readFills(history: AccountHistory, call: Call, query: ListQuery) {
  const { limit, cursor, coin, startMs, endMs } = query;
  const list = ['fills', call.caller.accountId, coin ?? null, startMs, endMs ?? null];
  const places = cursor === undefined ? [] : readCursor(list, cursor);
  const isWanted = coin === undefined ? everyRow : (row: NumberedRow) => fillOf(row)?.coin === coin;
  const scans = await Promise.all(
    KINDS.map((kind, i) => scan(history, { past: pastOf(call), kind, before: places[i], startMs, endMs, limit }, isWanted)),
  );
  // Rows below the point where a kind's reading ended are not known: nothing older may be shown before they are read.
  const floor = Math.max(
    ...scans.map(({ rows, next }) => (next === null ? 0 : (tidOf(rows.at(-1)) ?? Number.POSITIVE_INFINITY))),
  );
  const known = scans.flatMap(({ rows }) => rows).filter((row) => (tidOf(row) ?? 0) >= floor);
  const shown = known.sort((a, b) => (tidOf(b) ?? 0) - (tidOf(a) ?? 0)).slice(0, limit);
  const nexts = scans.map((scanned, i) => nextOf(scanned, KINDS[i] as (typeof KINDS)[number], shown));
  return {
    items: shown.flatMap((row) => fillOf(row) ?? []).map(toFillItem),
    next_cursor: nexts.every((next) => next === 0) ? null : writeCursor(list, nexts),
  };
}

/** Where the next page of a kind begins: below its last row on this page, or where its reading ended. */
function nextOf({ rows, next }: Scanned, kind: (typeof KINDS)[number], shown: readonly NumberedRow[]): number {
  const ofKind = shown.filter((row) => row.kind === kind);
  const firstLeft = rows[ofKind.length];
  if (firstLeft !== undefined) return firstLeft.number + 1;
  return next ?? 0;
}

const fillOf = (row: NumberedRow): FillRow | undefined =>
  row.kind === 'fills' || row.kind === 'twapFills' ? row.row : undefined;
const tidOf = (row: NumberedRow | undefined): number | undefined => row && fillOf(row)?.tid;

export const toFillItem = (fill: FillRow): AnswerFor<typeof FillItem> => ({
  tid: fill.tid,
  oid: fill.oid,
  coin: fill.coin,
  side: fill.side,
  direction: fill.direction,
  price: wireNumber(fill.price),
  size: wireNumber(fill.size),
  fee: wireNumber(fill.fee),
  liquidity: fill.liquidity,
  closed_pnl: wireNumber(fill.closedPnl),
  time: new Date(fill.timeMs).toISOString(),
});
