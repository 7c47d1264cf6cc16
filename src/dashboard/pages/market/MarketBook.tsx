// Book, trades and depth of a market: one at a time where the screen is narrow. The ladder shows the book row by row.
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { OpenOrder } from '../../domain/account/wireAccount.ts';
import { decimalsOf } from '../../domain/exactSums.ts';
import { type Ladder, type LadderRow, type LadderSide, ladderOf, stepsAt, withOwnOrders } from '../../domain/market/ladder.ts';
import { spreadOf } from '../../domain/market/marketTexts.ts';
import { grouped, percent } from '../../domain/texts.ts';
import { Loading } from '../../parts/answers.tsx';
import { laterPage } from '../../parts/laterPage.tsx';
import { Tabs } from '../../parts/Tabs.tsx';
import { market } from '../../state/market.ts';
import { ownBook } from '../../state/ownBook.ts';
import { TradeTape } from './TradeTape.tsx';

/** Rows of each side, and where the ladder stands above other things. */
const ROWS_MAX = 20;
const ROWS_MAX_NARROW = 10;

const WITH_TRADES = ['Book', 'Trades', 'Depth'] as const;
const WITHOUT_TRADES = ['Book', 'Depth'] as const;

/** Few look at it, and a market has 105 kB. */
const DepthChart = laterPage(() => import('./DepthChart.tsx'));

interface Props {
  readonly coin: string;
  /** Of the coin. */
  readonly orders: readonly OpenOrder[];
  /** The trades stand beside it. */
  readonly hasTradesBeside: boolean;
  readonly onPrice?: ((price: string) => void) | undefined;
}

