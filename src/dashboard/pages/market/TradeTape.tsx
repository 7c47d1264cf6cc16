// The latest public trades of a coin.

import { grouped, moment } from '../../domain/texts.ts';
import { nowMs } from '../../state/clock.ts';
import { market } from '../../state/market.ts';
import { timeZone } from '../../state/settings.ts';

/** The number of trades on the page, of all that are kept. */
const ROWS_SHOWN = 60;

export function TradeTape({ coin }: { readonly coin: string }) {
  const { trades } = market.value;
  if (trades.length === 0) return <p class="empty">No trade was heard of yet.</p>;
  return (
    <table class="tape">
      <caption class="unseen">Latest trades of {coin}, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Price</th>
          <th scope="col">Size</th>
          <th scope="col">Time</th>
        </tr>
      </thead>
      <tbody>
        {trades.slice(0, ROWS_SHOWN).map(({ side, price, size, timeMs }, i) => (
          <tr key={i}>
            <td class={side === 'buy' ? 'up' : 'down'}>
              <span class="unseen">{side} </span>
              {grouped(price)}
            </td>
            <td>{grouped(size)}</td>
            <td class="quiet">{moment(timeMs, { zone: timeZone.value, nowMs: nowMs.peek() }).split(' ')[1]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
