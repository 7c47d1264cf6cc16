// One example of each sent form: commands, questions, outcomes, failures, jobs' commands, market changes. Typed over every kind, so
// a new one has to be added here, and stands in the golden files of the generation that brings it.
import type { AccountCommand, AccountQuery } from '../../src/actors/core/messages/command.ts';
import type { Failure } from '../../src/actors/core/messages/envelope.ts';
import type { LabNote } from '../../src/actors/core/messages/labNote.ts';
import type { Outcome } from '../../src/actors/core/messages/queryAnswer.ts';
import type { ShardCommand } from '../../src/actors/core/messages/shardCommand.ts';
import type { MarketChange, MarketTrade } from '../../src/market/domain/feed.ts';

type OfType<Union extends { readonly type: string }> = { readonly [Type in Union['type']]: Extract<Union, { type: Type }> };

const expiresAfterMs = 1795329600000;
const cloid = `0x${'ab'.repeat(16)}`;
const order = { asset: 2, side: 'buy', limitPrice: '99.5', size: '1', reduceOnly: false } as const;
const kinds = { fills: 0, orders: 256, ledger: 0, funding: 0, twapFills: 0, twaps: 0, equity: 256, roundTrips: 0 };
const plan = { plan: 'pro', balanceUsd: '100000', expiresAfterMs } as const;

const note: LabNote = {
  ...{ key: 'key_1', on: 'exchange', number: 3, atMs: 1795329600000, draw: 0.25 },
  ...{ fault: 'timeoutAfterEffect', delayMs: 250, answerMs: 40 },
};

