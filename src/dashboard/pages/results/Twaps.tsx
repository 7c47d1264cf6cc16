// TWAPs: running TWAPs with their progress, the ends of earlier TWAPs, and the fills of their slices.
import { useEffect, useState } from 'preact/hooks';
import type { TwapChange, TwapSliceFill } from '../../api/contract.ts';
import { twapStatusWords } from '../../domain/account/orderLife.ts';
import { doneShare, newestChanges, type TwapPast } from '../../domain/account/twap.ts';
import { type Fill, readWireFill } from '../../domain/account/wireAccount.ts';
import { percent } from '../../domain/texts.ts';
import { AsOf } from '../../parts/AsOf.tsx';
import { RunningTwaps, useTwaps } from '../../parts/account/RunningTwaps.tsx';
import { useJoined } from '../../parts/account/useJoined.ts';
import { ErrorState, Loading, Shown, useInfo } from '../../parts/answers.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Digits, Moment, Side, Usd } from '../../parts/numbers.tsx';
import { Shell } from '../../parts/shell/Shell.tsx';
import { aboutAccount } from '../../state/chosenAccount.ts';
import { address } from '../../state/route.ts';

/** Rows that one answer about TWAPs has at most. */
const ROWS_OF_ANSWER = 2_000;

export default function Twaps() {
  const running = useTwaps();
  const history = useInfo<readonly TwapChange[]>(aboutAccount({ type: 'twapHistory' }));
  const { answer, askAgain } = history;
  const changes = newestChanges(answer?.body ?? []);
  const ids = new Set(running?.twaps.map(({ twapId }) => twapId));
  const waiting = new Set(changes.flatMap(({ twapId, status }) => (status === 'waitingForTrigger' ? [twapId] : [])));
  const past = changes.filter(({ twapId }) => !ids.has(twapId));
  const started = [...ids].join();
  // Each start and end of a TWAP changes the list of running TWAPs.
  useEffect(() => {
    if (answer !== undefined && (running?.seq ?? 0) > (answer.seq ?? 0)) askAgain();
  }, [started, answer === undefined]);
  return (
    <Shell title="TWAPs">
      <section aria-labelledby="running">
        <h2 id="running">Running</h2>
        {running === undefined ? <Loading /> : <RunningTwaps twaps={running.twaps} waiting={waiting} />}
      </section>
      <section aria-labelledby="past">
        <h2 id="past">Earlier</h2>
        <Shown asked={history} lines={4}>
          {(rows) => (
            <>
              <DataTable
                caption="Earlier TWAPs, newest first"
                columns={PAST}
                rows={past}
                keyOf={({ twapId }) => twapId}
                empty={<p>No TWAP has ended yet. A bot starts one with the action twapOrder.</p>}
              />
              {rows.length >= ROWS_OF_ANSWER && <p class="quiet">The newest 2,000 changes are shown; older ones are not.</p>}
            </>
          )}
        </Shown>
        <AsOf asked={history} />
      </section>
      <Slices />
    </Shell>
  );
}

const PAST: readonly Column<TwapPast>[] = [
  { head: 'Changed', cell: ({ changedMs }) => <Moment at={changedMs} /> },
  { head: 'Coin', cell: ({ coin }) => coin },
  { head: 'Side', cell: ({ side }) => <Side side={side} /> },
  { head: 'Size', isNumber: true, cell: ({ size }) => <Digits value={size} /> },
  { head: 'Filled', isNumber: true, cell: ({ executed }) => <Digits value={executed} /> },
  {
    head: 'Done',
    isNumber: true,
    cell: (twap) => <span class="number">{percent(doneShare(twap), { decimals: 1 })}</span>,
    by: doneShare,
  },
  { head: 'For', help: 'USD', isNumber: true, cell: ({ executedUsd }) => <Usd value={executedUsd} /> },
  { head: 'Over', isNumber: true, cell: ({ minutes }) => `${minutes} min` },
  { head: 'Trigger', cell: ({ trigger }) => trigger ?? '' },
  { head: 'Status', cell: ({ status, error }) => error ?? twapStatusWords(status) },
  { head: 'Slices', cell: ({ twapId }) => <a href={`/twaps?id=${twapId}`}>{twapId}</a> },
];

interface Slice extends Fill {
  readonly twapId: number;
}

const readSlice = ({ fill, twapId }: TwapSliceFill): Slice => ({ ...readWireFill(fill), twapId });

function Slices() {
  const { rows, error, askAgain } = useJoined<readonly TwapSliceFill[], Slice>({
    question: { type: 'userTwapSliceFills' },
    channel: 'userTwapSliceFills',
    readAnswer: (body) => body.map(readSlice),
    readMessage: ({ twapSliceFills }: { twapSliceFills: readonly TwapSliceFill[] }) => twapSliceFills.map(readSlice),
    merge: (known, more) => {
      const byTid = new Map([...known, ...more].map((slice) => [slice.tid, slice]));
      return [...byTid.values()].sort((a, b) => b.tid - a.tid);
    },
  });
  const [all, setAll] = useState<string>();
  const asked = new URLSearchParams(address.value.replace(/^[^?]*/, '')).get('id');
  const id = asked === all ? null : asked;
  const shown = rows?.filter(({ twapId }) => id === null || String(twapId) === id);
  return (
    <section aria-labelledby="slices">
      <div class="row">
        <h2 id="slices">{id === null ? 'Slices of all TWAPs' : `Slices of TWAP ${id}`}</h2>
        {id !== null && (
          <button type="button" class="small" onClick={() => setAll(id)}>
            Slices of all
          </button>
        )}
      </div>
      {error && <ErrorState error={error} onRetry={askAgain} />}
      {shown === undefined && !error && <Loading lines={4} />}
      {shown && (
        <DataTable
          caption="Fills of slices, newest first"
          columns={SLICES}
          rows={shown}
          keyOf={({ tid }) => tid}
          empty={<p>No slice has filled.</p>}
        />
      )}
      {rows !== undefined && rows.length >= ROWS_OF_ANSWER && (
        <p class="quiet">
          The newest 2,000 are shown. Older ones are among the <a href="/fills">fills</a>.
        </p>
      )}
    </section>
  );
}

const SLICES: readonly Column<Slice>[] = [
  {
    head: 'Time',
    cell: ({ timeMs, tid }) => (
      <a href={`/fills/${tid}`} title="What this fill was made of">
        {<Moment at={timeMs} />}
      </a>
    ),
  },
  { head: 'Coin', cell: ({ coin }) => coin },
  { head: 'Side', cell: ({ side }) => <Side side={side} /> },
  { head: 'Price', isNumber: true, cell: ({ price }) => <Digits value={price} /> },
  { head: 'Size', isNumber: true, cell: ({ size }) => <Digits value={size} /> },
  { head: 'Fee', isNumber: true, cell: ({ fee }) => <Usd value={fee} /> },
  { head: 'TWAP', isNumber: true, cell: ({ twapId }) => twapId },
  { head: 'Order', isNumber: true, cell: ({ oid }) => <a href={`/orders/${oid}`}>{oid}</a> },
];
