// Completes the answers of history questions with rows that only the shard has: those of journal entries that MongoDB
// may not have yet. So a fill that has been acknowledged is never missing, however late MongoDB is.

import { rowsOf } from '../domain/history/rowsOfEvents.ts';
import type { AccountQuery, OrderTarget } from '../domain/messages/command.ts';
import type { AccountEntry } from '../domain/messages/entry.ts';
import { readEntry } from '../domain/messages/entryForm.ts';
import type { NumberedRow, OrderRow } from '../domain/messages/historyRows.ts';
import type { Outcome } from '../domain/messages/outcome.ts';
import type { TailEntry } from '../residents/residents.ts';

/** Entries in one answer: some hundred kB. */
const ENTRIES_PER_ANSWER = 500;

/** @param outcome what the rules answered, without the tail */
export function withTail(outcome: Outcome, query: AccountQuery, tail: readonly TailEntry[]): Outcome {
  if (outcome.type !== 'answer') return outcome;
  const { answer } = outcome;
  if (answer.kind === 'history' && query.kind === 'history') {
    const rows = tail.flatMap(tailRows).filter(({ kind, number }) => kind === query.rows && number >= answer.first);
    return { ...outcome, answer: { ...answer, rows } };
  }
  if (answer.kind === 'entries' && query.kind === 'entries') {
    return { ...outcome, answer: { ...answer, entries: entriesAfter(query.afterSeq, tail) } };
  }
  if (answer.kind === 'orderStatus' && query.kind === 'orderStatus' && answer.found === 'notHere') {
    return { ...outcome, answer: { ...answer, found: newestRowOf(query.target, tail, answer.firstRow) ?? 'notHere' } };
  }
  return outcome;
}

/** The oldest of the tail's entries after this one; their sequence numbers rise, so it is found by halves. */
function entriesAfter(afterSeq: number, tail: readonly TailEntry[]): AccountEntry[] {
  let [low, high] = [0, tail.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (readEntry((tail[middle] as TailEntry).text).seq > afterSeq) high = middle;
    else low = middle + 1;
  }
  return tail.slice(low, low + ENTRIES_PER_ANSWER).map(({ text }) => readEntry(text));
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

const tailRows = ({ text }: TailEntry): NumberedRow[] => rowsOf(readEntry(text));
