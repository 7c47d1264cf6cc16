// The SubscriptionClient of @nktkas/hyperliquid and its WebSocket transport, in the last version for Node 20 and in the last
// version with schemas, which check every message. Node 20 has no WebSocket of its own, so the client gets that of ws.
import * as current from '@nktkas/hyperliquid';
import { expect } from 'chai';
import * as withSchemas from 'nktkas-hyperliquid-0-30';
import { PrivateKeySigner } from 'nktkas-hyperliquid-0-30/signing';
import { WebSocket } from 'ws';
import { wireOrder } from '../support/orderWire.ts';
import { until } from '../support/until.ts';
import { type Client, inProcess, raisedBy } from './client.ts';
import { streamComplaints } from './clientSchemas.ts';
import { addressOf, COIN, type SharedStack, sharedStack } from './sharedStack.ts';
import { type Checked, strictComplaints } from './strictTypes.ts';

const wallet = new PrivateKeySigner(`0x${'11'.repeat(32)}`);
/** Public channels with their fields. */
const CHANNELS: readonly { readonly type: string; readonly fields: object; readonly takesFields?: false }[] = [
  { type: 'allMids', fields: {} },
  { type: 'l2Book', fields: { coin: COIN } },
  { type: 'l2Book', fields: { coin: COIN, nSigFigs: 3 } },
  { type: 'bbo', fields: { coin: COIN } },
  { type: 'trades', fields: { coin: 'BTC' } },
  { type: 'candle', fields: { coin: 'BTC', interval: '1h' } },
  { type: 'activeAssetCtx', fields: { coin: COIN } },
  { type: 'activeSpotAssetCtx', fields: { coin: '@1' } },
  { type: 'assetCtxs', fields: {} },
  { type: 'allDexsAssetCtxs', fields: {}, takesFields: false },
  { type: 'spotAssetCtxs', fields: {}, takesFields: false },
];

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
const versions: Readonly<Record<string, (url: string) => Record<'info' | 'exchange' | 'stream' | 'transport', Client>>> = {
  '0.33.3': (url) => {
    const transport = new current.WebSocketTransport({ url });
    const clients = [
      new current.InfoClient({ transport }),
      new current.ExchangeClient({ transport, wallet: wallet as never }),
    ] as const;
    return toParts(...clients, new current.SubscriptionClient({ transport }), transport);
  },
  '0.30.3': (url) => {
    const transport = new withSchemas.WebSocketTransport(options(url));
    const clients = [new withSchemas.InfoClient({ transport }), new withSchemas.ExchangeClient({ transport, wallet })] as const;
    return toParts(...clients, new withSchemas.SubscriptionClient({ transport }), transport);
  },
};

const toParts = (info: object, exchange: object, stream: object, transport: object) => ({
  info: inProcess(info),
  exchange: inProcess(exchange),
  stream: inProcess(stream),
  transport: inProcess(transport),
});

for (const [version, connect] of Object.entries(versions)) {
  describe(`@nktkas/hyperliquid ${version} over its WebSocket`, function () {
    this.timeout(600_000);
    let shared: SharedStack;
    let info: Client;
    let exchange: Client;
    let stream: Client;
    let transport: Client;
    const all: Checked[] = [];

    before(async () => {
      shared = await sharedStack();
      const url = addressOf(await shared.stack.register(), shared.clientUrl);
      ({ info, exchange, stream, transport } = connect(`${url.replace(/^http/, 'ws')}/ws`));
      await transport.call('ready');
    });
    after(() => transport?.call('close'));

    for (const { type, fields, takesFields } of CHANNELS) {
      it(`hears ${type} ${JSON.stringify(fields)}`, async () => {
        const heard: unknown[] = [];
        const listener = (data: unknown) => heard.push(data);
        const { unsubscribe } = await stream.call(type, ...(takesFields === false ? [listener] : [fields, listener]));
        if (type === 'trades') {
          await shared.stack.market.control({ op: 'trade', coin: 'BTC', px: '66344.0', sz: '0.1', side: 'B', keepBook: true });
        }
        await until(() => heard.length > 0);
        expect(heard.flatMap((data) => streamComplaints(type, data))).to.deep.equal([]);
        const event = `${type[0]?.toUpperCase()}${type.slice(1)}Event`;
        all.push(...heard.map((value) => ({ name: type, from: 'subscription' as const, type: event, value })));
        await unsubscribe();
      });
    }

    it('hears them as the newest types have them, without a field more', () => {
      expect(new Set(all.map(({ name }) => name))).to.deep.equal(new Set(CHANNELS.map(({ type }) => type)));
      expect(strictComplaints(all)).to.deep.equal([]);
    });

    it('is told that a coin is unknown, and goes on', async () => {
      const refused = await raisedBy(stream.call('l2Book', { coin: 'NOPE' }, () => undefined));
      expect([refused.kind, refused.message.slice(0, 20)]).to.deep.equal(['WebSocketRequestError', 'Invalid subscription']);
      expect(await info.call('allMids')).to.have.property(COIN);
    });

    it('asks questions by post', async () => {
      expect((await info.call('clearinghouseState', { user: wallet.address })).marginSummary.accountValue).to.equal('10000.0');
      expect((await raisedBy(info.call('candleSnapshot', { coin: 'NOPE', interval: '1h', startTime: 1 }))).message).to.match(
        /400/,
      );
    });

    it('trades by post', async () => {
      const order = wireOrder(5, { px: '90', sz: '1' });
      const { response } = await exchange.call('order', { orders: [order], grouping: 'na' });
      const { oid } = response.data.statuses[0].resting;
      const canceled = await exchange.call('cancel', { cancels: [{ a: 5, o: oid }] });
      expect(canceled.response.data.statuses).to.deep.equal(['success']);
      expect((await raisedBy(exchange.call('cancel', { cancels: [{ a: 5, o: oid }] }))).kind).to.equal('ApiRequestError');
    });
  });
}
