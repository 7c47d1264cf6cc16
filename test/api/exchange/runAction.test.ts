import { expect } from 'chai';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { actionTypes, runAction } from '../../../src/api/exchange/runAction.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { ADDRESS, ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { orderAction, wireOrder } from '../../support/orderWire.ts';

const CLOID = '0xABCDEF90abcdef1234567890ABCDEF12';
const BTC = 0;
const order = { px: '50000', sz: '0.001' };
/** Stop of a long, below the mark. */
const trigger = {
  ...wireOrder(BTC, { ...order, buy: false, reduceOnly: true }),
  t: { trigger: { isMarket: true, triggerPx: '60000', tpsl: 'sl' } },
};

/** An exchange with a calm BTC market at 65000. */
function calm(): ExchangeInMemory {
  const exchange = new ExchangeInMemory();
  exchange.setMarket('BTC', { mark: '65000', bids: [['64999', '3']], asks: [['65001', '3']] });
  return exchange;
}

/** Runs what must be a 400. */
async function failing(exchange: ExchangeInMemory, action: unknown, envelope: object = {}): Promise<RequestError> {
  try {
    await exchange.exchange(action, envelope);
  } catch (error) {
    if (error instanceof RequestError) return error;
    throw error;
  }
  throw new Error('the action was expected to be refused as unreadable');
}

/** Commands after the account's opening. */
const sent = (exchange: ExchangeInMemory): AccountCommand[] => exchange.commands.slice(1);

