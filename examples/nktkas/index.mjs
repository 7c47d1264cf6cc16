// @nktkas/hyperliquid: orders over HTTP, and a subscription that tells of them and of the fills.
import { ExchangeClient, HttpTransport, InfoClient, SubscriptionClient, WebSocketTransport } from '@nktkas/hyperliquid';
import { privateKeyToAccount } from 'viem/accounts';
import WebSocket from 'ws';

// Node 20 has no WebSocket of its own. That of ws becomes what this client expects by telling itself of its events.
class Socket extends WebSocket {
  dispatchEvent({ type }) {
    return this.emit(type);
  }
}
const wallet = privateKeyToAccount(process.env.WALLET_PRIVATE_KEY);
// The address ends in a slash: the client resolves `info` and `exchange` against it.
const http = new HttpTransport({ apiUrl: `${process.env.BASE}/` });
const socket = new WebSocketTransport({
  url: `${process.env.BASE.replace('http', 'ws')}/ws`,
  reconnect: { WebSocket: Socket },
});
const info = new InfoClient({ transport: http });
const exchange = new ExchangeClient({ transport: http, wallet });
const subscriptions = new SubscriptionClient({ transport: socket });

const user = wallet.address;
let onHeard = () => undefined;
const heard = new Set();
const hear = (text, told = text) => {
  console.log(`heard ${text}`);
  heard.add(told);
  onHeard();
};
const untilHeard = async (text) => {
  while (!heard.has(text)) await new Promise((resolve) => (onHeard = resolve));
};
await subscriptions.orderUpdates({ user }, (updates) => {
  for (const { order, status } of updates) hear(`${status} ${order.oid}`);
});
await subscriptions.userFills({ user }, ({ fills, isSnapshot }) => {
  if (!isSnapshot) for (const { oid, dir, sz } of fills) hear(`${dir} ${sz}`, `fill of ${oid}`);
});

const { universe } = await info.meta();
const asset = universe.findIndex(({ name }) => name === 'BTC');
const mid = Number((await info.allMids()).BTC);
const place = async (order) => {
  const { response } = await exchange.order({ orders: [{ a: asset, s: '0.001', r: false, ...order }], grouping: 'na' });
  return response.data.statuses[0];
};

const { resting } = await place({ b: true, p: (mid * 0.9).toFixed(), t: { limit: { tif: 'Gtc' } } });
for (const { oid, sz, limitPx } of await info.openOrders({ user })) console.log(`open ${oid}: ${sz} at ${limitPx}`);
await exchange.cancel({ cancels: [{ a: asset, o: resting.oid }] });
await untilHeard(`canceled ${resting.oid}`);

const { filled } = await place({ b: true, p: (mid * 1.01).toFixed(), t: { limit: { tif: 'Ioc' } } });
console.log(`filled ${filled.oid}: ${filled.totalSz} at ${filled.avgPx}`);
await untilHeard(`fill of ${filled.oid}`);
const { assetPositions } = await info.clearinghouseState({ user });
for (const { position } of assetPositions) console.log(`position ${position.szi} at ${position.entryPx}`);
const { filled: sold } = await place({ b: false, r: true, p: (mid * 0.99).toFixed(), t: { limit: { tif: 'Ioc' } } });
await untilHeard(`fill of ${sold.oid}`);
await socket.close();
