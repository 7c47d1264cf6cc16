// The book of a coin: asks above, bids below, the spread between. Each row has its part of the depth as a bar, and what the
// account has there: its orders with the queue before them, and what it has taken of the level.

import { decimalsOf } from '../../domain/market/exactSums.ts';
import type { Ladder, LadderRow, LadderSide } from '../../domain/market/ladder.ts';
import { grouped, percent } from '../../domain/numberText.ts';

interface Props {
  readonly coin: string;
  readonly ladder: Ladder;
  readonly step: string;
  readonly spread: { readonly usd: number; readonly share: number } | undefined;
  /** A price was chosen. */
  readonly onPrice?: ((price: string) => void) | undefined;
}

export function BookLadder({ coin, ladder: { bids, asks }, step, spread, onPrice }: Props) {
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

interface RowProps extends Pick<Props, 'step' | 'onPrice'> {
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