describe('exchange: an action becomes a command in the rules’ own words', () => {
  const cases: { name: string; action: object; command: object }[] = [
    {
      name: 'order',
      action: { ...orderAction(BTC, { ...order, cloid: CLOID, reduceOnly: true, tif: 'Alo', buy: false }), builder: null },
      command: {
        type: 'placeOrders',
        grouping: 'na',
        orders: [
          {
            asset: BTC,
            side: 'sell',
            limitPrice: '50000',
            size: '0.001',
            reduceOnly: true,
            type: { kind: 'limit', timeInForce: 'alo' },
            cloid: CLOID.toLowerCase(),
          },
        ],
      },
    },
    {
      name: 'order without grouping and with c null',
      action: { type: 'order', orders: [{ ...wireOrder(BTC, { ...order, tif: 'FrontendMarket' }), c: null, isFrontend: true }] },
      command: {
        type: 'placeOrders',
        grouping: 'na',
        orders: [
          {
            asset: BTC,
            side: 'buy',
            limitPrice: '50000',
            size: '0.001',
            reduceOnly: false,
            type: { kind: 'limit', timeInForce: 'frontendMarket' },
          },
        ],
      },
    },
    {
      name: 'cancel',
      action: { type: 'cancel', cancels: [{ a: 1, o: 2 }], f: true },
      command: { type: 'cancelOrders', cancels: [{ asset: 1, target: { oid: 2 } }], isFast: true },
    },
    {
      name: 'cancelByCloid',
      action: { type: 'cancelByCloid', cancels: [{ asset: 1, cloid: CLOID }] },
      command: { type: 'cancelOrders', cancels: [{ asset: 1, target: { cloid: CLOID.toLowerCase() } }] },
    },
    {
      name: 'modify',
      action: { type: 'modify', oid: CLOID, order: wireOrder(BTC, order), a: true },
      command: { type: 'modifyOrders', modifies: [{ target: { cloid: CLOID.toLowerCase() }, order: { limitPrice: '50000' } }] },
    },
    {
      name: 'batchModify',
      action: { type: 'batchModify', modifies: [{ oid: 7, order: wireOrder(BTC, order) }] },
      command: { type: 'modifyOrders', modifies: [{ target: { oid: 7 }, order: { limitPrice: '50000' } }] },
    },
    {
      name: 'a trigger order',
      action: { ...orderAction(BTC, order), orders: [trigger] },
      command: {
        type: 'placeOrders',
        grouping: 'na',
        orders: [{ limitPrice: '50000', type: { kind: 'trigger', triggerPrice: '60000', isMarket: true, tpsl: 'sl' } }],
      },
    },
    {
      name: 'a group',
      action: { ...orderAction(BTC, order), orders: [wireOrder(BTC, order), trigger], grouping: 'normalTpsl' },
      command: { type: 'placeOrders', grouping: 'normalTpsl' },
    },
    {
      name: 'a modify to a trigger order, placed in any case',
      action: { type: 'modify', oid: 1, order: trigger, a: true },
      command: {
        type: 'modifyOrders',
        modifies: [{ target: { oid: 1 }, order: { type: { kind: 'trigger' } } }],
        alwaysPlace: true,
      },
    },
    {
      name: 'updateLeverage',
      action: { type: 'updateLeverage', asset: BTC, isCross: false, leverage: 5 },
      command: { type: 'updateLeverage', asset: BTC, marginMode: 'isolated', leverage: 5 },
    },
    {
      name: 'updateIsolatedMargin',
      action: { type: 'updateIsolatedMargin', asset: BTC, isBuy: true, ntli: 1_000_001 },
      command: { type: 'updateIsolatedMargin', asset: BTC, usd: '1.000001' },
    },
    {
      name: 'updateIsolatedMargin that takes a micro-USD out',
      action: { type: 'updateIsolatedMargin', asset: BTC, isBuy: false, ntli: -1 },
      command: { type: 'updateIsolatedMargin', asset: BTC, usd: '-0.000001' },
    },
    {
      name: 'topUpIsolatedOnlyMargin',
      action: { type: 'topUpIsolatedOnlyMargin', asset: BTC, leverage: '2.5' },
      command: { type: 'topUpIsolatedMargin', asset: BTC, leverage: '2.5' },
    },
    {
      name: 'reserveRequestWeight',
      action: { type: 'reserveRequestWeight', weight: 10 },
      command: { type: 'reserveRequests', weight: 10 },
    },
    {
      name: 'scheduleCancel',
      action: { type: 'scheduleCancel', time: 1_795_000_005_000 },
      command: { type: 'scheduleCancel', dueMs: 1_795_000_005_000 },
    },
    { name: 'scheduleCancel without a time', action: { type: 'scheduleCancel' }, command: { type: 'scheduleCancel' } },
    {
      name: 'scheduleCancel with time null',
      action: { type: 'scheduleCancel', time: null },
      command: { type: 'scheduleCancel' },
    },
    {
      name: 'twapOrder with its fields in an object, as the venue has it',
      action: { type: 'twapOrder', twap: { a: BTC, b: false, s: '0.50', r: true, m: 30, t: true } },
      command: { type: 'startTwap', asset: BTC, side: 'sell', size: '0.50', minutes: 30, reduceOnly: true, randomize: true },
    },
    {
      name: 'twapOrder with its fields beside the type, the flags left out',
      action: { type: 'twapOrder', a: BTC, b: true, s: '0.5', m: 30, details: { t: null, s: null } },
      command: { type: 'startTwap', asset: BTC, side: 'buy', size: '0.5', minutes: 30, reduceOnly: false, randomize: false },
    },
    {
      name: 'twapOrder that a price starts and another ends',
      action: {
        type: 'twapOrder',
        twap: { a: BTC, b: true, s: '0.5', r: false, m: 10_080, t: false },
        details: { t: { p: '65000.0', a: true }, s: '70000' },
      },
      command: { type: 'startTwap', minutes: 10_080, trigger: { price: '65000.0', above: true }, stopPrice: '70000' },
    },
    { name: 'twapCancel', action: { type: 'twapCancel', a: BTC, t: 7 }, command: { type: 'cancelTwap', asset: BTC, twapId: 7 } },
    {
      name: 'twapCancel with its fields in an object',
      action: { type: 'twapCancel', twap: { a: BTC, t: 7 } },
      command: { type: 'cancelTwap', asset: BTC, twapId: 7 },
    },
  ];
  for (const { name, action, command } of cases) {
    it(name, async () => {
      const exchange = calm();
      await exchange.exchange(action);
      expect(sent(exchange)).to.have.length(1);
      expect(contains(sent(exchange)[0], command), JSON.stringify(sent(exchange)[0])).to.equal(true);
    });
  }

  it('expiresAfter goes with the command', async () => {
    const exchange = calm();
    await exchange.exchange(orderAction(BTC, order), { expiresAfter: exchange.nowMs + 5 });
    expect(sent(exchange)[0]).to.have.property('expiresAfterMs', exchange.nowMs + 5);
  });

  it('past its expiresAfter an action is refused and does nothing', async () => {
    const exchange = calm();
    const answer = await exchange.exchange(orderAction(BTC, order), { expiresAfter: exchange.nowMs - 1 });
    expect(answer).to.deep.equal({ status: 'err', response: 'Action already expired' });
    expect(await exchange.info({ type: 'openOrders' })).to.deep.equal([]);
  });

  for (const type of ['noop', 'usdClassTransfer', 'withdraw3']) {
    it(`past its expiresAfter ${type}, which never reaches the account, is refused like any other`, async () => {
      const exchange = calm();
      const answer = await exchange.exchange({ type }, { expiresAfter: exchange.nowMs - 1 });
      expect(answer).to.deep.equal({ status: 'err', response: 'Action already expired' });
      const inTime = await exchange.exchange({ type }, { expiresAfter: exchange.nowMs });
      expect(inTime).not.to.deep.equal(answer);
    });
  }

  it('an Idempotency-Key goes with the command, together with the body’s digest', async () => {
    const exchange = calm();
    const options: unknown[] = [];
    const { gateway, ...parts } = exchange.services;
    const services = {
      ...parts,
      gateway: gatewayOf((...args) => {
        options.push(args[0], args[2]);
        return gateway.send(...args);
      }),
    };
    const call = { ...exchange.call, idempotencyKey: 'once', bodyDigest: 'digest' };
    await runAction({ action: orderAction(BTC, order) }, call, services);
    const idempotency = { key: 'once', bodyDigest: 'digest' };
    expect(options).to.deep.equal([ADDRESS, { requestId: 'request-1', user: call.caller.userId, trace: undefined, idempotency }]);
  });
});

