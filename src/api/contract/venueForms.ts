// The venue's forms of orders, fills, positions and TWAPs as schemas. Several types answer with them.
import { Type } from '@sinclair/typebox';
import {
  Address,
  Cloid,
  CoinName,
  EpochMs,
  exactly,
  Hash,
  OrderId,
  orNull,
  TradeId,
  WireDecimal,
  words,
} from './answerValues.ts';
import { described, named } from './named.ts';

/** A list that is always empty here. */
export const NothingIn = named('EmptyList', Type.Array(Type.Unknown(), { maxItems: 0 }));
export const SpotState = named('SpotState', exactly({ balances: NothingIn }));

export const PositionSide = named('PositionSide', words('long', 'short'));

export const SideLetter = named('Side', described(words('B', 'A'), '`B` buy, `A` sell.'));

const OrderStatusWord = described(Type.String({ examples: ['filled'] }), 'The venue’s name of an order status.');

const plainFields = {
  coin: CoinName,
  side: SideLetter,
  limitPx: WireDecimal,
  sz: described(WireDecimal, 'Left to fill, coins.'),
  oid: OrderId,
  timestamp: described(EpochMs, 'When it was placed.'),
  origSz: described(WireDecimal, 'As requested, coins.'),
  reduceOnly: Type.Optional(Type.Boolean()),
  cloid: Type.Optional(Cloid),
};

/** With the specification's field beside the venue's. */
export const OpenOrder = named('OpenOrder', exactly({ ...plainFields, orderType: Type.String({ examples: ['Limit'] }) }));

const PlainOrder = named('PlainOrder', exactly(plainFields));

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

export const FrontendOrder = named(
  'Order',
  exactly({
    ...frontendFields,
    children: described(
      Type.Array(named('ChildOrder', exactly({ ...frontendFields, children: NothingIn }))),
      'Orders that wait for this one to fill.',
    ),
  }),
);

const statusFields = {
  status: OrderStatusWord,
  statusTimestamp: described(EpochMs, 'Since when.'),
};

export const StatusChange = named('OrderChange', exactly({ order: FrontendOrder, ...statusFields }));

/** As the stream tells a change. */
export const OrderUpdate = named('OrderUpdate', exactly({ order: PlainOrder, ...statusFields }));

export const UnknownOrder = named('UnknownOrder', exactly({ status: Type.Literal('unknownOid') }));

/** The venue's form and, beside it, the flat form of the specification, whose `oid` is text. */
export const OrderStatusAnswer = Type.Union([
  UnknownOrder,
  named(
    'FoundOrder',
    exactly({
      status: Type.Literal('order'),
      order: named(
        'OrderWithStatus',
        exactly({
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
      ),
    }),
  ),
]);

export const Fill = named(
  'Fill',
  exactly({
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
      named(
        'FillLiquidation',
        exactly({
          liquidatedUser: Type.Optional(Type.String()),
          markPx: WireDecimal,
          method: Type.String({ examples: ['market'] }),
        }),
      ),
    ),
  }),
);

export const Leverage = named(
  'Leverage',
  Type.Union([
    named('CrossLeverage', exactly({ type: Type.Literal('cross'), value: Type.Integer({ minimum: 1 }) })),
    named(
      'IsolatedLeverage',
      exactly({
        type: Type.Literal('isolated'),
        value: Type.Integer({ minimum: 1 }),
        rawUsd: described(WireDecimal, 'Cash inside the position, USD.'),
      }),
    ),
  ]),
);

const Summary = named(
  'MarginSummary',
  exactly({
    accountValue: WireDecimal,
    totalNtlPos: WireDecimal,
    totalRawUsd: WireDecimal,
    totalMarginUsed: WireDecimal,
  }),
);

export const Position = named(
  'Position',
  exactly({
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
    cumFunding: named('CumulativeFunding', exactly({ allTime: WireDecimal, sinceOpen: WireDecimal, sinceChange: WireDecimal })),
  }),
);

export const ClearinghouseState = named(
  'ClearinghouseState',
  exactly({
    marginSummary: Summary,
    crossMarginSummary: Summary,
    crossMaintenanceMarginUsed: WireDecimal,
    withdrawable: WireDecimal,
    assetPositions: Type.Array(
      named(
        'AssetPosition',
        exactly({
          type: Type.Literal('oneWay'),
          position: Position,
        }),
      ),
    ),
    time: EpochMs,
  }),
);

export const TwapState = named(
  'TwapState',
  exactly({
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
    trigger: described(
      orNull(named('TwapTrigger', exactly({ px: WireDecimal, above: Type.Boolean() }))),
      'The mark that starts it, or has.',
    ),
    stopPx: described(orNull(WireDecimal), 'The mark that ends it: a maximum for a buy, a minimum for a sell.'),
  }),
);
