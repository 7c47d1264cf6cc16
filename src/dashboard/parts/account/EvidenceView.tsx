// The evidence of a fill: the levels of the book that it took from, the trade that reached the order, the queue before it, the
// trigger that had fired it.
import type { Evidence, EvidenceBook, EvidenceLevel, EvidenceTrade } from '../../api/contract.ts';
import { sourceWords } from '../../domain/account/orderLife.ts';
import { sumOf } from '../../domain/exactSums.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Facts } from '../Facts.tsx';
import { Digits, Moment } from '../numbers.tsx';

const LEVELS: readonly Column<EvidenceLevel>[] = [
  { head: 'Price', isNumber: true, cell: ({ px }) => <Digits value={px} /> },
  {
    head: 'Displayed',
    help: 'What the venue’s book showed',
    isNumber: true,
    cell: ({ displayedSz }) => <Digits value={displayedSz} />,
  },
  {
    head: 'Consumed before',
    help: 'What this account had taken of it',
    isNumber: true,
    cell: ({ consumedBefore }) => <Digits value={consumedBefore} />,
  },
  { head: 'Taken', help: 'By this fill', isNumber: true, cell: ({ takenSz }) => <Digits value={takenSz} /> },
];

/** @param props.filledMs time of the fill: the market's data is so much older */
export function EvidenceView({ evidence, filledMs }: { readonly evidence: Evidence; readonly filledMs: number }) {
  const { source, text, book, trade, queueAhead, twapId, trigger } = evidence;
  return (
    <div class="evidence" data-source={source}>
      <p>
        <b>{sourceWords(source)}.</b> {text}
      </p>
      {book !== null && <BookView book={book} filledMs={filledMs} />}
      <Facts
        facts={[
          ...(trade === null ? [] : tradeFacts(trade, filledMs)),
          queueAhead !== null && {
            term: 'Ahead in the queue',
            value: queueAhead === 'unknown' ? 'not known' : <Digits value={queueAhead} />,
          },
          trigger !== null && { term: 'Trigger', value: <Digits value={trigger.triggerPx} /> },
          trigger !== null && {
            term: 'Mark that fired it',
            value: trigger.markPx === null ? 'not kept' : <Digits value={trigger.markPx} />,
          },
          twapId !== null && { term: 'Slice of TWAP', value: <a href={`/twaps?id=${twapId}`}>{twapId}</a> },
        ]}
      />
    </div>
  );
}

function BookView({ book: { time, version, levels }, filledMs }: { readonly book: EvidenceBook; readonly filledMs: number }) {
  return (
    <>
      <DataTable
        caption="Levels that the fill took from"
        columns={LEVELS}
        rows={levels}
        keyOf={({ px }) => px}
        empty="No level."
      />
      <p class="quiet">
        {levels.length > 1 && (
          <>
            <Digits value={sumOf(levels.map(({ takenSz }) => takenSz))} /> of {levels.length} levels.{' '}
          </>
        )}
        Book of <Moment at={time} />, {before(time, filledMs)}
        {version !== null && `, version ${version}`}.
      </p>
    </>
  );
}

const tradeFacts = ({ tid, px, sz, time, leftForOrder, tick }: EvidenceTrade, filledMs: number) => [
  px !== null &&
    sz !== null && {
      term: 'Public trade',
      value: (
        <>
          {<Digits value={sz} />} at {<Digits value={px} />}
        </>
      ),
    },
  time !== null && {
    term: 'Traded',
    value: (
      <>
        {<Moment at={time} />} <span class="quiet">{before(time, filledMs)}</span>
      </>
    ),
  },
  leftForOrder !== null && { term: 'Left for this order', value: <Digits value={leftForOrder} /> },
  { term: 'Trade id', value: tid },
  tick !== null && { term: 'Tick of the feed', value: tick },
];

function before(timeMs: number, filledMs: number): string {
  const ms = filledMs - timeMs;
  return ms < 0
    ? 'heard after the fill'
    : ms < 10_000
      ? `${ms} ms before the fill`
      : `${Math.round(ms / 1_000)} s before the fill`;
}
