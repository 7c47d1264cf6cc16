// Made-up rows for the page of components: short and long numbers, gains and losses, each thing that may be absent.
import type { Evidence, WhyOpen } from '../api/contract.ts';
import type { OpenPosition } from '../domain/wire/accountState.ts';
import type { Fill } from '../domain/wire/fill.ts';
import type { OpenOrder } from '../domain/wire/openOrder.ts';

const TIME_MS = Date.UTC(2020, 1, 29, 12, 30, 15);

export const FILLED_MS = TIME_MS + 120;

export const POSITIONS: readonly OpenPosition[] = [
  {
    coin: 'BTC',
    side: 'long',
    size: '0.5',
    entryPrice: '65029.7',
    notional: '32500.0',
    unrealizedPnl: '-14.86',
    returnOnEquity: '-0.00914',
    leverage: 20,
    marginMode: 'cross',
    marginUsed: '1625.0',
    liquidationPrice: '45971.7264102532',
    fundingPaid: '0.0',
  },
  {
    coin: 'kPEPE',
    side: 'short',
    size: '1234567.0',
    entryPrice: '0.0123456',
    notional: '15241.5',
    unrealizedPnl: '1234.5',
    returnOnEquity: '0.81',
    leverage: 10,
    marginMode: 'isolated',
    marginUsed: '1524.15',
    liquidationPrice: null,
    fundingPaid: '-3.21',
  },
];

export const ORDER: OpenOrder = {
  oid: 16_000_022,
  cloid: null,
  coin: 'BTC',
  side: 'buy',
  type: 'Limit',
  limitPrice: '64000.0',
  triggerPrice: null,
  triggerCondition: null,
  sizeLeft: '0.05',
  size: '0.1',
  isForPosition: false,
  reduceOnly: false,
  timeInForce: 'Gtc',
  placedMs: TIME_MS,
  children: [],
};

const STOP: OpenOrder = {
  ...ORDER,
  oid: 16_000_023,
  side: 'sell',
  type: 'Stop Market',
  triggerPrice: '60000.0',
  triggerCondition: 'Price below 60000',
  reduceOnly: true,
  timeInForce: null,
};

export const ORDERS: readonly OpenOrder[] = [
  { ...ORDER, children: [STOP] },
  { ...STOP, oid: 16_000_024 },
];

const FILL: Fill = {
  tid: 1,
  oid: 16_000_022,
  coin: 'BTC',
  side: 'buy',
  direction: 'Open Long',
  price: '65010.0',
  size: '0.002',
  fee: '0.058509',
  liquidity: 'taker',
  closedPnl: '0.0',
  timeMs: TIME_MS,
};

export const FILLS: readonly Fill[] = [
  { ...FILL, tid: 2, side: 'sell', direction: 'Close Long', liquidity: 'maker', closedPnl: '-12345.67', fee: '-0.02' },
  FILL,
];

export const BOOK: Evidence = {
  source: 'book',
  text: 'It took what two levels of the book displayed.',
  book: {
    time: TIME_MS,
    version: 4711,
    beyond: null,
    levels: [
      { px: '65010.0', displayedSz: '0.002', consumedBefore: '0.0', takenSz: '0.002' },
      { px: '65020.0', displayedSz: '1.5', consumedBefore: '0.25', takenSz: '0.498' },
    ],
  },
  trade: null,
  fillModel: null,
  queueAhead: null,
  twapId: null,
  trigger: null,
};

export const TRADE: Evidence = {
  source: 'trade',
  text: 'A public trade went through the price of the order.',
  book: null,
  trade: { px: '98.5', sz: '3.25', tid: 7, time: TIME_MS, leftForOrder: '0.7', tick: null },
  fillModel: 'queue',
  queueAhead: '0.0',
  twapId: null,
  trigger: null,
};

export const WAITING: WhyOpen = {
  reason: 'inQueue',
  acceptedTime: TIME_MS,
  acceptedTick: null,
  bookVersion: 4711,
  text: 'Others wait at this price before it.',
  fillModel: 'queue',
  queueAhead: '2.0',
  oppositeAtLimit: null,
  trigger: null,
  bookTime: TIME_MS,
  bbo: ['99.95', '100.05'],
  markPx: '100.0',
};