export const COMMANDS: OfType<AccountCommand> = {
  openAccount: { type: 'openAccount', depositUsd: '10000' },
  placeOrders: {
    type: 'placeOrders',
    orders: [
      { ...order, cloid, type: { kind: 'limit', timeInForce: 'gtc' } },
      { ...order, reduceOnly: true, type: { kind: 'trigger', triggerPrice: '95', isMarket: true, tpsl: 'sl' } },
    ],
    grouping: 'normalTpsl',
    expiresAfterMs,
  },
  cancelOrders: {
    type: 'cancelOrders',
    cancels: [
      { asset: 2, target: { oid: 17 } },
      { asset: 2, target: { cloid } },
    ],
    isFast: true,
    expiresAfterMs,
  },
  modifyOrders: {
    type: 'modifyOrders',
    modifies: [{ target: { oid: 17 }, order: { ...order, type: { kind: 'limit', timeInForce: 'alo' } } }],
    alwaysPlace: true,
    expiresAfterMs,
  },
  updateLeverage: { type: 'updateLeverage', asset: 2, marginMode: 'isolated', leverage: 7, expiresAfterMs },
  updateIsolatedMargin: { type: 'updateIsolatedMargin', asset: 2, usd: '-1.5', expiresAfterMs },
  topUpIsolatedMargin: { type: 'topUpIsolatedMargin', asset: 2, leverage: '2.5', expiresAfterMs },
  reserveRequests: { type: 'reserveRequests', weight: 2000, expiresAfterMs },
  scheduleCancel: { type: 'scheduleCancel', dueMs: 1795329700000, expiresAfterMs },
  startTwap: {
    ...{ type: 'startTwap', asset: 2, side: 'sell', size: '12', minutes: 30, reduceOnly: false, randomize: true },
    expiresAfterMs,
  },
  cancelTwap: { type: 'cancelTwap', asset: 2, twapId: 33, expiresAfterMs },
  topUp: { type: 'topUp', ...plan },
  resetAccount: { type: 'resetAccount', ...plan },
  setBalance: { type: 'setBalance', balanceUsd: '1234.5', expiresAfterMs },
  creditPlan: { type: 'creditPlan', usd: '90000', expiresAfterMs },
  createSubAccount: { type: 'createSubAccount', name: 'grid', limit: 10, expiresAfterMs },
  renameSubAccount: { type: 'renameSubAccount', number: 1, name: 'trend', expiresAfterMs },
  beginFork: {
    ...{
      type: 'beginFork',
      of: `0x${'cd'.repeat(20)}`,
      seq: 9,
      hash: 'h2:ab',
      terms: { fees: { maker: '0', taker: '0.001' }, leverage: 3, fillModel: 'pessimistic', latency: { seed: 7, submit: 250 } },
      state: { id: 'x', v: 1 },
      expiresAfterMs,
    },
  },
  followAddress: {
    ...{ type: 'followAddress', id: 'mir_7', source: `0x${'ef'.repeat(20)}`, sinceMs: 1795329600000, orders: [[17, 9]] },
  },
  followSource: {
    ...{ type: 'followSource', id: 'mir_7', term: 1795329600001, ended: [9], open: [10] },
    fills: [
      {
        ...{ tid: 4, oid: 11, coin: 'SOL', side: 'sell', price: '100.5', size: '2', fee: '0.09045', timeMs: 1795329600100 },
        ...{ liquidity: 'taker', closes: true },
      },
    ],
    opened: [
      {
        order: { oid: 12, coin: 'SOL', side: 'buy', limitPrice: '90', size: '3', reduceOnly: false, timeInForce: 'alo' },
        ...{ originalSize: '4', placedAtMs: 1795329600050 },
      },
    ],
  },
  unfollowAddress: { type: 'unfollowAddress', id: 'mir_7' },
  importAccount: {
    ...{ type: 'importAccount', source: `0x${'ef'.repeat(20)}`, scale: '0.5', takenAtMs: 1795329600000, accountValue: '2000' },
    positions: [
      {
        ...{ coin: 'SOL', signedSize: '-10', entryPrice: '101', value: '1000' },
        ...{ marginMode: 'isolated', leverage: 5, rawUsd: '1212' },
      },
    ],
    orders: [
      {
        ...{ oid: 9, cloid, coin: 'SOL', side: 'buy', limitPrice: '90', size: '4', reduceOnly: true, timeInForce: 'gtc' },
        children: [
          {
            ...{ oid: 10, coin: 'SOL', side: 'sell', limitPrice: '80', size: '4', reduceOnly: true, timeInForce: 'never' },
            trigger: { price: '85', tpsl: 'sl', isMarket: true, isPosition: true },
          },
        ],
      },
    ],
    left: [{ kind: 'balance', coin: 'HYPE', reason: 'spot', text: 'Spot.' }],
    ...{ isDryRun: true, expiresAfterMs },
  },
  sendTransfer: { type: 'sendTransfer', to: `0x${'cd'.repeat(20)}`, usd: '12.5', expiresAfterMs },
  receiveTransfer: {
    ...{ type: 'receiveTransfer', from: `0x${'cd'.repeat(20)}`, number: 1795329600123, after: 0, usd: '12.5' },
    expiresAfterMs,
  },
  settleTransfer: { type: 'settleTransfer', to: `0x${'cd'.repeat(20)}`, number: 1795329600123, expiresAfterMs },
  addMirror: { type: 'addMirror', to: `0x${'cd'.repeat(20)}`, expiresAfterMs },
  mirrored: {
    ...{ type: 'mirrored', of: `0x${'cd'.repeat(20)}`, number: 3 },
    command: {
      type: 'placeOrders',
      orders: [{ ...order, oid: 17, type: { kind: 'limit', timeInForce: 'gtc' } }],
      grouping: 'na',
    },
    expiresAfterMs,
  },
  settleMirror: { type: 'settleMirror', to: `0x${'cd'.repeat(20)}`, through: 3, ended: true, expiresAfterMs },
  setHouseRules: {
    type: 'setHouseRules',
    rules: {
      dailyLoss: { usd: '200', act: 'refuse' },
      drawdown: { percent: '10', act: 'close' },
      hours: { fromMinute: 480, toMinute: 1200, act: 'warn' },
      coins: { only: ['BTC', 'SOL'], act: 'refuse' },
    },
    expiresAfterMs,
  },
  setTerms: { type: 'setTerms', terms: { fees: { kind: 'tier', tier: 2, rebate: 1 }, fillModel: 'touch' }, expiresAfterMs },
  closeAccount: { type: 'closeAccount', expiresAfterMs },
  forgetHistory: { type: 'forgetHistory', beforeMs: 1795329600000, firstRows: kinds, lastSeqs: kinds, seq: 9, expiresAfterMs },
  inLab: {
    type: 'inLab',
    note,
    command: {
      type: 'placeOrders',
      orders: [
        {
          ...order,
          cloid,
          script: { prefix: '0xab', fillPercent: 0, holdMs: null },
          type: { kind: 'limit', timeInForce: 'gtc' },
        },
      ],
      grouping: 'na',
    },
  },
  noteLab: { type: 'noteLab', note },
  query: { type: 'query', query: { kind: 'overview' }, stateHash: true },
};

