// What of the venue's weight this process has used, and what of it users were refused: for an operator who sizes
// MARKET_WEIGHT_PER_MINUTE.
import { Counter, type Registry } from 'prom-client';

const CHUNKS_NAME = 'candle_chunks_total';

export type CountCandleChunks = (outcome: 'kept' | 'missing', count: number) => void;

/** Roles of one process share the metric. */
export function countCandleChunks(registry: Registry): CountCandleChunks {
  const known = registry.getSingleMetric(CHUNKS_NAME) as Counter<'outcome'> | undefined;
  const chunks =
    known ??
    new Counter({
      name: CHUNKS_NAME,
      help: 'Chunks of closed candles that answers needed, by whether they were kept (kept, missing).',
      labelNames: ['outcome'],
      registers: [registry],
    });
  return (outcome, count) => chunks.inc({ outcome }, count);
}

/** For whom the venue is asked: users' questions, or the market role's own. */
export type VenuePayer = 'users' | 'market';

const NAME = 'venue_weight_total';

export type CountVenueWeight = (payer: VenuePayer, outcome: 'granted' | 'refused', weight: number) => void;

/** Roles of one process share the metric. */
export function countVenueWeight(registry: Registry): CountVenueWeight {
  const known = registry.getSingleMetric(NAME) as Counter<'payer' | 'outcome'> | undefined;
  const weights =
    known ??
    new Counter({
      name: NAME,
      help: 'Weight of questions to the venue, by who asked (users, market) and whether they might (granted, refused).',
      labelNames: ['payer', 'outcome'],
      registers: [registry],
    });
  return (payer, outcome, weight) => weights.inc({ payer, outcome }, weight);
}
