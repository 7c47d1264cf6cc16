import { expect } from 'chai';
import { weightOfPast, weightOfSubscription } from '../../../src/api/domain/requestPrice.ts';
import { privateChannels, publicChannels } from '../../../src/api/stream/allChannels.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { useStores } from '../../support/useStores.ts';

const weights = new Map([...publicChannels, ...privateChannels].map(({ type, weight }) => [type, weight]));
const INFO = '/v1/exchanges/perpx/info';

describe('a subscription costs what the question costs whose answer it begins with', () => {
  const stores = useStores();
  let node: ApiNode;
  const clients: StreamClient[] = [];

  before(async () => {
    node = await ApiNode.start(stores, {
      env: { PLAN_BASIC_WEIGHT_PER_MINUTE: '100', PLAN_BASIC_SUBSCRIPTIONS: '17', PLAN_BASIC_REQUESTS_PER_MINUTE: '1000' },
    });
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.stop()));
  });
  after(() => node.stop());

  const newKey = async (): Promise<string> => (await node.createKey(await node.register())).apiKey;
  const connect = async (apiKey: string): Promise<StreamClient> => {
    const client = await StreamClient.connect(node.baseUrl, { apiKey });
    clients.push(client);
    return client;
  };
  const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
  /** @returns 'subscribed', or the error */
  const subscribe = async (client: StreamClient, subscription: object): Promise<string> => {
    client.subscribe(subscription);
    const { channel, data } = await client.next('subscriptionResponse', 'error');
    return channel === 'error' ? data : 'subscribed';
  };

  it('each time, also when it was left before, in the window of the key’s questions', async () => {
    const apiKey = await newKey();
    const client = await connect(apiKey);
    const [first, second] = [{ type: 'userFills' }, { type: 'webData3' }];
    let last = '';
    let begun = 0;
    for (; begun < 10; begun++) {
      last = await subscribe(client, first);
      if (last !== 'subscribed') break;
      client.unsubscribe(first);
      await client.next('subscriptionResponse');
    }
    // The upgrade was a request, and each snapshot an answer without rows.
    expect([begun, last]).to.satisfy(
      ([count, text]: [number, string]) =>
        count === 4 && /^Invalid subscription {"type":"userFills"}: More than a weight of 100 a minute of one API key/.test(text),
    );
    const refused = await node.post(INFO, { type: 'userFills' }, { 'x-api-key': apiKey });
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'weight_limited']);
    expect(await subscribe(client, second)).to.equal('subscribed');
    expect(await subscribe(await connect(await newKey()), first)).to.equal('subscribed');
  });

  it('light ones little, a replay as much as a heavy question and its rows', () => {
    const prices = [
      { type: 'l2Book', coin: 'BTC' },
      { type: 'candle', coin: 'BTC', interval: '1m' },
      { type: 'orderUpdates' },
      { type: 'candle', coin: 'BTC', interval: '1h' },
      { type: 'orderUpdates', fromSeq: 0 },
      { type: 'openOrders' },
    ].map((subscription) => weightOfSubscription(subscription, weights.get(subscription.type) ?? Number.NaN));
    expect(prices).to.deep.equal([2, 0, 2, 0, 20, 20]);
    expect([1, 20, 21, 2000].map(weightOfPast)).to.deep.equal([1, 1, 2, 100]);
  });

  it('a user names 15 addresses over all connections, and has as many subscriptions as connections of all keys', async () => {
    const apiKey = await newKey();
    const [one, other] = [await connect(apiKey), await connect(apiKey)];
    for (let n = 0; n < 15; n++)
      expect(await subscribe(one, { type: 'orderUpdates', user: addressOf(n) })).to.equal('subscribed');
    expect(await subscribe(other, { type: 'orderUpdates', user: addressOf(15) })).to.equal(
      'Cannot track more than 15 total users.',
    );
    expect(await subscribe(other, { type: 'userEvents', user: addressOf(14) })).to.equal('subscribed');
    one.unsubscribe({ type: 'orderUpdates', user: addressOf(0) });
    await one.next('subscriptionResponse');
    expect(await subscribe(other, { type: 'orderUpdates', user: addressOf(15) })).to.equal('subscribed');
    await one.stop();
    expect(await subscribe(other, { type: 'orderUpdates', user: addressOf(16) })).to.equal('subscribed');
  });
});
