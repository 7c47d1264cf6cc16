// The venue's forms of orders, fills, positions and TWAPs as schemas. Several types answer with them.
import { Type } from '@sinclair/typebox';
import {
  Address,
  atLeast,
  Cloid,
  CoinName,
  Count,
  EpochMs,
  exactly,
  Hash,
  OrderId,
  orNull,
  TradeId,
  WireDecimal,
  words,
} from '../contract/answerValues.ts';
import { described } from '../contract/described.ts';

export const SideLetter = described(words('B', 'A'), '`B` buy, `A` sell.');

const OrderStatusWord = described(Type.String({ examples: ['filled'] }), 'The venue’s name of an order status.');

export const PlainOrder = exactly({
  coin: CoinName,
  side: SideLetter,
  limitPx: WireDecimal,
  sz: described(WireDecimal, 'Left to fill, coins.'),
  oid: OrderId,
  timestamp: described(EpochMs, 'When it was placed.'),
  origSz: described(WireDecimal, 'As requested, coins.'),
  orderType: Type.String({ examples: ['Limit'] }),
  reduceOnly: Type.Optional(Type.Boolean()),
  cloid: Type.Optional(Cloid),
});

const frontendFields = {
  coin: CoinName,
  side: SideLetter,
  limitPx: WireDecimal,
  sz: described(WireDecimal, 'Left to fill, coins.'),
  oid: OrderId,
  timestamp: described(EpochMs, 'When it was placed.'),
  triggerCondition: Type.String({ examples: ['N/A'] }),
  isTrigger: Type.Boolean(),
  triggerPx: WireDecimal,
  isPositionTpsl: Type.Boolean(),
  reduceOnly: Type.Boolean(),
  orderType: Type.String({ examples: ['Limit'] }),
  origSz: described(WireDecimal, 'As requested, coins.'),
  tif: orNull(Type.String({ examples: ['Gtc'] })),
  cloid: orNull(Cloid),
};

export const FrontendOrder = exactly({
  ...frontendFields,
  children: described(
    Type.Array(exactly({ ...frontendFields, children: Type.Array(Type.Unknown(), { maxItems: 0 }) })),
    'Orders that wait for this one to fill.',
  ),
});

const statusFields = {
  status: OrderStatusWord,
  statusTimestamp: described(EpochMs, 'Since when.'),
};

export const StatusChange = exactly({ order: FrontendOrder, ...statusFields });

/** As the stream tells a change. */
export const OrderUpdate = exactly({ order: PlainOrder, ...statusFields });

/** The venue's form and, beside it, the flat form of the specification, whose `oid` is text. */
export const OrderStatusAnswer = Type.Union([
  exactly({ status: Type.Literal('unknownOid') }),
  exactly({
    status: Type.Literal('order'),
    order: exactly({
      order: FrontendOrder,
      ...statusFields,
      coin: CoinName,
      oid: Type.String({ examples: ['16000003'] }),
      side: SideLetter,
      limitPx: WireDecimal,
      sz: WireDecimal,
      filledSz: WireDecimal,
      timestamp: EpochMs,
    }),
  }),
]);

export const Fill = exactly({
  coin: CoinName,
  px: WireDecimal,
  sz: WireDecimal,
  side: SideLetter,
  time: EpochMs,
  startPosition: described(WireDecimal, 'Signed position before the fill, coins.'),
  dir: Type.String({ examples: ['Open Long'] }),
  closedPnl: WireDecimal,
  hash: Hash,
  oid: OrderId,
  crossed: described(Type.Boolean(), 'True for a taker.'),
  fee: WireDecimal,
  tid: TradeId,
  feeToken: Type.String({ examples: ['USDC'] }),
  twapId: Type.Null(),
  cloid: Type.Optional(Cloid),
  liquidation: Type.Optional(
    exactly({ liquidatedUser: Type.Optional(Type.String()), markPx: WireDecimal, method: Type.String({ examples: ['market'] }) }),
  ),
});

export const Leverage = Type.Union([
  exactly({ type: Type.Literal('cross'), value: Type.Integer({ minimum: 1 }) }),
  exactly({
    type: Type.Literal('isolated'),
    value: Type.Integer({ minimum: 1 }),
    rawUsd: described(WireDecimal, 'Cash inside the position, USD.'),
  }),
]);

const Summary = exactly({
  accountValue: WireDecimal,
  totalNtlPos: WireDecimal,
  totalRawUsd: WireDecimal,
  totalMarginUsed: WireDecimal,
});

export const ClearinghouseState = exactly({
  marginSummary: Summary,
  crossMarginSummary: Summary,
  crossMaintenanceMarginUsed: WireDecimal,
  withdrawable: WireDecimal,
  assetPositions: Type.Array(
    exactly({
      type: Type.Literal('oneWay'),
      position: exactly({
        coin: CoinName,
        szi: described(WireDecimal, 'Signed size, coins; negative = short.'),
        leverage: Leverage,
        entryPx: WireDecimal,
        positionValue: WireDecimal,
        unrealizedPnl: WireDecimal,
        returnOnEquity: WireDecimal,
        liquidationPx: orNull(WireDecimal),
        marginUsed: WireDecimal,
        maxLeverage: Type.Integer({ minimum: 1 }),
        cumFunding: exactly({ allTime: WireDecimal, sinceOpen: WireDecimal, sinceChange: WireDecimal }),
      }),
    }),
  ),
  time: EpochMs,
});

export const TwapState = exactly({
  coin: CoinName,
  user: Address,
  side: SideLetter,
  sz: WireDecimal,
  executedSz: WireDecimal,
  executedNtl: WireDecimal,
  minutes: Type.Number(),
  reduceOnly: Type.Boolean(),
  randomize: Type.Boolean(),
  timestamp: described(EpochMs, 'When it began.'),
  trigger: described(orNull(exactly({ px: WireDecimal, above: Type.Boolean() })), 'The mark that starts it, or has.'),
  stopPx: described(orNull(WireDecimal), 'The mark that ends it: a maximum for a buy, a minimum for a sell.'),
});

export const AssetContextAnswer = atLeast({
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
});

export const MarginTable = atLeast({
  description: Type.String(),
  marginTiers: Type.Array(atLeast({ lowerBound: Type.String(), maxLeverage: Count })),
});

export const PerpMeta = atLeast({
  universe: described(
    Type.Array(
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
    'The position in it is the asset id of actions.',
  ),
  marginTables: Type.Array(Type.Tuple([Count, MarginTable])),
  collateralToken: Count,
});

export const SpotMeta = atLeast({
  universe: Type.Array(
    atLeast({
      name: Type.String(),
      tokens: Type.Array(Count),
      index: Count,
    }),
  ),
  tokens: Type.Array(atLeast({ name: Type.String(), szDecimals: Count, index: Count })),
  outcomes: Type.Array(Type.Unknown()),
});

export const SpotContexts = Type.Array(
  atLeast({ coin: Type.String(), markPx: Type.String(), midPx: orNull(Type.String()), prevDayPx: Type.String() }),
);
