// Numbers in cells and cards. Gains and losses differ by sign and mark as well as by colour.

import { hasEnd } from '../domain/access.ts';
import { age, grouped, moment, percent, signOf, usd } from '../domain/texts.ts';
import { nowMs } from '../state/clock.ts';
import { timeZone } from '../state/settings.ts';

/** USD with two decimals; the whole text is its title. */
export function Usd({ value }: { readonly value: string }) {
  return (
    <data value={value} title={value} class="number">
      {usd(value)}
    </data>
  );
}

/** A gain or loss in USD. */
export function Gain({ value }: { readonly value: string }) {
  const sign = signOf(value);
  return (
    <data value={value} title={value} class={`number ${toneOf(sign)}`}>
      <Mark sign={sign} />
      {usd(value, { isSigned: true })}
    </data>
  );
}

/** A share as a percentage with its sign. */
export function GainPercent({ value }: { readonly value: number | string }) {
  const sign = Math.sign(Number(value)) as -1 | 0 | 1;
  return (
    <data value={String(value)} class={`number ${toneOf(sign)}`}>
      <Mark sign={sign} />
      {percent(value, { isSigned: true })}
    </data>
  );
}

/** A price or size with all digits that the server gave. */
export function Digits({ value }: { readonly value: string | null }) {
  return value === null ? (
    <span class="number none">–</span>
  ) : (
    <data value={value} class="number">
      {grouped(value)}
    </data>
  );
}

/** A computed price in six figures; all of it is its title. */
export function Cut({ value }: { readonly value: string | null }) {
  if (value === null) return <Digits value={null} />;
  return (
    <data value={value} title={value} class="number">
      {grouped(String(Number(Number(value).toPrecision(6))))}
    </data>
  );
}

/** Buy or sell, long or short. */
export function Side({ side }: { readonly side: 'buy' | 'sell' | 'long' | 'short' }) {
  const isUp = side === 'buy' || side === 'long';
  return <span class={`side ${isUp ? 'up' : 'down'}`}>{side}</span>;
}

/** A moment in the reader's time zone; hovering tells its age. @param props.at ISO 8601, or ms since the epoch */
export function Moment({ at }: { readonly at: string | number }) {
  const timeMs = typeof at === 'number' ? at : Date.parse(at);
  return (
    <time class="number" dateTime={new Date(timeMs).toISOString()} title={`${age(nowMs.peek() - timeMs)} ago`}>
      {moment(timeMs, { zone: timeZone.value, nowMs: nowMs.peek() })}
    </time>
  );
}

/** The end of a trial or of what was paid for. @param props.at ISO 8601 */
export const End = ({ at }: { readonly at: string }) => (hasEnd(Date.parse(at), nowMs.peek()) ? <Moment at={at} /> : 'no end');

const toneOf = (sign: -1 | 0 | 1): string => (sign > 0 ? 'up' : sign < 0 ? 'down' : '');

/** ▲ or ▼, and the word for readers. */
function Mark({ sign }: { readonly sign: -1 | 0 | 1 }) {
  if (sign === 0) return null;
  return (
    <>
      <span aria-hidden="true" class="mark">
        {sign > 0 ? '▲' : '▼'}
      </span>
      <span class="unseen">{sign > 0 ? 'gain' : 'loss'} </span>
    </>
  );
}

/** How old something is, ticking. @param props.at ms since the epoch */
export function Age({ at }: { readonly at: number }) {
  const text = age(nowMs.value - at);
  return <span class="number">{text === 'now' ? 'now' : `${text} ago`}</span>;
}
