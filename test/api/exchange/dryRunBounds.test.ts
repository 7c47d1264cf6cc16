// The bounds of a dry run: its cost, and the actions for which it has no meaning. Every action, the largest batch, a market that
// stands still.
import { expect } from 'chai';
import { DRY_RUN_TYPES } from '../../../src/api/exchange/dryRun.ts';
import { actionTypes, priceOfAction } from '../../../src/api/exchange/runAction.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { wireOrder } from '../../support/orderWire.ts';

const BATCH = 1000;
const LEVELS = 20;
/** Bytes of the answer for an order, and for each level that it takes. */
const [ORDER_BYTES, LEVEL_BYTES] = [350, 90];

describe('dryRun: bounds', () => {
  const open = (): ExchangeInMemory => {
    const exchange = new ExchangeInMemory();
    const side = (sign: number) => Array.from({ length: LEVELS }, (_, i) => [String(100 + sign * (i + 1)), '500'] as const);
    exchange.setMarket('SOL', { mark: '100', bids: side(-1), asks: side(1) });
    return exchange;
  };
  const batch = (exchange: ExchangeInMemory, order: Parameters<typeof wireOrder>[1]) => ({
    type: 'order',
    grouping: 'na',
    orders: Array.from({ length: BATCH }, () => wireOrder(exchange.assetId('SOL'), order)),
  });

  it('every action has one, or says in a sentence that it has none, and nothing is sent', async () => {
    const exchange = open();
    const sent = exchange.commands.length;
    const others = actionTypes().filter((type) => !DRY_RUN_TYPES.has(type));
    expect(others.length).to.be.above(5);
    for (const type of others) {
      const { status, response } = await exchange.exchange({ type }, { dryRun: true, expiresAfter: 1 });
      expect([status, response.startsWith(`Action ${type} has no dry run. These have one: `)], type).to.deep.equal(['err', true]);
    }
    expect(exchange.commands.length).to.equal(sent);
    for (const type of DRY_RUN_TYPES) expect(actionTypes(), type).to.include(type);
  });

  for (const [what, order] of [
    ['fill', { px: '120', sz: '0.1', tif: 'Ioc' }],
    ['rest', { px: '95', sz: '0.11' }],
    ['are refused', { px: '95', sz: '0.0001' }],
  ] as const) {
    it(`the answer to ${BATCH} orders that ${what} is as long as they are many, and no level is taken twice`, async () => {
      const exchange = open();
      const answer = await exchange.exchange(batch(exchange, order), { dryRun: true });
      const { executions, resting, coins } = answer.response.data.effect;
      const levels = executions.reduce((sum: number, one: { levels: unknown[] }) => sum + one.levels.length, 0);
      expect(executions.length + resting.length).to.equal(what === 'are refused' ? 0 : BATCH);
      expect(levels).to.be.at.most(executions.length + LEVELS);
      expect(coins).to.have.length(1);
      expect(JSON.stringify(answer).length).to.be.at.most(5000 + BATCH * ORDER_BYTES + levels * LEVEL_BYTES);
    });
  }

  it('costs what the action costs, and more weight', () => {
    const exchange = open();
    for (const n of [1, 40, BATCH]) {
      const action = { type: 'order', orders: batch(exchange, { px: '95', sz: '0.1' }).orders.slice(0, n) };
      const bytes = JSON.stringify(action).length;
      const [real, dry] = [priceOfAction({ action }, bytes), priceOfAction({ action, dryRun: true }, bytes)];
      expect(dry.requests).to.equal(real.requests);
      expect(dry.weight).to.be.above(real.weight);
    }
  });

  it('on a market that stands still it is refused as the action is, with the age, and changes nothing', async () => {
    const exchange = open();
    exchange.nowMs += 60_000;
    const action = {
      type: 'order',
      grouping: 'na',
      orders: [wireOrder(exchange.assetId('SOL'), { px: '120', sz: '1', tif: 'Ioc' })],
    };
    const { answer, effect } = (await exchange.exchange(action, { dryRun: true })).response.data;
    expect(answer.response.data.statuses[0].error).to.be.a('string');
    expect(effect.coins[0].stale).to.be.a('string');
    expect([effect.executions, effect.resting]).to.deep.equal([[], []]);
    expect(effect.after).to.deep.equal(effect.before);
    expect(await exchange.exchange(action)).to.deep.equal(answer);
  });
});
