// The accounts of a user in one table, sortable by any figure.
import type { ComponentChildren } from 'preact';
import type { GroupAccount } from '../../api/contract.ts';
import { type CurvePoint, gainOf, returnOf, underwater } from '../../domain/figures/curve.ts';
import { sumOf } from '../../domain/market/exactSums.ts';
import { negated, percent } from '../../domain/numberText.ts';
import { nameOf } from '../../state/chosenAccount.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Gain, GainPercent, Usd } from '../numbers.tsx';
import type { Period } from '../PeriodTabs.tsx';

interface Props {
  readonly accounts: readonly GroupAccount[];
  /** Of the period, by address, those that are read; up to now. */
  readonly curves: ReadonlyMap<string, readonly CurvePoint[]>;
  readonly period: Period;
  /** The buttons of an account. */
  readonly acts: (account: GroupAccount) => ComponentChildren;
}

export function GroupTable({ accounts, curves, period, acts }: Props) {
  const money = (head: string, of: (account: GroupAccount) => string, isGain = false, help = ''): Column<GroupAccount> => ({
    head,
    ...(help !== '' && { help }),
    isNumber: true,
    cell: (account) => (isGain ? <Gain value={of(account)} /> : <Usd value={of(account)} />),
    by: (account) => Number(of(account)),
  });
  /** A figure of the period, which is there when the curve is. */
  const ofCurve = (
    head: string,
    help: string,
    of: (points: readonly CurvePoint[]) => { readonly by: number; readonly cell: ComponentChildren },
  ): Column<GroupAccount> => ({
    ...{ head, help, isNumber: true },
    cell: ({ address }) => {
      const points = curves.get(address);
      return points === undefined ? <span class="none">–</span> : of(points).cell;
    },
    by: ({ address }) => {
      const points = curves.get(address);
      return points === undefined ? Number.NEGATIVE_INFINITY : of(points).by;
    },
  });
  const isAnyUnderWay = accounts.some(({ transfers_under_way: sent }) => sent.length > 0);
  const columns: readonly Column<GroupAccount>[] = [
    { head: 'Account', cell: (account) => <bdi>{nameOf(account)}</bdi>, by: nameOf },
    // Where the table is wider than the screen, figures are out of sight and not these.
    { head: '', cell: acts },
    ...(accounts.some(({ fork, import: origin }) => fork !== null || origin !== null)
      ? [{ head: 'Began as', cell: beganAs(accounts) }]
      : []),
    money('Value', (account) => account.account_value),
    ofCurve(`PnL, ${period}`, 'Gain of the period; deposits and transfers are none.', (points) => ({
      by: Number(gainOf(points)),
      cell: <Gain value={gainOf(points)} />,
    })),
    ofCurve(`Return, ${period}`, 'Gain by the equity before it, step by step.', (points) => ({
      by: returnOf(points),
      cell: <GainPercent value={returnOf(points)} />,
    })),
    ofCurve('Drawdown', 'The deepest fall below an earlier peak of the period.', (points) => {
      const deepest = Math.min(0, ...underwater(points).map(([, share]) => share));
      return { by: deepest, cell: <GainPercent value={deepest} /> };
    }),
    money(
      'PnL, ever',
      (account) => sumOf([account.account_value, negated(account.net_deposits)]),
      true,
      'Since the beginning of the account; deposits and transfers are none.',
    ),
    money('Unrealized', (account) => account.unrealized_pnl, true),
    money('Realized', (account) => account.realized_pnl, true),
    money('Fees', (account) => account.fees_paid),
    {
      head: 'Terms',
      help: 'Rates of maker and taker, of the notional.',
      cell: ({ account_terms: { text, fees } }) => <span title={text}>{`${rate(fees.maker)} / ${rate(fees.taker)}`}</span>,
    },
    money('Margin', (account) => account.margin_used),
    money('Withdrawable', (account) => account.withdrawable),
    money('Paid in', (account) => account.net_deposits),
    ...(isAnyUnderWay ? [money('Under way', ({ transfers_under_way: sent }) => sumOf(sent.map(({ usd }) => usd)))] : []),
    count('Positions', (account) => account.open_positions),
    count('Orders', (account) => account.open_orders),
  ];
  return <DataTable caption="Accounts" columns={columns} rows={accounts} keyOf={({ address }) => address} empty="" />;
}

const rate = (share: string): string => percent(share, { decimals: 4 });

/** Where a fork comes from, and how far a what-if is; the address that an import began with. */
const beganAs =
  (accounts: readonly GroupAccount[]) =>
  ({ fork, what_if: whatIf, import: origin, following }: GroupAccount): ComponentChildren => {
    if (origin !== null)
      return (
        <span title={origin.address}>
          {origin.address.slice(0, 6)}…{origin.address.slice(-4)} × {origin.scale}
          {following !== null && ', which it follows'}
        </span>
      );
    if (fork === null) return <span class="none">–</span>;
    const source = accounts.find(({ address }) => address === fork.of);
    return (
      <>
        {source === undefined ? fork.of : <bdi>{nameOf(source)}</bdi>}, entry {fork.seq}
        {whatIf !== null && `; what-if, ${STATES[whatIf.state]}${whatIf.received} commands`}
      </>
    );
  };

const STATES = { receiving: '', lagging: 'ended behind: ', gone: 'ended: ', none: 'ended: ' } as const;

const count = (head: string, of: (account: GroupAccount) => number): Column<GroupAccount> => ({
  head,
  isNumber: true,
  cell: (account) => <span class="number">{of(account)}</span>,
  by: of,
});
