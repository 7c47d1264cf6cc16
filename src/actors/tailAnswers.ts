// Completes the answers of history questions with what only the shard knows: rows of journal entries that MongoDB may not
// have yet. So a fill that has been acknowledged is never missing, however late MongoDB is.

import type { AccountQuery, OrderTarget } from './domain/command.ts';
import type { AccountEntry } from './domain/entry.ts';
import type { NumberedRow, OrderRow } from './domain/history.ts';
import type { Outcome } from './domain/outcome.ts';
import { rowsOf } from './domain/rows.ts';
import type { TailEntry } from './residents.ts';

/** @param outcome what the rules answered, without the tail */
export function withTail(outcome: Outcome, query: AccountQuery, tail: readonly TailEntry[]): Outcome {
  if (outcome.type !== 'answer') return outcome;
  const { answer } = outcome;
  if (answer.kind === 'history' && query.kind === 'history') {
    const rows = tail.flatMap(tailRows).filter(({ kind, number }) => kind === query.rows && number >= answer.first);
    return { type: 'answer', answer: { ...answer, rows } };
  }
  if (answer.kind === 'orderStatus' && query.kind === 'orderStatus' && answer.found === 'notHere') {
    return { type: 'answer', answer: { ...answer, found: newestRowOf(query.target, tail, answer.firstRow) ?? 'notHere' } };
  }
  return outcome;
}

function newestRowOf(target: OrderTarget, tail: readonly TailEntry[], firstRow: number): OrderRow | undefined {
  for (const entry of tail.toReversed()) {
    if (!entry.text.includes('oid' in target ? String(target.oid) : target.cloid)) continue;
    for (const numbered of tailRows(entry).toReversed()) {
      if (numbered.kind !== 'orders' || numbered.number < firstRow) continue;
      if (isOf(target, numbered.row)) return numbered.row;
    }
  }
  return undefined;
}

const isOf = (target: OrderTarget, { order }: OrderRow): boolean =>
  'oid' in target ? order.oid === target.oid : order.cloid === target.cloid;

const tailRows = ({ text }: TailEntry): NumberedRow[] => rowsOf(JSON.parse(text) as AccountEntry);
