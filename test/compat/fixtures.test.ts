// Every recorded answer of the venue that can occur here is a test: the recorded request, or the nearest that this
// exchange takes, must give an answer with every recorded field, each of its recorded type.
import { expect } from 'chai';
import type { FundingRow } from '../../src/actors/core/messages/historyRows.ts';
import type { MarketTrade } from '../../src/market/domain/feed.ts';
import { ADDRESS, ExchangeInMemory } from '../support/exchangeInMemory.ts';
import { type OrderFields, orderAction, wireOrder } from '../support/orderWire.ts';
import { type Recording, readRecordings, readStreamRecordings } from '../support/recordings.ts';
import { missingFrom } from '../support/superset.ts';
import { GIVEN_UP, NOT_REPRODUCIBLE } from './notReproducible.ts';

type Answer = (exchange: ExchangeInMemory, recording: Recording) => unknown;

const CLOID = '0x1234567890abcdef1234567890abcdef';

/** Asks what was asked. */
const asRecorded: Answer = (exchange, { request }) => exchange.info(request);

/** The venue's own answer passes through. */
const fromVenue: Answer = (exchange, { request, response }) => {
  exchange.upstreamAnswers.set(String(request.type), response);
  return exchange.info(request);
};

/** Of a dex that the venue lists. */
const fromDex: Answer = (exchange, recording) => {
  exchange.upstreamAnswers.set('perpDexs', [null, { name: 'xyz' }]);
  return fromVenue(exchange, recording);
};

/** HYPE near 30, asks above and bids below for thousands of coins. */
function openHype(exchange: ExchangeInMemory): number {
  exchange.setMarket('HYPE', { mark: '30', bids: [['29.99', '5000']], asks: [['30.01', '5000']] });
  return exchange.assetId('HYPE');
}

async function placeHype(exchange: ExchangeInMemory, ...orders: OrderFields[]): Promise<{ oid: number }[]> {
  const answer = await exchange.exchange(orderAction(openHype(exchange), ...orders));
  return answer.response.data.statuses.map(
    (status: { resting?: { oid: number }; filled?: { oid: number } }) => status.resting ?? status.filled,
  );
}

const buy: OrderFields = { px: '30.5', sz: '2', tif: 'Ioc' };
const sell: OrderFields = { buy: false, px: '29.5', sz: '2', tif: 'Ioc' };
const rest: OrderFields = { px: '21', sz: '1' };

const withFills: Answer = async (exchange, { request }) => {
  await placeHype(exchange, buy, { ...sell, cloid: CLOID });
  return exchange.info({ ...request, startTime: 0, endTime: null });
};

const withOrders: Answer = async (exchange, { request }) => {
  await placeHype(exchange, rest, { ...rest, cloid: CLOID });
  return exchange.info(request);
};

const withStatusOf =
  (order: OrderFields): Answer =>
  async (exchange, { request }) => {
    const placed = await placeHype(exchange, buy, order);
    return exchange.info({ ...request, oid: placed[1]?.oid });
  };

/** A parent that fills at once, with the children of a client that protects it. */
const withFamily: Answer = (exchange) => {
  const [asset, tp, sl] = [openHype(exchange), wireTrigger('35', 'tp'), wireTrigger('25', 'sl')];
  const parent = wireOrder(asset, { ...buy, sz: '1' });
  const children = [tp, sl].map((t) => ({ ...wireOrder(asset, { buy: false, px: '24', sz: '1', reduceOnly: true }), t }));
  return exchange.exchange({ type: 'order', grouping: 'normalTpsl', orders: [parent, ...children] });
};

/** EX-2.4b at the recorded prices: a parent that rests, its stop and its take-profit. */
const withWaitingFamily: Answer = async (exchange, { request }) => {
  exchange.setMarket('INJ', { mark: '10.5', bids: [['10.4', '900']], asks: [['10.5', '900']] });
  const asset = exchange.assetId('INJ');
  const child = (px: string, t: object) => ({ ...wireOrder(asset, { buy: false, px, sz: '12.5', reduceOnly: true }), t });
  await exchange.exchange({
    type: 'order',
    grouping: 'normalTpsl',
    orders: [
      wireOrder(asset, { px: '10', sz: '12.5' }),
      child('9.1954', wireTrigger('9.995', 'sl')),
      child('9.2037', wireTrigger('10.004', 'tp')),
    ],
  });
  return exchange.info(request);
};

