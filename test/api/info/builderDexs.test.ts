// Builder-deployed dexs: market data passes through, a dex that is not listed costs the venue nothing, and accounts have nothing there.
import { expect } from 'chai';
import { RequestError, RetryableError, TerminalError } from '../../../src/shared/errors.ts';
import { ADDRESS, ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { orderAction } from '../../support/orderWire.ts';
import { readRecording } from '../../support/recordings.ts';

const { response: DEXS } = readRecording('info.perpDexs');
const PER_DEX = ['meta', 'metaAndAssetCtxs', 'allMids', 'perpsAtOpenInterestCap', 'perpDexLimits', 'perpDexStatus'] as const;

/** The venue lists the recorded dexs. */
function open(): ExchangeInMemory {
  const exchange = new ExchangeInMemory();
  exchange.upstreamAnswers.set('perpDexs', DEXS);
  return exchange;
}

async function refusal(exchange: ExchangeInMemory, body: object): Promise<RequestError> {
  const error = await exchange.info(body).catch((caught: unknown) => caught);
  expect(error, JSON.stringify(body)).to.be.instanceOf(RequestError);
  return error as RequestError;
}

describe('market data of a builder-deployed dex passes through', () => {
  it('perpDexs as the venue has them; none where the source has no such thing; 503 while it is away', async () => {
    const exchange = open();
    expect(await exchange.info({ type: 'perpDexs' })).to.deep.equal(DEXS);
    exchange.upstreamAnswers.set('perpDexs', new TerminalError('422'));
    expect(await exchange.info({ type: 'perpDexs' })).to.deep.equal([null]);
    exchange.upstreamAnswers.set('perpDexs', new RetryableError('away'));
    expect(await refusal(exchange, { type: 'perpDexs' })).to.include({ status: 503, code: 'upstream_unavailable' });
  });

  it('meta and metaAndAssetCtxs with onlyIsolated on every asset', async () => {
    const exchange = open();
    const { response } = readRecording('info.metaAndAssetCtxs.dex-xyz');
    const [meta, contexts] = response as [{ universe: { name: string }[] }, object[]];
    exchange.upstreamAnswers.set('metaAndAssetCtxs', response);
    const [shown, shownContexts] = await exchange.info({ type: 'metaAndAssetCtxs', dex: 'xyz' });
    expect(shown).to.deep.include(meta);
    expect(shownContexts).to.deep.equal(contexts);
    exchange.upstreamAnswers.set('meta', { universe: [{ name: 'xyz:NEW', szDecimals: 1, maxLeverage: 3 }] });
    expect((await exchange.info({ type: 'meta', dex: 'xyz' })).universe[0]).to.include({ name: 'xyz:NEW', onlyIsolated: false });
    expect(exchange.upstreamRequests.at(-1)).to.deep.equal({ type: 'meta', dex: 'xyz' });
  });

  it('allPerpMetas: the main one is that of here, the others the venue’s', async () => {
    const exchange = open();
    const [dexMeta] = readRecording('info.metaAndAssetCtxs.dex-xyz').response as [object];
    exchange.upstreamAnswers.set('allPerpMetas', [{ universe: [] }, dexMeta]);
    const all = await exchange.info({ type: 'allPerpMetas' });
    expect(all[0]).to.deep.equal(await exchange.info({ type: 'meta' }));
    expect(all.slice(1)).to.have.length(1);
    expect(all[1]).to.deep.include(dexMeta);
    exchange.upstreamAnswers.set('allPerpMetas', new TerminalError('422'));
    expect(await exchange.info({ type: 'allPerpMetas' })).to.have.length(1);
  });

  it('mids, caps, limits and deposits of a dex; of the main one those of here', async () => {
    const exchange = open();
    const answers: Readonly<Record<string, unknown>> = {
      allMids: { 'xyz:TSLA': '300.5' },
      perpsAtOpenInterestCap: ['xyz:TSLA'],
      perpDexLimits: readRecording('info.perpDexLimits').response,
      perpDexStatus: readRecording('info.perpDexStatus').response,
    };
    for (const [type, answer] of Object.entries(answers)) {
      exchange.upstreamAnswers.set(type, answer);
      expect(await exchange.info({ type, dex: 'xyz' }), type).to.deep.equal(answer);
    }
    for (const dex of ['', null, undefined]) {
      expect(await exchange.info({ type: 'perpDexLimits', dex })).to.equal(null);
      expect(await exchange.info({ type: 'perpDexStatus', dex })).to.deep.equal({ totalNetDeposit: '0.0' });
      expect(await exchange.info({ type: 'allMids', dex })).to.not.have.property('xyz:TSLA');
    }
  });

  it('book, trades, candles and funding of dex:COIN are asked of the venue', async () => {
    const exchange = open();
    const book = { coin: 'xyz:TSLA', time: 1_795_000_000_000, levels: [[], []] };
    exchange.upstreamAnswers.set('l2Book', book);
    for (const type of ['recentTrades', 'candleSnapshot', 'fundingHistory']) exchange.upstreamAnswers.set(type, []);
    const coin = 'xyz:TSLA';
    const range = { startTime: 0, endTime: 1 };
    expect(await exchange.info({ type: 'l2Book', coin })).to.deep.equal(book);
    expect(await exchange.info({ type: 'recentTrades', coin })).to.deep.equal([]);
    expect(await exchange.info({ type: 'candleSnapshot', req: { coin, interval: '1h', ...range } })).to.deep.equal([]);
    expect(await exchange.info({ type: 'fundingHistory', coin, ...range })).to.deep.equal([]);
    expect(exchange.upstreamRequests).to.have.length(4);
  });
});

describe('a dex that is not there', () => {
  it('is a 400 that says so, and the venue is asked for its list alone', async () => {
    for (const type of PER_DEX) {
      const exchange = open();
      const error = await refusal(exchange, { type, dex: 'nope' });
      expect(error).to.include({ status: 400, code: 'unknown_dex' });
      expect(error.message).to.include('Unknown perp dex "nope"');
      expect(exchange.upstreamRequests).to.deep.equal([{ type: 'perpDexs' }]);
    }
  });

  it('none is known where the source has none, as in the emulated market', async () => {
    const exchange = open();
    exchange.upstreamAnswers.set('perpDexs', [null]);
    expect(await refusal(exchange, { type: 'meta', dex: 'xyz' })).to.include({ code: 'unknown_dex' });
  });

  const hostile = ['xyz:TSLA', '__proto__', 'x'.repeat(17), 'x y', '\u0000', '","type":"x', '../meta', 'ẍyz', ' ', '@1'];
  for (const dex of hostile) {
    it(`${JSON.stringify(dex)} is no name, and nothing is asked`, async () => {
      const exchange = open();
      for (const type of [...PER_DEX, 'clearinghouseState', 'openOrders', 'frontendOpenOrders']) {
        const error = await refusal(exchange, { type, dex });
        expect(error.message).to.include('dex must be the name of a dex');
      }
      expect(exchange.upstreamRequests).to.deep.equal([]);
    });
  }

  it('names that objects have by themselves are no dexs', async () => {
    for (const dex of ['constructor', 'toString', 'null', 'undefined', '0'])
      expect(await refusal(open(), { type: 'meta', dex })).to.include({ code: 'unknown_dex' });
  });

  it('a list that is no list knows none, and an answer of another form is no crash', async () => {
    const exchange = open();
    exchange.upstreamAnswers.set('metaAndAssetCtxs', null);
    expect(await exchange.info({ type: 'metaAndAssetCtxs', dex: 'xyz' })).to.deep.equal([
      { marginTables: [], collateralToken: 0, universe: [] },
      [],
    ]);
    for (const odd of [{}, 'xyz', [{}], [5], [[]]]) {
      exchange.upstreamAnswers.set('perpDexs', odd);
      expect(await refusal(exchange, { type: 'meta', dex: 'xyz' })).to.include({ code: 'unknown_dex' });
    }
  });

  const coins = ['xyz:', ':TSLA', 'xyz:TSLA:X', 'x y:TSLA', 'xyz:TS LA', `${'x'.repeat(17)}:A`, 'xyz:"', 'constructor'];
  for (const coin of coins) {
    it(`${coin} is no coin of a dex`, async () => {
      const exchange = open();
      expect(await refusal(exchange, { type: 'recentTrades', coin })).to.include({ code: 'unknown_coin' });
      expect(await exchange.info({ type: 'l2Book', coin })).to.equal(null);
      expect(exchange.upstreamRequests).to.deep.equal([]);
    });
  }
});

describe('an account on a builder-deployed dex', () => {
  it('has nothing there, whatever it has on the main one', async () => {
    const exchange = open();
    exchange.setMarket('HYPE', { mark: '30', bids: [['29.99', '5000']], asks: [['30.01', '5000']] });
    const asset = exchange.assetId('HYPE');
    await exchange.exchange(orderAction(asset, { px: '31', sz: '1' }, { px: '20', sz: '1' }));
    expect((await exchange.info({ type: 'clearinghouseState', user: ADDRESS })).assetPositions).to.have.length(1);
    const nothing = { accountValue: '0.0', totalNtlPos: '0.0', totalRawUsd: '0.0', totalMarginUsed: '0.0' };
    expect(await exchange.info({ type: 'clearinghouseState', user: ADDRESS, dex: 'xyz' })).to.deep.equal({
      marginSummary: nothing,
      crossMarginSummary: nothing,
      crossMaintenanceMarginUsed: '0.0',
      withdrawable: '0.0',
      assetPositions: [],
      time: exchange.nowMs,
    });
    for (const type of ['openOrders', 'frontendOpenOrders']) {
      expect(await exchange.info({ type, user: ADDRESS })).to.have.length(1);
      expect(await exchange.info({ type, user: ADDRESS, dex: 'xyz' })).to.deep.equal([]);
    }
  });

  const ranges: readonly (readonly [asset: number, text: string])[] = [
    [9_999, 'Unknown asset.'],
    [10_000, 'Spot trading is not available on a paper trading account.'],
    [99_999, 'Spot trading is not available on a paper trading account.'],
    [100_000, 'Unknown asset.'],
    [109_999, 'Unknown asset.'],
    [110_000, 'Trading on builder-deployed dexs is not available on a paper trading account.'],
    [99_999_999, 'Trading on builder-deployed dexs is not available on a paper trading account.'],
    [100_000_000, 'Trading of outcomes is not available on a paper trading account.'],
  ];
  for (const [asset, text] of ranges) {
    it(`asset ${asset}: ${text}`, async () => {
      const exchange = open();
      const error = `${text} asset=${asset}`;
      const { response } = await exchange.exchange(orderAction(asset, { px: '31', sz: '1' }));
      expect(response.data.statuses).to.deep.equal([{ error }]);
      const leverage = await exchange.exchange({ type: 'updateLeverage', asset, isCross: true, leverage: 5 });
      expect(leverage).to.deep.equal({ status: 'err', response: error });
      const margin = await exchange.exchange({ type: 'updateIsolatedMargin', asset, isBuy: true, ntli: 1_000_000 });
      expect(margin).to.deep.equal({ status: 'err', response: error });
      const twap = { a: asset, b: true, s: '1', r: false, m: 30, t: false };
      const started = await exchange.exchange({ type: 'twapOrder', twap });
      expect(started.response.data.status).to.deep.equal({ error });
    });
  }
});
