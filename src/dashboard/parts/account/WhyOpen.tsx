// Why an order is still open: the exchange's sentence, and the prices around the order with what stands there.
import type { WhyOpen as WhyOpenFacts } from '../../api/contract.ts';
import type { OpenOrder } from '../../domain/wire/openOrder.ts';
import { type Column, DataTable } from '../DataTable.tsx';
import { Facts } from '../lists/Facts.tsx';
import { Age, Digits, Moment } from '../numbers.tsx';

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
