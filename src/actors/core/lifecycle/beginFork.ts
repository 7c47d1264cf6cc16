// A fork begins: a sub-account that was never opened gets the state of an entry of another account. The state comes with the command and
// is in the entry, so a replay needs no archive; that it is the one which the master's journal names, its hash says.
import { assert } from '../../../shared/domain/assert.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { isSameOrigin } from '../account/group/fork.ts';
import { leverageUnder } from '../account/group/terms.ts';
import type { OpenOrder } from '../account/openOrderBook.ts';
import { readSnapshot } from '../account/snapshot.ts';
import { aheadOnArrival, restingUnder } from '../fills/queuePosition.ts';
import { UNKNOWN_QUEUE } from '../fills/shownBefore.ts';
import type { Context, Decision } from '../fold/decision.ts';
import { balanceOf } from '../margin/margin.ts';
import { leverageOf } from '../margin/positionMargin.ts';
import type { AccountCommand } from '../messages/command.ts';
import type { AccountEvent, RestingState } from '../messages/event.ts';
import type { Terms } from '../messages/fork/terms.ts';

type BeginFork = Extract<AccountCommand, { type: 'beginFork' }>;

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

/** Coins with a setting, a position or orders get the what-if's leverage at once; others when something is placed in them (leverageFirst.ts). */
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
const refused = (text: string): Decision => ({
  ...{ events: [], outcome: { type: 'refused', text }, requests: 0, leavesNoEntry: true },
});
