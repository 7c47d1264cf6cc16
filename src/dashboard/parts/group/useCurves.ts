// The equity curves of several accounts, one after another: the server reads one history of a user at a time. The first few are read at
// once, the others when they are asked for.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EquityCurve } from '../../api/contract.ts';
import { get } from '../../api/http.ts';
import type { CurvePoint } from '../../domain/figures/curve.ts';
import { exchangePath } from '../../state/paths.ts';
import type { Period } from '../PeriodTabs.tsx';

/** A page asks eight questions at most. */
const CURVES_AT_ONCE = 6;

type Curves = ReadonlyMap<string, readonly CurvePoint[]>;

export interface CurvesAsked {
  /** By address, those that have come. */
  readonly curves: Curves;
  readonly isAsking: boolean;
  readonly error: Error | undefined;
  /** Accounts whose curve has not been asked for. */
  readonly left: number;
  readonly askMore: () => void;
  /** After an error: goes on with those that have not come. */
  readonly goOn: () => void;
  /** Reads all of them anew. */
  readonly askAgain: () => void;
}

const NONE: Curves = new Map();

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
