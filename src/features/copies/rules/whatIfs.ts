// Forks and what-ifs: how one begins, and how it receives the commands of its source.

import type { Account } from '../../../actors/core/account/account.ts';
import { readSnapshot } from '../../../actors/core/account/accountCodec.ts';
import { isSameOrigin, liveWhatIfs, WHAT_IFS_MAX } from '../../../actors/core/account/copies.ts';
import type { OpenOrder } from '../../../actors/core/account/openOrderBook.ts';
import { leverageUnder } from '../../../actors/core/account/terms.ts';
import { UNKNOWN_QUEUE } from '../../../actors/core/fills/bookLiquidity.ts';
import { aheadOnArrival, restingUnder } from '../../../actors/core/fills/queuePosition.ts';
import type { Decision } from '../../../actors/core/fold/draft.ts';
import { type CommandOf, type Context, clockOf, type Prelude } from '../../../actors/core/fold/pipeline.ts';
import { balanceOf } from '../../../actors/core/margin/margin.ts';
import { defaultLeverage, leverageOf } from '../../../actors/core/margin/positionMargin.ts';
import type { AccountCommand, CopiedCommand, OwnersCommand } from '../../../actors/core/messages/command.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { RestingState } from '../../../actors/core/messages/queuePlace.ts';
import type { Terms } from '../../../actors/core/messages/terms.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { latencyOf } from '../../../shared/domain/labProfile.ts';

// Commands of an account go to its what-ifs, too: each account decides alone, as with transfers. The source's entry has the command beside
// what it did there; the what-if takes it by its number, so a repeated one has no effect a second time and none is passed over.

type Run = (account: Account, command: OwnersCommand | CommandOf<'inLab'>, context: Context) => Decision;

/** One that receives already, or did, is not begun again: it would have a gap. */
export function addWhatIf(account: Account, { to }: CommandOf<'addMirror'>): Decision {
  if (account.mirrors?.to.some((each) => each.account === to)) return quiet([]);
  if (liveWhatIfs(account.mirrors).length >= WHAT_IFS_MAX) {
    return refused(`Too many what-ifs receive the commands of this account. Limit is ${WHAT_IFS_MAX}.`);
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

const refused = (text: string): Decision => ({
  ...{ events: [], outcome: { type: 'refused', text }, requests: 0, leavesNoEntry: true },
});

const quiet = (events: readonly AccountEvent[]): Decision => ({
  ...{ events, outcome: { type: 'done' }, requests: 0, leavesNoEntry: true },
});

// A what-if with a leverage of its own has it in every coin. Coins that it had nothing in when it began get it with the first command
// that places something in them, as an event before that command's own.

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

type BeginFork = Extract<AccountCommand, { type: 'beginFork' }>;

/**
 * A fork begins: a sub-account that was never opened gets the state of an entry of another account. The state comes with the command and
 * is in the entry, so a replay needs no archive; that it is the one which the master's journal names, its hash says.
 */
export function beginFork(account: Account, command: BeginFork, context: Context): Decision {
  const { of, seq, hash, terms, state } = command;
  if (account.fork !== undefined && isSameOrigin(account.fork, command)) return done([]);
  if (account.openedAtMs > 0) return refused('The account has begun already.');
  const source = readSnapshot(state);
  assert(context.stateHashOf, 'the state of a fork is checked by its hash');
  if (source.id !== of || source.seq !== seq || context.stateHashOf(source) !== hash)
    return refused('The state is not that of the entry.');
  const resting = [...source.orders.values()].map((order) => [order.oid, placeNow(order, terms, context)] as const);
  const usd = balanceOf(source).toString();
  const forked = { type: 'forked', of, seq, hash, ...(terms && { terms }), state, usd, resting } as const;
  return done([forked, ...(terms?.leverage === undefined ? [] : leverageOfCoins(source, terms, context))]);
}

/** Coins with a setting, a position or orders get the what-if's leverage at once; others when something is placed in them (`leverageFirst`). */
function leverageOfCoins(source: Account, terms: Terms, { market }: Context): AccountEvent[] {
  const orders = [...source.orders.values(), ...source.triggers.values()];
  const coins = new Set([...source.leverage.keys(), ...source.positions.keys(), ...orders.map(({ asset }) => asset)]);
  return [...coins].flatMap((id) => {
    const asset = market.asset(id);
    const leverage = asset && leverageUnder({ fork: { terms } }, asset);
    if (leverage === undefined || asset === undefined) return [];
    const { marginMode } = source.positions.get(id) ?? leverageOf(source, asset);
    return [{ type: 'leverageSet', asset: id, marginMode, leverage }];
  });
}

/** The end of the queue at its price, as the book is now: what happened to the queue since the entry is not known. */
function placeNow({ asset, side, limitPrice, resting }: OpenOrder, terms: Terms | undefined, { market }: Context): RestingState {
  const book = market.book(asset);
  const ahead = book === undefined ? UNKNOWN_QUEUE : aheadOnArrival(book, side, new Decimal(limitPrice));
  return {
    ahead,
    acceptedFeedTimeMs: market.feedTimeMs(asset),
    acceptedTick: market.tick,
    ...restingUnder(terms?.fillModel ?? resting.model ?? 'queue', ahead),
  };
}

const done = (events: Decision['events']): Decision => ({ events, outcome: { type: 'done' }, requests: 0, leavesNoEntry: true });
