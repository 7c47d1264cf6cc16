import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { dashboardJson } from '../../tools/grafana/dashboard.ts';
import { dashboards } from '../../tools/grafana/dashboards.ts';
import { alerts, metricsOf, questions, selectorsOf } from '../support/promql.ts';

const dir = new URL('../../deploy/grafana/dashboards/', import.meta.url);
const REPAIR = 'UPDATE_DOCS=1 npx mocha test/deploy/dashboards.test.ts writes it anew';

describe('dashboards are made from their words', () => {
  before(() => {
    if (!process.env['UPDATE_DOCS']) return;
    rmSync(dir, { recursive: true, force: true });
    mkdirSync(dir);
    for (const one of dashboards) writeFileSync(new URL(`${one.uid}.json`, dir), dashboardJson(one));
  });

  it('one file each, and no other', () => expect(readdirSync(dir)).to.have.members(dashboards.map(({ uid }) => `${uid}.json`)));

  for (const one of dashboards) {
    it(`${one.title}: the file is what its words say`, () =>
      expect(readFileSync(new URL(`${one.uid}.json`, dir), 'utf8'), REPAIR).to.equal(dashboardJson(one)));

    it(`${one.title}: no two panels cover each other, each has a name of its own`, () => {
      const { panels } = JSON.parse(dashboardJson(one)) as {
        panels: { id: number; title: string; gridPos: { x: number; y: number; w: number; h: number } }[];
      };
      const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
        Array.from({ length: w * h }, (_, i) => `${x + (i % w)}/${y + Math.floor(i / w)}`),
      );
      expect(new Set(cells).size).to.equal(cells.length);
      expect(new Set(panels.map(({ id }) => id)).size).to.equal(panels.length);
      expect(new Set(panels.map(({ title }) => title)).size).to.equal(panels.length);
    });
  }
});

describe('runbooks: each alert has a part, each part an alert', () => {
  const page = readFileSync(new URL('../../docs/runbooks.md', import.meta.url), 'utf8');
  const parts = new Map(
    page
      .split(/^## /m)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part]),
  );

  it('by name', () => expect([...parts.keys()]).to.have.members(alerts.map(({ alert }) => alert)));

  for (const { alert, labels, annotations } of alerts) {
    it(`${alert}: what to look at, what to do, how to see that it is over`, () => {
      expect(annotations.runbook).to.equal(`docs/runbooks.md#${alert.toLowerCase()}`);
      for (const word of ['Look at', 'Do', 'Over when']) expect(parts.get(alert)).to.include(`- **${word}:** `);
      expect(labels.severity).to.be.oneOf(['critical', 'warning']);
    });
  }
});

describe('names in PromQL are found', () => {
  const cases: readonly (readonly [expr: string, names: readonly string[]])[] = [
    ['max(a_total) == 0', ['a_total']],
    ['sum by (le, b) (rate(c_bucket{d="x(y)", e=~"f|g"}[5m])) > 0.5', ['c_bucket{d,e}']],
    ['max by (s) (a{of="j"}) > 0.5 * scalar(max(b{of="j"}))', ['a{of}', 'b{of}']],
    ['sum(a{r!~"2.."}) - (sum(a{r!~"2.."} offset 30m) or vector(0)) > 0', ['a{r}', 'a{r}']],
    ['absent(a)', ['a']],
    ['min(a) - time() < 14 * 86400', ['a']],
  ];
  for (const [expr, names] of cases) {
    it(expr, () => {
      const found = selectorsOf(expr).map(({ metric, labels }) => (labels.length === 0 ? metric : `${metric}{${labels}}`));
      expect(found).to.deep.equal(names);
    });
  }

  it('and those of a scrape', () => {
    const scrape = '# TYPE a gauge\na{x="1",y="{,z=\\"2\\"}"} 1\n# TYPE b histogram\nb_bucket{le="1"} 2\n';
    expect([...metricsOf(scrape)].map(([name, labels]) => [name, [...labels]])).to.deep.equal([
      ['a', ['x', 'y']],
      ['b_bucket', ['le']],
      ['b_sum', []],
      ['b_count', []],
    ]);
  });

  it('there are many of them', () => expect(questions.size).to.be.greaterThan(100));
});
