// How deep the book is: the sum of all sizes up to each price. A drawing of steps, with a sentence for readers.
import type { Ladder, LadderRow } from '../../domain/market/ladder.ts';
import { depthSentence } from '../../domain/market/marketTexts.ts';
import { grouped } from '../../domain/texts.ts';

const WIDTH = 300;
const HEIGHT = 200;

export default function DepthChart({ coin, ladder }: { readonly coin: string; readonly ladder: Ladder }) {
  const { bids, asks } = ladder;
  const [lowest, highest] = [Number(bids.at(-1)?.price), Number(asks.at(-1)?.price)];
  if (!(highest > lowest)) return <p class="empty">A side of the book is empty.</p>;
  const x = (price: string): number => ((Number(price) - lowest) / (highest - lowest)) * WIDTH;
  return (
    <figure class="chart depth">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={depthSentence(coin, ladder)}>
        <path class="up" d={steps(bids, x)} />
        <path class="down" d={steps(asks, x)} />
      </svg>
      <figcaption class="number quiet">
        <span>{grouped(String(lowest))}</span>
        <span>
          {grouped(bids.at(-1)?.total ?? '0')} | {grouped(asks.at(-1)?.total ?? '0')} {coin}
        </span>
        <span>{grouped(String(highest))}</span>
      </figcaption>
    </figure>
  );
}

/** From the best price outwards, up by each row's size. */
function steps(rows: readonly LadderRow[], x: (price: string) => number): string {
  const parts = rows.map(({ price, share }, i) => {
    const at = x(price).toFixed(1);
    return `${i === 0 ? `M${at} ${HEIGHT}` : `H${at}`}V${(HEIGHT * (1 - share)).toFixed(1)}`;
  });
  return `${parts.join('')}V${HEIGHT}Z`;
}
