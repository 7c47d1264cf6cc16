// A tearsheet as one HTML file. It has no script and loads nothing, and its own policy forbids both, also once it is saved. Names get in
// as text.
import { createHash } from 'node:crypto';
import { escaped, pageHeaders } from '../../api/http/pages.ts';
import type { TearsheetAnswer } from './figures.ts';
import {
  coinTable,
  drawdownTable,
  equityTable,
  excursionTable,
  monthTable,
  shown,
  tradeList,
  tradeTable,
} from './sheetTables.ts';

const STYLE = `:root{color-scheme:light dark;--line:#0550ae;--loss:#b42318;--soft:#57606a;background:#fff;color:#111}
@media(prefers-color-scheme:dark){:root{--line:#79c0ff;--loss:#ff9b91;--soft:#a0a8b0;background:#14171c;color:#eee}}
body{font:1rem/1.45 system-ui,sans-serif;max-width:70rem;margin:0 auto;padding:1rem}
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem}caption{text-align:left;font-weight:600;padding:.25rem 0}
th,td{padding:.2rem .5rem;text-align:left;white-space:nowrap;border-bottom:1px solid #8884}.n{text-align:right;font-variant-numeric:tabular-nums}
.loss{color:var(--loss)}figure{margin:0}figcaption,.soft{color:var(--soft);font-size:.875rem}code{overflow-wrap:anywhere}
svg{width:100%;height:auto}path{fill:none;stroke-linecap:round;vector-effect:non-scaling-stroke}.line{stroke:var(--line);stroke-width:2}.zero{stroke:#8888}`;

const SOURCES = { style: `'sha256-${createHash('sha256').update(STYLE).digest('base64')}'` };

/** Of the answer that has the file. `sandbox`: also where a browser shows it, it is a document without an origin. */
export const SHEET_HEADERS: Readonly<Record<string, string>> = (() => {
  const headers = pageHeaders(SOURCES);
  return { ...headers, 'Content-Security-Policy': `${headers['Content-Security-Policy']}; sandbox` };
})();

/** What a policy in the file itself can say. */
const POLICY = `default-src 'none'; style-src ${SOURCES.style}; base-uri 'none'; form-action 'none'`;

export function sheetOf({
  account,
  name,
  figures,
  months,
  drawdowns,
  days,
  rolling_days,
  trades,
  excursions,
}: TearsheetAnswer): string {
  const title = `Tearsheet of ${name ?? account}`;
  const since = figures.complete_since;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escaped(POLICY)}">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<main>
<h1>${name === null ? 'Tearsheet' : `Tearsheet: <bdi>${escaped(name)}</bdi>`}</h1>
<p>Account <code>${escaped(account)}</code>, paper trading, from ${moment(figures.from)} to ${moment(figures.to)} UTC.</p>
<p>${escaped(figures.account_terms.text)}</p>
${since === null ? '' : `<p>One request reads the newest 100,000 rows of a kind: what was before ${moment(since)} may be missing.</p>`}
<section><h2>Months</h2>
${monthTable(months)}
<p class="soft">Months and days are of UTC. A return is the gain by the equity before it, step by step; deposits are no gain.</p></section>
<section><h2>Return</h2>
${chart(
  days.map(({ day, growth: value }) => ({ day, value })),
  { label: 'Return since the beginning', kind: 'return', empty: 'No day yet.' },
)}
${equityTable(figures)}</section>
<section><h2>Drawdown</h2>
${chart(
  days.map(({ day, drawdown }) => ({ day, value: below(drawdown) })),
  { label: 'Below the peak, the deepest of each day', kind: 'return', empty: 'No day yet.' },
)}
${drawdownTable(drawdowns)}</section>
<section><h2>Rolling Sharpe ratio, ${rolling_days} days</h2>
${chart(
  days.map(({ day, rolling_sharpe: value }) => ({ day, value })),
  { label: 'Rolling Sharpe ratio', kind: 'ratio', empty: `It needs the returns of ${rolling_days} days that differ.` },
)}</section>
<section><h2>Trades</h2>
${tradeTable(figures)}
${coinTable(figures)}
${excursionTable(excursions, trades)}
${tradeList(trades)}
<p class="soft">${trades.length} of ${figures.trades} trades. A trade is a position from flat to flat. Best and worst: how far its result went on its way, before fees and funding.</p></section>
</main>
</html>
`;
}

const below = (drawdown: string): string => (drawdown === '0' ? '0' : `-${drawdown}`);

const moment = (iso: string): string => `<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;

const [WIDTH, HEIGHT] = [720, 160];

interface ChartDay {
  readonly day: string;
  /** Decimal text; null = a gap. */
  readonly value: string | null;
}

/**
 * A line over days as an SVG without scripts. Readers get a sentence made from the data; the numbers are in the answer of the figures.
 * @param options.kind the form of the values
 * @param options.empty said where there is nothing to draw
 */
export function chart(
  values: readonly ChartDay[],
  { label, kind, empty }: { label: string; kind: 'return' | 'ratio'; empty: string },
): string {
  const points = values.flatMap(({ day, value }, i) => (value === null ? [] : [{ day, i, value: Number(value), text: value }]));
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return `<p>${escaped(empty)}</p>`;
  if (first === last) return `<p>${escaped(`${label}: ${shown(kind, first.text)} on ${first.day}. A line needs two days.`)}</p>`;
  const low = points.reduce((least, point) => (point.value < least.value ? point : least), first);
  const high = points.reduce((most, point) => (point.value > most.value ? point : most), first);
  const [bottom, top] = [Math.min(0, low.value), Math.max(0, high.value)];
  const x = (i: number): string => ((i / Math.max(1, values.length - 1)) * WIDTH).toFixed(1);
  const y = (value: number): string => (((top - value) / (top - bottom || 1)) * (HEIGHT - 8) + 4).toFixed(1);
  const sentence =
    `${label}: from ${shown(kind, first.text)} on ${first.day} to ${shown(kind, last.text)} on ${last.day}; ` +
    `lowest ${shown(kind, low.text)} on ${low.day}, highest ${shown(kind, high.text)} on ${high.day}.`;
  const paths = stretches(points).map((stretch) => {
    const at = stretch.map(({ i, value }) => `${x(i)} ${y(value)}`);
    // One point alone is a dot: a line of no length with round ends.
    return `<path class="line" d="M${at.join('L')}${at.length === 1 ? 'h0' : ''}"/>`;
  });
  return `<figure><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(sentence)}"><path class="zero" d="M0 ${y(0)}H${WIDTH}"/>${paths.join('')}</svg>
<figcaption>${escaped(sentence)}</figcaption></figure>`;
}

interface Placed {
  readonly i: number;
  readonly value: number;
}

/** Points of neighbouring days: a line is not drawn over a gap. */
function stretches(points: readonly Placed[]): Placed[][] {
  const all: Placed[][] = [];
  for (const point of points) {
    const open = all.at(-1);
    if (open?.at(-1)?.i === point.i - 1) open.push(point);
    else all.push([point]);
  }
  return all;
}
