// Made-up accounts of a user with different pasts: one at rest, one that gains, one that loses, one that is new, and names of all kinds.

import type { AccountGroup, GroupAccount } from '../api/contract.ts';
import type { CurvePoint } from '../domain/figures/curve.ts';
import type { DayValue } from '../domain/figures/dayLine.ts';
import { DAY_MS } from '../domain/units.ts';

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

export const GROUP: AccountGroup = {
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
