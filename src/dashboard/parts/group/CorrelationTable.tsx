// How far the accounts move together: the correlation of the returns of each two, with how many returns it rests on.
import { useMemo } from 'preact/hooks';
import type { CurvePoint } from '../../domain/figures/curve.ts';
import { correlation, RETURNS_MIN, returnsOf, STEPS_MS, stepsOf } from '../../domain/figures/group/correlation.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import type { Period } from '../PeriodTabs.tsx';

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
