// Turns tracing on where a collector is named, and loads what it takes only then.
import type { RecordedParts } from './openTelemetry.ts';
import { noTracing, type Tracing } from './tracing.ts';

/** Records nothing unless the configuration names a collector. */
export async function startTracing(parts: RecordedParts): Promise<Tracing> {
  if (parts.config.OTEL_EXPORTER_OTLP_ENDPOINT === '') return noTracing;
  return (await import('./openTelemetry.ts')).recordTraces(parts);
}