const wireTrigger = (triggerPx: string, tpsl: 'tp' | 'sl') => ({ trigger: { isMarket: true, triggerPx, tpsl } });

const withFunding: Answer = (exchange, { request }) => {
  const payment: FundingRow = {
    timeMs: 1_750_000_000_000,
    coin: 'HYPE',
    usd: '-0.044263',
    signedSize: '30',
    fundingRate: '0.0000369155',
    hours: 8,
  };
  exchange.rows.push({ kind: 'funding', number: 0, row: payment });
  exchange.rows.push({ kind: 'funding', number: 1, row: { ...payment, hours: 1 } });
  return exchange.info({ ...request, startTime: 0, endTime: null });
};

const withBook: Answer = (exchange, { request, response }) => {
  const { coin, levels } = response as { coin: string; levels: { px: string; sz: string; n: number }[][] };
  const [bids = [], asks = []] = levels.map((side) => side.map(({ px, sz, n }) => [px, sz, n] as const));
  exchange.market.apply({ type: 'book', coin, timeMs: exchange.nowMs, bids, asks });
  return exchange.info(request);
};

const withMids: Answer = (exchange, { request, response }) => {
  exchange.market.apply({ type: 'mids', timeMs: exchange.nowMs, mids: response as Record<string, string> });
  return exchange.info(request);
};

const withTrades: Answer = (exchange, { request, response }) => {
  const trades = (response as { side: string; px: string; sz: string; time: number; tid: number }[]).map(
    ({ side, px, sz, time, tid }): MarketTrade => ({
      side: side === 'B' ? 'buy' : 'sell',
      price: px,
      size: sz,
      timeMs: time,
      tid,
    }),
  );
  exchange.market.apply({ type: 'pastTrades', coin: 'BTC', trades: trades.toReversed() });
  return exchange.info(request);
};

/** Ten positions were recorded; a long in profit and a short that cannot be liquidated have all their fields. */
const withPositions: Answer = async (exchange, { request }) => {
  await placeHype(exchange, { ...buy, sz: '20' });
  return exchange.info(request);
};

const withIsolated: Answer = async (exchange, { request }) => {
  await exchange.exchange({ type: 'updateLeverage', asset: exchange.assetId('HYPE'), isCross: false, leverage: 10 });
  await placeHype(exchange, buy);
  return exchange.info(request);
};

/** The recorded asset at the recorded prices, so that the recorded request itself can be sent. */
const sent: Answer = (exchange, { request }) => {
  exchange.setMarket(exchange.coinOf(173), { mark: '0.2233', bids: [['0.223', '900']], asks: [['0.2236', '900']] });
  return exchange.exchange(request.action);
};

/** An order of the recorded asset is open; the recorded cancel is sent for it. */
const canceling =
  (toCancel: (asset: number, oid: number) => object, { times }: { times: number }): Answer =>
  async (exchange) => {
    exchange.setMarket(exchange.coinOf(173), { mark: '0.2233', bids: [['0.223', '900']], asks: [['0.2236', '900']] });
    const placed = await exchange.exchange(orderAction(173, { px: '0.1233', sz: '100', cloid: CLOID }));
    const cancel = toCancel(173, placed.response.data.statuses[0].resting.oid);
    for (let i = 1; i < times; i++) await exchange.exchange(cancel);
    return exchange.exchange(cancel);
  };
const byOid = (asset: number, oid: number) => ({ type: 'cancel', cancels: [{ a: asset, o: oid }] });
const byCloid = (asset: number) => ({ type: 'cancelByCloid', cancels: [{ asset, cloid: CLOID }] });

