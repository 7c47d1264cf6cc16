// The questions of the dashboards and alert rules to Prometheus, with the metrics and labels that they name.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { dashboards } from '../../tools/grafana/dashboards.ts';

export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

export const RULES = new URL('../../deploy/prometheus/rules.yaml', import.meta.url);

export const alerts: readonly Alert[] = (
  parse(readFileSync(RULES, 'utf8')) as { groups: readonly { rules: readonly Alert[] }[] }
).groups.flatMap(({ rules }) => rules);

/** All that is asked, by who asks it. */
export const questions: ReadonlyMap<string, string> = new Map([
  ...alerts.map(({ alert, expr }) => [`alert ${alert}`, expr] as const),
  ...dashboards.flatMap(({ uid, rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap(({ title, lines }) => lines.map(([expr], i) => [`${uid}: ${title}, line ${i + 1}`, expr] as const)),
    ),
  ),
  ...dashboards.flatMap(({ uid, choices = [] }) =>
    choices.map(({ name, metric }) => [`${uid}: $${name}`, `${metric}{${name}!=""}`] as const),
  ),
]);

const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'atan2']);
const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';

export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Metrics that an expression names, each with the labels that it asks for. */
export function selectorsOf(expr: string): Selector[] {
  const plain = expr
    .replace(/"(?:[^"\\]|\\.)*"/g, '""')
    .replace(/\[[^\]]*\]/g, '')
    .replace(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, '');
  const named = plain.matchAll(new RegExp(`(?<![\\w:])(${NAME})\\s*(?:\\{([^}]*)\\}|(?!\\s*\\(|[\\w:]))`, 'g'));
  return [...named].flatMap(([, metric = '', matchers = '']) => {
    const labels = [...matchers.matchAll(new RegExp(`(${NAME})\\s*(?:=~|!~|!=|=)`, 'g'))].map(([, label = '']) => label);
    return WORDS.has(metric) ? [] : [{ metric, labels }];
  });
}

/** Metrics of a scrape, each with the labels of its lines; of a histogram also the names of its parts. */
export function metricsOf(scrape: string): Map<string, Set<string>> {
  const metrics = new Map<string, Set<string>>();
  const note = (name: string): Set<string> => {
    const labels = metrics.get(name) ?? new Set();
    metrics.set(name, labels);
    return labels;
  };
  for (const [, name = '', type] of scrape.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
    for (const part of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) note(`${name}${part}`);
  }
  for (const [, name = '', labels = ''] of scrape.matchAll(new RegExp(`^(${NAME})\\{(.*)\\} \\S+$`, 'gm'))) {
    for (const [, label = ''] of labels.matchAll(new RegExp(`(?:^|,)(${NAME})="`, 'g'))) note(name).add(label);
  }
  return metrics;
}
