// One figure of the analytics, as its kind is written. A figure whose divisor is 0 is a dash.
import type { FigureKind } from '../../domain/figures/definitions.ts';
import { percent } from '../../domain/numberText.ts';
import { duration } from '../../domain/timeText.ts';
import { Digits, Gain, Usd } from '../numbers.tsx';

export function Figure({ kind, value }: { readonly kind: FigureKind; readonly value: string | number | null }) {
  if (value === null) return <span class="number none">–</span>;
  const text = String(value);
  switch (kind) {
    case 'gain':
      return <Gain value={text} />;
    case 'cost':
      return <Usd value={text} />;
    case 'share':
      return <Plain value={text} shown={percent(text)} />;
    case 'ratio':
    case 'points':
      return <Plain value={text} shown={Number(text).toFixed(2)} />;
    case 'count':
      return <Digits value={text} />;
    case 'seconds':
      return <Plain value={text} shown={duration(Number(text) * 1_000)} />;
  }
}

const Plain = ({ value, shown }: { readonly value: string; readonly shown: string }) => (
  <data value={value} title={value} class="number">
    {shown}
  </data>
);
