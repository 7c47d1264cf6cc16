// Market types that the venue alone can answer: asked there and kept for a moment, so that many clients cost it one
// request. They change slowly or are asked rarely.
import type { Services } from '../call.ts';
import { askVenueForOptional } from './askVenue.ts';
import { DexField, marketType, requireMainDex } from './infoType.ts';

/** How long answers are kept, ms. Listings change by the day, the others by the minute. */
const LISTING_TTL_MS = 60_000;
const CONTEXTS_TTL_MS = 2_000;
const PREDICTION_TTL_MS = 10_000;
/** Books and trades of spot pairs, which are not followed here. */
export const SPOT_BOOK_TTL_MS = 1_000;

const NO_SPOT = { universe: [], tokens: [] };

export const spotMeta = marketType('spotMeta', {}, async (_request, services) =>
  withOutcomes(await askVenueForOptional(services, { type: 'spotMeta' }, { ttlMs: LISTING_TTL_MS, nothing: NO_SPOT })),
);

export const spotMetaAndAssetCtxs = marketType('spotMetaAndAssetCtxs', {}, async (_request, services) => {
  const { meta, contexts } = await readSpot(services);
  return [withOutcomes(meta), contexts];
});

/** The venue's contexts of all spot pairs. */
export const readSpotContexts = async (services: Services): Promise<unknown> => (await readSpot(services)).contexts;

async function readSpot(services: Services): Promise<{ meta: unknown; contexts: unknown }> {
  const nothing = [NO_SPOT, []];
  const pair = await askVenueForOptional(services, { type: 'spotMetaAndAssetCtxs' }, { ttlMs: CONTEXTS_TTL_MS, nothing });
  const [meta, contexts] = Array.isArray(pair) ? pair : nothing;
  return { meta, contexts };
}

/** Some client libraries insist on the list of outcome markets, which the venue has sent only since 2026. */
const withOutcomes = (meta: unknown): object => ({ outcomes: [], ...(meta as object) });

export const predictedFundings = marketType('predictedFundings', {}, (_request, services) =>
  askVenueForOptional(services, { type: 'predictedFundings' }, { ttlMs: PREDICTION_TTL_MS, nothing: [] }),
);

export const perpsAtOpenInterestCap = marketType('perpsAtOpenInterestCap', { dex: DexField }, (request, services) => {
  requireMainDex(request);
  return askVenueForOptional(services, { type: 'perpsAtOpenInterestCap' }, { ttlMs: PREDICTION_TTL_MS, nothing: [] });
});
