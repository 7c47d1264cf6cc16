// Actions of many elements, as a caller may send them: each case is an account as it stands before, and the command
// with n elements. `expected` names the outcome of every element, so that a bench never measures refusals by mistake.
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { OrderRequest } from '../../src/actors/core/messages/order.ts';
import { BenchAccount } from './benchAccount.ts';

export const COINS = 200;

export interface BatchCase {
  readonly name: string;
  /** The account before an action of n elements. */
  readonly account: (n: number) => BenchAccount;
  /** The action; `account` is the one before it. */
  readonly command: (n: number, account: BenchAccount) => AccountCommand;
  readonly expected: string;
}

const GTC = { kind: 'limit', timeInForce: 'gtc' } as const;
const IOC = { kind: 'limit', timeInForce: 'ioc' } as const;

const order = (fields: Partial<OrderRequest>): OrderRequest => ({
  asset: 0,
  side: 'buy',
  limitPrice: '90',
  size: '0.2',
  reduceOnly: false,
  type: GTC,
  ...fields,
});

const cloid = (n: number): string => `0x${n.toString(16).padStart(32, '0')}`;

/** Below the book, in a hundred prices. */
const bid = (n: number): OrderRequest => order({ limitPrice: `${80 + (n % 10)}.${n % 9}` });
const ask = (n: number): OrderRequest => order({ side: 'sell', limitPrice: `${110 + (n % 10)}.${n % 9}` });

/** A stop or take-profit for a part of a long position. */
const trigger = (n: number): OrderRequest =>
  order({
    side: 'sell',
    reduceOnly: true,
    limitPrice: '60',
    type: { kind: 'trigger', triggerPrice: `${70 + (n % 20)}.${n % 9}`, isMarket: true, tpsl: 'sl' },
  });

const times = <Item>(n: number, make: (i: number) => Item): Item[] => Array.from({ length: n }, (_, i) => make(i));

const place = (orders: readonly OrderRequest[]): AccountCommand => ({ type: 'placeOrders', orders, grouping: 'na' });

const opened = (): BenchAccount => BenchAccount.open(COINS);
const poor = (): BenchAccount => BenchAccount.open(COINS, '20000');

/** With a position of this many coins in each of so many assets. */
function holding(size: string, assets = 1, side: 'buy' | 'sell' = 'buy'): BenchAccount {
  const account = opened();
  const limitPrice = side === 'buy' ? '110' : '90';
  account.run(place(times(assets, (asset) => order({ asset, side, size, limitPrice, type: IOC }))), 'filled');
  return account;
}

function withOrders(account: BenchAccount, orders: readonly OrderRequest[], outcome = 'resting'): BenchAccount {
  for (let i = 0; i < orders.length; i += 1000) account.run(place(orders.slice(i, i + 1000)), outcome);
  return account;
}

const cancels = (targets: readonly ({ oid: number } | { cloid: string })[]): AccountCommand => ({
  type: 'cancelOrders',
  cancels: targets.map((target) => ({ asset: 0, target })),
});

const oids = ({ account }: BenchAccount, n: number) =>
  [...account.orders.keys(), ...account.triggers.keys()].slice(0, n).map((oid) => ({ oid }));

