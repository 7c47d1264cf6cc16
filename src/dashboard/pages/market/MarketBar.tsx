// The figures of a coin: prices, the day, funding, and the age of book and mark.

import type { ReadonlySignal } from '@preact/signals';
import type { DataAge } from '../../domain/market/dataAge.ts';
import { short, untilNextHour } from '../../domain/market/marketTexts.ts';
import { dayChange } from '../../domain/market/wireMarket.ts';
import { age, percent } from '../../domain/texts.ts';
import { Digits, GainPercent } from '../../parts/numbers.tsx';
import { nowMs } from '../../state/clock.ts';
import { market } from '../../state/market.ts';
import { marks } from '../../state/marks.ts';

export function MarketBar({ coin, data }: { readonly coin: string; readonly data: ReadonlySignal<DataAge> }) {
  const { context } = market.value;
  const mid = marks.value[coin] ?? context?.mid ?? null;
  const change = context && dayChange(mid, context.earlierPrice);
  return (
    <dl class="figures">
      <div class="first">
        <dt>Mid</dt>
        <dd>
          <Digits value={mid} />
        </dd>
      </div>
      <div>
        <dt title="What positions are valued and liquidated at">Mark</dt>
        <dd>
          <Digits value={context?.mark ?? null} />
        </dd>
      </div>
      <div>
        <dt>Oracle</dt>
        <dd>
          <Digits value={context?.oracle ?? null} />
        </dd>
      </div>
      <div>
        <dt>24 h change</dt>
        <dd>{change === undefined ? '–' : <GainPercent value={change} />}</dd>
      </div>
      <div>
        <dt>24 h volume</dt>
        <dd class="number">{context === undefined ? '–' : `$${short(context.volume)}`}</dd>
      </div>
      <div>
        <dt>Open interest</dt>
        <dd class="number">
          {context === undefined ? '–' : `$${short(String(Number(context.openInterest) * Number(context.mark)))}`}
        </dd>
      </div>
      <div>
        <dt title="The rate of this hour, and when it is fixed. Longs pay shorts where it is above 0.">Funding, 1 h</dt>
        <dd class="number">
          {context === undefined ? '–' : percent(context.fundingRate, { decimals: 4, isSigned: true })}{' '}
          <span class="quiet">{untilNextHour(nowMs.value)}</span>
        </dd>
      </div>
      <div>
        <dt title="Of the older of book and mark">Data age</dt>
        <dd class={data.value.isStale ? 'number aged' : 'number'}>{dataWords(data.value)}</dd>
      </div>
    </dl>
  );
}

function dataWords({ ageMs, isStale }: DataAge): string {
  if (ageMs === undefined) return '–';
  return isStale ? `${age(ageMs)} old` : age(ageMs);
}
