// Every answer against the response schemas that a client library ships for the venue. forgiven.ts and
// docs/compatibility.md list the deviations from those schemas.
import { expect } from 'chai';
import { ExchangeInMemory } from '../support/exchangeInMemory.ts';
import { orderAction, wireOrder } from '../support/orderWire.ts';
import { readRecording } from '../support/recordings.ts';
import { CLOID, complaints, newerRequests, requests } from './clientSchemas.ts';
import { EXCEPTIONS, FLAT_ORDER, strictComplaints, withoutExceptions } from './strictTypes.ts';

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
  // The recording is from before the last field.
  const [main, ...dexs] = readRecording('info.perpDexs').response as [null, ...object[]];
  exchange.upstreamAnswers.set('perpDexs', [main, ...dexs.map((dex) => ({ ...dex, assetToFundingInterestRate: [] }))]);
  const [dexMeta] = readRecording('info.metaAndAssetCtxs.dex-xyz').response as [object];
  exchange.upstreamAnswers.set('allPerpMetas', [readRecording('info.meta').response, dexMeta]);
  exchange.upstreamAnswers.set('perpsAtOpenInterestCap', ['CANTO']);
  exchange.upstreamAnswers.set('predictedFundings', [['BTC', [['HlPerp', { fundingRate: '0.0000125', nextFundingTime: 1 }]]]]);
  return exchange;
}

describe('answers as a client library’s schemas have them', () => {
  for (const [type, fields] of Object.entries(requests)) {
    it(`info ${type}`, async () => {
      const answer = await (await busyExchange()).info({ type, ...fields });
      expect(complaints('info', type, answer)).to.deep.equal([]);
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
      expect(complaints('exchange', type, answer)).to.deep.equal([]);
    });
  }
});

