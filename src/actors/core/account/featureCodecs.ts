// How the parts of an account that belong to features stand in its snapshot.

import { type Codec, decimal, listOf, optional, plain, record } from '../../../shared/domain/codec.ts';
import type { AccountLimits } from '../../../shared/domain/limits.ts';
import type { LabNote, OrderNote, OrderScript } from '../messages/labNote.ts';
import type { Breach } from '../messages/queryAnswer.ts';
import type { DecidedAction, DelayedAction, HeldOrder, LabState } from './labState.ts';
import type { LimitsState } from './limits.ts';

// How the failure lab's part of an account stands in its snapshot. Commands and outcomes in it are JSON as they came.

const number = plain<number>();
const text = plain<string>();
/** JSON as it came. */
export const kept = <Value>(): Codec<Value> => ({ write: (value) => value, read: (stored) => stored, isKept: true });

/** null stands for itself. */
const orNull: Codec<number | null> = kept();

const note = record<LabNote>('draw', {
  key: text,
  on: plain(),
  number,
  atMs: number,
  draw: number,
  fault: optional(plain()),
  delayMs: optional(number),
  answerMs: optional(number),
});

const script = record<OrderScript>('script of an order', {
  prefix: optional(text),
  draw: optional(number),
  refuse: optional(plain()),
  fillPercent: optional(number),
  holdMs: optional(orNull),
});

export const orderNotes = listOf(
  record<OrderNote>('draw beside an order', { ...note.fields, act: plain(), script: optional(script) }),
);

export const labState = record<LabState>('failure lab', {
  next: number,
  waiting: listOf(
    record<DelayedAction>('delayed action', { number, dueMs: number, note, command: kept(), key: optional(kept()) }),
  ),
  decided: listOf(record<DecidedAction>('decided action', { number, atMs: number, outcome: kept() })),
  held: listOf(record<HeldOrder>('held order', { oid: number, untilMs: orNull })),
});

// How house rules stand in a snapshot. The rules themselves are JSON as they came.

const rules: Codec<AccountLimits> = { write: (value) => value, read: (stored: AccountLimits) => stored, isKept: true };

export const limitsState = record<LimitsState>('house rules', {
  rules,
  peakUsd: decimal,
  shareKept: optional(decimal),
  turnedMs: plain<number>(),
  breaches: listOf(
    record<Breach>('broken house rule', {
      rule: plain(),
      timeMs: plain<number>(),
      coin: optional(plain<string>()),
      found: optional(plain<string>()),
    }),
  ),
});