describe('exchange: the outcome becomes the venue’s answer', () => {
  it('a resting order answers its oid and cloid in lower case', async () => {
    const answer = await calm().exchange(orderAction(BTC, { ...order, cloid: CLOID }));
    const { oid } = answer.response.data.statuses[0].resting;
    expect(answer).to.deep.equal({
      status: 'ok',
      response: { type: 'order', data: { statuses: [{ resting: { oid, cloid: CLOID.toLowerCase() } }] } },
    });
  });

  it('a filled order answers size and average price with a decimal point', async () => {
    const answer = await calm().exchange(orderAction(BTC, { px: '66000', sz: '0.0010', tif: 'Ioc' }));
    expect(answer.response.data.statuses[0].filled).to.include({ totalSz: '0.001', avgPx: '65001.0' });
  });

  it('a market order with price "0" fills', async () => {
    const answer = await calm().exchange(orderAction(BTC, { px: '0', sz: '0.001', tif: 'Ioc' }));
    expect(answer.response.data.statuses[0]).to.have.property('filled');
  });

  it('price "0" with Gtc is refused by its element', async () => {
    const answer = await calm().exchange(orderAction(BTC, { px: '0', sz: '0.001' }));
    expect(JSON.stringify(answer)).to.include('Order has invalid price.');
  });

  it('a good and a bad order of one batch answer in request order', async () => {
    const answer = await calm().exchange(orderAction(BTC, { px: '60000', sz: '0.00001' }, order));
    const [bad, good] = answer.response.data.statuses;
    expect(bad).to.deep.equal({ error: 'Order must have minimum value of $10. asset=0' });
    expect(good).to.have.property('resting');
  });

  it('a trigger order rests, and a group waits in bare words', async () => {
    const exchange = calm();
    const alone = await exchange.exchange({ ...orderAction(BTC, order), orders: [{ ...trigger, r: false }] });
    expect(alone.response.data.statuses[0]).to.have.nested.property('resting.oid');
    const family = [wireOrder(BTC, { px: '60000', sz: '0.001' }), trigger];
    const resting = await exchange.exchange({ type: 'order', orders: family, grouping: 'normalTpsl' });
    expect(resting.response.data.statuses[1]).to.equal('waitingForFill');
    await exchange.exchange(orderAction(BTC, { px: '66000', sz: '0.001', tif: 'Ioc' }));
    const whole = await exchange.exchange({ type: 'order', orders: [{ ...trigger, s: '0' }], grouping: 'positionTpsl' });
    expect(whole.response.data.statuses).to.deep.equal(['waitingForTrigger']);
  });

  it('several stops of a position come in one action and wait beside the first, each with its own size', async () => {
    const exchange = calm();
    await exchange.exchange(orderAction(BTC, { px: '66000', sz: '0.003', tif: 'Ioc' }));
    const ofPosition = (...sizes: string[]) =>
      exchange.exchange({ type: 'order', orders: sizes.map((s) => ({ ...trigger, s })), grouping: 'positionTpsl' });
    expect((await ofPosition('0')).response.data.statuses).to.deep.equal(['waitingForTrigger']);
    expect((await ofPosition('0.001', '0.002')).response.data.statuses).to.deep.equal(['waitingForTrigger', 'waitingForTrigger']);
    const open = await exchange.info({ type: 'frontendOpenOrders' });
    const shown = open.map(({ sz, isPositionTpsl }: { sz: string; isPositionTpsl: boolean }) => [sz, isPositionTpsl]);
    expect(shown).to.have.deep.members([
      ['0.0', true],
      ['0.001', true],
      ['0.002', true],
    ]);
  });

  it('a parent that is refused refuses its children with its own text', async () => {
    const answer = await calm().exchange({
      type: 'order',
      orders: [wireOrder(BTC, { px: '50000', sz: '0.001', tif: 'Ioc' }), trigger],
      grouping: 'normalTpsl',
    });
    const error = 'Order could not immediately match against any resting orders. asset=0';
    expect(answer.response.data.statuses).to.deep.equal([{ error }, { error }]);
  });

  it('a price outside the band and a group of another shape are told once, whatever the number of orders', async () => {
    const far = { ...order, px: '3000' };
    const group = (...orders: object[]) => ({ type: 'order', orders, grouping: 'normalTpsl' });
    const parent = wireOrder(BTC, order);
    for (const [action, error] of [
      [orderAction(BTC, order, far, order), 'Order price cannot be more than 95% away from the reference price'],
      [group(parent, parent), 'Trigger order has unexpected type.'],
      [group(parent, { ...trigger, r: false }), 'Trigger order is not reduce only.'],
      [group(trigger), 'Main order cannot be trigger order.'],
      [group(parent), 'Unexpected number of trigger orders'],
    ] as const) {
      const exchange = calm();
      const answer = { status: 'ok', response: { type: 'order', data: { statuses: [{ error }] } } };
      expect(await exchange.exchange(action)).to.deep.equal(answer);
      expect(await exchange.info({ type: 'openOrders' })).to.deep.equal([]);
    }
  });

  it('modify answers default, and err for an order that is not there', async () => {
    const exchange = calm();
    const placed = await exchange.exchange(orderAction(BTC, order));
    const { oid } = placed.response.data.statuses[0].resting;
    const modify = { type: 'modify', oid, order: wireOrder(BTC, { ...order, px: '51000' }) };
    expect(await exchange.exchange(modify)).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    const again = await exchange.exchange(modify);
    expect(again).to.deep.equal({ status: 'err', response: 'Cannot modify canceled or filled order' });
  });

  it('modify and batchModify without `a` place no Ioc and no trigger order, and `a` is true or absent', async () => {
    const exchange = calm();
    const placed = await exchange.exchange(orderAction(BTC, order));
    const { oid } = placed.response.data.statuses[0].resting;
    const ioc = wireOrder(BTC, { ...order, tif: 'Ioc' });
    const stop = { ...ioc, t: { trigger: { isMarket: true, triggerPx: '90000', tpsl: 'sl' } } };
    const response = 'Modify without always_place must place an Alo order, or a Gtc order that does not execute.';
    for (const each of [ioc, stop]) {
      expect(await exchange.exchange({ type: 'modify', oid, order: each })).to.deep.equal({ status: 'err', response });
      const batch = { type: 'batchModify', modifies: [{ oid, order: each }] };
      expect(await exchange.exchange(batch)).to.deep.equal({ status: 'err', response });
    }
    const gtc = wireOrder(BTC, { ...order, px: '51000' });
    const left = { status: 'err', response: 'a (always_place) must be left out where it is not true.' };
    expect(await exchange.exchange({ type: 'modify', oid, order: gtc, a: false })).to.deep.equal(left);
    expect(await exchange.exchange({ type: 'batchModify', modifies: [{ oid, order: gtc }], a: false })).to.deep.equal(left);
    expect((await exchange.exchange({ type: 'modify', oid, order: gtc })).status).to.equal('ok');
  });

  it('batchModify answers as order does', async () => {
    const exchange = calm();
    const modifies = [{ oid: 1, order: wireOrder(BTC, order) }];
    expect(await exchange.exchange({ type: 'batchModify', modifies })).to.deep.equal({
      status: 'ok',
      response: { type: 'order', data: { statuses: [{ error: 'Cannot modify canceled or filled order' }] } },
    });
  });

  it('a TWAP with prices is shown with them, while it waits too', async () => {
    const exchange = calm();
    const twap = { a: BTC, b: false, s: '0.01', r: false, m: 30, t: false };
    const placed = await exchange.exchange({ type: 'twapOrder', twap, details: { t: { p: '1000.0', a: false }, s: '900' } });
    const { twapId } = placed.response.data.status.running;
    const [row] = await exchange.info({ type: 'twapHistory' });
    expect([row.twapId, row.status]).to.deep.equal([twapId, { status: 'waitingForTrigger' }]);
    expect(row.state).to.deep.include({ trigger: { px: '1000.0', above: false }, stopPx: '900.0', executedSz: '0.0' });
    const reached = await exchange.exchange({ type: 'twapOrder', twap, details: { s: '100000' } });
    expect(reached.response.data.status).to.deep.equal({ error: 'TWAP stop price would be reached at its start.' });
    expect((await exchange.exchange({ type: 'twapCancel', a: BTC, t: twapId })).response.data.status).to.equal('success');
  });

  it('updateIsolatedMargin answers default, and err where the rules say no', async () => {
    const exchange = calm();
    await exchange.exchange({ type: 'updateLeverage', asset: BTC, isCross: false, leverage: 10 });
    await exchange.exchange(orderAction(BTC, { px: '65001', sz: '0.1', tif: 'Ioc' }));
    const margin = (ntli: number) => exchange.exchange({ type: 'updateIsolatedMargin', asset: BTC, isBuy: true, ntli });
    expect(await margin(5_000_000)).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    const err = 'Position does not have sufficient margin for reduction.';
    expect(await margin(-5_000_000)).to.deep.equal({ status: 'err', response: err });
    const { assetPositions } = await exchange.info({ type: 'clearinghouseState' });
    // 650.01 of initial margin and 5, less a fee of 2.925045; valued 0.1 lower at the mark.
    expect(assetPositions[0].position).to.include({ marginUsed: '651.984955' });
    expect(assetPositions[0].position.leverage).to.deep.equal({ type: 'isolated', value: 10, rawUsd: '-5848.015045' });
  });

  it('topUpIsolatedOnlyMargin answers default, and err where the rules say no', async () => {
    const exchange = calm();
    const topUp = (leverage: string) => exchange.exchange({ type: 'topUpIsolatedOnlyMargin', asset: BTC, leverage });
    const none = 'Cannot update margin for empty position.';
    expect(await topUp('5')).to.deep.equal({ status: 'err', response: none });
    await exchange.exchange({ type: 'updateLeverage', asset: BTC, isCross: false, leverage: 10 });
    await exchange.exchange(orderAction(BTC, { px: '65001', sz: '0.1', tif: 'Ioc' }));
    expect(await topUp('5')).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    const { assetPositions } = await exchange.info({ type: 'clearinghouseState' });
    // A fifth of 6500, the value at the mark.
    expect(assetPositions[0].position).to.include({ marginUsed: '1300.0', positionValue: '6500.0' });
    expect(assetPositions[0].position.leverage).to.include({ type: 'isolated', value: 10 });
  });

  it('rule 1.8: beyond the address limit every action answers err; userRateLimit shows the same numbers, and what was paid for', async () => {
    const exchange = calm();
    exchange.config = readConfig({ ADDRESS_LIMIT: 'yes' });
    const shown = async () => {
      const { nRequestsUsed, nRequestsCap, nRequestsSurplus } = await exchange.info({ type: 'userRateLimit' });
      return [nRequestsUsed, nRequestsCap, nRequestsSurplus];
    };
    const cancels = Array.from({ length: 1000 }, () => ({ a: BTC, o: 1 }));
    for (let sent = 0; sent < 10; sent++) await exchange.exchange({ type: 'cancel', cancels });
    const one = orderAction(BTC, { px: '60000', sz: '0.001' });
    expect((await exchange.exchange(one)).response.data.statuses[0]).to.have.property('resting');
    const { status, response } = await exchange.exchange(one);
    expect({ status, response }).to.deep.equal({
      status: 'err',
      response:
        'Too many cumulative requests sent (10001 > 9999) for cumulative volume traded $0. ' +
        'Place taker orders to free up 1 request per USDC traded.',
    });
    expect(await shown()).to.deep.equal([10_001, 10_000, 0]);
    const paid = { status: 'ok', response: { type: 'default' } };
    expect(await exchange.exchange({ type: 'reserveRequestWeight', weight: 11_000 })).to.deep.equal(paid);
    expect(await shown()).to.deep.equal([0, 10_000, 998]);
    expect((await exchange.exchange(one)).status).to.equal('ok');
    const [row] = await exchange.info({ type: 'userNonFundingLedgerUpdates' }).then((rows) => rows.slice(-1));
    expect(row.delta).to.include({ type: 'withdraw', usdc: '5.5' });
    const text = 'Request weight cannot be reserved for another user on a paper trading account.';
    expect(await exchange.exchange({ type: 'reserveRequestWeight', weight: 1, destination: ADDRESS })).to.have.property(
      'response',
      text,
    );
  });

  it('scheduleCancel answers default, and err for a time that is too near', async () => {
    const exchange = calm();
    const set = (aheadMs: number) => exchange.exchange({ type: 'scheduleCancel', time: exchange.nowMs + aheadMs });
    expect(await set(5000)).to.deep.equal({ status: 'ok', response: { type: 'default' } });
    expect(await set(4999)).to.deep.equal({
      status: 'err',
      response: 'Scheduled cancel time too early, must be at least 5 seconds from now.',
    });
    expect(await exchange.exchange({ type: 'scheduleCancel' })).to.deep.equal({ status: 'ok', response: { type: 'default' } });
  });

  it('twapOrder answers the running id or its error, both inside an answer that is ok; twapCancel too', async () => {
    const exchange = calm();
    const twap = { a: BTC, b: true, s: '0.01', r: false, m: 30, t: false };
    const { status, response } = await exchange.exchange({ type: 'twapOrder', twap });
    const { twapId } = response.data.status.running;
    expect({ status, response }).to.deep.equal({
      status: 'ok',
      response: { type: 'twapOrder', data: { status: { running: { twapId } } } },
    });
    expect(await exchange.exchange({ type: 'twapOrder', twap: { ...twap, m: 1 } })).to.deep.equal({
      status: 'ok',
      response: { type: 'twapOrder', data: { status: { error: 'Invalid TWAP duration: 1 min(s)' } } },
    });
    const cancel = () => exchange.exchange({ type: 'twapCancel', a: BTC, t: twapId });
    expect(await cancel()).to.deep.equal({ status: 'ok', response: { type: 'twapCancel', data: { status: 'success' } } });
    expect(await cancel()).to.deep.equal({
      status: 'ok',
      response: { type: 'twapCancel', data: { status: { error: 'TWAP was never placed, already canceled, or filled.' } } },
    });
  });

  const leverages: { leverage: number; want: object }[] = [
    { leverage: 40, want: { status: 'ok', response: { type: 'default' } } },
    ...[41, 50, 2.5, 0, -1, 1e21].map((leverage) => ({ leverage, want: { status: 'err', response: 'Invalid leverage value' } })),
  ];
  for (const { leverage, want } of leverages) {
    it(`leverage ${leverage} on a coin that allows 40`, async () => {
      const action = { type: 'updateLeverage', asset: BTC, isCross: true, leverage };
      expect(await calm().exchange(action)).to.deep.equal(want);
    });
  }
});

