// A failure lab in an account: actions that wait for their latency, and the end of a hold.

import type { Account } from '../../actors/core/account/account.ts';
import {
  DELAYED_CHARS_MAX,
  DELAYED_MAX,
  type DelayedAction,
  firstDelayed,
  firstHeld,
  NO_LAB,
  withDecided,
  withDelayed,
  withNote,
  withoutHeld,
} from '../../actors/core/account/labState.ts';
import { findOrder } from '../../actors/core/account/ownOrders.ts';
import { REFUSALS } from '../../actors/core/checks/checkAction.ts';
import type { Decided, Decision, Draft } from '../../actors/core/fold/draft.ts';
import type { EvolveSteps } from '../../actors/core/fold/evolve.ts';
import { type CoinChange, type Context, clockOf, type DuePart } from '../../actors/core/fold/pipeline.ts';
import { updateOrder, updateTrigger } from '../../actors/core/fold/writableAccount.ts';
import { fillReleased } from '../../actors/core/matching/matchBook.ts';
import type { AccountCommand, AccountQuery, DelayableCommand, OwnersCommand } from '../../actors/core/messages/command.ts';
import type { CommandOutcome } from '../../actors/core/messages/commandOutcome.ts';
import type { LabNote } from '../../actors/core/messages/labNote.ts';
import type { AnswerOf, Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { cancelOrders } from '../../actors/core/orders/endOrders.ts';
import { modifyOrders } from '../../actors/core/orders/modifyOrders.ts';
import { placeOrders } from '../../actors/core/orders/placeOrders.ts';
import { assert, unreachable } from '../../shared/domain/assert.ts';

/**
 * The first action that waits for its latency, as a failure lab has drawn it. Its decision comes at its time, on the book of that moment,
 * after all that happened before. So an order may find another book than its sender saw, and a cancel may come too late.
 */
export const delayedDue: DuePart = { nextMs: ({ lab }) => lab && firstDelayed(lab)?.dueMs, run: decideDelayed };

/** The order whose hold ends first. */
export const heldDue: DuePart = { nextMs: ({ lab }) => (lab && firstHeld(lab)?.untilMs) ?? undefined, run: letGo };

/** Decides the one that is due first. */
function decideDelayed(draft: Draft, context: Context): void {
  const action = draft.account.lab && firstDelayed(draft.account.lab);
  assert(action, 'no action waits for its latency');
  // The cuts of reduce-only orders that are still to be made come before it.
  void draft.decided;
  const { account } = draft;
  const decision = decideNow(account, action, context);
  const { afterDecision } = context.pipeline;
  const { outcome, ...decided } = afterDecision.reduce((each, after) => after(account, action.command, each), decision);
  draft.take(decided);
  draft.record({ type: 'delayedActionDecided', number: action.number, outcome: outcome as CommandOutcome });
}

/** Decides those that were due already when the market changed: a cancel that was in time ends its order before a later trade. */
export function decideDelayedBefore(draft: Draft, change: CoinChange, context: Context): void {
  const happenedMs = change.type === 'trades' ? (change.trades[0]?.timeMs ?? 0) : change.timeMs;
  const untilMs = Math.min(happenedMs, clockOf(context));
  for (let next = firstOf(draft.account); next && next.dueMs <= untilMs; next = firstOf(draft.account))
    decideDelayed(draft, context);
}

const firstOf = ({ lab }: Account): DelayedAction | undefined => lab && firstDelayed(lab);

function decideNow(
  account: Account,
  { command, note, key }: DelayedAction,
  context: Context,
): Decided & { readonly outcome: Outcome } {
  if (command.expiresAfterMs !== undefined && clockOf(context) > command.expiresAfterMs) {
    return { events: [], outcome: { type: 'refused', text: REFUSALS.expired } };
  }
  const inLab = { ...context, lab: note, key };
  switch (command.type) {
    case 'placeOrders':
      return placeOrders(account, command, inLab);
    case 'modifyOrders':
      return modifyOrders(account, command, inLab);
    case 'cancelOrders':
      return cancelOrders(account, command, inLab);
    default:
      return unreachable(command);
  }
}

type InLab = Extract<AccountCommand, { type: 'inLab' }>;
type Run = (account: Account, command: OwnersCommand, context: Context) => Decision;

const LAB_REFUSED = {
  tooMany: `Too many actions wait for their latency. Limit is ${DELAYED_MAX}.`,
  tooLong: `The actions that wait for their latency are too long. Limit is ${DELAYED_CHARS_MAX} characters.`,
} as const;

/**
 * A command under the failure lab of its key: what the lab has drawn for it stands in the entry. One with a latency waits in the
 * account; any other is decided now.
 * @param run decides it at once
 */
export function inLab(account: Account, { note, command }: InLab, context: Context, run: Run): Decision {
  if (note.delayMs !== undefined && isDelayable(command)) return delay(account, note, command, context);
  const decision = run(account, command, { ...context, lab: note });
  if (note.fault === undefined && note.answerMs === undefined) return decision;
  return { ...decision, events: [{ type: 'labDrawn', note }, ...decision.events] };
}

/** A request that had no effect. */
export function noteLab(_: Account, { note }: Extract<AccountCommand, { type: 'noteLab' }>): Decision {
  return { events: [{ type: 'labDrawn', note }], outcome: { type: 'done' }, requests: 0 };
}

/** It counts as a request when it comes. */
function delay(account: Account, note: LabNote, command: DelayableCommand, context: Context): Decision {
  const { next: number, waiting } = account.lab ?? NO_LAB;
  const requests = elementsOf(command).length;
  const refused = (text: string): Decision => ({ events: [], outcome: { type: 'refused', text }, requests });
  if (waiting.length >= DELAYED_MAX) return refused(LAB_REFUSED.tooMany);
  const chars = [...waiting.map((action) => action.command), command].reduce((sum, each) => sum + JSON.stringify(each).length, 0);
  if (chars > DELAYED_CHARS_MAX) return refused(LAB_REFUSED.tooLong);
  const dueMs = clockOf(context) + (note.delayMs ?? 0);
  const ofKey = context.key && { key: context.key };
  return {
    events: [{ type: 'actionDelayed', number, dueMs, note, command, oids: namedOrders(account, command), ...ofKey }],
    outcome: { type: 'delayed', number, dueMs },
    requests,
  };
}

const isDelayable = (command: OwnersCommand): command is DelayableCommand =>
  command.type === 'placeOrders' || command.type === 'modifyOrders' || command.type === 'cancelOrders';

function elementsOf(command: DelayableCommand): readonly unknown[] {
  if (command.type === 'placeOrders') return command.orders;
  return command.type === 'cancelOrders' ? command.cancels : command.modifies;
}

/** Open orders that a cancel or modify names, each once. */
function namedOrders(account: Account, command: DelayableCommand): number[] {
  if (command.type === 'placeOrders') return [];
  const targets = (command.type === 'cancelOrders' ? command.cancels : command.modifies).map(({ target }) => target);
  return [...new Set(targets.flatMap((target) => findOrder(account, target)?.oid ?? []))];
}

/**
 * The end of a hold by the script of a failure lab: lets the order go whose time comes first. From now on the market may fill it, and the
 * book of this moment does where it has crossed its limit.
 */
function letGo(draft: Draft, context: Context): void {
  const held = draft.account.lab && firstHeld(draft.account.lab);
  assert(held, 'no order is held for a time');
  draft.record({ type: 'orderLetGo', oid: held.oid });
  fillReleased(draft, held.oid, context);
}

type LabEventType = 'actionDelayed' | 'delayedActionDecided' | 'delayedActionsDropped' | 'orderHeld' | 'orderLetGo' | 'labDrawn';

export const labSteps: EvolveSteps<LabEventType> = {
  actionDelayed(writable, { number, dueMs, note, command, oids, key }) {
    const { account } = writable;
    account.lab = withDelayed(account.lab ?? NO_LAB, { number, dueMs, note, command, ...(key && { key }) });
    const act = command.type === 'cancelOrders' ? 'cancel' : 'modify';
    for (const oid of oids) {
      const order = account.orders.get(oid) ?? account.triggers.get(oid);
      const lab = withNote(order?.lab, { ...note, act });
      if (account.triggers.has(oid)) updateTrigger(writable, oid, { lab });
      else updateOrder(writable, oid, { lab });
    }
  },
  delayedActionDecided({ account }, { number, outcome }, timeMs) {
    account.lab = withDecided(account.lab ?? NO_LAB, { number, atMs: timeMs, outcome });
  },
  delayedActionsDropped({ account }) {
    account.lab = { ...(account.lab ?? NO_LAB), waiting: [] };
  },
  orderHeld({ account }, { oid, untilMs }) {
    const { lab = NO_LAB } = account;
    account.lab = { ...lab, held: [...lab.held, { oid, untilMs }] };
  },
  orderLetGo({ account }, { oid }) {
    account.lab = withoutHeld(account.lab ?? NO_LAB, oid);
  },
  labDrawn() {},
};

/** What became of an action that had to wait for its latency: its sender asks from its time on. */
export function delayedAction(
  { lab }: Account,
  { number }: Extract<AccountQuery, { kind: 'delayedAction' }>,
): AnswerOf<'delayedAction'> {
  const kind = 'delayedAction';
  if (lab?.waiting.some((action) => action.number === number)) return { kind, found: 'waiting' };
  return { kind, found: lab?.decided.find((action) => action.number === number)?.outcome ?? 'gone' };
}
