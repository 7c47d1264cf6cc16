// Commands of an account go to its what-ifs, too: each account decides alone, as with transfers. The source's entry has the command beside
// what it did there; the what-if takes it by its number, so a repeated one has no effect a second time and none is passed over.

import type { Account } from '../../../actors/core/account/account.ts';
import {
  liveWhatIfs,
  NO_WHAT_IFS,
  WHAT_IFS_CHARS_MAX,
  WHAT_IFS_MAX,
  WHAT_IFS_WAITING_MAX,
} from '../../../actors/core/account/copies.ts';
import { leverageUnder } from '../../../actors/core/account/terms.ts';
import { type Decision, quiet, quietRefusal } from '../../../actors/core/fold/draft.ts';
import { type CommandOf, type Context, clockOf, type Prelude, type WhatIfsPart } from '../../../actors/core/fold/pipeline.ts';
import { defaultLeverage } from '../../../actors/core/margin/positionMargin.ts';
import type { AccountCommand, CopiedCommand, OwnersCommand } from '../../../actors/core/messages/command.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { Outcome } from '../../../actors/core/messages/queryAnswer.ts';
import { latencyOf } from '../../../shared/domain/labProfile.ts';

type Run = (account: Account, command: OwnersCommand | CommandOf<'inLab'>, context: Context) => Decision;

/** One that receives already, or did, is not begun again: it would have a gap. */
export function addWhatIf(account: Account, { to }: CommandOf<'addMirror'>): Decision {
  if (account.mirrors?.to.some((each) => each.account === to)) return quiet([]);
  if (liveWhatIfs(account.mirrors).length >= WHAT_IFS_MAX) {
    return quietRefusal(`Too many what-ifs receive the commands of this account. Limit is ${WHAT_IFS_MAX}.`);
  }
  return quiet([{ type: 'mirrorAdded', to }]);
}

/** What the what-if has had; or that it takes no more. */
export function settleWhatIf(account: Account, { to, through, ended }: CommandOf<'settleMirror'>): Decision {
  const mirror = liveWhatIfs(account.mirrors).find((each) => each.account === to);
  if (mirror === undefined) return quiet([]);
  if (ended) return quiet([{ type: 'mirrorEnded', to, why: 'gone' }]);
  const had = mirror.start + through;
  return quiet(had > mirror.through ? [{ type: 'mirrorSettled', to, through: had }] : []);
}

/**
 * Takes a command of the source, after those before it.
 * @param run decides it
 */
export function receiveCopy(account: Account, mirrored: CommandOf<'mirrored'>, context: Context, run: Run): Decision {
  const { of, number, command } = mirrored;
  const { fork } = account;
  if (fork?.received === undefined || fork.of !== of) return quiet([]);
  if (number !== fork.received + 1) return quiet([]);
  const { events, requests } = decideCopy(account, { ...mirrored, command: underTerms(account, command, context) }, context, run);
  return { events: [{ type: 'mirrorReceived', of, number }, ...events], outcome: { type: 'done' }, requests };
}

/** With a latency it waits, as under a failure lab. */
function decideCopy(account: Account, { number, command }: CommandOf<'mirrored'>, context: Context, run: Run): Decision {
  const latency = account.fork?.terms?.latency;
  const what = command.type === 'cancelOrders' ? 'cancel' : 'submit';
  const delayMs = latency && latencyOf(latency[what], { seed: latency.seed, on: 'exchange', number }, what);
  if (!delayMs) return run(account, command, context);
  const note = { key: 'what-if', on: 'exchange', number, atMs: clockOf(context), draw: 1, delayMs } as const;
  return run(account, { type: 'inLab', note, command }, context);
}

/** A what-if with a leverage of its own takes the mode alone. */
function underTerms(account: Account, command: CopiedCommand, { market }: Context): CopiedCommand {
  if (command.type !== 'updateLeverage') return command;
  const asset = market.asset(command.asset);
  const leverage = asset && leverageUnder(account, asset);
  return leverage === undefined ? command : { ...command, leverage };
}

/**
 * A what-if with a leverage of its own has it in every coin. Coins that it had nothing in when it began get it with the first command
 * that places something in them, as an event before that command's own.
 */
export function leverageFirst(account: Account, command: AccountCommand, context: Context): Prelude | undefined {
  return account.fork?.terms?.leverage === undefined ? undefined : { first: missingSettings(account, command, context) };
}

function missingSettings(account: Account, command: AccountCommand, { market }: Context): AccountEvent[] {
  return [...new Set(coinsOf(command))].flatMap((id) => {
    const asset = account.leverage.has(id) ? undefined : market.asset(id);
    const leverage = asset && leverageUnder(account, asset);
    if (asset === undefined || leverage === undefined) return [];
    return [{ type: 'leverageSet', asset: id, marginMode: defaultLeverage(asset).marginMode, leverage }];
  });
}

/** Coins in which the command places something. */
function coinsOf(command: AccountCommand): number[] {
  switch (command.type) {
    case 'inLab':
    case 'mirrored':
      return coinsOf(command.command);
    case 'placeOrders':
      return command.orders.map(({ asset }) => asset);
    case 'modifyOrders':
      return command.modifies.map(({ order }) => order.asset);
    case 'startTwap':
      return [command.asset];
    default:
      return [];
  }
}

const TO_WHAT_IFS: ReadonlySet<AccountCommand['type']> = new Set<CopiedCommand['type']>([
  ...(['placeOrders', 'cancelOrders', 'modifyOrders', 'updateLeverage', 'updateIsolatedMargin'] as const),
  ...(['topUpIsolatedMargin', 'scheduleCancel', 'startTwap', 'cancelTwap'] as const),
]);

/**
 * The decision of a command, with what its account's what-ifs get: the entry has the command beside what it did here. What the limits of
 * the key have refused goes nowhere: a what-if does nothing that its source's key may not. A what-if that is too far behind is ended by
 * the command that would be too much, never the account held up.
 */
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
