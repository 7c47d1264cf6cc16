// Words that several dashboards share: expressions of PromQL, and panels that are alike for each role or route.
import type { Panel } from './dashboard.ts';

/** The routes of orders and of questions, as label matchers. */
export const ORDERS = 'route="/v1/exchanges/:exchange/exchange"';
export const QUESTIONS = 'route="/v1/exchanges/:exchange/info"';
/** A second, over what the picture's width asks for. */
export const rate = (selector: string): string => `rate(${selector}[$__rate_interval])`;
/** @param labels separated by commas */
export const sumBy = (labels: string, of: string): string => `sum by (${labels}) (${of})`;
const quantile = (q: number, histogram: string, selector = '', by = 'le'): string =>
  `histogram_quantile(${q}, ${sumBy(by, rate(`${histogram}_bucket${selector}`))})`;

/** Half, and all but 5 and 1 of 100 requests are answered within. */
export const latencies = (title: string, route: string): Panel => ({
  title,
  unit: 's',
  hasExemplars: true,
  lines: [0.5, 0.95, 0.99].map((q) => [quantile(q, 'api_request_duration_seconds', `{${route}}`), `p${q * 100}`] as const),
});
/** @param role `api`, `actors`, `market` or `jobs` */
export const threads = (role: string): Panel => ({
  title: `Thread of ${role}, p99 of the wait`,
  about: 'Requests wait as long for the one thread of a process. Above 16 ms: too little CPU, or work that holds the thread.',
  unit: 's',
  lines: [[quantile(0.99, 'loop_delay_seconds', `{role=~".*${role}.*"}`, 'le, instance'), '{{instance}}']],
});
