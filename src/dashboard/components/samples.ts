// Made-up data for the page of components: rows with short and long numbers, gains, losses and absent values, and the accounts of
// a user.
import type { AccountGroup, Evidence, GroupAccount, WhyOpen } from '../api/contract.ts';
import type { Fill, OpenOrder, OpenPosition } from '../domain/account/wireAccount.ts';
import type { CurvePoint } from '../domain/figures/curve.ts';
import type { DayValue } from '../domain/figures/dayLine.ts';
import { DAY_MS } from '../domain/units.ts';

const TIME_MS = Date.UTC(2020, 1, 29, 12, 30, 15);

export const FILLED_MS = TIME_MS + 120;

export const POSITIONS: readonly OpenPosition[] = [
  {
    coin: 'BTC',
    side: 'long',
    size: '0.5',
    entryPrice: '65029.7',
    notional: '32500.0',
    unrealizedPnl: '-14.86',
    returnOnEquity: '-0.00914',
    leverage: 20,
    marginMode: 'cross',
    marginUsed: '1625.0',
    liquidationPrice: '45971.7264102532',
    fundingPaid: '0.0',
  },
  {
    coin: 'kPEPE',
    side: 'short',
    size: '1234567.0',
    entryPrice: '0.0123456',
    notional: '15241.5',
    unrealizedPnl: '1234.5',
    returnOnEquity: '0.81',
    leverage: 10,
    marginMode: 'isolated',
    marginUsed: '1524.15',
    liquidationPrice: null,
    fundingPaid: '-3.21',
  },
];

export const ORDER: OpenOrder = {
  oid: 16_000_022,
  cloid: null,
  coin: 'BTC',
  side: 'buy',
  type: 'Limit',
  limitPrice: '64000.0',
  triggerPrice: null,
  triggerCondition: null,
  sizeLeft: '0.05',
  size: '0.1',
  isForPosition: false,
  reduceOnly: false,
  timeInForce: 'Gtc',
  placedMs: TIME_MS,
  children: [],
};

const STOP: OpenOrder = {
  ...ORDER,
  oid: 16_000_023,
  side: 'sell',
  type: 'Stop Market',
  triggerPrice: '60000.0',
  triggerCondition: 'Price below 60000',
  reduceOnly: true,
  timeInForce: null,
};

export const ORDERS: readonly OpenOrder[] = [
  { ...ORDER, children: [STOP] },
  { ...STOP, oid: 16_000_024 },
];

const FILL: Fill = {
  tid: 1,
  oid: 16_000_022,
  coin: 'BTC',
  side: 'buy',
  direction: 'Open Long',
  price: '65010.0',
  size: '0.002',
  fee: '0.058509',
  liquidity: 'taker',
  closedPnl: '0.0',
  timeMs: TIME_MS,
};

export const FILLS: readonly Fill[] = [
  { ...FILL, tid: 2, side: 'sell', direction: 'Close Long', liquidity: 'maker', closedPnl: '-12345.67', fee: '-0.02' },
  FILL,
];

export const BOOK: Evidence = {
  source: 'book',
  text: 'It took what two levels of the book displayed.',
  book: {
    time: TIME_MS,
    version: 4711,
    beyond: null,
    levels: [
      { px: '65010.0', displayedSz: '0.002', consumedBefore: '0.0', takenSz: '0.002' },
      { px: '65020.0', displayedSz: '1.5', consumedBefore: '0.25', takenSz: '0.498' },
    ],
  },
  trade: null,
  fillModel: null,
  queueAhead: null,
  twapId: null,
  trigger: null,
};

export const TRADE: Evidence = {
  source: 'trade',
  text: 'A public trade went through the price of the order.',
  book: null,
  trade: { px: '98.5', sz: '3.25', tid: 7, time: TIME_MS, leftForOrder: '0.7', tick: null },
  fillModel: 'queue',
  queueAhead: '0.0',
  twapId: null,
  trigger: null,
};

