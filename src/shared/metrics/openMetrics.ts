// Metrics as OpenMetrics, which unlike Prometheus' own text form has exemplars: traces that are examples of what a histogram counts.
// https://prometheus.io/docs/specs/om/open_metrics_spec/
import { type Metric, type OpenMetricsContentType, Registry } from 'prom-client';

const NAME = 'application/openmetrics-text';

export const OPEN_METRICS_TYPE = Registry.OPENMETRICS_CONTENT_TYPE;

/** @param accept the header of a scraper, which names each form that it reads */
export const wantsOpenMetrics = (accept = ''): boolean =>
  accept.split(',').some((form) => form.trim().startsWith(NAME) && !/;\s*q=0(?:\.0*)?\s*(?:;|$)/.test(form));

/** The library's own way to write this form takes `_total` from the names of a registry's counters for good: it is given other ones. */
export async function openMetricsOf(registry: Registry): Promise<string> {
  const shown = new Registry<OpenMetricsContentType>();
  shown.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  for (const metric of registry.getMetricsAsArray() as unknown as readonly Metric[]) shown.registerMetric(Object.create(metric));
  return shown.metrics();
}
