// Market types that the venue alone can answer: asked there and kept for a moment, so that many clients cost it one
// request. They change slowly or are asked rarely.
import type { Services } from '../call.ts';
import { DexField, marketType, requireMainDex } from './infoType.ts';

/** How long answers are kept, ms. Listings change by the day, the others by the minute. */
const LISTING_TTL_MS = 60_000;
const CONTEXTS_TTL_MS = 2_000;
const PREDICTION_TTL_MS = 10_000;
/** Books and trades of spot pairs, which are not followed here. */
export const SPOT_BOOK_TTL_MS = 1_000;

export const spotMeta = marketType('spotMeta', {}, (_request, { upstream }) =>
  upstream.info({ type: 'spotMeta' }, { ttlMs: LISTING_TTL_MS }),
);

const readSpot = ({ upstream }: Services): Promise<unknown> =>
  upstream.info({ type: 'spotMetaAndAssetCtxs' }, { ttlMs: CONTEXTS_TTL_MS });

export const spotMetaAndAssetCtxs = marketType('spotMetaAndAssetCtxs', {}, (_request, services) => readSpot(services));

/** The contexts alone. */
export async function readSpotContexts(services: Services): Promise<unknown> {
  const pair = await readSpot(services);
  return Array.isArray(pair) ? pair[1] : [];
}

export const predictedFundings = marketType('predictedFundings', {}, (_request, { upstream }) =>
  upstream.info({ type: 'predictedFundings' }, { ttlMs: PREDICTION_TTL_MS }),
);

export const perpsAtOpenInterestCap = marketType('perpsAtOpenInterestCap', { dex: DexField }, (request, { upstream }) => {
  requireMainDex(request);
  return upstream.info({ type: 'perpsAtOpenInterestCap' }, { ttlMs: PREDICTION_TTL_MS });
});
