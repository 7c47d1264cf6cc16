import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { openApi } from '../../../../src/api/documents/openApi.ts';
import { allEndpoints } from '../../../../src/api/registry.ts';
import { EQUITY_FIGURES, TRADE_FIGURES } from '../../../../src/dashboard/domain/figures/definitions.ts';

/** Of the answer, but no figures. */
const FRAME = ['period', 'from', 'to', 'complete_since', 'account_terms', 'long', 'short', 'by_coin'];

describe('the dashboard’s figures', () => {
  const document = openApi(allEndpoints({ hasTestPayments: true, hasDashboard: true }), { publicUrl: 'http://127.0.0.1:3000' });
  const schemas = JSON.parse(JSON.stringify(document)).components.schemas;
  const namesOf = (schema: string): string[] => Object.keys(schemas[schema].properties);

  it('are all that the analytics answer, each once and with its meaning', () => {
    const shown = [...TRADE_FIGURES, ...EQUITY_FIGURES];
    expect(shown.map(({ name }) => name)).to.have.members(namesOf('Analytics').filter((name) => !FRAME.includes(name)));
    expect(TRADE_FIGURES.map(({ name }) => name)).to.have.members(namesOf('TradeFigures'));
    for (const { help, name } of shown) expect(help, name).to.match(/^[A-Z].{10,}\.$/);
  });

  it('are those that docs/analytics.md defines', () => {
    const page = readFileSync(new URL('../../../../docs/analytics.md', import.meta.url), 'utf8');
    for (const { name } of [...TRADE_FIGURES, ...EQUITY_FIGURES]) expect(page, name).to.include(`\`${name}\``);
  });
});
