// Compares a client's answers with the facts: every acknowledged effect once, no effect of a refused request, and an
// unknown one either whole or not at all.
import { expect } from 'chai';
import type { FillRow, OrderRow } from '../../../src/actors/core/messages/historyRows.ts';
import { Fraction } from '../fraction.ts';
import type { Bot } from './bot.ts';
import { COINS } from './coins.ts';
import { type Operation, oidOf, type Status } from './operation.ts';
import type { AccountPast } from './pastOfAccount.ts';

/** All that is known of one order. */
interface OrderPast {
  readonly oid: number;
  readonly rows: OrderRow[];
  readonly fills: FillRow[];
  /** Of the entry that brought it. */
  readonly seq: number;
}

export interface OperationsChecked {
  readonly bot: Bot;
  readonly past: AccountPast;
  /** Operations that were acknowledged from this time on may have been lost with Redis's data, whole; default: none may. */
  readonly lostFromMs?: number | undefined;
}

export function checkOperations({ bot, past, lostFromMs }: OperationsChecked): void {
  const { byOid, byCloid } = ordersOf(past);
  for (const [oid, order] of byOid) checkLife(oid, order, past);
  expect(bot.violations.filter(({ atMs }) => lostFromMs === undefined || atMs < lostFromMs)).to.deep.equal([]);
  const canceled = new Set<number>();
  for (const operation of bot.operations) {
    const isAtRisk = lostFromMs !== undefined && operation.told.type === 'acknowledged' && operation.told.atMs >= lostFromMs;
    const name = `${operation.kind} ${JSON.stringify(operation.action)} told ${JSON.stringify(operation.told)}`;
    const orders = operation.cloids.map((cloid) => byCloid.get(cloid) ?? []);
    for (const [i, found] of orders.entries()) {
      expect(found.length, `orders of cloid ${operation.cloids[i]} of ${name}`).to.be.at.most(1);
    }
    checkWhole(operation, orders.flat(), name);
    if (operation.told.type === 'undone') expect(orders.flat(), name).to.deep.equal([]);
    if (operation.told.type !== 'acknowledged' || isAtRisk) continue;
    for (const [i, status] of operation.told.statuses.entries()) {
      const target = operation.targets[i];
      if (target !== undefined) checkTarget({ status, target, byOid, past, canceled }, name);
      if (operation.kind === 'order' || operation.kind === 'modify') checkPlaced(status, orders[i]?.[0], name);
    }
  }
}

function ordersOf({ rows }: AccountPast): { byOid: Map<number, OrderPast>; byCloid: Map<string, OrderPast[]> } {
  const byOid = new Map<number, OrderPast>();
  const byCloid = new Map<string, OrderPast[]>();
  const orderOf = (oid: number, cloid: string | undefined, seq: number): OrderPast => {
    const known = byOid.get(oid);
    if (known) return known;
    const order = { oid, rows: [], fills: [], seq };
    byOid.set(oid, order);
    if (cloid !== undefined) byCloid.set(cloid, [...(byCloid.get(cloid) ?? []), order]);
    return order;
  };
  for (const { kind, row, entry } of rows) {
    if (kind === 'fills') orderOf(row.oid, row.cloid, entry.seq).fills.push(row);
    if (kind === 'orders') orderOf(row.order.oid, row.order.cloid, entry.seq).rows.push(row);
  }
  return { byOid, byCloid };
}

/**
 * An order opens at most once, has another message only when it is cut, ends at most once and then for good, and no trade fills it
 * twice.
 */
function checkLife(oid: number, { rows, fills }: OrderPast, past: AccountPast): void {
  const statuses = rows.map(({ status }) => status);
  const isOpen = past.account.orders.has(oid);
  const ends = isOpen ? 0 : 1;
  const opened = rows.filter(({ status }) => status === 'open').map(({ order }) => order.originalSize);
  expect(new Set(opened).size, `openings of order ${oid}`).to.equal(opened.length);
  expect(statuses.filter((status) => status !== 'open').length, `ends of order ${oid}`).to.equal(ends);
  if (statuses.length > 1) expect(statuses[0], `order ${oid} ended before it opened`).to.equal('open');
  const trades = fills.flatMap(({ evidence }) => (evidence?.tradeTid === undefined ? [] : [evidence.tradeTid]));
  expect(new Set(trades).size, `public trades that filled order ${oid}`).to.equal(trades.length);
}

/** All orders of one command come from one entry, and either all of them or none. */
function checkWhole({ cloids, kind }: Operation, orders: readonly OrderPast[], name: string): void {
  if (kind !== 'order') return;
  expect(orders.length, `orders found of ${name}`).to.be.oneOf([0, cloids.length]);
  expect(new Set(orders.map(({ seq }) => seq)).size, `entries of ${name}`).to.be.at.most(1);
}

function checkTarget(
  found: {
    status: Status;
    target: number;
    byOid: ReadonlyMap<number, OrderPast>;
    past: AccountPast;
    canceled: Set<number>;
  },
  name: string,
): void {
  const { status, target, byOid, past, canceled } = found;
  const error = status !== 'success' && 'error' in status ? status.error : undefined;
  if (error !== undefined && LEAVES_OLD_ORDER.test(error)) return;
  expect(past.account.orders.has(target), `order ${target} is open after ${name}`).to.equal(false);
  if (error !== undefined && !error.startsWith('Error placing new order')) return;
  expect(canceled.has(target), `order ${target} was canceled before: ${name}`).to.equal(false);
  canceled.add(target);
  expect(byOid.get(target)?.rows.at(-1)?.status, `end of order ${target} of ${name}`).to.equal('canceled');
}

/**
 * An order that only this exchange cannot take is judged before the old order is canceled, and leaves no record (trading-rules
 * 2.6).
 */
const LEAVES_OLD_ORDER =
  /^Error placing new order during modify: (?:Market data is stale|Trading is halted|Too many open orders)/;
const leavesNoRecord = (error: string): boolean => error.startsWith('Cannot modify') || LEAVES_OLD_ORDER.test(error);

function checkPlaced(status: Status, order: OrderPast | undefined, name: string): void {
  if (status === 'success') throw new Error(`no answer to an order: ${name}`);
  if ('error' in status) {
    if (leavesNoRecord(status.error)) expect(order, name).to.equal(undefined);
    else
      expect(
        order?.rows.map((row) => row.status),
        name,
      ).to.have.length(1);
    expect(order?.fills ?? [], name).to.deep.equal([]);
    return;
  }
  expect(order?.oid, name).to.equal(oidOf(status));
  if ('resting' in status) {
    expect(order?.rows[0]?.status, name).to.equal('open');
    return;
  }
  const taken = (order?.fills ?? []).filter(({ liquidity }) => liquidity === 'taker');
  const size = taken.reduce((sum, fill) => sum.plus(Fraction.of(fill.size)), Fraction.of(0));
  expect(size.compare(Fraction.of(status.filled.totalSz)), `size filled at once of ${name}`).to.equal(0);
  const cost = taken.reduce((sum, fill) => sum.plus(Fraction.of(fill.price).times(Fraction.of(fill.size))), Fraction.of(0));
  const decimals = 6 - (COINS.find(({ coin }) => coin === taken[0]?.coin)?.sizeDecimals ?? 0);
  expect(cost.over(size).cut(decimals).text(), `average price of ${name}`).to.equal(Fraction.of(status.filled.avgPx).text());
}
