// What an account decides of a command it also sends to its what-ifs: the entry has the command beside what it did here. What the limits of
// the key have refused goes nowhere: a what-if does nothing that its source's key may not. A what-if that is too far behind is ended by
// the command that would be too much, never the account held up.
import type { Account } from '../../../actors/core/account/account.ts';
import { liveWhatIfs, NO_WHAT_IFS, WHAT_IFS_CHARS_MAX, WHAT_IFS_WAITING_MAX } from '../../../actors/core/account/copies.ts';
import type { WhatIfsPart } from '../../../actors/core/fold/pipeline.ts';
import type { AccountCommand, CopiedCommand } from '../../../actors/core/messages/command.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { Outcome } from '../../../actors/core/messages/queryAnswer.ts';

const TO_WHAT_IFS: ReadonlySet<AccountCommand['type']> = new Set<CopiedCommand['type']>([
  ...(['placeOrders', 'cancelOrders', 'modifyOrders', 'updateLeverage', 'updateIsolatedMargin'] as const),
  ...(['topUpIsolatedMargin', 'scheduleCancel', 'startTwap', 'cancelTwap'] as const),
]);

/** The decision of a command, with what its account's what-ifs get. */
export function sentToWhatIfs<D extends WhatIfsPart>(account: Account, command: AccountCommand, decision: D): D {
  const { mirrors } = account;
  if (mirrors === undefined || liveWhatIfs(mirrors).length === 0) return decision;
  const mirrored = forWhatIfs(command, decision);
  if (mirrored.length === 0) return decision;
  const waiting = [...mirrors.waiting.map((each) => each.command), ...mirrored];
  const isTooMuch = waiting.length > WHAT_IFS_WAITING_MAX || charsOf(waiting) > WHAT_IFS_CHARS_MAX;
  const ended = isTooMuch ? lagging(account) : [];
  if (ended.length === liveWhatIfs(mirrors).length) return { ...decision, events: [...decision.events, ...ended] };
  const first = mirrors.last + 1;
  const sent = mirrored.map((each, at): AccountEvent => ({ type: 'commandMirrored', number: first + at, command: each }));
  return { ...decision, events: [...decision.events, ...ended, ...sent] };
}

function forWhatIfs(command: AccountCommand, decision: WhatIfsPart): readonly CopiedCommand[] {
  if (!goesToWhatIfs(command)) return decision.forWhatIfs ?? [];
  const mirrored = allowed(named(command, decision.outcome), decision);
  return mirrored === undefined ? [] : [mirrored];
}

const goesToWhatIfs = (command: AccountCommand): command is CopiedCommand => TO_WHAT_IFS.has(command.type);

/** The command without its deadline and what a lab did to it, with the ids that it has given: later commands name them. */
function named({ expiresAfterMs: _, ...command }: CopiedCommand, outcome: Outcome): CopiedCommand {
  const ids = outcome.type === 'orders' ? outcome.orders.map((each) => ('oid' in each ? { oid: each.oid } : {})) : [];
  switch (command.type) {
    case 'placeOrders':
      return { ...command, orders: command.orders.map(({ script: _script, ...order }, at) => ({ ...order, ...ids[at] })) };
    case 'modifyOrders': {
      const modifies = command.modifies.map(({ target, order: { script: _script, ...order } }, at) => {
        return { target, order: { ...order, ...ids[at] } };
      });
      return { ...command, modifies };
    }
    case 'startTwap':
      return outcome.type === 'twapRunning' ? { ...command, twapId: outcome.twapId } : command;
    default:
      return command;
  }
}

/** Without what the limits of the key have refused; undefined = all of it is. */
function allowed(command: CopiedCommand, { outcome, beyondKey }: WhatIfsPart): CopiedCommand | undefined {
  if (beyondKey === undefined) return command;
  if (outcome.type !== 'orders') return beyondKey.has(outcome) ? undefined : command;
  const isAllowed = (_: unknown, at: number): boolean => !beyondKey.has(outcome.orders[at] ?? {});
  switch (command.type) {
    case 'placeOrders': {
      const orders = command.orders.filter(isAllowed);
      return orders.length === 0 ? undefined : { ...command, orders };
    }
    case 'modifyOrders': {
      const modifies = command.modifies.filter(isAllowed);
      return modifies.length === 0 ? undefined : { ...command, modifies };
    }
    default:
      return command;
  }
}

/** Those for which the oldest command waits. */
function lagging({ mirrors = NO_WHAT_IFS }: Account): AccountEvent[] {
  const [oldest] = mirrors.waiting;
  const slow = liveWhatIfs(mirrors).filter(({ through }) => oldest !== undefined && through < oldest.number);
  return slow.map(({ account: to }) => ({ type: 'mirrorEnded', to, why: 'lagging' }));
}

const charsOf = (commands: readonly CopiedCommand[]): number =>
  commands.reduce((sum, command) => sum + JSON.stringify(command).length, 0);
