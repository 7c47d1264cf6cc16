// hyperliquid-python-sdk as its registry publishes it: the WebSocket that its Info opens in its constructor.
import { expect } from 'chai';
import { until } from '../support/until.ts';
import type { Client } from './client.ts';
import { startPythonClient } from './pythonClient.ts';
import { addressOf, type SharedStack, sharedStack } from './sharedStack.ts';

/** A coin of its own, whose book and trades no other test minds. */
const COIN = 'APE';
/** Stands for a function that keeps what it is given, and its reading (python/client.py). */
const CALLBACK = { callback: true };
const HEARD = 'heard';

describe('hyperliquid-python-sdk: public streams', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let sdk: Client;

  before(async () => {
    shared = await sharedStack();
    const baseUrl = addressOf(await shared.stack.register(), shared.clientUrl);
    sdk = await startPythonClient('sdk', { baseUrl, privateKey: `0x${'11'.repeat(32)}`, skipWs: false });
  });
  after(async () => {
    await sdk?.call('info.disconnect_websocket');
    await sdk?.close();
  });

  const heard = async (channel: string): Promise<{ data: never }[]> =>
    (await sdk.call(HEARD)).filter((message: { channel: string }) => message.channel === channel);

  for (const type of ['allMids', 'l2Book', 'bbo', 'activeAssetCtx']) {
    it(`subscribes to ${type}, and hears it`, async () => {
      const subscription = type === 'allMids' ? { type } : { type, coin: COIN };
      const id = await sdk.call('info.subscribe', subscription, CALLBACK);
      await until(async () => (await heard(type)).length > 0);
      await shared.stack.market.control({ op: 'setBook', coin: COIN, bids: [['0.12', '5']], asks: [['0.13', '5']] });
      await shared.stack.market.control({ op: 'setPrice', coin: COIN, px: '0.125' });
      await until(async () => (await heard(type)).some(({ data }) => JSON.stringify(data).includes(`0.12`)));
      expect(await sdk.call('info.unsubscribe', subscription, id)).to.equal(true);
      await shared.stack.market.control({ op: 'setPrice', coin: COIN, px: '0.126' });
    });
  }

  it('hears trades and candles', async () => {
    await sdk.call('info.subscribe', { type: 'trades', coin: COIN }, CALLBACK);
    await sdk.call('info.subscribe', { type: 'candle', coin: COIN, interval: '5m' }, CALLBACK);
    await shared.stack.market.control({ op: 'trade', coin: COIN, px: '0.127', sz: '7', side: 'A', keepBook: true });
    await until(async () => (await heard('trades')).some(({ data }) => JSON.stringify(data).includes('"px":"0.127"')));
    await until(async () => (await heard('candle')).some(({ data }) => JSON.stringify(data).includes('"c":"0.127"')));
  });
});