export function MarketBook({ coin, orders, hasTradesBeside, onPrice }: Props) {
  const [view, setView] = useState<(typeof WITH_TRADES)[number]>('Book');
  const [chosenStep, setStep] = useState<string>();
  const { book } = market.value;
  const steps = stepsAt(book?.bids[0]?.price ?? book?.asks[0]?.price ?? '');
  const step = chosenStep !== undefined && steps.includes(chosenStep) ? chosenStep : (steps[0] as string);
  const isNarrow = useMedia('(max-width: 767px)');
  const ladder = useLadder(orders, { step, rowsMax: isNarrow ? ROWS_MAX_NARROW : ROWS_MAX });
  const choices = hasTradesBeside ? WITHOUT_TRADES : WITH_TRADES;
  const shown = hasTradesBeside && view === 'Trades' ? 'Book' : view;
  return (
    <>
      <div class="row">
        <Tabs legend="Book, trades or depth" choices={choices} chosen={shown} onChoose={setView} />
        {shown !== 'Trades' && (
          <label class="step">
            <span class="unseen">Step of the price</span>
            <select value={step} onChange={({ currentTarget }) => setStep(currentTarget.value)}>
              {steps.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      {shown === 'Trades' && <TradeTape coin={coin} />}
      {shown !== 'Trades' && book === undefined && <Loading lines={12} />}
      {shown === 'Book' && book !== undefined && (
        <BookLadder coin={coin} ladder={ladder} step={step} spread={spreadOf(book)} onPrice={onPrice} />
      )}
      {shown === 'Depth' && book !== undefined && <DepthChart coin={coin} ladder={ladder} />}
    </>
  );
}

const NOTHING = { bids: [], asks: [] } as const;

function useLadder(orders: readonly OpenOrder[], { step, rowsMax }: { step: string; rowsMax: number }): Ladder {
  const { book } = market.value;
  const known = ownBook.value;
  return useMemo(() => {
    if (book === undefined) return NOTHING;
    const explained = known?.coin === book.coin ? known : NOTHING;
    const resting = (side: 'buy' | 'sell') =>
      orders
        .filter((order) => order.side === side && order.triggerPrice === null)
        .map(({ limitPrice, sizeLeft }) => ({ price: limitPrice, size: sizeLeft }));
    const own = { bids: withOwnOrders(explained.bids, resting('buy')), asks: withOwnOrders(explained.asks, resting('sell')) };
    return ladderOf(book, own, { step, rowsMax });
  }, [book, known, orders, step, rowsMax]);
}

interface LadderProps {
  readonly coin: string;
  readonly ladder: Ladder;
  readonly step: string;
  readonly spread: { readonly usd: number; readonly share: number } | undefined;
  /** A price was chosen. */
  readonly onPrice?: ((price: string) => void) | undefined;
}

/**
 * The book of a coin: asks above, bids below, the spread between. Each row has its part of the depth as a bar, the account's
 * orders there with the queue before them, and the size that the account has taken of the level.
 */
function BookLadder({ coin, ladder: { bids, asks }, step, spread, onPrice }: LadderProps) {
  const decimals = Math.max(...[...bids, ...asks].map(({ size }) => decimalsOf(size)));
  const deepest = Math.max(0, ...[...bids, ...asks].map(({ total }) => Number(total)));
  const shared = { step, decimals, sumDecimals: totalDecimals(deepest, decimals), onPrice };
  return (
    <table class="ladder">
      <caption class="unseen">Book of {coin}, asks from the worst to the best, then bids from the best on</caption>
      <thead>
        <tr>
          <th scope="col">Price</th>
          <th scope="col">Size</th>
          <th scope="col">Total</th>
          <th
            scope="col"
            title="Your order and what stands before it at its price; what you have taken of a level is not shown to you again"
          >
            Yours
          </th>
        </tr>
      </thead>
      <tbody class="asks">
        {asks.toReversed().map((row, i) => (
          <Row key={i} row={row} side="ask" {...shared} />
        ))}
      </tbody>
      <tbody class="spread">
        <tr>
          <td colSpan={4}>
            {spread === undefined
              ? 'no spread'
              : `Spread ${grouped(String(spread.usd))} · ${percent(spread.share, { decimals: 3 })}`}
          </td>
        </tr>
      </tbody>
      <tbody class="bids">
        {bids.map((row, i) => (
          <Row key={i} row={row} side="bid" {...shared} />
        ))}
      </tbody>
    </table>
  );
}

/** Figures of the deepest sum: the room is for what is yours. */
const TOTAL_FIGURES = 6;

/** Decimals of sums, the same in all rows. */
const totalDecimals = (deepest: number, decimals: number): number =>
  Math.max(0, Math.min(decimals, TOTAL_FIGURES - String(Math.trunc(deepest)).length));

interface RowProps extends Pick<LadderProps, 'step' | 'onPrice'> {
  readonly row: LadderRow;
  readonly side: LadderSide;
  /** Of sizes and of sums, so that their digits are below each other. */
  readonly decimals: number;
  readonly sumDecimals: number;
}

function Row({ row, side, step, decimals, sumDecimals, onPrice }: RowProps) {
  const { price, size, total, share, own, consumed } = row;
  const text = grouped(padded(price, decimalsOf(step)));
  return (
    <tr class={own === null ? '' : 'mine'} style={{ backgroundSize: `${(share * 100).toFixed(1)}% 100%` }}>
      <td class={side === 'bid' ? 'up' : 'down'}>
        {onPrice === undefined ? (
          text
        ) : (
          // The ticket's own field takes a price from the keyboard; forty more stops would be in the way.
          <button type="button" tabIndex={-1} class="price" title="Take as the limit price" onClick={() => onPrice(price)}>
            {text}
          </button>
        )}
      </td>
      <td>{grouped(padded(size, decimals))}</td>
      <td title={total}>{grouped(Number(total).toFixed(sumDecimals))}</td>
      <td class="yours" title={yoursInFull(row)}>
        {own !== null && (
          <>
            {brief(own.size)}
            {own.queueAhead !== null && <span class="quiet"> {queueOf(own.queueAhead)}</span>}
          </>
        )}
        {consumed !== null && <span class="taken"> {brief(consumed)} taken</span>}
      </td>
    </tr>
  );
}

const queueOf = (ahead: string): string => (ahead === 'unknown' ? '?' : Number(ahead) === 0 ? 'first' : `after ${brief(ahead)}`);

function yoursInFull({ own, consumed }: LadderRow): string {
  const parts: string[] = [];
  if (own !== null) {
    const count = own.orders === 1 ? 'your order' : `your ${own.orders} orders`;
    const ahead = own.queueAhead;
    const queue = ahead === null ? '' : ahead === 'unknown' ? ', queue not known yet' : `, ${ahead} stand before`;
    parts.push(`${own.size} in ${count}${queue}`);
  }
  if (consumed !== null) parts.push(`${consumed} taken by you before, so you find that much less`);
  return parts.join('; ');
}

/** Three figures, for a narrow cell; all are in its title. */
const brief = (text: string): string => String(Number(Number(text).toPrecision(3)));

const padded = (text: string, decimals: number): string => {
  const missing = decimals - decimalsOf(text);
  return missing <= 0 ? text : `${text}${text.includes('.') ? '' : '.'}${'0'.repeat(missing)}`;
};

/** True while the screen is as a media query says, also after it has changed. */
export function useMedia(query: string): boolean {
  const [fits, setFits] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const onChange = (): void => setFits(list.matches);
    onChange();
    list.addEventListener('change', onChange);
    return () => list.removeEventListener('change', onChange);
  }, [query]);
  return fits;
}
