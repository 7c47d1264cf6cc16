import { expect } from 'chai';
import { ADDRESS, ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { orderAction } from '../../support/orderWire.ts';

const ASKED = `0x${'b'.repeat(40)}`;
const BTC = 0;

/** A TWAP over five minutes that has had two of its eleven slices, 30 s apart. */
async function running(): Promise<{ exchange: ExchangeInMemory; twapId: number; startedMs: number }> {
  const exchange = new ExchangeInMemory();
  const startedMs = exchange.nowMs + 700;
  exchange.nowMs = startedMs;
  calm(exchange);
  const twap = { a: BTC, b: true, s: '0.11', r: false, m: 5, t: false };
  const { response } = await exchange.exchange({ type: 'twapOrder', twap });
  const { twapId } = response.data.status.running;
  await exchange.exchange(orderAction(BTC, { px: '65100', sz: '0.001', tif: 'Ioc' }));
  exchange.nowMs += 30_000;
  calm(exchange);
  await exchange.info({ type: 'openOrders' });
  return { exchange, twapId, startedMs };
}

function calm(exchange: ExchangeInMemory): void {
  exchange.setMarket('BTC', { mark: '65000', bids: [['64999', '3']], asks: [['65001', '3']] });
}

describe('info: TWAPs', () => {
  it('userTwapSliceFills come newest first, the id beside the fill, and are in no other list', async () => {
    const { exchange, twapId, startedMs } = await running();
    const slices = await exchange.info({ type: 'userTwapSliceFills', user: ASKED });
    expect(slices).to.have.length(2);
    const { oid, tid } = slices[0].fill;
    expect(slices[0]).to.deep.equal({
      fill: {
        coin: 'BTC',
        px: '65001.0',
        sz: '0.01',
        side: 'B',
        time: startedMs + 30_000,
        startPosition: '0.011',
        dir: 'Open Long',
        closedPnl: '0.0',
        hash: `0x${'0'.repeat(64)}`,
        oid,
        crossed: true,
        fee: '0.292504',
        tid,
        feeToken: 'USDC',
        twapId: null,
      },
      twapId,
    });
    expect(slices[1].fill.oid).to.be.below(oid);
    const fills = await exchange.info({ type: 'userFills' });
    expect(fills.map(({ sz }: { sz: string }) => sz)).to.deep.equal(['0.001']);
  });

  it('explainFill knows the fills of slices', async () => {
    const { exchange } = await running();
    const [{ fill }] = await exchange.info({ type: 'userTwapSliceFills' });
    expect(await exchange.info({ type: 'explainFill', tid: fill.tid })).to.include({ status: 'fill' });
  });

  it('userTwapSliceFillsByTime are oldest first, both ends included', async () => {
    const { exchange, startedMs } = await running();
    const times = async (startTime: number, endTime?: number) =>
      (await exchange.info({ type: 'userTwapSliceFillsByTime', startTime, ...(endTime && { endTime }) })).map(
        ({ fill }: { fill: { time: number } }) => fill.time - startedMs,
      );
    expect(await times(startedMs)).to.deep.equal([0, 30_000]);
    expect(await times(startedMs, startedMs)).to.deep.equal([0]);
    expect(await times(startedMs + 1)).to.deep.equal([30_000]);
  });

  it('twapHistory has a row for each change, newest first, its time in seconds', async () => {
    const { exchange, twapId, startedMs } = await running();
    await exchange.exchange({ type: 'twapCancel', a: BTC, t: twapId });
    const state = {
      coin: 'BTC',
      user: ASKED,
      side: 'B',
      sz: '0.11',
      minutes: 5,
      reduceOnly: false,
      randomize: false,
      timestamp: startedMs,
      trigger: null,
      stopPx: null,
    };
    const wanted = [
      {
        time: Math.floor((startedMs + 30_000) / 1000),
        state: { ...state, executedSz: '0.02', executedNtl: '1300.02' },
        status: { status: 'terminated' },
        twapId,
      },
      {
        time: Math.floor(startedMs / 1000),
        state: { ...state, executedSz: '0.0', executedNtl: '0.0' },
        status: { status: 'activated' },
        twapId,
      },
    ];
    expect(await exchange.info({ type: 'twapHistory', user: ASKED })).to.deep.equal(wanted);
    expect(await exchange.info({ type: 'userTwapHistory', user: ASKED })).to.deep.equal(wanted);
  });

  it('a TWAP that ends with an error says why', async () => {
    const { exchange, twapId } = await running();
    await exchange.exchange({ type: 'updateLeverage', asset: BTC, isCross: true, leverage: 1 });
    await exchange.exchange(orderAction(BTC, { px: '66000', sz: '0.13', tif: 'Ioc' }));
    exchange.nowMs += 30_000;
    calm(exchange);
    await exchange.info({ type: 'openOrders' });
    const [newest] = await exchange.info({ type: 'twapHistory' });
    expect(newest).to.deep.include({
      twapId,
      status: { status: 'error', description: 'Insufficient margin to place order. asset=0' },
    });
  });

  it('webData2 has the running ones by id', async () => {
    const { exchange, twapId } = await running();
    exchange.upstreamAnswers.set('spotMetaAndAssetCtxs', [{}, []]);
    const { twapStates } = await exchange.info({ type: 'webData2' });
    expect(twapStates).to.have.length(1);
    expect(twapStates[0][0]).to.equal(twapId);
    expect(twapStates[0][1]).to.include({ user: ADDRESS, executedSz: '0.02', executedNtl: '1300.02' });
    await exchange.exchange({ type: 'twapCancel', a: BTC, t: twapId });
    expect((await exchange.info({ type: 'webData2' })).twapStates).to.deep.equal([]);
  });

  it('slices are orders of their own in historicalOrders, and in the portfolio', async () => {
    const { exchange } = await running();
    const orders = await exchange.info({ type: 'historicalOrders' });
    expect(orders[0].order).to.include({ orderType: 'Twap Slice', tif: 'Ioc', origSz: '0.01', sz: '0.0', limitPx: '66950.0' });
    const [, allTime] = (await exchange.info({ type: 'portfolio' })).find(([period]: [string]) => period === 'day');
    expect(allTime.vlm).to.equal('1365.021');
  });
});
