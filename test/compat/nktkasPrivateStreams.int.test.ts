// The private subscriptions of @nktkas/hyperliquid, in the newest version, whose types check every message, and in the last version
// with schemas, which check every message, too. Node 20 has no WebSocket of its own, so the client gets that of ws.
import * as current from '@nktkas/hyperliquid';
import { expect } from 'chai';
import * as withSchemas from 'nktkas-hyperliquid-0-30';
import { WebSocket } from 'ws';
import { wireOrder } from '../support/orderWire.ts';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { type Client, inProcess } from './client.ts';
import { streamComplaints } from './clientSchemas.ts';
import { addressOf, moveTriggerCoin, type SharedStack, sharedStack, TRIGGER_COIN } from './sharedStack.ts';
import { strictComplaints } from './strictTypes.ts';

/** An address that is not the account's: a wallet of the client's own. */
const USER = `0x${'ab'.repeat(20)}`;
const CHANNELS: readonly { readonly type: string; readonly fields?: object; readonly newer?: true }[] = [
  { type: 'orderUpdates' },
  { type: 'userEvents' },
  { type: 'userFills', fields: { aggregateByTime: true } },
  { type: 'userFundings' },
  { type: 'userNonFundingLedgerUpdates' },
  { type: 'userHistoricalOrders' },
  { type: 'userTwapSliceFills' },
  { type: 'userTwapHistory' },
  { type: 'notification' },
  { type: 'twapStates' },
  { type: 'clearinghouseState' },
  { type: 'openOrders' },
  { type: 'spotState' },
  { type: 'allDexsClearinghouseState' },
  { type: 'activeAssetData', fields: { coin: TRIGGER_COIN } },
  { type: 'webData2' },
  { type: 'webData3' },
];

/** Channels that the newest version does not have. */
const GIVEN_UP: ReadonlySet<string> = new Set(['webData2']);

/** The client tells its socket itself that it was closed. */
class BrowserLikeWebSocket extends WebSocket {
  dispatchEvent({ type }: Event): boolean {
    return this.emit(type);
  }
}
/** The newest version takes the WebSocket of its environment. */
Object.assign(globalThis, { WebSocket: globalThis.WebSocket ?? BrowserLikeWebSocket });
const options = (url: string) => ({
  url,
  reconnect: { WebSocket: BrowserLikeWebSocket as unknown as typeof globalThis.WebSocket },
});
const versions: Readonly<Record<string, (url: string) => { stream: Client; transport: Client }>> = {
  '0.33.3': (url) => {
    const transport = new current.WebSocketTransport({ url });
    return { stream: inProcess(new current.SubscriptionClient({ transport })), transport: inProcess(transport) };
  },
  '0.30.3': (url) => {
    const transport = new withSchemas.WebSocketTransport(options(url));
    return { stream: inProcess(new withSchemas.SubscriptionClient({ transport })), transport: inProcess(transport) };
  },
};

for (const [version, connect] of Object.entries(versions)) {
  describe(`@nktkas/hyperliquid ${version}: private streams`, function () {
    this.timeout(600_000);
    let shared: SharedStack;
    let account: TestAccount;
    let stream: Client;
    let transport: Client;
    const heard = new Map<string, unknown[]>();
    const channels = CHANNELS.filter(({ type }) => version !== '0.33.3' || !GIVEN_UP.has(type));
    const subscriptions: { unsubscribe(): Promise<void> }[] = [];

    before(async () => {
      shared = await sharedStack();
      account = await shared.stack.register();
      ({ stream, transport } = connect(`${addressOf(account, shared.clientUrl).replace(/^http/, 'ws')}/ws`));
      await transport.call('ready');
      for (const { type, fields } of channels) {
        const messages: unknown[] = [];
        heard.set(type, messages);
        subscriptions.push(await stream.call(type, { user: USER, ...fields }, (data: unknown) => messages.push(data)));
      }
      const { universe } = (await shared.stack.info(account.apiKey, { type: 'meta' })).body;
      const asset = universe.findIndex(({ name }: { name: string }) => name === TRIGGER_COIN);
      for (const price of [101, 100]) await moveTriggerCoin(shared, account.apiKey, price);
      const orders = [wireOrder(asset, { px: '101', sz: '2', tif: 'Ioc' }), wireOrder(asset, { buy: false, px: '101', sz: '1' })];
      await shared.stack.exchange(account.apiKey, { type: 'order', orders, grouping: 'na' });
      await shared.stack.market.control({ op: 'trade', coin: TRIGGER_COIN, px: '101.5', sz: '3', side: 'B', keepBook: true });
      const twap = { a: asset, b: true, s: '20', r: false, m: 5, t: false };
      await shared.stack.exchange(account.apiKey, { type: 'twapOrder', twap });
    });
    after(() => transport?.call('close'));

    for (const { type } of channels) {
      it(`hears ${type} as the client's own schema has it`, async () => {
        const messages = heard.get(type) ?? [];
        await until(() => messages.length > 0);
        expect(messages.flatMap((data) => streamComplaints(type, data))).to.deep.equal([]);
      });
    }

    it('hears them as the newest types have them, without a field more', () => {
      const checked = CHANNELS.flatMap(({ type }) => {
        const event = `${type[0]?.toUpperCase()}${type.slice(1)}Event`;
        const messages = GIVEN_UP.has(type) ? [] : (heard.get(type) ?? []);
        return messages.map((value) => ({ name: type, from: 'subscription' as const, type: event, value }));
      });
      expect(new Set(checked.map(({ name }) => name))).to.have.property('size', CHANNELS.length - GIVEN_UP.size);
      expect(strictComplaints(checked)).to.deep.equal([]);
    });

    it('hears its own fills, under the address that it asked for', async () => {
      const fills = heard.get('userFills') as { user: string; isSnapshot?: boolean; fills: { px: string; dir: string }[] }[];
      await until(() => fills.length >= 3);
      expect(new Set(fills.map(({ user }) => user))).to.deep.equal(new Set([USER]));
      expect(fills.slice(1).flatMap((one) => one.fills.map(({ px, dir }) => `${dir} ${px}`))).to.deep.equal([
        'Open Long 100.1',
        'Close Long 101.0',
      ]);
    });

    it('unsubscribes from all of them', async () => {
      for (const subscription of subscriptions) await subscription.unsubscribe();
    });
  });
}
