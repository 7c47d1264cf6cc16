// Real funding payments, read with every client. The test sends the settlement as the job does, for hours to come, so
// that it need not wait for the full hour.

import * as current from '@nktkas/hyperliquid';
import ccxt from 'ccxt';
import { expect } from 'chai';
import * as withSchemas from 'nktkas-hyperliquid-0-30';
import { submitShardCommand } from '../../src/jobs/shardMailbox.ts';
import { hourOf } from '../../src/market/domain/fundingRecords.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { HOUR_MS } from '../../src/shared/domain/units.ts';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { inProcess } from './client.ts';
import { startPythonClient } from './pythonClient.ts';
import { addressOf, type SharedStack, sharedStack } from './sharedStack.ts';

/** No other client test has a position in it. */
const COIN = 'AAVE';
const SYMBOL = `${COIN}/USDC:USDC`;
const SHARDS = 16;
const SIZE = '2';
/** The hourly payment of two coins at this rate and oracle price: 2 * 50 * 0.0000125. */
const PAID = '-0.00125';
const WALLET = { address: `0x${'11'.repeat(20)}`, privateKey: `0x${'11'.repeat(32)}` };

describe('funding payments, as clients read them', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let account: TestAccount;
  let url: string;
  /** When the position pays, ms; the first is the hour after it was opened. */
  let times: number[] = [];
  let untilMs = 0;

  before(async () => {
    shared = await sharedStack();
    const { stack } = shared;
    account = await stack.register();
    url = addressOf(account, stack.baseUrl);
    const { universe } = (await stack.info(account.apiKey, { type: 'meta' })).body;
    const a = universe.findIndex(({ name }: { name: string }) => name === COIN);
    const px = (await stack.info(account.apiKey, { type: 'l2Book', coin: COIN })).body.levels[1][5].px;
    const order = { a, b: true, p: px.replace(/\.0$/, ''), s: SIZE, r: false, t: { limit: { tif: 'Ioc' } } };
    const placed = await stack.exchange(account.apiKey, { type: 'order', orders: [order], grouping: 'na' });
    expect(placed.body.response.data.statuses[0]).to.have.property('filled');
    let afterMs = hourOf(Date.now());
    times = [1, 2, 5].map((hours) => afterMs + hours * HOUR_MS);
    untilMs = afterMs + 11 * HOUR_MS;
    for (const throughMs of times) {
      const hours: { hourMs: number; coins: Record<string, readonly [string, string]> }[] = [];
      for (let hourMs = afterMs + HOUR_MS; hourMs <= throughMs; hourMs += HOUR_MS) {
        hours.push({ hourMs, coins: { [COIN]: ['0.0000125', '50'] } });
      }
      const command = { type: 'settleFunding', throughMs, hours } as const;
      const shard = shardOf(account.address, SHARDS);
      await submitShardCommand(stack.redis, { shard, job: 'funding', periodMs: throughMs, command, format: NEWEST_FORMAT });
      afterMs = throughMs;
    }
    await until(async () => (await rows({ endTime: untilMs })).length === times.length);
  });

  // biome-ignore lint/suspicious/noExplicitAny: rows as they come over the wire
  const rows = async (range: object): Promise<any[]> =>
    (await shared.stack.info(account.apiKey, { type: 'userFunding', user: WALLET.address, ...range })).body;

  it('userFunding: one row a settlement, ascending, both ends of the range included', async () => {
    const all = await rows({ startTime: 0, endTime: untilMs });
    expect(all.map(({ time }) => time)).to.deep.equal(times);
    expect(all[0].hash).to.equal(`0x${'0'.repeat(64)}`);
    const delta = { type: 'funding', coin: COIN, usdc: PAID, szi: '2.0', fundingRate: '0.0000125', nSamples: 1 };
    expect(all[0].delta).to.deep.equal(delta);
    expect(all[2].delta).to.deep.equal({ ...delta, usdc: '-0.00375', nSamples: 3 });
    expect(await rows({ startTime: times[1], endTime: times[1] })).to.deep.equal([all[1]]);
    expect(await rows({ startTime: (times[1] ?? 0) + 1, endTime: untilMs })).to.deep.equal([all[2]]);
    expect(await rows({ startTime: 0 })).to.deep.equal([]);
  });

  it('cumFunding: positive = paid, and the account value has it', async () => {
    const { body } = await shared.stack.info(account.apiKey, { type: 'clearinghouseState', user: WALLET.address });
    const paid = { allTime: '0.00625', sinceOpen: '0.00625', sinceChange: '0.00625' };
    expect(body.assetPositions[0].position.cumFunding).to.deep.equal(paid);
  });

  const ccxtOptions = () => ({
    ...{ walletAddress: WALLET.address, privateKey: WALLET.privateKey, enableRateLimit: false },
    urls: { api: { public: url, private: url } },
  });
  const ccxtClients = {
    Node: async () => inProcess(new ccxt.hyperliquid(ccxtOptions())),
    Python: () => startPythonClient('ccxt', ccxtOptions()),
  };
  for (const [language, connect] of Object.entries(ccxtClients)) {
    it(`ccxt (${language}): fetchFundingHistory`, async () => {
      const client = await connect();
      const payments = await client.call('fetchFundingHistory', SYMBOL, 0, 100, { until: untilMs, endTime: untilMs });
      expect(payments.map(({ timestamp, amount }: { timestamp: number; amount: number }) => [timestamp, amount])).to.deep.equal([
        [times[0], -0.00125],
        [times[1], -0.00125],
        [times[2], -0.00375],
      ]);
      const history = await client.call('fetchFundingRateHistory', SYMBOL, Date.now() - 24 * HOUR_MS);
      expect(history.length).to.be.within(23, 24);
      await client.close();
    });
  }

  const nktkas = { '0.33.3': current, '0.30.3': withSchemas };
  for (const [version, { HttpTransport, InfoClient }] of Object.entries(nktkas)) {
    it(`@nktkas/hyperliquid ${version}: userFunding`, async () => {
      const transport = new HttpTransport({ apiUrl: `${url}/` });
      const info = inProcess(new (InfoClient as new (config: object) => object)({ transport }));
      const payments = await info.call('userFunding', { user: WALLET.address, startTime: 0, endTime: untilMs });
      expect(payments.map(({ delta }: { delta: { usdc: string } }) => delta.usdc)).to.deep.equal([PAID, PAID, '-0.00375']);
    });
  }

  it('hyperliquid-python-sdk: info.user_funding_history', async () => {
    const sdk = await startPythonClient('sdk', { baseUrl: url, privateKey: WALLET.privateKey, skipWs: true });
    const payments = await sdk.call('info.user_funding_history', WALLET.address, 0, untilMs);
    expect(payments.map(({ time }: { time: number }) => time)).to.deep.equal(times);
    await sdk.close();
  });
});