describe('exchange: what is refused whole reaches no account', () => {
  const cases: { name: string; action: object; text: string }[] = [
    { name: 'no order', action: orderAction(BTC), text: 'Orders are empty' },
    { name: 'no cancel', action: { type: 'cancel', cancels: [] }, text: 'Orders are empty' },
    { name: 'no cancel by cloid', action: { type: 'cancelByCloid', cancels: [] }, text: 'Orders are empty' },
    { name: 'no modify', action: { type: 'batchModify', modifies: [] }, text: 'Orders are empty' },
    {
      name: '1001 cancels',
      action: { type: 'cancel', cancels: Array.from({ length: 1001 }, () => ({ a: 0, o: 1 })) },
      text: 'Signed action over weight limit of 1000.',
    },
    {
      name: 'a priority fee',
      action: { ...orderAction(BTC, order), grouping: { p: 1 } },
      text: 'Insufficient delegatable balance for priority order',
    },
    {
      name: 'a transfer between wallets',
      action: { type: 'usdClassTransfer', amount: '1', toPerp: false, nonce: 1 },
      text: 'Insufficient balance for token transfer.',
    },
    {
      name: 'an action that has no meaning on paper',
      action: { type: 'withdraw3', amount: '1' },
      text: 'Action withdraw3 is not available on a paper trading account.',
    },
  ];
  for (const { name, action, text } of cases) {
    it(`${name}: ${text}`, async () => {
      const exchange = calm();
      expect(await exchange.exchange(action)).to.deep.equal({ status: 'err', response: text });
      expect(sent(exchange)).to.deep.equal([]);
    });
  }

  it('1000 orders are not too many', async () => {
    const many = Array.from({ length: 1000 }, () => ({ a: 0, o: 1 }));
    expect((await calm().exchange({ type: 'cancel', cancels: many })).response.data.statuses).to.have.length(1000);
  });

  const inPassing: { readonly type: string; readonly [field: string]: unknown }[] = [
    { type: 'approveAgent', agentAddress: ADDRESS, agentName: 'bot' },
    { type: 'approveBuilderFee', maxFeeRate: '0.01%', builder: ADDRESS },
    { type: 'noop' },
    { type: 'setReferrer', code: 'CCXT1' },
  ];
  for (const action of inPassing) {
    it(`${action.type} answers ok without an effect, whatever it carries`, async () => {
      const exchange = calm();
      expect(await exchange.exchange(action)).to.deep.equal({ status: 'ok', response: { type: 'default' } });
      expect(await exchange.exchange({ type: action.type })).to.have.property('status', 'ok');
      expect(sent(exchange)).to.deep.equal([]);
    });
  }
});