export const batchCases: readonly BatchCase[] = [
  { name: 'rest', account: opened, command: (n) => place(times(n, bid)), expected: 'resting' },
  {
    name: 'restWithCloids',
    account: opened,
    command: (n) => place(times(n, (i) => ({ ...bid(i), cloid: cloid(i) }))),
    expected: 'resting',
  },
  {
    name: 'restManyCoins',
    account: opened,
    command: (n) => place(times(n, (i) => ({ ...bid(i), asset: i % COINS }))),
    expected: 'resting',
  },
  {
    name: 'restManyPositions',
    account: () => holding('1', COINS),
    command: (n) => place(times(n, (i) => ({ ...bid(i), asset: i % COINS }))),
    expected: 'resting',
  },
  { name: 'restToClose', account: () => holding('100'), command: (n) => place(times(n, ask)), expected: 'resting' },
  {
    name: 'rejectBeside1000',
    account: () => withOrders(opened(), times(1000, bid)),
    command: (n) => place(times(n, (i) => ({ ...bid(i), size: '0.01' }))),
    expected: 'error',
  },
  {
    name: 'fillBeside999',
    account: () => withOrders(opened(), times(999, bid)),
    command: (n) => place(times(n, (i) => order({ side: i % 2 ? 'sell' : 'buy', limitPrice: i % 2 ? '99' : '101', type: IOC }))),
    expected: 'filled',
  },
  {
    name: 'fill',
    account: opened,
    command: (n) => place(times(n, () => order({ limitPrice: '101', type: IOC }))),
    expected: 'filled',
  },
  {
    name: 'fillManyPositions',
    account: () => holding('1', COINS),
    command: (n) => place(times(n, (i) => order({ asset: i % COINS, limitPrice: '101', type: IOC }))),
    expected: 'filled',
  },
  {
    name: 'rejectOverMargin',
    account: poor,
    command: (n) => place(times(n, (i) => ({ ...bid(i), size: '300000' }))),
    expected: 'error',
  },
  {
    name: 'rejectThroughOwn',
    account: () => withOrders(poor(), times(1000, ask)),
    command: (n) => place(times(n, () => order({ limitPrice: '121', size: '240000' }))),
    expected: 'error',
  },
  {
    name: 'fillBelowOwn',
    account: () => withOrders(opened(), times(999, ask)),
    command: (n) => place(times(n, () => order({ limitPrice: '121', type: IOC }))),
    expected: 'filled',
  },
  {
    name: 'triggers',
    account: () => holding('100'),
    command: (n) => place(times(n, trigger)),
    expected: 'resting',
  },
  {
    name: 'triggersWithCloids',
    account: () => holding('100'),
    command: (n) => place(times(n, (i) => ({ ...trigger(i), cloid: cloid(i) }))),
    expected: 'resting',
  },
  {
    name: 'closeBesideReduceOnly',
    account: () =>
      withOrders(
        holding('1000'),
        times(999, (i) => ({ ...ask(i), size: '1000', reduceOnly: true })),
      ),
    command: (n) => place(times(n, () => order({ side: 'sell', limitPrice: '99', type: IOC }))),
    expected: 'filled',
  },
  {
    name: 'closeBesideTriggers',
    account: () =>
      withOrders(
        holding('1000'),
        times(999, (i) => ({ ...trigger(i), size: '1000' })),
      ),
    command: (n) => place(times(n, () => order({ side: 'sell', limitPrice: '99', type: IOC }))),
    expected: 'filled',
  },
  {
    name: 'cancel',
    account: (n) => withOrders(opened(), times(n, bid)),
    command: (n, account) => cancels(oids(account, n)),
    expected: 'success',
  },
  {
    name: 'cancelOf1000',
    account: () => withOrders(opened(), times(1000, bid)),
    command: (n, account) => cancels(oids(account, n)),
    expected: 'success',
  },
  {
    name: 'cancelByCloid',
    account: (n) =>
      withOrders(
        opened(),
        times(n, (i) => ({ ...bid(i), cloid: cloid(i) })),
      ),
    command: (n) => cancels(times(n, (i) => ({ cloid: cloid(i) }))),
    expected: 'success',
  },
  {
    name: 'cancelTriggers',
    account: (n) => withOrders(holding('100'), times(n, trigger)),
    command: (n, account) => cancels(oids(account, n)),
    expected: 'success',
  },
  {
    name: 'cancelUnknown',
    account: () => withOrders(holding('100'), times(1000, trigger)),
    command: (n) => cancels(times(n, (i) => ({ cloid: cloid(i) }))),
    expected: 'error',
  },
  {
    name: 'modify',
    account: () => withOrders(opened(), times(1000, bid)),
    command: (n, account) => ({
      type: 'modifyOrders',
      modifies: oids(account, n).map((target, i) => ({ target, order: { ...bid(i + 1), size: '0.3' } })),
    }),
    expected: 'resting',
  },
  {
    name: 'modifyTriggers',
    account: () => withOrders(holding('100'), times(1000, trigger)),
    command: (n, account) => ({
      type: 'modifyOrders',
      modifies: oids(account, n).map((target, i) => ({ target, order: { ...trigger(i + 1), size: '0.3' } })),
      alwaysPlace: true,
    }),
    expected: 'resting',
  },
];
