// How an account begins as a copy, by one entry. A fork begins with the state that another account had after an entry. An import begins with
// what an address of the venue has. The same command once more changes nothing.

import type { Account } from '../../../actors/core/account/account.ts';
import { readSnapshot } from '../../../actors/core/account/accountCodec.ts';
import { isSameOrigin } from '../../../actors/core/account/copies.ts';
import type { OpenOrder } from '../../../actors/core/account/openOrderBook.ts';
import { leverageUnder } from '../../../actors/core/account/terms.ts';
import { openedIn } from '../../../actors/core/checks/checkOpening.ts';
import { UNKNOWN_QUEUE } from '../../../actors/core/fills/bookLiquidity.ts';
import { aheadOnArrival, restingUnder } from '../../../actors/core/fills/queuePosition.ts';
import { type Decision, Draft, QUIET, quiet, quietRefusal } from '../../../actors/core/fold/draft.ts';
import type { CommandOf, Context } from '../../../actors/core/fold/pipeline.ts';
import { balanceOf } from '../../../actors/core/margin/margin.ts';
import { leverageOf } from '../../../actors/core/margin/positionMargin.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import { type ImportReport, reportOf } from '../../../actors/core/messages/importReport.ts';
import type { RestingState } from '../../../actors/core/messages/queuePlace.ts';
import type { Terms } from '../../../actors/core/messages/terms.ts';
import { assert } from '../../../shared/domain/assert.ts';
import { cut6, Decimal, toWire } from '../../../shared/domain/decimal.ts';
import { importOrders, importPositions } from './importOrders.ts';

/** Account value that an import may give, USD. */
const VALUE_MAX = new Decimal('1e9');

/**
 * A fork begins: a sub-account that was never opened gets the state of an entry of another account. The state comes with the command and
 * is in the entry, so a replay needs no archive; that it is the one which the master's journal names, its hash says.
 */
export function beginFork(account: Account, command: CommandOf<'beginFork'>, context: Context): Decision {
  const { of, seq, hash, terms, state } = command;
  if (account.fork !== undefined && isSameOrigin(account.fork, command)) return quiet([]);
  if (account.openedAtMs > 0) return quietRefusal('The account has begun already.');
  const source = readSnapshot(state);
  assert(context.stateHashOf, 'the state of a fork is checked by its hash');
  if (source.id !== of || source.seq !== seq || context.stateHashOf(source) !== hash)
    return quietRefusal('The state is not that of the entry.');
  const resting = [...source.orders.values()].map((order) => [order.oid, placeNow(order, terms, context)] as const);
  const usd = balanceOf(source).toString();
  const forked = { type: 'forked', of, seq, hash, ...(terms && { terms }), state, usd, resting } as const;
  return quiet([forked, ...(terms?.leverage === undefined ? [] : leverageOfCoins(source, terms, context))]);
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

/**
 * An empty sub-account begins with what an address of the venue has: positions at their entry prices, leverage, open orders, and a balance
 * that makes its account value that of the address, times the scale. The first event of the entry has the source, and the
 * parts of the address that the account leaves out.
 */
export function importAccount(account: Account, command: CommandOf<'importAccount'>, context: Context): Decision {
  const { source, scale, isDryRun } = command;
  const { imported } = account;
  if (!isDryRun && imported?.source === source && imported.scale === scale)
    return { ...QUIET, outcome: { type: 'importedBefore', seq: imported.seq } };
  const reason = whyNotEmpty(account);
  if (reason !== undefined) return { ...QUIET, outcome: { type: 'notEmpty', text: reason } };
  const value = new Decimal(command.accountValue).times(scale);
  if (cut6(value).lte(0)) return quietRefusal('The address has no account value to begin with.');
  if (value.gt(VALUE_MAX)) return quietRefusal(`An import begins with at most ${toWire(VALUE_MAX)} USD.`);
  const { events, report } = taken(account, command, { ...context, ids: isDryRun ? context.ids.fork() : context.ids });
  const outcome = { type: 'imported', report } as const;
  return isDryRun ? { ...QUIET, outcome } : { events, requests: 0, outcome };
}

/** What an account has that an import would have to go on from. */
function whyNotEmpty({ positions, orders, triggers, twaps, cash, totals, imported, fork, lab }: Account): string | undefined {
  if (imported !== undefined) return `It began with another import, of ${imported.source}.`;
  if (fork !== undefined) return 'It began as a fork.';
  if (positions.size + orders.size + triggers.size + twaps.size + (lab?.waiting.length ?? 0) > 0)
    return 'It has positions, open orders or what is still to come.';
  if (!totals.volumeUsd.isZero()) return 'It has traded.';
  return cash.isZero() ? undefined : `It has ${toWire(cash)} USD: move them to another account.`;
}

function taken(
  account: Account,
  command: CommandOf<'importAccount'>,
  context: Context,
): { readonly events: readonly AccountEvent[]; readonly report: ImportReport } {
  const { source, takenAtMs, accountValue } = command;
  const scale = new Decimal(command.scale);
  const positions = importPositions(account, command.positions, { value: scale.times(accountValue), scale, context });
  const usd = cut6(scale.times(accountValue).minus(positions.unrealizedPnl)).toString();
  const begun = {
    ...{ type: 'imported' as const, source, scale: command.scale, takenAtMs, accountValue, usd },
    ...{ positions: positions.taken, orders: [], left: [] },
  };
  const draft = new Draft(account, context);
  draft.record(begun);
  for (const { coin } of positions.taken) {
    for (const event of openedIn(draft.account, coin, context)) draft.record(event);
  }
  const orders = importOrders(draft, command.orders, scale, context);
  const event = { ...begun, orders: orders.taken, left: [...command.left, ...positions.left, ...orders.left] };
  const [, ...others] = draft.decided.events;
  const opened = new Set(others.flatMap((each) => ('order' in each && each.type !== 'orderEnded' ? [each.order.oid] : [])));
  const kept = others.filter((each) => each.type !== 'orderEnded' || opened.has(each.order.oid));
  return { events: [event, ...kept], report: reportOf(event) };
}
