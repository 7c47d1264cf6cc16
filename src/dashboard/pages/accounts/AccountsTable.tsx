// The accounts of a user in one table, sortable by any figure, and a second table of how far they move together.
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { GroupAccount } from '../../api/contract.ts';
import { sumOf } from '../../domain/exactSums.ts';
import { correlation, RETURNS_MIN, returnsOf, STEPS_MS, stepsOf } from '../../domain/figures/accounts.ts';
import { type CurvePoint, gainOf, returnOf, underwater } from '../../domain/figures/curve.ts';
import { negated, percent } from '../../domain/texts.ts';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Gain, GainPercent, Usd } from '../../parts/numbers.tsx';
import type { Period } from '../../parts/Tabs.tsx';
import { nameOf } from '../../state/chosenAccount.ts';

interface Props {
  readonly accounts: readonly GroupAccount[];
  /** Figures of the period up to now, by address, of the accounts that are read. */
  readonly curves: ReadonlyMap<string, readonly CurvePoint[]>;
  readonly period: Period;
  /** The buttons of an account. */
  readonly acts: (account: GroupAccount) => ComponentChildren;
}

export function AccountsTable({ accounts, curves, period, acts }: Props) {
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

/** An account's name and its curve over the period. */
export interface NamedCurve {
  readonly name: string;
  readonly points: readonly CurvePoint[];
}

const STEP_WORDS: Readonly<Record<Period, string>> = { '1d': '15 minutes', '7d': '2 hours', '30d': '8 hours', all: 'a day' };

interface Row {
  readonly name: string;
  readonly returns: readonly (number | undefined)[];
}

/** How far the accounts move together: the correlation of the returns of each two, with how many returns it rests on. */
export function CorrelationTable({ curves, period }: { readonly curves: readonly NamedCurve[]; readonly period: Period }) {
  const rows = useMemo(() => {
    const steps = stepsOf(
      curves.map(({ points }) => points),
      STEPS_MS[period],
    );
    return curves.map(({ name, points }): Row => ({ name, returns: returnsOf(points, steps) }));
  }, [curves, period]);
  const columns: readonly Column<Row>[] = [
    { head: 'Account', cell: ({ name }) => <bdi>{name}</bdi> },
    ...rows.map(
      (other): Column<Row> => ({
        head: other.name,
        isNumber: true,
        cell: (row) => (row === other ? <span class="none">–</span> : <Pair of={row} and={other} />),
      }),
    ),
  ];
  return (
    <>
      <p class="quiet">
        Returns over steps of {STEP_WORDS[period]}; 1 = they move together, −1 = against each other. In brackets: the number of
        returns that both have; with fewer than {RETURNS_MIN} nothing is said.
      </p>
      <DataTable caption="Correlation of returns" columns={columns} rows={rows} keyOf={({ name }) => name} empty="" />
    </>
  );
}

function Pair({ of, and }: { readonly of: Row; readonly and: Row }) {
  const { value, returns } = correlation(of.returns, and.returns);
  const why = returns < RETURNS_MIN ? 'too few' : 'no movement';
  return (
    <span class="number">
      {value === undefined ? why : value.toFixed(2).replace('-', '−')} <span class="quiet">({returns})</span>
    </span>
  );
}
