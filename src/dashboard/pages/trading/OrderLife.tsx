// The life of an order as a line of time: each step with its moment and the time since the step before.
import type { ComponentChildren } from 'preact';
import type { ExplainedFill, ExplainedOrder, WhyOpen as WhyOpenFacts } from '../../api/contract.ts';
import { isRefused, type LifeStep, orderLife, statusWords } from '../../domain/account/orderLife.ts';
import { type OpenOrder, readOpenOrder, readWireFill } from '../../domain/account/wireAccount.ts';
import { between } from '../../domain/texts.ts';
import { EvidenceView } from '../../parts/account/EvidenceView.tsx';
import { type Column, DataTable } from '../../parts/DataTable.tsx';
import { Facts } from '../../parts/Facts.tsx';
import { Age, Digits, Moment } from '../../parts/numbers.tsx';
import { labWords } from './labWords.ts';

export function TimeLine({ explained }: { readonly explained: ExplainedOrder }) {
  const { order: state, fills } = explained;
  const { placedMs, triggerCondition } = readOpenOrder(state.order);
  const steps = orderLife({
    placedMs,
    triggerCondition,
    status: state.status,
    statusMs: state.statusTimestamp,
    fillTimesMs: fills.map(({ fill }) => fill.time),
  });
  return (
    <section aria-labelledby="life">
      <h2 id="life">Its life</h2>
      <ol class="life">
        {steps.map((step, i) => (
          <li key={i} data-step={step.type}>
            {(step.type !== 'status' || state.status !== 'open') && (
              <p>
                <Moment at={step.timeMs} />{' '}
                {i > 0 && <span class="quiet">{between((steps[i - 1] as LifeStep).timeMs, step.timeMs)}</span>}
              </p>
            )}
            {stepOf(step, explained)}
          </li>
        ))}
      </ol>
      {explained.lab.length > 0 && (
        <>
          <h3>From the failure lab</h3>
          <ul>
            {explained.lab.map((draw, i) => (
              <li key={i}>
                <Moment at={draw.time} /> {labWords(draw)}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function stepOf(step: LifeStep, { order: state, fills, ended }: ExplainedOrder): ComponentChildren {
  switch (step.type) {
    case 'placed':
      return <p>Placed</p>;
    case 'triggered':
      return <p>Triggered{state.order.isTrigger && `: ${state.order.triggerCondition}`}</p>;
    case 'fill':
      return <Filled {...(fills[step.index] as ExplainedFill)} />;
    case 'status':
      return (
        <p>
          <b>{state.status === 'open' ? 'Open now' : statusWords(state.status)}</b> <End status={state.status} ended={ended} />
        </p>
      );
  }
}

function Filled({ fill: wire, evidence }: ExplainedFill) {
  const fill = readWireFill(wire);
  return (
    <>
      <p>
        <a href={`/fills/${fill.tid}`}>Filled</a> <Digits value={fill.size} /> at <Digits value={fill.price} /> as{' '}
        {fill.liquidity}
      </p>
      <details>
        <summary>What it was made of</summary>
        <EvidenceView evidence={evidence} filledMs={fill.timeMs} />
      </details>
    </>
  );
}

function End({ status, ended }: { readonly status: string; readonly ended: ExplainedOrder['ended'] }) {
  if (ended === null) return isRefused(status) ? <>Its reason was in the answer to the bot; it is not kept.</> : null;
  return (
    <>
      {ended.text}
      {ended.gaveWayTo !== null && (
        <>
          {' '}
          <a href={`/orders/${ended.gaveWayTo}`}>Order {ended.gaveWayTo}</a>
        </>
      )}
    </>
  );
}

interface PriceRow {
  readonly name: string;
  readonly price: string | null;
  readonly displayed?: string;
  readonly consumed?: string;
  readonly ahead?: string | null;
}

/** @property isAbout true for a row with something in the column; a column without any is left out */
const COLUMNS: readonly (Column<PriceRow> & { readonly isAbout?: (row: PriceRow) => boolean })[] = [
  { head: 'What', cell: ({ name }) => name },
  { head: 'Price', isNumber: true, cell: ({ price }) => <Digits value={price} /> },
  {
    head: 'Other side displays',
    help: 'What the venue’s book shows for the order to take at its limit',
    isNumber: true,
    isAbout: ({ displayed }) => displayed !== undefined,
    cell: ({ displayed }) => displayed !== undefined && <Digits value={displayed} />,
  },
  {
    head: 'Taken before',
    help: 'What this account has taken of it already',
    isNumber: true,
    isAbout: ({ consumed }) => consumed !== undefined,
    cell: ({ consumed }) => consumed !== undefined && <Digits value={consumed} />,
  },
  {
    head: 'Queue ahead',
    help: 'Coins of others that stand before the order at its price',
    isNumber: true,
    isAbout: ({ ahead }) => ahead != null,
    cell: ({ ahead }) => (ahead === 'unknown' ? 'not known' : ahead != null && <Digits value={ahead} />),
  },
];

/** The reason why an order is still open: the exchange's sentence, and the prices around the order with the sizes there. */
export function WhyOpen({ facts, order }: { readonly facts: WhyOpenFacts; readonly order: OpenOrder }) {
  const { reason, text, queueAhead, acceptedTime, oppositeAtLimit, trigger, bookTime, bookVersion, bbo, markPx } = facts;
  const rows: PriceRow[] = [
    { name: 'Best ask', price: bbo[1] ?? null },
    {
      name: trigger === null ? 'Limit of the order' : 'Limit once fired',
      price: order.limitPrice,
      ahead: queueAhead,
      ...(oppositeAtLimit && { displayed: oppositeAtLimit.displayedSz, consumed: oppositeAtLimit.consumedBefore }),
    },
    { name: 'Best bid', price: bbo[0] ?? null },
    { name: 'Mark', price: markPx },
  ];
  if (trigger !== null) rows.push({ name: `Trigger, fires with the mark ${trigger.firesWhenMark}`, price: trigger.triggerPx });
  return (
    <section aria-labelledby="whyOpen" data-reason={reason}>
      <h2 id="whyOpen">Why it is open</h2>
      <p>{text}</p>
      <div class="narrowTable">
        <DataTable
          caption="Prices around the order"
          columns={COLUMNS.filter(({ isAbout }) => isAbout === undefined || rows.some(isAbout))}
          rows={rows.toSorted((a, b) => Number(b.price ?? 0) - Number(a.price ?? 0))}
          keyOf={({ name }) => name}
          empty="No price is known."
        />
      </div>
      <Facts
        facts={[
          bookTime !== null && {
            term: 'Book of',
            value: (
              <>
                {<Moment at={bookTime} />} <span class="quiet">{<Age at={bookTime} />}</span>
              </>
            ),
          },
          bookVersion !== null && { term: 'Version of the book', value: bookVersion },
          acceptedTime !== null && { term: 'In the queue since', value: <Moment at={acceptedTime} /> },
          trigger?.parentOid != null && {
            term: 'Waits for',
            value: <a href={`/orders/${trigger.parentOid}`}>order {trigger.parentOid}</a>,
          },
        ]}
      />
    </section>
  );
}
