// Every answer against the response schemas that a client library ships for the venue. What ours may do that the schemas forbid
// is in forgiven.ts and in docs/compatibility.md.
import { expect } from 'chai';
import * as exchangeSchemas from 'nktkas-hyperliquid-0-30/api/exchange';
import * as infoSchemas from 'nktkas-hyperliquid-0-30/api/info';
import { ADDRESS, ExchangeInMemory } from '../support/exchangeInMemory.ts';
import { orderAction, wireOrder } from '../support/orderWire.ts';
import { readRecording } from '../support/recordings.ts';
import { FORGIVEN } from './forgiven.ts';

/** The common interface of schema libraries (standardschema.dev), which the client's schemas have. */
interface Schema {
  readonly '~standard': {
    validate(value: unknown): { readonly issues?: readonly { readonly message: string; readonly path?: readonly PathItem[] }[] };
  };
}
type PathItem = PropertyKey | { readonly key: unknown };

const CLOID = '0x1234567890abcdef1234567890abcdef';
const RECENT = { startTime: 1_700_000_000_000 };

/** A request of every type that the client has a schema for; `coin` and the like as a client would send them. */
const requests: Readonly<Record<string, object>> = {
  activeAssetData: { coin: 'HYPE', user: ADDRESS },
  allMids: {},
  allPerpMetas: {},
  borrowLendUserState: {},
  candleSnapshot: { req: { coin: 'BTC', interval: '1h', ...RECENT } },
  clearinghouseState: {},
  delegations: {},
  delegatorHistory: {},
  delegatorRewards: {},
  delegatorSummary: {},
  exchangeStatus: {},
  extraAgents: {},
  frontendOpenOrders: {},
  fundingHistory: { coin: 'BTC', ...RECENT },
  historicalOrders: {},
  isVip: {},
  l2Book: { coin: 'HYPE' },
  legalCheck: {},
  liquidatable: {},
  marginTable: { id: 50 },
  maxBuilderFee: { builder: ADDRESS },
  maxMarketOrderNtls: {},
  meta: {},
  metaAndAssetCtxs: {},
  openOrders: {},
  orderStatus: { oid: CLOID },
  perpDeployAuctionStatus: {},
  perpDexLimits: { dex: '' },
  perpDexStatus: { dex: '' },
  perpDexs: {},
  perpsAtOpenInterestCap: {},
  portfolio: {},
  preTransferCheck: { source: ADDRESS },
  predictedFundings: {},
  recentTrades: { coin: 'HYPE' },
  referral: {},
  spotClearinghouseState: {},
  spotMeta: {},
  spotMetaAndAssetCtxs: {},
  subAccounts: {},
  subAccounts2: {},
  twapHistory: {},
  userDexAbstraction: {},
  userFees: {},
  userFills: {},
  userFillsByTime: RECENT,
  userFunding: {},
  userNonFundingLedgerUpdates: {},
  userRateLimit: {},
  userRole: {},
  userToMultiSigSigners: {},
  userTwapSliceFills: {},
  userTwapSliceFillsByTime: RECENT,
  userVaultEquities: {},
  webData2: { user: ADDRESS },
};

