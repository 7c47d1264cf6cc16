// The venue's forms of assets and their contexts as schemas: what `meta`, `spotMeta` and their streams answer with.
import { Type } from '@sinclair/typebox';
import { atLeast, CoinName, Count, orNull } from './answerValues.ts';
import { described, named } from './named.ts';

export const AssetContextAnswer = named(
  'AssetContext',
  atLeast({
    funding: described(Type.String(), 'Hourly rate, a fraction.'),
    openInterest: Type.String(),
    prevDayPx: Type.String(),
    dayNtlVlm: Type.String(),
    premium: orNull(Type.String()),
    oraclePx: Type.String(),
    markPx: Type.String(),
    midPx: orNull(Type.String()),
    impactPxs: orNull(Type.Array(Type.String(), { minItems: 2, maxItems: 2 })),
    dayBaseVlm: Type.Optional(Type.String()),
  }),
);

export const MarginTable = named(
  'MarginTable',
  atLeast({
    description: Type.String(),
    marginTiers: Type.Array(named('MarginTier', atLeast({ lowerBound: Type.String(), maxLeverage: Count }))),
  }),
);

export const PerpMeta = named(
  'PerpMeta',
  atLeast({
    universe: described(
      Type.Array(
        named(
          'PerpAsset',
          atLeast({
            name: CoinName,
            szDecimals: described(Count, 'Decimals of a size.'),
            maxLeverage: Count,
            onlyIsolated: Type.Boolean(),
            marginTableId: Type.Optional(Count),
            isDelisted: Type.Optional(Type.Boolean()),
            marginMode: Type.Optional(Type.String()),
          }),
        ),
      ),
      'The position in it is the asset id of actions.',
    ),
    marginTables: Type.Array(Type.Tuple([Count, MarginTable])),
    collateralToken: Count,
  }),
);

export const SpotMeta = named(
  'SpotMeta',
  atLeast({
    universe: Type.Array(
      named(
        'SpotPair',
        atLeast({
          name: Type.String(),
          tokens: Type.Array(Count),
          index: Count,
        }),
      ),
    ),
    tokens: Type.Array(named('SpotToken', atLeast({ name: Type.String(), szDecimals: Count, index: Count }))),
  }),
);

export const SpotContexts = Type.Array(
  named(
    'SpotContext',
    atLeast({ coin: Type.String(), markPx: Type.String(), midPx: orNull(Type.String()), prevDayPx: Type.String() }),
  ),
);
