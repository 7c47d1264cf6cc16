// The equity of each account and of all together, as a picture, and the reading of the curves.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { EquityCurve } from '../../api/contract.ts';
import { get } from '../../api/http.ts';
import type { AccountsPoint } from '../../domain/figures/accounts.ts';
import type { CurvePoint } from '../../domain/figures/curve.ts';
import { usd } from '../../domain/texts.ts';
import type { Line } from '../../parts/chart/draw.ts';
import { accountColour, LinesChart, strongColour } from '../../parts/chart/LinesChart.tsx';
import type { Column } from '../../parts/DataTable.tsx';
import { Moment, Usd } from '../../parts/numbers.tsx';
import type { Period } from '../../parts/Tabs.tsx';
import { exchangePath } from '../../state/chosenAccount.ts';
import { theme, timeZone } from '../../state/settings.ts';

interface Props {
  readonly label: string;
  /** In the order of the points' values. */
  readonly names: readonly string[];
  readonly points: readonly AccountsPoint[];
}

export function AccountsChart({ label, names, points }: Props) {
  const look = `${theme.value} ${timeZone.value}`;
  const lines = useMemo(() => linesOf(points, names), [points, names.join('\n'), look]);
  const [first, last] = [points[0], points.at(-1)];
  const sentence =
    first === undefined || last === undefined
      ? 'no point yet.'
      : `${names.length} ${names.length === 1 ? 'account' : 'accounts'}, together from ${usd(first.sum)} to ${usd(last.sum)} USD.`;
  return (
    <LinesChart
      label={label}
      sentence={sentence}
      names={['All', ...names]}
      lines={lines}
      columns={columnsOf(names)}
      rows={points}
    />
  );
}

/** The sum first, then each account in a colour of its own. */
function linesOf(points: readonly AccountsPoint[], names: readonly string[]): readonly Line[] {
  const all: Line = { colour: strongColour(), isThick: true, points: points.map(({ timeMs, sum }) => [timeMs, sum]) };
  const each = names.map((_, i) => ({
    colour: accountColour(i),
    isThick: false,
    points: points.flatMap(({ timeMs, values }) => {
      const value = values[i];
      return value === undefined ? [] : [[timeMs, value] as const];
    }),
  }));
  return [all, ...each];
}

const columnsOf = (names: readonly string[]): readonly Column<AccountsPoint>[] => [
  { head: 'Time', cell: ({ timeMs }) => <Moment at={timeMs} /> },
  { head: 'All', isNumber: true, cell: ({ sum }) => <Usd value={sum} /> },
  ...names.map((name, i) => ({
    head: name,
    isNumber: true,
    cell: ({ values }: AccountsPoint) => {
      const value = values[i];
      return value === undefined ? <span class="none">–</span> : <Usd value={value} />;
    },
  })),
];

/** A page asks eight questions at most. */
const CURVES_AT_ONCE = 6;

type Curves = ReadonlyMap<string, readonly CurvePoint[]>;

interface CurvesAsked {
  /** By address, the curves that have come. */
  readonly curves: Curves;
  readonly isAsking: boolean;
  readonly error: Error | undefined;
  /** Accounts whose curve has not been asked for. */
  readonly left: number;
  readonly askMore: () => void;
  /** After an error: goes on with the curves that have not come. */
  readonly goOn: () => void;
  /** Reads all curves again. */
  readonly askAgain: () => void;
}

const NONE: Curves = new Map();

/**
 * The equity curves of several accounts, one after another: the server reads one history of a user at a time. The first few
 * are read at once, the others when they are asked for.
 */
export function useCurves(addresses: readonly string[], period: Period): CurvesAsked {
  const [most, setMost] = useState(CURVES_AT_ONCE);
  const [turn, setTurn] = useState(0);
  const [tries, setTries] = useState(0);
  const [isAsking, setIsAsking] = useState(true);
  const [error, setError] = useState<Error>();
  const of = `${period} ${turn}`;
  const [known, setKnown] = useState({ of, curves: NONE });
  const newest = useRef(known);
  const wanted = addresses.slice(0, most).join();

  useEffect(() => {
    if (wanted === '') return;
    const cancel = new AbortController();
    const read = async (address: string): Promise<void> => {
      const path = exchangePath(`account/equity-curve?period=${period}&account=${address}`);
      const { body } = await get<EquityCurve>(path, { signal: cancel.signal });
      if (cancel.signal.aborted) return;
      newest.current = { of, curves: new Map(newest.current.curves).set(address, body.points.map(toPoint)) };
      setKnown(newest.current);
    };
    const readAll = async (): Promise<void> => {
      for (const address of wanted.split(',')) if (!newest.current.curves.has(address)) await read(address);
    };
    if (newest.current.of !== of) newest.current = { of, curves: NONE };
    setIsAsking(true);
    setError(undefined);
    readAll().then(
      () => setIsAsking(cancel.signal.aborted),
      (failure: Error) => {
        if (cancel.signal.aborted) return;
        setError(failure);
        setIsAsking(false);
      },
    );
    return () => cancel.abort();
  }, [wanted, of, tries]);

  return {
    curves: known.of === of ? known.curves : NONE,
    isAsking,
    error,
    left: Math.max(0, addresses.length - most),
    askMore: () => setMost(most + CURVES_AT_ONCE),
    goOn: () => setTries(tries + 1),
    askAgain: () => setTurn(turn + 1),
  };
}

const toPoint = ({ time, equity, net_deposits }: EquityCurve['points'][number]): CurvePoint => ({
  timeMs: Date.parse(time),
  equity,
  netDeposits: net_deposits,
});