export const QUERIES: { readonly [Kind in AccountQuery['kind']]: Extract<AccountQuery, { kind: Kind }> } = {
  accountState: { kind: 'accountState' },
  openOrders: { kind: 'openOrders' },
  runningTwaps: { kind: 'runningTwaps' },
  assetData: { kind: 'assetData', asset: 2 },
  orderStatus: { kind: 'orderStatus', target: { cloid } },
  whyOpen: { kind: 'whyOpen', target: { oid: 17 } },
  ownBook: { kind: 'ownBook', asset: 2 },
  houseRules: { kind: 'houseRules' },
  owedFunding: { kind: 'owedFunding' },
  delayedAction: { kind: 'delayedAction', number: 4 },
  dryRun: {
    kind: 'dryRun',
    command: { type: 'placeOrders', orders: [{ ...order, type: { kind: 'limit', timeInForce: 'gtc' } }], grouping: 'na' },
  },
  summary: { kind: 'summary' },
  overview: { kind: 'overview' },
  subAccounts: { kind: 'subAccounts' },
  groupMember: { kind: 'groupMember' },
  history: {
    kind: 'history',
    rows: 'fills',
    want: { limit: 100, newestFirst: true, from: 1, before: 900, startMs: 1795329600000, endMs: 1795329700000, maxTid: 77 },
  },
  entries: { kind: 'entries', afterSeq: 3 },
  accountView: { kind: 'accountView', follows: true },
};

export const OUTCOMES: OfType<Outcome> = {
  accountOpened: { type: 'accountOpened' },
  orders: {
    type: 'orders',
    orders: [
      { type: 'resting', oid: 17, cloid },
      { type: 'filled', oid: 33, cloid, totalSize: '1', averagePrice: '99.5' },
      { type: 'waitingForFill', oid: 49, cloid },
      { type: 'waitingForTrigger', oid: 65, cloid },
      { type: 'error', text: 'Order has invalid price.' },
    ],
  },
  cancels: { type: 'cancels', cancels: [{ type: 'success' }, { type: 'error', text: 'Order was never placed.' }] },
  twapRunning: { type: 'twapRunning', twapId: 33 },
  twapRefused: { type: 'twapRefused', text: 'Invalid TWAP duration.' },
  done: { type: 'done' },
  delayed: { type: 'delayed', number: 4, dueMs: 1795329600250 },
  subAccountCreated: { type: 'subAccountCreated', number: 1 },
  transferSent: { type: 'transferSent', number: 1795329600123, after: 0 },
  imported: {
    type: 'imported',
    report: {
      ...{ source: `0x${'ef'.repeat(20)}`, scale: '0.5', takenAtMs: 1795329600000, accountValue: '2000', usd: '995' },
      positions: [
        {
          ...{ asset: 2, coin: 'SOL', signedSize: '-5', entryPrice: '101' },
          ...{ marginMode: 'isolated', leverage: 5, rawUsd: '606' },
        },
      ],
      orders: [[17, 9]],
      left: [{ kind: 'order', coin: 'SOL', oid: 10, reason: 'refused', text: 'Order has invalid price.' }],
    },
  },
  importedBefore: { type: 'importedBefore', seq: 2 },
  notEmpty: { type: 'notEmpty', text: 'It has traded.' },
  balanceChanged: { type: 'balanceChanged', balanceUsd: '10000', changeUsd: '-5' },
  refused: { type: 'refused', text: 'Cannot switch leverage type with open position.' },
  unknownAccount: { type: 'unknownAccount' },
  answer: { type: 'answer', answer: { kind: 'openOrders', orders: [] }, seq: 4, stateHash: 'ab'.repeat(32) },
};

