// A dashboard in a few words, and the JSON that Grafana reads for it. The words are in dashboards.ts; the JSON below deploy/grafana is
// written from them by `UPDATE_DOCS=1 npx mocha test/deploy/dashboards.test.ts`.

/** The unit of the axis, by Grafana's own names. */
export type Unit = 'short' | 's' | 'bytes' | 'reqps' | 'ops' | 'percentunit' | 'currencyUSD' | 'none';

export interface Panel {
  readonly title: string;
  /** The meaning of the panel. */
  readonly about?: string;
  readonly unit: Unit;
  /** `figure` shows the newest values, large; else a graph. */
  readonly as?: 'graph' | 'figure';
  /** PromQL, and how each line is called: `{{label}}` stands for a label's value. */
  readonly lines: readonly (readonly [expr: string, legend: string])[];
  /** In place of lines: a list of traces that a question in TraceQL finds, or one trace by its id. */
  readonly traces?: { readonly as: 'list' | 'trace'; readonly query: string };
  /** Points of the graph are traces, each an example of what is counted: a line of a histogram's buckets. */
  readonly hasExemplars?: boolean;
}

export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Dashboard {
  /** Names the file, too. */
  readonly uid: string;
  readonly title: string;
  readonly about: string;
  /** A label of a metric whose values can be chosen from: `$name` in PromQL. */
  readonly choices?: readonly { readonly name: string; readonly metric: string }[];
  /** The data source of traces can be chosen, as `$traces`; an account's `$address` and the id of a `$trace` be given. */
  readonly hasTraces?: boolean;
  readonly rows: readonly Row[];
}

const WIDTH = 24;
const PANELS_A_ROW = 3;
const GRAPH_HEIGHT = 8;
const DATASOURCE = { type: 'prometheus', uid: '$datasource' } as const;
const TAG = 'paper-exchange';

/** @returns the JSON text, with a line feed at its end */
export function dashboardJson({ uid, title, about, choices = [], rows, hasTraces = false }: Dashboard): string {
  let id = 0;
  let y = 0;
  const panels: object[] = [];
  for (const row of rows) {
    panels.push({ id: ++id, type: 'row', title: row.title, collapsed: false, panels: [], gridPos: { x: 0, y, w: WIDTH, h: 1 } });
    y += 1;
    row.panels.forEach((panel, i) => {
      const w = WIDTH / PANELS_A_ROW;
      const top = y + Math.floor(i / PANELS_A_ROW) * GRAPH_HEIGHT;
      const json = panel.traces === undefined ? panelJson(panel) : tracesJson(panel, panel.traces);
      panels.push({ id: ++id, ...json, gridPos: { x: (i % PANELS_A_ROW) * w, y: top, w, h: GRAPH_HEIGHT } });
    });
    y += Math.ceil(row.panels.length / PANELS_A_ROW) * GRAPH_HEIGHT;
  }
  const dashboard = {
    ...{ uid: `exchange-${uid}`, title: `Exchange: ${title}`, description: about, tags: [TAG] },
    ...{ schemaVersion: 39, version: 1, editable: false, timezone: 'utc', refresh: '30s', time: { from: 'now-6h', to: 'now' } },
    links: [{ type: 'dashboards', title: 'Exchange', tags: [TAG], asDropdown: true, keepTime: true, includeVars: false }],
    templating: { list: [datasourceChoice(), ...(hasTraces ? TRACE_CHOICES : []), ...choices.map(choiceJson)] },
    annotations: { list: [] },
    panels,
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

function tracesJson({ title, about }: Panel, { as, query }: NonNullable<Panel['traces']>): object {
  const target = { refId: 'A', datasource: TRACES_SOURCE, queryType: 'traceql', query };
  return {
    ...{ title, datasource: TRACES_SOURCE, type: as === 'list' ? 'table' : 'traces' },
    ...(about !== undefined && { description: about }),
    targets: [as === 'list' ? { ...target, tableType: 'traces', limit: TRACES_LISTED } : target],
  };
}

function panelJson({ title, about, unit, as = 'graph', lines, hasExemplars = false }: Panel): object {
  return {
    ...{ title, datasource: DATASOURCE, type: as === 'graph' ? 'timeseries' : 'stat' },
    ...(about !== undefined && { description: about }),
    fieldConfig: { defaults: { unit, ...(as === 'graph' && { min: 0 }) }, overrides: [] },
    options:
      as === 'graph'
        ? { legend: { displayMode: 'list', placement: 'bottom', showLegend: true }, tooltip: { mode: 'multi', sort: 'desc' } }
        : { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'value', graphMode: 'area' },
    targets: lines.map(([expr, legendFormat], i) => ({
      ...{ refId: String.fromCharCode(65 + i), datasource: DATASOURCE, expr, legendFormat, range: true },
      ...(hasExemplars && { exemplar: true }),
    })),
  };
}

/** Where traces are; an account's address; a trace's id, as a log line or X-Request-Id tells it. */
const TRACE_CHOICES = [
  { name: 'traces', type: 'datasource', query: 'tempo', label: 'Traces' },
  ...[
    { name: 'address', label: 'Account' },
    { name: 'trace', label: 'Trace' },
  ].map((box) => ({ ...box, type: 'textbox', query: '', current: { text: '', value: '' } })),
];
const TRACES_SOURCE = { type: 'tempo', uid: '$traces' } as const;
const TRACES_LISTED = 50;

const datasourceChoice = (): object => ({ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' });

const choiceJson = ({ name, metric }: { name: string; metric: string }): object => ({
  ...{ name, type: 'query', datasource: DATASOURCE, refresh: 2, sort: 3 },
  query: { query: `label_values(${metric}, ${name})`, refId: name },
});
