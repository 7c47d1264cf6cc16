// What an account remembers of the failure lab of its keys: actions that wait for their latency, the outcomes of those that were
// decided lately, and orders that nothing may fill for a time. All of it is bounded, and absent in accounts without a lab.
import type { KeyGuard } from '../../../shared/domain/limits.ts';
import type { DelayableCommand } from '../messages/command.ts';
import type { CommandOutcome } from '../messages/commandOutcome.ts';
import type { LabNote, OrderNote } from '../messages/labNote.ts';

/** Actions of one account that may wait for their latency at a time. */
export const DELAYED_MAX = 32;
/** Characters of their JSON text. */
export const DELAYED_CHARS_MAX = 200_000;
/** Orders that may be held from being filled at a time. */
export const HELD_MAX = 64;
/** Outcomes that are kept for the API node that waits, and for how long, ms. */
const DECIDED_MAX = 64;
const DECIDED_KEPT_MS = 60_000;
/** Draws beside one order; the first, which placed it, and the newest. */
const NOTES_MAX = 8;

export interface DelayedAction {
  /** Rises by one with each that the account has delayed. */
  readonly number: number;
  readonly dueMs: number;
  readonly note: LabNote;
  readonly command: DelayableCommand;
  /** Limits of the key that has sent it, where it has any: they hold when it is decided. */
  readonly key?: KeyGuard;
}

export interface DecidedAction {
  readonly number: number;
  readonly atMs: number;
  readonly outcome: CommandOutcome;
}

export interface HeldOrder {
  readonly oid: number;
  /** From then on the market may fill it; null = never. */
  readonly untilMs: number | null;
}

export interface LabState {
  /** Number of the next delayed action. */
  readonly next: number;
  /** In the order in which they came. */
  readonly waiting: readonly DelayedAction[];
  /** In the order in which they were decided. */
  readonly decided: readonly DecidedAction[];
  /** Open orders. */
  readonly held: readonly HeldOrder[];
}

export const NO_LAB: LabState = { next: 1, waiting: [], decided: [], held: [] };

/** The action that is due first; of two that are due together the one that came first. */
export function firstDelayed({ waiting }: LabState): DelayedAction | undefined {
  let first: DelayedAction | undefined;
  for (const action of waiting) if (first === undefined || action.dueMs < first.dueMs) first = action;
  return first;
}

/** The held order that is let go first. */
export function firstHeld({ held }: LabState): HeldOrder | undefined {
  let first: HeldOrder | undefined;
  for (const order of held) {
    if (order.untilMs !== null && (first?.untilMs == null || order.untilMs < first.untilMs)) first = order;
  }
  return first;
}

export const isHeld = (lab: LabState | undefined, oid: number): boolean => lab?.held.some((order) => order.oid === oid) ?? false;

/** The order is held no more. */
export const withoutHeld = (lab: LabState, oid: number): LabState =>
  isHeld(lab, oid) ? { ...lab, held: lab.held.filter((order) => order.oid !== oid) } : lab;

export const withDelayed = (lab: LabState, action: DelayedAction): LabState => ({
  ...lab,
  next: action.number + 1,
  waiting: [...lab.waiting, action],
});

export function withDecided(lab: LabState, decided: DecidedAction): LabState {
  const kept = lab.decided.filter(({ atMs }) => atMs > decided.atMs - DECIDED_KEPT_MS);
  return {
    ...lab,
    waiting: lab.waiting.filter(({ number }) => number !== decided.number),
    decided: [...kept, decided].slice(-DECIDED_MAX),
  };
}

/** The draws beside an order with one more. */
export function withNote(notes: readonly OrderNote[] = [], note: OrderNote): readonly OrderNote[] {
  const [first, ...others] = [...notes, note];
  return first === undefined ? [] : [first, ...others.slice(1 - NOTES_MAX)];
}
