// A command under the failure lab of its key: what the lab has drawn for it stands in the entry. One with a latency waits in the
// account (delayedActions.ts); any other is decided now.
import type { Account } from '../../account/account.ts';
import { DELAYED_CHARS_MAX, DELAYED_MAX, NO_LAB } from '../../account/lab/labState.ts';
import { findOrder } from '../../account/ownOrders.ts';
import { type Context, clockOf, type Decision } from '../../fold/decision.ts';
import type { AccountCommand, DelayableCommand, OwnersCommand } from '../../messages/command.ts';
import type { LabNote } from '../../messages/lab/labNote.ts';

type InLab = Extract<AccountCommand, { type: 'inLab' }>;
type Run = (account: Account, command: OwnersCommand, context: Context) => Decision;

export const LAB_REFUSED = {
  tooMany: `Too many actions wait for their latency. Limit is ${DELAYED_MAX}.`,
  tooLong: `The actions that wait for their latency are too long. Limit is ${DELAYED_CHARS_MAX} characters.`,
} as const;

/** @param run decides it at once */
export function inLab(account: Account, { note, command }: InLab, context: Context, run: Run): Decision {
  if (note.delayMs !== undefined && isDelayable(command)) return delay(account, note, command, context);
  const decision = run(account, command, { ...context, lab: note });
  if (note.fault === undefined && note.answerMs === undefined) return decision;
  return { ...decision, events: [{ type: 'labDrawn', note }, ...decision.events] };
}

/** A request that had no effect. */
export function noteLab({ note }: Extract<AccountCommand, { type: 'noteLab' }>): Decision {
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
