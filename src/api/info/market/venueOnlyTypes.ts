// Market types that only the venue can answer. Answers are cached for a short time, so that many clients cost the
// venue one request. They change slowly or are read rarely.

import { Type } from '@sinclair/typebox';
import { askShared } from '../../accounts/askVenue.ts';
import type { Services } from '../../accounts/services.ts';
import { CoinName, venueValue } from '../../contract/answerValues.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { DexField, marketType } from '../infoType.ts';
import { ofDex } from './builderDexs.ts';
import { SpotContexts, SpotMeta } from './marketSchemas.ts';

/** How long answers are kept, ms. Listings change by the day, the others by the minute. */
const LISTING_TTL_MS = 60_000;
const CONTEXTS_TTL_MS = 10_000;
const PREDICTION_TTL_MS = 10_000;
/** Books and trades of spot pairs, which are not followed here. */
export const SPOT_BOOK_TTL_MS = 1_000;

const NO_SPOT = { universe: [], tokens: [] };

const PassedSpotMeta = venueValue(SpotMeta);

const SPOT = {
  about: 'Spot pairs and tokens of the venue, as it has them.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: PassedSpotMeta,
};

export const spotMeta = marketType('spotMeta', SPOT, (_request, services) => readSpotMeta(services));

const readSpotMeta = (services: Services): Promise<unknown> =>
  askShared(services, { type: 'spotMeta' }, { ttlMs: LISTING_TTL_MS, nothing: NO_SPOT });

/** Names of the spot pairs that the venue lists. */
export async function readSpotPairs(services: Services): Promise<ReadonlySet<string>> {
  const { universe } = (await readSpotMeta(services)) as { readonly universe: readonly { readonly name: string }[] };
  return new Set(universe.map(({ name }) => name));
}

const SPOT_AND_CONTEXTS = {
  about: '`spotMeta`, and the contexts of the pairs.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: Type.Tuple([PassedSpotMeta, venueValue(SpotContexts)]),
};

export const spotMetaAndAssetCtxs = marketType('spotMetaAndAssetCtxs', SPOT_AND_CONTEXTS, async (_request, services) => {
  const { meta, contexts } = await readSpot(services);
  return [meta, contexts] as const;
});

/** The venue's contexts of all spot pairs. */
export const readSpotContexts = async (services: Services): Promise<unknown> => (await readSpot(services)).contexts;

async function readSpot(services: Services): Promise<{ meta: unknown; contexts: unknown }> {
  const nothing = [NO_SPOT, []];
  const pair = await askShared(services, { type: 'spotMetaAndAssetCtxs' }, { ttlMs: CONTEXTS_TTL_MS, nothing });
  const [meta, contexts] = Array.isArray(pair) ? pair : nothing;
  return { meta, contexts };
}

const PREDICTED = {
  about: 'Funding rates of the next hour by coin and venue: `[coin, [[venue, rate or null], …]]`.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: venueValue(Type.Array(Type.Array(Type.Unknown()))),
};

export const predictedFundings = marketType('predictedFundings', PREDICTED, (_request, services) =>
  askShared(services, { type: 'predictedFundings' }, { ttlMs: PREDICTION_TTL_MS, nothing: [] }),
);

const AT_CAP = {
  about: 'Coins at their cap of open interest.',
  price: HEAVY_QUESTION,
  fields: { dex: DexField },
  answers: venueValue(Type.Array(CoinName)),
};

export const perpsAtOpenInterestCap = marketType('perpsAtOpenInterestCap', AT_CAP, (request, services, call) =>
  ofDex(
    request,
    { services, call },
    {
      type: 'perpsAtOpenInterestCap',
      main: () => askShared(services, { type: 'perpsAtOpenInterestCap' }, { ttlMs: PREDICTION_TTL_MS, nothing: [] }),
    },
  ),
);
