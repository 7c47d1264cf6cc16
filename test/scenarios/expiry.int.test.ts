// A trial that ends while orders and positions are open: trading is refused, the exchange goes on managing what is
// open, a late payment costs nothing, and a much later one finds the account closed.

import { expect } from 'chai';
import { digestOf } from '../../src/api/access/credentials.ts';
import { trialExpiry } from '../../src/features/billing/trialExpiry.ts';
import { announceUserChange } from '../../src/shared/access/userChange.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import type { User } from '../../src/shared/mongo/userStore.ts';
import { newestFormats } from '../support/formats.ts';
import { until } from '../support/until.ts';
import { type Exchange, sharedExchange } from './exchange.ts';
import type { Trader } from './trader.ts';

const DAY_MS = 86_400_000;

describe('a trial that ends while orders and positions are open', function () {
  this.timeout(600_000);
  let exchange: Exchange;
  let trader: Trader;

  before(async () => {
    exchange = await sharedExchange();
    trader = await exchange.trader();
    await exchange.book('SOL', { bids: [['99', '50']], asks: [['100', '50']], mark: '100' });
  });

  /** Changes the user as a payment or the passing of time would, and tells the nodes. */
  const change = async (fields: Partial<User>): Promise<void> => {
    const { redis, mongo } = exchange.stack;
    const { userId, apiKey } = trader.account;
    const update = { $set: fields, $unset: { expiredAt: '', closedAt: '' } } as const;
    await mongo.db.collection<User>(collections.users).updateOne({ _id: userId }, update);
    await announceUserChange(redis, { userId, digests: [digestOf(apiKey)] });
  };
  const statusIs = (status: number): Promise<void> =>
    until(async () => (await exchange.stack.info(trader.account.apiKey, { type: 'openOrders' })).status === status);
  const runJob = (): Promise<void> => {
    const { redis, mongo } = exchange.stack;
    const log = createLogger({ level: 'silent', role: 'test' });
    return trialExpiry.run({ config: readConfig({}), log, redis, mongo, formats: newestFormats, now: Date.now }, 0);
  };

  it('refuses both endpoints within a second, and what rests still fills; who pays late finds the position', async () => {
    const oid = await trader.rest({ coin: 'SOL', px: '99.5', sz: '2' });
    await change({ trialExpiresAt: new Date(Date.now() - 1) });
    await statusIs(403);
    const order = await trader.act(trader.orderAction({ coin: 'SOL', px: '90', sz: '1' }));
    expect(order.status).to.equal(403);
    expect(order.body).to.include({ status: 'err', code: 'trial_expired' });
    await runJob();
    await exchange.trades('SOL', ['A', '99.5', '2']);
    await change({ subscriptionExpiresAt: new Date(Date.now() + DAY_MS) });
    await statusIs(200);
    expect((await trader.info('orderStatus', { oid })).order.status).to.equal('filled');
    expect((await trader.info('clearinghouseState')).assetPositions[0].position.szi).to.equal('2.0');
  });

  it('closes everything after 30 days more, and who pays then has the cash', async () => {
    await trader.rest({ coin: 'SOL', px: '90', sz: '1' });
    const [trialExpiresAt, subscriptionExpiresAt] = [new Date(Date.now() - 90 * DAY_MS), new Date(Date.now() - 34 * DAY_MS)];
    await change({ trialExpiresAt, subscriptionExpiresAt });
    await statusIs(403);
    await runJob();
    await change({ subscriptionExpiresAt: new Date(Date.now() + DAY_MS) });
    await statusIs(200);
    await until(async () => (await trader.info('clearinghouseState')).assetPositions.length === 0);
    expect(await trader.info('openOrders')).to.deep.equal([]);
    const [closing] = await trader.info('userFills');
    expect(closing).to.include({ coin: 'SOL', side: 'A', sz: '2.0', px: '100.0', closedPnl: '1.0' });
  });
});