const FAILED: Readonly<Record<Failure, true>> = {
  expired: true,
  parked: true,
  keyReused: true,
  quarantined: true,
  away: true,
  accountJournalFull: true,
  journalFull: true,
  answered: true,
};
export const FAILURES = Object.keys(FAILED) as Failure[];

export const SHARD_COMMANDS: OfType<ShardCommand> = {
  settleFunding: {
    type: 'settleFunding',
    throughMs: 1795334400000,
    hours: [{ hourMs: 1795334400000, coins: { SOL: ['0.0000125', '100'] } }],
    late: true,
  },
  scanLiquidation: { type: 'scanLiquidation' },
  sampleEquity: { type: 'sampleEquity', periodMs: 1795329600000 },
};

const timeMs = 1795329600123;
const aTrade: MarketTrade = {
  ...{ side: 'buy', price: '99.5', size: '2', timeMs, tid: 77, hash: `0x${'cd'.repeat(32)}` },
  users: [`0x${'01'.repeat(20)}`, `0x${'02'.repeat(20)}`],
};

export const CHANGES: OfType<MarketChange> = {
  book: { type: 'book', coin: 'SOL', timeMs, bids: [['99.5', '2', 1]], asks: [['100', '3', 2]] },
  bbo: { type: 'bbo', coin: 'SOL', timeMs, bid: ['99.6', '1', 1], ask: null },
  deep: { type: 'deep', coin: 'SOL', timeMs, digits: 3, bids: [['99', '20', 9]], asks: [['101', '30', 8]] },
  trades: { type: 'trades', coin: 'SOL', tick: '1795329600123-0', trades: [aTrade] },
  pastTrades: { type: 'pastTrades', coin: 'SOL', trades: [aTrade] },
  context: {
    type: 'context',
    coin: 'SOL',
    timeMs,
    context: {
      ...{ funding: '0.0000125', openInterest: '1000', prevDayPx: '98', dayNtlVlm: '5000', dayBaseVlm: '51', premium: '0.0001' },
      ...{ oraclePx: '99.9', markPx: '100', midPx: '99.8', impactPxs: ['99.7', '99.9'] },
    },
  },
  candle: {
    type: 'candle',
    coin: 'SOL',
    timeMs,
    candle: { t: 1795329600000, T: 1795329659999, s: 'SOL', i: '1m', o: '99', c: '100', h: '101', l: '98', v: '12', n: 4 },
  },
  mids: { type: 'mids', timeMs, mids: { SOL: '99.75' } },
  funding: { type: 'funding', coin: 'SOL', sinceMs: 1795320000000, hours: [[1795323600000, '0.00001', null]] },
  delisting: { type: 'delisting', coin: 'SOL', timeMs, price: '99.9' },
  meta: {
    type: 'meta',
    meta: { universe: [{ name: 'SOL', szDecimals: 2, maxLeverage: 20, marginTableId: 20 }], marginTables: [] },
  },
  status: { type: 'status', source: 'emulated', connectedSinceMs: 1795329000000 },
};
