// npm hyperliquid: orders over HTTP, and subscriptions that tell of them and of the fills.
import { createRequire } from 'node:module';

// Up to Node 22 the client finds its WebSocket only when it is required, not when it is imported.
const { Hyperliquid } = createRequire(import.meta.url)('hyperliquid');

const sdk = new Hyperliquid({
  privateKey: process.env.WALLET_PRIVATE_KEY,
  walletAddress: process.env.WALLET_ADDRESS,
  disableAssetMapRefresh: true,
});
// The client has no option for an address, only a choice of two networks; these are its fields for it.
for (const { httpApi } of [sdk.info, sdk.exchange, sdk.symbolConversion]) httpApi.client.defaults.baseURL = process.env.BASE;
sdk.ws.url = `${process.env.BASE.replace('http', 'ws')}/ws`;
await sdk.connect();

const user = process.env.WALLET_ADDRESS;
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
await sdk.subscriptions.subscribeToOrderUpdates(user, (updates) => {
  for (const { order, status } of updates) hear(`${status} ${order.oid}`);
});
await sdk.subscriptions.subscribeToUserFills(user, ({ fills, isSnapshot }) => {
  if (!isSnapshot) for (const { oid, dir, sz } of fills) hear(`${dir} ${sz}`, `fill of ${oid}`);
});

const coin = 'BTC-PERP';
const mid = Number((await sdk.info.getAllMids())[coin]);
const place = async (order) => {
  const { response } = await sdk.exchange.placeOrder({ coin, sz: 0.001, reduce_only: false, ...order });
  return response.data.statuses[0];
};

const { resting } = await place({ is_buy: true, limit_px: (mid * 0.9).toFixed(), order_type: { limit: { tif: 'Gtc' } } });
for (const { oid, sz, limitPx } of await sdk.info.getUserOpenOrders(user)) console.log(`open ${oid}: ${sz} at ${limitPx}`);
await sdk.exchange.cancelOrder({ coin, o: resting.oid });
await untilHeard(`canceled ${resting.oid}`);

const { filled } = await place({ is_buy: true, limit_px: (mid * 1.01).toFixed(), order_type: { limit: { tif: 'Ioc' } } });
console.log(`filled ${filled.oid}: ${filled.totalSz} at ${filled.avgPx}`);
await untilHeard(`fill of ${filled.oid}`);
const { assetPositions } = await sdk.info.perpetuals.getClearinghouseState(user);
for (const { position } of assetPositions) console.log(`position ${position.szi} at ${position.entryPx}`);
// As much as was bought: without the size it closes the whole position.
const closed = (await sdk.custom.marketClose(coin, 0.001)).response.data.statuses[0].filled;
await untilHeard(`fill of ${closed.oid}`);
sdk.disconnect();
