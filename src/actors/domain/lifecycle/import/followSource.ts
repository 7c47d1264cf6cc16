// What a mirrored address did becomes orders here, at this moment and by the rules of every order: an order that rests there is placed here at
// the same price, one that has ended there is cancelled here, and a fill of an order that has no copy here is an Ioc order at the market.
// Sizes are scaled and cut to lots. The account knows each order and fill by the venue's number, so each has its effect once.
import { Decimal } from '../../../../shared/domain/decimal.ts';
import type { Account } from '../../account/account.ts';
import type { Following } from '../../account/group/following.ts';
import { findOrder } from '../../account/ownOrders.ts';
import type { Context, Decision } from '../../fold/decision.ts';
import { Draft } from '../../fold/draft.ts';
import type { SourceOpening } from '../../messages/answers/sourceFacts.ts';
import type { AccountCommand } from '../../messages/command.ts';
import { endOrder } from '../../orders/endOrders.ts';
import { placeFamily, unplaceable } from './importOrders.ts';
import { takeFills } from './takeFills.ts';

export function followSource(
  account: Account,
  { id, term, fills, ended, opened, open }: Extract<AccountCommand, { type: 'followSource' }>,
  context: Context,
): Decision {
  const { following, imported } = account;
  if (following?.id !== id || imported === undefined) return refused('The account does not mirror the address any more.');
  if (term < following.term) return refused('Another process tells by now what the address does.');
  const draft = new Draft(account, context.nowMs);
  if (term > following.term) draft.record({ type: 'followTermBegun', term });
  const scale = new Decimal(imported.scale);
  takeFills(draft, fills, scale, context);
  for (const sourceOid of [...ended, ...(open === undefined ? [] : goneFrom(followingOf(draft), open))])
    endCopy(draft, sourceOid);
  for (const opening of opened) openCopies(draft, opening, scale, context);
  return { ...draft.decision({ type: 'done' }, 0), leavesNoEntry: true };
}

/** Orders that were seen, have not ended, and are open no more. */
function goneFrom({ orders }: Following, open: readonly number[]): number[] {
  const still = new Set(open);
  return [...orders].flatMap(([sourceOid, { isOver }]) => (isOver || still.has(sourceOid) ? [] : [sourceOid]));
}

function endCopy(draft: Draft, sourceOid: number): void {
  const seen = followingOf(draft).orders.get(sourceOid);
  if (seen === undefined || seen.isOver) return;
  const copy = seen.oid === undefined ? undefined : findOrder(draft.account, { oid: seen.oid });
  if (copy !== undefined) endOrder(draft, copy, 'canceled');
  draft.record({ type: 'sourceOrderEnded', sourceOid });
}

/** An order that was seen resting stays as it is; a child of it may be new. */
function openCopies(draft: Draft, { order, originalSize, placedAtMs }: SourceOpening, scale: Decimal, context: Context): void {
  const { orders, sinceMs } = followingOf(draft);
  const isUnseen = (oid: number): boolean => orders.get(oid)?.before === undefined;
  const children = (order.children ?? []).filter(({ oid }) => isUnseen(oid));
  const families = isUnseen(order.oid) ? [[order, ...children]] : children.map((child) => [child]);
  for (const family of families) {
    const [first] = family;
    if (first === undefined) continue;
    // Client ids stay free for the account's user.
    const anonymous = family.map(({ cloid: _, ...each }) => each);
    const refusal = unplaceable(first, scale, context);
    const placed =
      refusal === undefined ? placeFamily(draft, anonymous, scale, context) : anonymous.map((each) => [each, refusal] as const);
    for (const [{ oid: sourceOid }, result] of placed) {
      const rested = sourceOid === order.oid && placedAtMs > sinceMs;
      const before = rested ? Decimal.max(0, new Decimal(originalSize).minus(order.size)).toString() : '0';
      const copy = typeof result === 'number' ? { oid: result } : { text: result.text };
      draft.record({ type: 'sourceOrderSeen', sourceOid, before, ...copy });
    }
  }
}

function followingOf({ account: { following } }: Draft): Following {
  if (following === undefined) throw new Error('an account that follows no address is told of one');
  return following;
}

const refused = (text: string): Decision => ({
  ...{ events: [], outcome: { type: 'refused', text }, requests: 0, leavesNoEntry: true },
});
