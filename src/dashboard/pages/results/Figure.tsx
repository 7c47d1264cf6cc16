// Figures of the analytics, each as its kind is written, and the group of them that comes from equity. A figure whose divisor is
// 0 is a dash.

import type { Analytics } from '../../api/contract.ts';
import { EQUITY_FIGURES, type FigureKind } from '../../domain/figures/definitions.ts';
import { duration, percent } from '../../domain/texts.ts';
import { Facts } from '../../parts/Facts.tsx';
import { Digits, Gain, Usd } from '../../parts/numbers.tsx';

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

type EquityFigures = Pick<Analytics, (typeof EQUITY_FIGURES)[number]['name']>;

/** The figures of a period that come from its equity, each with its meaning. */
export function EquityFacts({ figures }: { readonly figures: EquityFigures }) {
  return (
    <Facts
      facts={EQUITY_FIGURES.map(({ name, title, kind, help }) => ({
        term: title,
        help,
        value: <Figure kind={kind} value={figures[name]} />,
      }))}
    />
  );
}