describe('answers as the newest types have them, without a field more', function () {
  this.timeout(600_000);
  const typeOf = (type: string, ending: string): string => `${type[0]?.toUpperCase()}${type.slice(1)}${ending}`;

  it('every info type; a field more only where the specification names it', async () => {
    const exchange = await busyExchange();
    const had = new Set<string>();
    const checked = [];
    for (const [name, fields] of Object.entries({ ...requests, ...newerRequests })) {
      const type = typeOf(name, 'Response');
      const shown = withoutExceptions(type, await exchange.info({ type: name, ...fields }));
      for (const field of shown.had) had.add(field);
      checked.push({ name, from: 'info' as const, type, value: shown.value });
    }
    expect(strictComplaints(checked)).to.deep.equal([]);
    expect(had, 'exceptions that are none').to.have.all.keys(...EXCEPTIONS.map(({ field }) => field), ...FLAT_ORDER);
  });

  it('every kind of answer of the exchange endpoint, errors as well', async () => {
    const exchange = await busyExchange();
    const hype = exchange.assetId('HYPE');
    const [far, cloid] = [{ px: '20', sz: '1' }, `0x${'ab'.repeat(16)}`];
    const trigger = (tpsl: 'tp' | 'sl', triggerPx: string, p: string) => ({
      ...wireOrder(hype, { buy: false, px: p, sz: '1', reduceOnly: true }),
      t: { trigger: { isMarket: true, triggerPx, tpsl } },
    });
    const grouped = (parent: string) => ({
      ...{ type: 'order', grouping: 'normalTpsl' },
      orders: [wireOrder(hype, { px: parent, sz: '1' }), trigger('tp', '40', '30'), trigger('sl', '20', '15')],
    });
    const oidOf = async (fields: object): Promise<number> => {
      const { response } = await exchange.exchange(orderAction(hype, { ...far, ...fields }));
      return response.data.statuses[0].resting.oid;
    };
    const [oid, moved] = [await oidOf({}), await oidOf({ cloid })];
    const twap = { a: hype, b: true, s: '100', r: false, m: 5, t: false };
    const running = await exchange.exchange({ type: 'twapOrder', twap });
    const { twapId } = running.response.data.status.running;
    const timeOf = (ms: number) => ({ type: 'scheduleCancel', time: exchange.nowMs + ms });
    const leverage = (value: number) => ({ type: 'updateLeverage', asset: 0, isCross: true, leverage: value });
    const actions: readonly (readonly [string, { readonly type: string; readonly [field: string]: unknown }])[] = [
      [
        'resting, filled, error',
        orderAction(hype, { ...far, cloid }, { px: '31', sz: '1', tif: 'Ioc' }, { px: '20', sz: '0.01' }),
      ],
      ['resting, waitingForFill', grouped('21')],
      ['filled, waitingForTrigger', grouped('31')],
      ['success, error', { type: 'cancel', cancels: [oid, oid].map((o) => ({ a: hype, o })) }],
      ['default', { type: 'modify', oid: moved, order: wireOrder(hype, { px: '22', sz: '1' }) }],
      ['err', { type: 'modify', oid: 1, order: wireOrder(hype, far) }],
      [
        'resting, error',
        {
          type: 'batchModify',
          modifies: [
            { oid: cloid, order: wireOrder(hype, { px: '23', sz: '1' }) },
            { oid: 1, order: wireOrder(hype, far) },
          ],
        },
      ],
      ['success', { type: 'cancelByCloid', cancels: [{ asset: hype, cloid: CLOID }] }],
      ['default', leverage(10)],
      ['err', leverage(1000)],
      ['default', { type: 'updateIsolatedMargin', asset: hype, isBuy: true, ntli: 1_000_000 }],
      ['err', { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: 1_000_000 }],
      ['default', timeOf(60_000)],
      ['err', timeOf(1000)],
      ['running', { type: 'twapOrder', twap }],
      ['error', { type: 'twapOrder', twap: { ...twap, s: '0.01' } }],
      ['success', { type: 'twapCancel', a: hype, t: twapId }],
      ['error', { type: 'twapCancel', a: hype, t: twapId }],
      ['default', { type: 'approveBuilderFee' }],
      ['default', { type: 'setReferrer', code: 'CODE' }],
      ['default', { type: 'noop' }],
      ['err', { type: 'withdraw3' }],
    ];
    const checked = [];
    for (const [kinds, action] of actions) {
      const value = await exchange.exchange(action);
      expect(kindsOf(value), JSON.stringify([action, value])).to.equal(kinds);
      checked.push({ name: action.type, from: 'exchange' as const, type: typeOf(action.type, 'Response'), value });
    }
    expect(strictComplaints(checked)).to.deep.equal([]);
    const more = checked.map(({ value, ...one }) => ({ ...one, value: { ...value, more: 1 } }));
    expect(strictComplaints(more)).to.have.length(checked.length);
  });

  it('would refuse each exception, and any other field', async () => {
    const exchange = await busyExchange();
    const answers = ['meta', 'openOrders', 'userRateLimit', 'legalCheck'];
    const checked = await Promise.all(
      answers.map(async (name) => ({
        ...{ name, from: 'info' as const, type: typeOf(name, 'Response') },
        value:
          name === 'legalCheck' ? { ...(await exchange.info({ type: name })), more: 1 } : await exchange.info({ type: name }),
      })),
    );
    const refused = new Set(strictComplaints(checked).map((complaint) => complaint.split(':')[0]));
    expect([...refused]).to.deep.equal(answers);
  });
});

/** The outcome of each order of the answer, or the kind of the whole answer. */
function kindsOf({
  status,
  response,
}: {
  status: string;
  response: { type: string; data?: { status?: unknown; statuses?: unknown[] } };
}): string {
  if (status === 'err') return status;
  const { data, type } = response;
  const statuses = data === undefined ? [type] : (data.statuses ?? [data.status]);
  return [...new Set(statuses.flatMap((each) => (typeof each === 'string' ? each : Object.keys(each as object))))].join(', ');
}
