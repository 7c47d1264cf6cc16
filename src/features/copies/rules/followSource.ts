// What a mirrored address did becomes orders here, at this moment and by the rules of every order: an order that rests there is placed here at
// the same price, one that has ended there is cancelled here, and a fill of an order that has no copy here is an Ioc order at the market.
// Sizes are scaled and cut to lots. The account knows each order and fill by the venue's number, so each has its effect once. What-ifs get the
// orders and cancels.

import type { Account } from '../../../actors/core/account/account.ts';
import type { Following } from '../../../actors/core/account/copies.ts';
import { findOrder } from '../../../actors/core/account/ownOrders.ts';
import { ACTION_ELEMENTS_MAX } from '../../../actors/core/checks/checkAction.ts';
import { type Decision, Draft, quiet, quietRefusal } from '../../../actors/core/fold/draft.ts';
import type { CommandOf, Context } from '../../../actors/core/fold/pipeline.ts';
import type { CopiedCommand } from '../../../actors/core/messages/command.ts';
import type { SourceOpening, SourceOrder } from '../../../actors/core/messages/importReport.ts';
import { endOrder } from '../../../actors/core/orders/endOrders.ts';
import { Decimal } from '../../../shared/domain/decimal.ts';
import { type PlacedFamily, placeFamily, unplaceable } from './importOrders.ts';
import { takeFills } from './takeFills.ts';

export function followSource(
  account: Account,
  { id, term, fills, ended, opened, open }: CommandOf<'followSource'>,
  context: Context,
): Decision {
  const { following, imported } = account;
  if (following?.id !== id || imported === undefined) return quietRefusal('The account does not mirror the address any more.');
  if (term < following.term) return quietRefusal('Another process tells by now what the address does.');
  const draft = new Draft(account, context);
  if (term > following.term) draft.record({ type: 'followTermBegun', term });
  const scale = new Decimal(imported.scale);
  const orders = takeFills(draft, fills, scale, context);
  const over = [...ended, ...(open === undefined ? [] : goneFrom(followingOf(draft), open))];
  const cancels = cancelsOf(over.flatMap((sourceOid) => endCopy(draft, sourceOid) ?? []));
  const copies = opened.flatMap((opening) => openCopies(draft, opening, scale, context));
  return { ...draft.decision({ type: 'done' }, 0), leavesNoEntry: true, forWhatIfs: [...orders, ...cancels, ...copies] };
}

/** Orders that were seen, have not ended, and are open no more. */
function goneFrom({ orders }: Following, open: readonly number[]): number[] {
  const still = new Set(open);
  return [...orders].flatMap(([sourceOid, { isOver }]) => (isOver || still.has(sourceOid) ? [] : [sourceOid]));
}

/** @returns the number of its copy, which may be open in a what-if though it is over here */
function endCopy(draft: Draft, sourceOid: number): number | undefined {
  const seen = followingOf(draft).orders.get(sourceOid);
  if (seen === undefined || seen.isOver) return undefined;
  const copy = seen.oid === undefined ? undefined : findOrder(draft.account, { oid: seen.oid });
  if (copy !== undefined) endOrder(draft, copy, 'canceled');
  draft.record({ type: 'sourceOrderEnded', sourceOid });
  return seen.oid;
}

/** As many as a command may have. */
function cancelsOf(oids: readonly number[]): CopiedCommand[] {
  const commands: CopiedCommand[] = [];
  for (let at = 0; at < oids.length; at += ACTION_ELEMENTS_MAX) {
    const cancels = oids.slice(at, at + ACTION_ELEMENTS_MAX).map((oid) => ({ target: { oid } }));
    commands.push({ type: 'cancelOrders', cancels });
  }
  return commands;
}

/**
 * An order that was seen resting stays as it is; a child of it may be new.
 * @returns what is placed, as commands
 */
function openCopies(draft: Draft, opening: SourceOpening, scale: Decimal, context: Context): CopiedCommand[] {
  const commands: CopiedCommand[] = [];
  const { orders, sinceMs } = followingOf(draft);
  const { originalSize, placedAtMs } = opening;
  const order = asFilled(opening, orders.get(opening.order.oid)?.taken);
  const isUnseen = (oid: number): boolean => orders.get(oid)?.before === undefined;
  const children = (order.children ?? []).filter(({ oid }) => isUnseen(oid));
  const families = isUnseen(order.oid) ? [[order, ...children]] : children.map((child) => [child]);
  for (const family of families) {
    const [first] = family;
    if (first === undefined) continue;
    // Client ids stay free for the account's user.
    const anonymous = family.map(({ cloid: _, ...each }) => each);
    const refusal = unplaceable(first, scale, context);
    const { placed, command }: PlacedFamily =
      refusal === undefined
        ? placeFamily(draft, anonymous, scale, context)
        : { placed: anonymous.map((each) => [each, refusal] as const) };
    if (command !== undefined) commands.push(command);
    for (const [{ oid: sourceOid }, result] of placed) {
      const rested = sourceOid === order.oid && placedAtMs > sinceMs;
      const before = rested ? Decimal.max(0, new Decimal(originalSize).minus(order.size)).toString() : '0';
      const copy = typeof result === 'number' ? { oid: result } : { text: result.text };
      draft.record({ type: 'sourceOrderSeen', sourceOid, before, ...copy });
    }
  }
  return commands;
}

/** The order without what its fills have had by now: the venue may have told them after it told the order. */
function asFilled({ order, originalSize }: SourceOpening, taken = '0'): SourceOrder {
  const before = Decimal.max(0, new Decimal(originalSize).minus(order.size));
  const size = Decimal.max(0, new Decimal(order.size).minus(Decimal.max(0, new Decimal(taken).minus(before))));
  return { ...order, size: size.toString() };
}

function followingOf({ account: { following } }: Draft): Following {
  if (following === undefined) throw new Error('an account that follows no address is told of one');
  return following;
}

/**
 * An imported account begins to follow its address. While it follows, what the address does comes as commands; its user trades in it as in
 * any other. The same once more changes nothing.
 */
export function followAddress(account: Account, { id, source, sinceMs, orders }: CommandOf<'followAddress'>): Decision {
  if (account.following?.id === id) return quiet([]);
  if (account.following !== undefined) return quietRefusal('The account mirrors its address already.');
  if (account.imported?.source !== source) return quietRefusal('Only an account that began with the address can mirror it.');
  // What the import has placed is a copy, whatever has become of it since: one that has filled already must not be made up for. Where only what
  // comes from now on counts, an order without an open copy gets another one.
  const goesOnFromImport = sinceMs <= account.imported.timeMs;
  const copies = goesOnFromImport ? orders : orders.filter(([oid]) => findOrder(account, { oid }) !== undefined);
  return quiet([{ type: 'followBegun', id, sinceMs, orders: copies }]);
}

/** Orders and positions stay as they are. */
export function unfollowAddress({ following }: Account, { id }: CommandOf<'unfollowAddress'>): Decision {
  return quiet(following?.id === id ? [{ type: 'followEnded', id }] : []);
}