const answers: Readonly<Record<string, Answer>> = {
  'exchange.cancel.error-double': canceling(byOid, { times: 2 }),
  'exchange.cancel.error-missing': sent,
  'exchange.cancel.success': canceling(byOid, { times: 1 }),
  'exchange.cancelByCloid.error-missing': sent,
  'exchange.cancelByCloid.success': canceling(byCloid, { times: 1 }),
  'exchange.order.error-minTradeNtl': sent,
  'exchange.order.error-minTradeNtl-cloid': sent,
  'exchange.order.filled': (exchange) => exchange.exchange(orderAction(openHype(exchange), buy)),
  'exchange.order.normalTpsl-filled': withFamily,
  'exchange.order.resting': sent,
  'exchange.order.resting-cloid': sent,
  'info.activeAssetData': asRecorded,
  'info.allMids': withMids,
  'info.allMids.2023': withMids,
  'info.candleSnapshot': fromVenue,
  'info.candleSnapshot.spot': fromVenue,
  'info.clearinghouseState.2023': withPositions,
  'info.clearinghouseState.empty': asRecorded,
  'info.clearinghouseState.isolated': withIsolated,
  'info.frontendOpenOrders': withWaitingFamily,
  'info.frontendOpenOrders.empty': asRecorded,
  'info.frontendOpenOrders.limit': withOrders,
  'info.fundingHistory.open': fromVenue,
  'info.fundingHistory.range': fromVenue,
  'info.historicalOrders': async (exchange, { request }) => {
    await placeHype(exchange, rest, buy, { ...buy, px: '25' });
    return exchange.info(request);
  },
  'info.l2Book': withBook,
  'info.l2Book.2023': withBook,
  'info.l2Book.spot': fromVenue,
  'info.meta': asRecorded,
  'info.meta.2023': asRecorded,
  'info.metaAndAssetCtxs': asRecorded,
  'info.metaAndAssetCtxs.dex-xyz': fromDex,
  'info.openOrders': withOrders,
  'info.openOrders.empty': asRecorded,
  'info.orderStatus.filled': withStatusOf(buy),
  'info.orderStatus.filled2': withStatusOf({ ...sell, reduceOnly: true }),
  'info.orderStatus.unknownOid': asRecorded,
  'info.perpDeployAuctionStatus': asRecorded,
  'info.perpDexLimits': fromDex,
  'info.perpDexStatus': fromDex,
  'info.perpDexs': fromVenue,
  'info.portfolio': asRecorded,
  'info.recentTrades': withTrades,
  'info.spotMeta': fromVenue,
  'info.spotMetaAndAssetCtxs': fromVenue,
  'info.userFills': withFills,
  'info.userFills.2026': withFills,
  'info.userFills.cloid-rebate': withFills,
  'info.userFillsByTime': withFills,
  'info.userFillsByTime.2023': withFills,
  'info.userFillsByTime.empty': asRecorded,
  'info.userFunding.2025': withFunding,
  'info.userFunding.open': withFunding,
  'info.userFunding.range': withFunding,
  'info.userNonFundingLedgerUpdates.empty': asRecorded,
  'info.userRateLimit': asRecorded,
  'info.userRole': asRecorded,
  'info.userTwapSliceFills.empty': asRecorded,
};

/** The recording without what the venue has given up since. */
function withoutFields(value: unknown, fields: readonly string[]): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => (fields.includes(name) ? undefined : inner)));
}

/** Answers with a price of the day. */
const FILLED: ReadonlySet<string> = new Set(['exchange.order.filled', 'exchange.order.normalTpsl-filled']);

/** Whole answer of an action, with our order ids in place of the recorded ones. */
const withoutOids = (answer: unknown): unknown => JSON.parse(JSON.stringify(answer).replace(/"oid":\d+/g, '"oid":0'));

describe('recorded answers of the venue', () => {
  const recordings = readRecordings();
  const streamed = readStreamRecordings().map(({ name }) => name);

  it('are each a test or a documented exception', () => {
    const known = [...Object.keys(answers), ...Object.keys(NOT_REPRODUCIBLE)];
    expect(recordings.map(({ name }) => name)).to.have.members(known.filter((name) => !streamed.includes(name)));
  });

  for (const recording of recordings) {
    const answer = answers[recording.name];
    if (!answer) continue;
    it(`${recording.name} is matched`, async () => {
      const ours = await answer(new ExchangeInMemory(), recording);
      const recorded = withoutFields(recording.response, GIVEN_UP[recording.name] ?? []);
      expect(missingFrom(ours, recorded)).to.deep.equal([]);
      if (recording.endpoint === 'exchange' && !FILLED.has(recording.name)) {
        expect(withoutOids(ours), 'the whole answer').to.deep.equal(withoutOids(recorded));
      }
      if (JSON.stringify(recorded) === '[]') expect(ours).to.deep.equal([]);
    });
  }

  it('echo the address that was asked for in lower case', async () => {
    const exchange = new ExchangeInMemory();
    const user = '0x8e0C473fed9630906779f982Cd0F80Cb7011812D';
    expect((await exchange.info({ type: 'activeAssetData', coin: 'BTC', user })).user).to.equal(user.toLowerCase());
    expect((await exchange.info({ type: 'activeAssetData', coin: 'BTC' })).user).to.equal(ADDRESS);
  });
});
