// The figures of a period that come from its equity, each with its meaning.
import type { Analytics } from '../../api/contract.ts';
import { EQUITY_FIGURES } from '../../domain/figures/definitions.ts';
import { Facts } from '../lists/Facts.tsx';
import { Figure } from '../lists/Figure.tsx';

type EquityFigures = Pick<Analytics, (typeof EQUITY_FIGURES)[number]['name']>;

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
