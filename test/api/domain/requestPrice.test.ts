import { expect } from 'chai';
import { ACTION, CHEAP, HEAVY, pathPrices } from '../../../src/api/domain/requestPrice.ts';
import { JsonText } from '../../../src/api/domain/wireText.ts';
import { priceOfAction } from '../../../src/api/exchange/runAction.ts';
import { priceOfInfo, weightOfRows } from '../../../src/api/info/answerInfo.ts';
import { allEndpoints } from '../../../src/api/registry.ts';

const account = '/v1/exchanges/:exchange/account';
const basePrice = pathPrices(allEndpoints({ hasTestPayments: true, hasDashboard: true }));

const list = (count: number): number[] => Array.from({ length: count }, () => 0);

describe('requestPrice: what a request costs', () => {
  for (const [n, requests] of [
    [0, 1],
    [1, 1],
    [39, 1],
    [40, 2],
    [79, 2],
    [80, 3],
    [1000, 26],
  ] as const) {
    for (const [type, field] of [
      ['order', 'orders'],
      ['cancel', 'cancels'],
      ['cancelByCloid', 'cancels'],
      ['batchModify', 'modifies'],
    ] as const) {
      it(`an action with ${n} ${field}: ${requests}`, () => {
        expect(priceOfAction({ action: { type, [field]: list(n) } }, 100)).to.deep.equal({ requests, weight: requests });
      });
    }
  }

  it('a dry run weighs what its action does, and 2 more', () => {
    expect(priceOfAction({ action: { type: 'order', orders: list(80) }, dryRun: true }, 100)).to.deep.equal({
      requests: 3,
      weight: 5,
    });
  });

  it('an action costs by its own list, whatever stands beside it', () => {
    const lists = { orders: list(80), cancels: list(40) };
    expect(priceOfAction({ action: { type: 'order', ...lists } }, 100).requests).to.equal(3);
    expect(priceOfAction({ action: { type: 'cancel', ...lists } }, 100).requests).to.equal(2);
    expect(priceOfAction({ action: { type: 'updateLeverage', ...lists } }, 100).requests).to.equal(1);
    expect(priceOfAction({ action: { type: 'nothing', ...lists } }, 100).requests).to.equal(1);
  });

  for (const body of [
    null,
    1,
    'x',
    [],
    {},
    { action: null },
    { action: { type: 'order', orders: 'x' } },
    { action: { type: 'order', orders: { length: 1e9 } } },
    { action: { type: 1 } },
    { action: { type: 'constructor' } },
  ]) {
    it(`an action like ${JSON.stringify(body)}: 1`, () => {
      expect(priceOfAction(body, 100)).to.deep.equal({ requests: 1, weight: 1 });
    });
  }

  it('text has a weight where it says little', () => {
    expect(priceOfAction({ action: { type: 'noop' } }, 1_048_576)).to.deep.equal({ requests: 1, weight: 65 });
    expect(priceOfInfo({ type: 'l2Book' }, 1_048_576)).to.deep.equal({ requests: 1, weight: 65 });
  });

  for (const [type, weight] of [
    ['l2Book', 2],
    ['allMids', 2],
    ['clearinghouseState', 2],
    ['orderStatus', 2],
    ['exchangeStatus', 2],
    ['candleSnapshot', 2],
    ['candles', 2],
    ['userFills', 20],
    ['userRole', 20],
    ['meta', 20],
    ['nothing', 20],
    [undefined, 20],
  ] as const) {
    it(`a question for ${type}: weight ${weight}`, () => {
      expect(priceOfInfo({ type }, 100)).to.deep.equal({ requests: 1, weight });
    });
  }

  it('long answers weigh more, by the rows of their type', () => {
    expect(weightOfRows({ type: 'userFills' }, list(19))).to.equal(0);
    expect(weightOfRows({ type: 'userFills' }, list(2000))).to.equal(100);
    expect(weightOfRows({ type: 'userFills' }, JsonText.of(list(2000)))).to.equal(100);
    expect(weightOfRows({ type: 'candleSnapshot' }, list(5000))).to.equal(0);
    expect(weightOfRows({ type: 'subAccounts' }, list(50)), 'a state each').to.equal(100);
    expect(weightOfRows({ type: 'meta' }, list(2000))).to.equal(0);
    expect(weightOfRows({ type: 'userFills' }, null)).to.equal(0);
  });

  it('the least of a path is never more than what its requests turn out to cost', () => {
    const [info, exchange] = ['info', 'exchange'].map((name) => basePrice(`/v1/exchanges/perpx/${name}`));
    expect(info).to.deep.equal(priceOfInfo({ type: 'l2Book' }, 10));
    expect(exchange).to.deep.equal(priceOfAction({}, 10));
    expect(basePrice('/v1/auth/login')).to.deep.equal({ requests: 1, weight: 20 });
    expect(basePrice('/v1/exchanges/perpx/account/fills').weight).to.equal(20);
    expect(basePrice('/nowhere')).to.deep.equal({ requests: 1, weight: 2 });
  });

  it('an endpoint has one price for all methods, found by its path', () => {
    const path = `${account}/rules`;
    expect(() =>
      pathPrices([
        { path, price: HEAVY },
        { path, price: ACTION },
      ]),
    ).to.throw('have one price');
    expect(() => pathPrices([{ path: `${account}/orders/:oid`, price: HEAVY }])).to.throw('no path that a price is found by');
    expect(pathPrices([{ path: '/v1/users/:id', price: CHEAP }])('/v1/users/1')).to.equal(CHEAP);
  });
});
