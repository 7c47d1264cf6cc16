// TWAPs that run or wait for their trigger, as the stream tells them.
import { useEffect, useState } from 'preact/hooks';
import { doneShare, leftMs, readTwap, type Twap, type WireTwapState } from '../../domain/account/twap.ts';
import { countdown, percent } from '../../domain/texts.ts';
import { cancelTwap } from '../../state/acts.ts';
import { aboutAccount } from '../../state/chosenAccount.ts';
import { nowMs } from '../../state/clock.ts';
import { stream } from '../../state/stream.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Dialog } from '../Form.tsx';
import { Digits, Moment, Side } from '../numbers.tsx';

export interface TwapsNow {
  readonly seq: number;
  readonly twaps: readonly Twap[];
}

/** undefined until the first message. */
export function useTwaps(): TwapsNow | undefined {
  const [now, setNow] = useState<TwapsNow>();
  useEffect(
    () =>
      stream.subscribe({
        subscription: aboutAccount({ type: 'twapStates', onlyChanges: true }),
        onMessage: ({ data, seq = 0 }) => {
          const twaps = (data.states as readonly (readonly [number, WireTwapState])[]).map(([id, state]) => readTwap(id, state));
          setNow((before) => (before !== undefined && before.seq > seq ? before : { seq, twaps }));
        },
      }),
    [],
  );
  return now;
}

interface Props {
  readonly twaps: readonly Twap[];
  /** TWAPs that have not begun, where they are known. */
  readonly waiting?: ReadonlySet<number>;
}

export function RunningTwaps({ twaps, waiting = new Set() }: Props) {
  const isWaiting = ({ twapId }: Twap): boolean => waiting.has(twapId);
  const columns: readonly Column<Twap>[] = [
    { head: 'Since', cell: ({ startedMs, twapId }) => <a href={`/twaps?id=${twapId}`}>{<Moment at={startedMs} />}</a> },
    { head: 'Coin', cell: ({ coin }) => coin },
    {
      head: 'Side',
      cell: ({ side, reduceOnly }) => (
        <>
          <Side side={side} />
          {reduceOnly && <span class="quiet"> reduce-only</span>}
        </>
      ),
    },
    {
      head: 'Done',
      isNumber: true,
      cell: (twap) => (
        <>
          <progress max={1} value={doneShare(twap)} aria-label={`Done of TWAP ${twap.twapId}`} />{' '}
          <span class="number">{percent(doneShare(twap), { decimals: 1 })}</span>
        </>
      ),
      by: doneShare,
    },
    {
      head: 'Filled of size',
      isNumber: true,
      cell: ({ executed, size }) => (
        <>
          <Digits value={executed} /> of <Digits value={size} />
        </>
      ),
    },
    {
      head: 'Time left',
      isNumber: true,
      cell: (twap) =>
        isWaiting(twap) ? <>waits for {twap.trigger}</> : <span class="number">{countdown(leftMs(twap, nowMs.value))}</span>,
    },
    { head: 'Over', isNumber: true, cell: ({ minutes }) => `${minutes} min` },
    { head: 'Ends at mark', isNumber: true, cell: ({ stopPrice }) => (stopPrice === null ? '' : <Digits value={stopPrice} />) },
    { head: '', cell: (twap) => <CancelTwap twap={twap} /> },
  ];
  return (
    <DataTable
      caption="Running TWAPs"
      columns={columns}
      rows={twaps}
      keyOf={({ twapId }) => twapId}
      empty={<p>No TWAP runs.</p>}
    />
  );
}

function CancelTwap({ twap }: { readonly twap: Twap }) {
  const [isAsked, setIsAsked] = useState(false);
  const { coin, side, executed, size } = twap;
  return (
    <>
      <button type="button" class="small" onClick={() => setIsAsked(true)}>
        Cancel
      </button>
      {isAsked && (
        <Dialog title="End the TWAP?" act="End it" onAct={() => cancelTwap(twap)} onClose={() => setIsAsked(false)}>
          <p>
            {side} {size} {coin}, of which {executed} is filled. What is filled stays; no more slices are sent.
          </p>
        </Dialog>
      )}
    </>
  );
}
