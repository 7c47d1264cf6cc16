// `meta`, `metaAndAssetCtxs`, `allPerpMetas`, `marginTable`: the venue's own description of its perpetuals with every
// field, and `onlyIsolated` on each, which the specification promises.

import { Type } from '@sinclair/typebox';
import type { VenueMeta } from '../../market/domain/asset.ts';
import type { AssetContext } from '../../market/domain/feed.ts';
import { rememberFor } from '../../shared/domain/memo.ts';
import { RequestError } from '../../shared/errors.ts';
import { askShared, paidBy } from '../accounts/askVenue.ts';
import { requireMeta } from '../accounts/coins.ts';
import type { Services } from '../accounts/services.ts';
import { AssetContextAnswer, MarginTable, PerpMeta } from '../contract/marketSchemas.ts';
import { HEAVY_QUESTION } from '../domain/requestPrice.ts';
import { WholeNumber } from '../http/requestReader.ts';
import { DexField, isMainDex, marketType } from './infoType.ts';
import { askDex, withOnlyIsolated } from './venueOnly.ts';

/** Margin tables with ids below this are not listed: such a table has one tier with max leverage = id (wire-format 3.1). */
const FIRST_LISTED_TABLE = 50;

/** Context of a market without any data yet. */
export const NO_CONTEXT: AssetContext = {
  funding: '0.0',
  openInterest: '0.0',
  prevDayPx: '0.0',
  dayNtlVlm: '0.0',
  dayBaseVlm: '0.0',
  premium: null,
  oraclePx: '0.0',
  markPx: '0.0',
  midPx: null,
  impactPxs: null,
};

/** The `meta` answer; made once per listing, because it is read often and changes rarely. */
export function toMeta(services: Services): object {
  return answerFor(requireMeta(services), services);
}

const answerFor = rememberFor((raw: VenueMeta, { market }: Pick<Services, 'market'>): object => {
  const universe = raw.universe.map((entry, id) => ({ ...entry, onlyIsolated: market.asset(id)?.onlyIsolated === true }));
  return { marginTables: [], collateralToken: 0, ...raw, universe };
});

const Meta = Type.Unsafe<object>(PerpMeta);

/** Contexts in the order of the universe, none left out. */
export const toAssetContexts = ({ market }: Services): AssetContext[] =>
  market.contexts().map((context) => context ?? NO_CONTEXT);

/** How long the venue's listings are kept. */
const ALL_TTL_MS = 60_000;

const fields = { dex: DexField };

export const meta = marketType(
  'meta',
  { about: 'The perpetuals: names, decimals, leverage, margin tables.', price: HEAVY_QUESTION, fields, answers: Meta },
  async (request, services, call) => {
    if (isMainDex(request)) return toMeta(services);
    return withOnlyIsolated(await askDex('meta', request.dex ?? '', paidBy(services, call)));
  },
);

const META_AND_CONTEXTS = {
  about: '`meta`, and for each of its assets the context: mark, oracle, funding, volume.',
  price: HEAVY_QUESTION,
  fields,
  answers: Type.Tuple([Meta, Type.Array(AssetContextAnswer)]),
};

export const metaAndAssetCtxs = marketType('metaAndAssetCtxs', META_AND_CONTEXTS, async (request, services, call) => {
  if (isMainDex(request)) return [toMeta(services), toAssetContexts(services)] as const;
  const pair = await askDex('metaAndAssetCtxs', request.dex ?? '', paidBy(services, call));
  const [dexMeta, contexts] = Array.isArray(pair) ? pair : [];
  return [withOnlyIsolated(dexMeta), (contexts ?? []) as AssetContext[]] as const;
});

const ALL_METAS = {
  about: '`meta` of every perp dex, the main one first.',
  price: HEAVY_QUESTION,
  fields: {},
  answers: Type.Array(Meta),
};

export const allPerpMetas = marketType('allPerpMetas', ALL_METAS, async (_request, services) => {
  const all = await askShared(services, { type: 'allPerpMetas' }, { ttlMs: ALL_TTL_MS, nothing: [] });
  return [toMeta(services), ...(Array.isArray(all) ? all.slice(1).map(withOnlyIsolated) : [])];
});

const MARGIN_TABLE = {
  about: 'One margin table. Ids below 50 mean one tier with that leverage.',
  price: HEAVY_QUESTION,
  fields: { id: WholeNumber },
  answers: MarginTable,
  example: { id: 50 },
};

export const marginTable = marketType('marginTable', MARGIN_TABLE, ({ id }, services) => {
  const listed = requireMeta(services).marginTables?.find(([tableId]) => tableId === id);
  if (listed) return listed[1];
  if (id >= 1 && id < FIRST_LISTED_TABLE) return { description: '', marginTiers: [{ lowerBound: '0.0', maxLeverage: id }] };
  throw new RequestError(400, 'unknown_margin_table', `Unknown margin table ${id}.`);
});