describe('exchange: what cannot be read is a 400 and places nothing', () => {
  const valid = wireOrder(BTC, order);
  const orders: { name: string; change: object }[] = [
    ...['1e3', '+1', '-1', ' 1', '.5', '1.', 'NaN', '0.123456789', '', '1'.repeat(10_000)].flatMap((text) => [
      { name: `p ${text.slice(0, 12)}`, change: { p: text } },
      { name: `s ${text.slice(0, 12)}`, change: { s: text } },
    ]),
    { name: 'p as a number', change: { p: 50000 } },
    { name: 's as a number', change: { s: 1 } },
    { name: 'a as text', change: { a: '0' } },
    { name: 'a broken', change: { a: 0.5 } },
    { name: 'a beyond 2^53', change: { a: 2 ** 53 } },
    { name: 'a negative', change: { a: -1 } },
    { name: 'b as text', change: { b: 'true' } },
    { name: 'r missing', change: { r: undefined } },
    { name: 't empty', change: { t: {} } },
    { name: 't of two kinds', change: { t: { limit: { tif: 'Gtc' }, trigger: { isMarket: true, triggerPx: '1', tpsl: 'tp' } } } },
    { name: 'tif unknown', change: { t: { limit: { tif: 'LiquidationMarket' } } } },
    { name: 'tif in another case', change: { t: { limit: { tif: 'gtc' } } } },
    { name: 'c too short', change: { c: '0x12' } },
    { name: 'c without 0x', change: { c: '12'.repeat(17) } },
    { name: 'c as a number', change: { c: 5 } },
  ];
  for (const { name, change } of orders) {
    it(name, async () => {
      const exchange = calm();
      const wrong = JSON.parse(JSON.stringify({ ...valid, ...change }));
      const error = await failing(exchange, { type: 'order', orders: [valid, wrong], grouping: 'na' });
      expect(error.status).to.equal(400);
      expect(error.message).to.match(/^Failed to deserialize the JSON body into the target type: orders\[1\]\./);
      expect(error.message.length).to.be.below(250);
      expect(sent(exchange)).to.deep.equal([]);
    });
  }

  const actions: { name: string; action: unknown; envelope?: object; says: string }[] = [
    { name: 'no action', action: undefined, says: 'action is missing' },
    { name: 'an action that is no object', action: 'order', says: 'action must be an object' },
    { name: 'an unknown action', action: { type: 'fly' }, says: 'unknown action type "fly"' },
    { name: 'a type that every object has', action: { type: 'constructor' }, says: 'unknown action type' },
    {
      name: 'a builder of another form',
      action: { ...orderAction(0, order), builder: { b: ADDRESS, f: '10' } },
      says: 'builder.f',
    },
    { name: 'an unknown grouping', action: { ...orderAction(0, order), grouping: 'group' }, says: 'grouping must be one of' },
    { name: 'a cancel by text', action: { type: 'cancel', cancels: [{ a: 0, o: '5' }] }, says: 'cancels[0].o' },
    { name: 'a broken expiresAfter', action: orderAction(0, order), envelope: { expiresAfter: 1.5 }, says: 'expiresAfter' },
    { name: 'leverage as text', action: { type: 'updateLeverage', asset: 0, isCross: true, leverage: '5' }, says: 'leverage' },
    { name: 'a broken ntli', action: { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: 1.5 }, says: 'ntli' },
    { name: 'ntli as text', action: { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: '1' }, says: 'ntli' },
    { name: 'a TWAP without a size', action: { type: 'twapOrder', twap: { a: 0, b: true, m: 30 } }, says: 's is missing' },
    { name: 'a TWAP of text minutes', action: { type: 'twapOrder', a: 0, b: true, s: '1', m: '30' }, says: 'm must be a number' },
    {
      name: 'a TWAP with a trigger of another form',
      action: { type: 'twapOrder', twap: { a: 0, b: true, s: '1', m: 30 }, details: { t: { p: '1' } } },
      says: 'details.t.a',
    },
    { name: 'a TWAP that is a list', action: { type: 'twapOrder', twap: [1] }, says: 'twap' },
    { name: 'a TWAP without an id', action: { type: 'twapCancel', a: 0 }, says: 't is missing' },
    { name: 'a fraction of a time', action: { type: 'scheduleCancel', time: 0.5 }, says: 'time' },
    {
      name: 'a leverage that is no text',
      action: { type: 'topUpIsolatedOnlyMargin', asset: 0, leverage: 5 },
      says: 'leverage',
    },
    { name: 'ntli beyond 2^53', action: { type: 'updateIsolatedMargin', asset: 0, isBuy: true, ntli: 1e300 }, says: 'ntli' },
    { name: 'an empty batch with a broken field', action: { type: 'order', orders: [], builder: 5 }, says: 'builder' },
  ];
  for (const { name, action, envelope, says } of actions) {
    it(name, async () => {
      const exchange = calm();
      expect((await failing(exchange, action, envelope)).message).to.include(says);
      expect(sent(exchange)).to.deep.equal([]);
    });
  }

  it('nonce and signature may be anything or absent', async () => {
    const exchange = calm();
    const envelope = { nonce: 'x', signature: 5, vaultAddress: null, isFrontend: true };
    expect((await exchange.exchange(orderAction(0, order), envelope)).status).to.equal('ok');
  });
});