/** An account with a position, fills, an open order with a cloid and one without, ended and refused orders, a payment. */
async function busyExchange(): Promise<ExchangeInMemory> {
  const exchange = new ExchangeInMemory();
  exchange.setMarket('HYPE', { mark: '30', bids: [['29.99', '5000']], asks: [['30.01', '5000']] });
  exchange.setMarket('BTC', { mark: '65000', bids: [['64999', '3']], asks: [['65001', '3']] });
  const hype = exchange.assetId('HYPE');
  await exchange.exchange({ type: 'updateLeverage', asset: hype, isCross: false, leverage: 5 });
  await exchange.exchange(orderAction(0, { px: '66000', sz: '0.01', tif: 'Ioc' }));
  await exchange.exchange(
    orderAction(
      hype,
      { px: '31', sz: '2', tif: 'FrontendMarket' },
      { px: '21', sz: '1', cloid: CLOID },
      { px: '22', sz: '1', tif: 'Alo' },
    ),
  );
  await exchange.exchange(
    orderAction(hype, { buy: false, px: '29', sz: '1', tif: 'Ioc', reduceOnly: true }, { px: '25', sz: '1', tif: 'Ioc' }),
  );
  const trade = { side: 'buy', price: '30.01', size: '1', timeMs: exchange.nowMs, tid: 77 } as const;
  exchange.market.apply({ type: 'pastTrades', coin: 'HYPE', trades: [trade] });
  const payment = { timeMs: exchange.nowMs, coin: 'BTC', usd: '-0.01', signedSize: '0.01', fundingRate: '0.0000125', hours: 8 };
  exchange.rows.push({ kind: 'funding', number: 0, row: payment });
  for (const type of ['candleSnapshot', 'spotMeta', 'spotMetaAndAssetCtxs']) {
    exchange.upstreamAnswers.set(type, readRecording(`info.${type}`).response);
  }
  exchange.upstreamAnswers.set('fundingHistory', readRecording('info.fundingHistory.range').response);
  exchange.upstreamAnswers.set('perpsAtOpenInterestCap', ['CANTO']);
  exchange.upstreamAnswers.set('predictedFundings', [['BTC', [['HlPerp', { fundingRate: '0.0000125', nextFundingTime: 1 }]]]]);
  return exchange;
}

/** Complaints of a schema, without those that are forgiven. */
function complaints(schema: Schema, answer: unknown): string[] {
  const { issues = [] } = schema['~standard'].validate(JSON.parse(JSON.stringify(answer)));
  return issues
    .map(({ message, path = [] }) => ({ message, place: path.map((item) => String(typeof item === 'object' ? item.key : item)) }))
    .filter(({ place }) => !(place.at(-1) ?? '').split('.').some((field) => field in FORGIVEN))
    .map(({ message, place }) => `${place.join('.')}: ${message}`);
}

const schemaOf = (schemas: object, name: string): Schema => {
  const schema = (schemas as Record<string, Schema>)[`${name[0]?.toUpperCase()}${name.slice(1)}Response`];
  if (!schema) throw new Error(`the client has no schema for ${name}`);
  return schema;
};

describe('answers as a client library’s schemas have them', () => {
  for (const [type, fields] of Object.entries(requests)) {
    it(`info ${type}`, async () => {
      const answer = await (await busyExchange()).info({ type, ...fields });
      expect(complaints(schemaOf(infoSchemas, type), answer)).to.deep.equal([]);
    });
  }

  const actions: Readonly<Record<string, (exchange: ExchangeInMemory) => object>> = {
    order: (exchange) => orderAction(exchange.assetId('HYPE'), { px: '31', sz: '1', tif: 'Ioc' }, { px: '20', sz: '1' }),
    cancelByCloid: (exchange) => ({ type: 'cancelByCloid', cancels: [{ asset: exchange.assetId('HYPE'), cloid: CLOID }] }),
    modify: (exchange) => ({ type: 'modify', oid: CLOID, order: wireOrder(exchange.assetId('HYPE'), { px: '20', sz: '1' }) }),
    batchModify: (exchange) => ({
      type: 'batchModify',
      modifies: [{ oid: CLOID, order: wireOrder(exchange.assetId('HYPE'), { px: '20', sz: '1' }) }],
    }),
    updateLeverage: () => ({ type: 'updateLeverage', asset: 0, isCross: true, leverage: 10 }),
    approveBuilderFee: () => ({ type: 'approveBuilderFee' }),
    setReferrer: () => ({ type: 'setReferrer', code: 'CODE' }),
  };
  for (const [type, action] of Object.entries(actions)) {
    it(`exchange ${type}`, async () => {
      const exchange = await busyExchange();
      const answer = await exchange.exchange(action(exchange));
      expect(answer.status).to.equal('ok');
      expect(complaints(schemaOf(exchangeSchemas, type), answer)).to.deep.equal([]);
    });
  }
});