export const WAITING: WhyOpen = {
  reason: 'inQueue',
  acceptedTime: TIME_MS,
  acceptedTick: null,
  bookVersion: 4711,
  text: 'Others wait at this price before it.',
  fillModel: 'queue',
  queueAhead: '2.0',
  oppositeAtLimit: null,
  trigger: null,
  bookTime: TIME_MS,
  bbo: ['99.95', '100.05'],
  markPx: '100.0',
};

const BEGAN_MS = Date.UTC(2020, 1, 1);
const DAYS = 40;

const account = (name: string | null, n: number, more: Partial<GroupAccount>): GroupAccount => ({
  address: `0x${String(n).repeat(40)}`,
  name,
  account_value: '10000.0',
  balance: '10000.0',
  unrealized_pnl: '0.0',
  margin_used: '0.0',
  withdrawable: '10000.0',
  open_positions: 0,
  open_orders: 0,
  realized_pnl: '0.0',
  fees_paid: '0.0',
  net_deposits: '10000.0',
  account_terms: {
    fees: { source: 'default', tier: null, rebate: null, maker: '0.00015', taker: '0.00045' },
    fill_model: 'queue',
    changed: null,
    text: 'Fees: the exchange’s own, 0.015 % as maker and 0.045 % as taker. Resting orders fill by the model queue.',
  },
  seq: n,
  transfers_under_way: [],
  fork: null,
  what_if: null,
  import: null,
  following: null,
  as_of: '2020-03-12T12:00:00.000Z',
  ...more,
});

const ACCOUNTS: GroupAccount[] = [
  account(null, 1, {
    transfers_under_way: [{ to: `0x${'2'.repeat(40)}`, number: 7, usd: '250.5', sent_time: BEGAN_MS }],
  }),
  account('grid', 2, {
    account_value: '12345.678901',
    unrealized_pnl: '345.67',
    open_positions: 3,
    open_orders: 120,
    realized_pnl: '2000.0',
  }),
  account('<b>hedge</b> &', 3, { account_value: '8123.4', unrealized_pnl: '-1876.6', margin_used: '4000.0', fees_paid: '12.34' }),
  account('سكالب', 4, { account_value: '0.0', balance: '0.0', withdrawable: '0.0', net_deposits: '0.0' }),
];

/** Made-up accounts of a user with different pasts: at rest, with gains, with losses, new, and names of all kinds. */
export const USER_ACCOUNTS: AccountGroup = {
  accounts: ACCOUNTS,
  total: {
    account_value: '30719.578901',
    balance: '32250.5',
    unrealized_pnl: '-1530.93',
    margin_used: '4000.0',
    withdrawable: '30000.0',
    open_positions: 3,
    open_orders: 120,
    forked_usd: '0.0',
    imported_usd: '0.0',
    under_way_usd: '250.5',
  },
};

/** A value by day: rising, falling and turning, each its own way. */
const curve = (equityOf: (day: number) => number): readonly CurvePoint[] =>
  Array.from({ length: DAYS }, (_, day) => ({
    timeMs: BEGAN_MS + day * DAY_MS,
    equity: equityOf(day).toFixed(2),
    netDeposits: '10000',
  }));

/** Of three of them; the last has none yet. */
export const CURVES: ReadonlyMap<string, readonly CurvePoint[]> = new Map(
  [
    curve(() => 10_000),
    curve((day) => 10_000 + 60 * day + 300 * Math.sin(day / 3)),
    curve((day) => 10_000 - 45 * day - 300 * Math.sin(day / 3)),
  ].map((points, i) => [ACCOUNTS[i]?.address ?? '', points]),
);

/** A ratio that is known from the tenth day on, with a gap. */
export const DAY_VALUES: readonly DayValue[] = Array.from({ length: DAYS }, (_, day) => ({
  day: new Date(BEGAN_MS + day * DAY_MS).toISOString().slice(0, 10),
  value: day < 10 || day === 25 ? null : (2 * Math.sin(day / 5)).toFixed(6),
}));