describe('exchange: the actions', () => {
  // Actions that nktkas, ccxt and the python SDK can send beside the actions that are run.
  const others =
    'agentEnableDexAbstraction agentSetAbstraction borrowLend cDeposit CSignerAction CValidatorAction cWithdraw claimRewards ' +
    'convertToMultiSigUser createVault evmUserModify gossipPriorityBid linkStakingUser multiSig perpDeploy ' +
    'registerReferrer sendAsset sendToEvmWithData setDisplayName spotDeploy spotSend spotUser stakingLinkDisableTradingUser ' +
    'subAccountSpotTransfer tokenDelegate usdSend userDexAbstraction ' +
    'userPortfolioMargin userSetAbstraction validatorL1Stream vaultDistribute vaultModify vaultTransfer withdraw3';
  for (const type of others.split(' ')) {
    it(`${type} is refused by its name`, async () => {
      const response = `Action ${type} is not available on a paper trading account.`;
      expect(await calm().exchange({ type })).to.deep.equal({ status: 'err', response });
    });
  }

  it('are those that are documented', () => {
    expect(actionTypes()).to.have.members([
      'order',
      'cancel',
      'cancelByCloid',
      'modify',
      'batchModify',
      'updateLeverage',
      'updateIsolatedMargin',
      'topUpIsolatedOnlyMargin',
      'scheduleCancel',
      'twapOrder',
      'twapCancel',
      'createSubAccount',
      'subAccountModify',
      'subAccountTransfer',
      'usdClassTransfer',
      'approveAgent',
      'approveBuilderFee',
      'noop',
      'reserveRequestWeight',
      'setReferrer',
    ]);
  });
});

/** True when `value` has all that `part` has. */
function contains(value: unknown, part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return value === part;
  return Object.entries(part).every(([name, inner]) => contains((value as Record<string, unknown> | undefined)?.[name], inner));
}
