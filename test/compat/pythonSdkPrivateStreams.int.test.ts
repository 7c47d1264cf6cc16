// hyperliquid-python-sdk as its registry publishes it: the messages about the user's own account on the WebSocket of
// Info.
import { expect } from 'chai';
import { wireOrder } from '../support/orderWire.ts';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';
import type { Client } from './client.ts';
import { startPythonClient } from './pythonClient.ts';
import { addressOf, moveTriggerCoin, type SharedStack, sharedStack, TRIGGER_COIN } from './sharedStack.ts';

/** The address of the client's own wallet, with capital letters as its library writes it. */
const USER = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A';
const TYPES = ['userFills', 'userEvents', 'orderUpdates', 'userFundings', 'userNonFundingLedgerUpdates', 'webData2'];

/** Stands for a function that keeps what it is given, and its reading (python/client.py). */
const CALLBACK = { callback: true };
const HEARD = 'heard';

describe('hyperliquid-python-sdk: private streams', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let account: TestAccount;
  let sdk: Client;
  let asset: number;

  before(async () => {
    shared = await sharedStack();
    account = await shared.stack.register();
    const baseUrl = addressOf(account, shared.clientUrl);
    sdk = await startPythonClient('sdk', { baseUrl, privateKey: `0x${'11'.repeat(32)}`, skipWs: false });
    for (const type of TYPES) await sdk.call('info.subscribe', { type, user: USER }, CALLBACK);
    await sdk.call('info.subscribe', { type: 'activeAssetData', user: USER, coin: TRIGGER_COIN }, CALLBACK);
    await heard('userNonFundingLedgerUpdates', 1);
    const { universe } = (await shared.stack.info(account.apiKey, { type: 'meta' })).body;
    asset = universe.findIndex(({ name }: { name: string }) => name === TRIGGER_COIN);
    for (const price of [101, 100]) await moveTriggerCoin(shared, account.apiKey, price);
  });
  after(async () => {
    await sdk?.call('info.disconnect_websocket');
    await sdk?.close();
  });

  // biome-ignore lint/suspicious/noExplicitAny: a message is whatever the client hands on
  const all = async (channel: string): Promise<{ data: any }[]> =>
    (await sdk.call(HEARD)).filter((message: { channel: string }) => message.channel === channel);
  const heard = async (channel: string, count: number) => {
    await until(async () => (await all(channel)).length >= count);
    return all(channel);
  };

  it('hears the deposit and the states', async () => {
    const [ledger] = await all('userNonFundingLedgerUpdates');
    expect(ledger?.data.nonFundingLedgerUpdates[0].delta).to.deep.equal({ type: 'deposit', usdc: '10000.0' });
    expect((await heard('webData2', 1))[0]?.data.user).to.equal(USER.toLowerCase());
    expect((await heard('activeAssetData', 1))[0]?.data).to.include({ coin: TRIGGER_COIN, user: USER.toLowerCase() });
    expect((await heard('userFundings', 1))[0]?.data).to.include({ isSnapshot: true });
  });

  it('hears its orders and fills', async () => {
    const order = wireOrder(asset, { px: '101', sz: '0.5', tif: 'Ioc' });
    await shared.stack.exchange(account.apiKey, { type: 'order', orders: [order], grouping: 'na' });
    const fills = await heard('userFills', 2);
    expect(fills[0]?.data).to.include({ isSnapshot: true, user: USER.toLowerCase() });
    expect(fills[1]?.data.fills[0]).to.include({ coin: TRIGGER_COIN, px: '100.1', sz: '0.5', dir: 'Open Long' });
    expect((await heard('user', 1))[0]?.data.fills).to.deep.equal(fills[1]?.data.fills);
    const updates = (await all('orderUpdates')).at(-1)?.data;
    expect(updates.map(({ status }: { status: string }) => status)).to.deep.equal(['open', 'filled']);
  });
});
