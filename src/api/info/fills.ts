// `userFills` and `userFillsByTime`: the account's executions, one row each, or with the parts that one taking order
// got in one millisecond merged into one row.

import { Type } from '@sinclair/typebox';
import type { FillRow } from '../../actors/core/messages/historyRows.ts';
import { Decimal, halfUp, toWire, ZERO } from '../../shared/domain/decimal.ts';
import { rememberFor } from '../../shared/domain/memo.ts';
import { described } from '../contract/named.ts';
import { Fill } from '../contract/venueForms.ts';
import { QUESTION_OF_ROWS } from '../domain/requestPrice.ts';
import { toWireFill } from '../domain/wireFill.ts';
import { JsonText } from '../domain/wireText.ts';
import { absentOr, TimeMs } from '../http/requestReader.ts';
import { latestRows, rowsBetween } from './accountRows.ts';
import { accountType, askedUser } from './infoType.ts';

/** Of an answer and of the channel's first message. */
export const FILLS_MAX = 2000;
const AggregateField = described(
  absentOr(Type.Boolean({ expected: 'a boolean' })),
  'Merges the parts that one taking order got at one moment.',
);

const CONTRACT = {
  about: 'The newest executions of the account, newest first, at most 2,000.',
  price: QUESTION_OF_ROWS,
  fields: { aggregateByTime: AggregateField },
  answers: Type.Array(Fill),
};

export const userFills = accountType('userFills', CONTRACT, async (request, call, services) => {
  const rows = await latestRows(call, services, { kind: 'fills', limit: FILLS_MAX });
  return fillsText(rows, { newestFirst: true, aggregate: request.aggregateByTime === true, user: askedUser(request, call) }).text;
});

export const userFillsByTime = accountType(
  'userFillsByTime',
  {
    about: 'Executions of the account by time, at most 2,000.',
    price: QUESTION_OF_ROWS,
    fields: {
      startTime: TimeMs,
      endTime: described(absentOr(TimeMs), 'Absent or `null` = now.'),
      aggregateByTime: AggregateField,
      reversed: described(absentOr(Type.Boolean({ expected: 'a boolean' })), 'Newest first.'),
    },
    answers: Type.Array(Fill),
    example: { startTime: 1_795_000_000_000 },
  },
  async (request, call, services) => {
    const { startTime, endTime, aggregateByTime, reversed } = request;
    const newestFirst = reversed === true;
    const range = { startMs: startTime, endMs: endTime ?? services.now(), limit: FILLS_MAX, newestFirst };
    const rows = await rowsBetween(call, services, { kind: 'fills', ...range });
    return fillsText(rows, { newestFirst, aggregate: aggregateByTime === true, user: askedUser(request, call) }).text;
  },
);

interface FillsAsked {
  readonly newestFirst: boolean;
  readonly aggregate: boolean;
  readonly user: string;
}

/** Rows that are kept beside a view are written once. */
const fillsText = rememberFor(
  (rows: readonly FillRow[], asked: FillsAsked) => ({ asked, text: JsonText.of(toWireFills(rows, asked)) }),
  ({ asked: last }, { newestFirst, aggregate, user }) =>
    last.newestFirst === newestFirst && last.aggregate === aggregate && last.user === user,
);

/** Fills on the wire, in the order of `rows`; `user` is named in those of a liquidation. */
export function toWireFills(rows: readonly FillRow[], { newestFirst, aggregate, user }: FillsAsked) {
  const toWireOne = (fill: FillRow) => toWireFill(fill, user);
  if (!aggregate) return rows.map(toWireOne);
  const merged = mergeParts(newestFirst ? rows.toReversed() : rows);
  return (newestFirst ? merged.toReversed() : merged).map(toWireOne);
}

/** Decimals of a merged price, which is an average and shown only. */
const MERGED_PRICE_DECIMALS = 8;

/** @param rows oldest first */
function mergeParts(rows: readonly FillRow[]): FillRow[] {
  const groups: FillRow[][] = [];
  for (const row of rows) {
    const open = groups.at(-1);
    const first = open?.[0];
    const isPart =
      first?.oid === row.oid && first.timeMs === row.timeMs && row.liquidity === 'taker' && first.liquidity === 'taker';
    if (open && isPart) open.push(row);
    else groups.push([row]);
  }
  return groups.map(mergeGroup);
}

/** The first part with the sums of all parts: it has the position before them. A flip in it is one of them all. */
function mergeGroup(parts: readonly FillRow[]): FillRow {
  const [first] = parts as [FillRow];
  if (parts.length === 1) return first;
  const sum = (field: 'size' | 'fee' | 'closedPnl'): Decimal => parts.reduce((total, part) => total.plus(part[field]), ZERO);
  const size = sum('size');
  const value = parts.reduce((total, part) => total.plus(new Decimal(part.price).times(part.size)), ZERO);
  return {
    ...first,
    direction: directionOf(parts),
    price: toWire(halfUp(value.div(size), MERGED_PRICE_DECIMALS)),
    size: toWire(size),
    fee: toWire(sum('fee')),
    closedPnl: toWire(sum('closedPnl')),
  };
}

/** One part may close what another part opens on the other side. */
function directionOf(parts: readonly FillRow[]): string {
  const directions = new Set(parts.map(({ direction }) => direction));
  if (directions.has('Long > Short') || (directions.has('Close Long') && directions.has('Open Short'))) return 'Long > Short';
  if (directions.has('Short > Long') || (directions.has('Close Short') && directions.has('Open Long'))) return 'Short > Long';
  return (parts[0] as FillRow).direction;
}
