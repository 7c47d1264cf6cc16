// Market types that only the venue can answer, from caches, so that many clients cost the venue one request: builder-deployed dexs and spot
// pairs. Market data of a builder's dex passes through, and nothing of it can be traded here. A dex is asked about only when the venue
// lists it, so a made-up name costs the venue nothing. A source without such dexs (emulator, replay) lists none.
import { Type } from '@sinclair/typebox';
import { RequestError } from '../../shared/errors.ts';
import { askShared, askVenue, type PayingServices, paidBy } from '../accounts/askVenue.ts';
import type { Call, Services } from '../accounts/services.ts';
import { atLeast, CoinName, exactly, orNull, venueValue, WireDecimal } from '../contract/answerValues.ts';
import { SpotContexts, SpotMeta } from '../contract/marketSchemas.ts';
import { named } from '../contract/named.ts';
import { HEAVY_QUESTION } from '../domain/requestPrice.ts';
import { quoted } from '../http/requestReader.ts';
import { DexField, isMainDex, marketType } from './infoType.ts';

/** How long answers are kept, ms: the list of dexs and their limits; what moves with trades. */
const LISTING_TTL_MS = 60_000;
/** Clients ask for ten dexs at once when they start: with 10 s this would use up a user's part of the venue's weight. */
const CONTEXTS_TTL_MS = 20_000;
const MIDS_TTL_MS = 2_000;

const TTL_MS = {
  meta: LISTING_TTL_MS,
  metaAndAssetCtxs: CONTEXTS_TTL_MS,
  allMids: MIDS_TTL_MS,
  perpsAtOpenInterestCap: CONTEXTS_TTL_MS,
  perpDexLimits: LISTING_TTL_MS,
  perpDexStatus: LISTING_TTL_MS,
} as const;

const NO_DEXS = [null];

const readDexs = (services: Services): Promise<unknown> =>
  askShared(services, { type: 'perpDexs' }, { ttlMs: LISTING_TTL_MS, nothing: NO_DEXS });

/**
 * The venue's answer about one of its builder-deployed dexs.
 * @throws {RequestError} 400 `unknown_dex` where the venue lists no such dex; as `askVenue`
 */
export async function askDex(type: keyof typeof TTL_MS, dex: string, services: PayingServices): Promise<unknown> {
  const dexs = await readDexs(services);
  const isListed = Array.isArray(dexs) && dexs.some((one: { readonly name?: unknown } | null) => one?.name === dex);
  if (!isListed)
    throw new RequestError(400, 'unknown_dex', `Unknown perp dex ${quoted(dex)}: the market data source lists no such dex.`);
  return askVenue(services, { type, dex }, TTL_MS[type]);
}

/** Answers of the main dex from here, of any other from the venue. */
export async function ofDex<Answer>(
  request: { readonly dex?: string | null },
  { services, call }: { readonly services: Services; readonly call: Call },
  { type, main }: { readonly type: keyof typeof TTL_MS; readonly main: () => Answer },
): Promise<Answer> {
  if (isMainDex(request)) return main();
  return (await askDex(type, request.dex ?? '', paidBy(services, call))) as Answer;
}

/** `meta` of a dex with `onlyIsolated` on every asset, as on those of the main one. */
export function withOnlyIsolated(meta: unknown): object {
  const { universe = [], ...rest } = (meta ?? {}) as { readonly universe?: readonly { readonly onlyIsolated?: unknown }[] };
  const assets = universe.map((asset) => ({ ...asset, onlyIsolated: asset.onlyIsolated === true }));
  return { marginTables: [], collateralToken: 0, ...rest, universe: assets };
}

const DEXS = {
  about: 'Perp dexs of the venue: the main one (`null`), then those of builders, which are shown and cannot be traded.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: venueValue(Type.Array(orNull(named('PerpDex', atLeast({ name: Type.String() }))))),
};

export const perpDexs = marketType('perpDexs', DEXS, (_request, services) => readDexs(services));

const LIMITS = {
  about: 'Caps of open interest of a builder’s dex; `null` of the main one.',
  price: HEAVY_QUESTION,
  fields: { dex: DexField },
};

export const perpDexLimits = marketType(
  'perpDexLimits',
  { ...LIMITS, answers: venueValue(orNull(named('PerpDexLimits', atLeast({ totalOiCap: WireDecimal })))) },
  (request, services, call) => ofDex<unknown>(request, { services, call }, { type: 'perpDexLimits', main: () => null }),
);

export const perpDexStatus = marketType(
  'perpDexStatus',
  {
    about: 'Deposits of a perp dex.',
    price: HEAVY_QUESTION,
    fields: { dex: DexField },
    answers: named('PerpDexStatus', exactly({ totalNetDeposit: WireDecimal })),
  },
  (request, services, call) =>
    ofDex(request, { services, call }, { type: 'perpDexStatus', main: () => ({ totalNetDeposit: '0.0' }) }),
);

// Spot pairs: answers change slowly or are read rarely.

/** How long answers are kept, ms. Listings change by the day, the others by the minute. */
const SPOT_LISTING_TTL_MS = 60_000;
const SPOT_CONTEXTS_TTL_MS = 10_000;
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
  askShared(services, { type: 'spotMeta' }, { ttlMs: SPOT_LISTING_TTL_MS, nothing: NO_SPOT });

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
  const pair = await askShared(services, { type: 'spotMetaAndAssetCtxs' }, { ttlMs: SPOT_CONTEXTS_TTL_MS, nothing });
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
