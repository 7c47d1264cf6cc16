// ccxt.pro: orders and trades over the WebSocket, told as they happen.
import ccxt from 'ccxt';

const exchange = new ccxt.pro.hyperliquid({
  walletAddress: process.env.WALLET_ADDRESS,
  privateKey: process.env.WALLET_PRIVATE_KEY,
  urls: {
    api: {
      public: process.env.BASE,
      private: process.env.BASE,
      ws: { public: `${process.env.BASE.replace('http', 'ws')}/ws` },
    },
  },
  timeout: 60_000, // ms; what a busy machine may need
  newUpdates: true,
  // Of messages that come together the client shows a caller the first alone, without this.
  options: { ws: { options: { allowSynchronousEvents: false } } },
});
// The client opens a ws:// address only after this; a wss:// address does not need it.
await exchange.loadHttpProxyAgent();

const symbol = 'BTC/USDC:USDC';
const { last } = await exchange.fetchTicker(symbol);
const { asks } = await exchange.watchOrderBook(symbol);
console.log(`best ask ${asks[0][0]}`);

let onHeard = () => undefined;
const heard = new Set();
const hear = (text) => {
  console.log(`heard ${text}`);
  heard.add(text);
  onHeard();
};
const untilHeard = async (text) => {
  while (!heard.has(text)) await new Promise((resolve) => (onHeard = resolve));
};
const listen = async (watch, textOf) => {
  try {
    for (;;) for (const one of await watch()) hear(textOf(one));
  } catch (error) {
    if (!(error instanceof ccxt.ExchangeClosedByUser)) throw error;
  }
};
const listening = [
  listen(
    () => exchange.watchOrders(symbol),
    ({ status, id }) => `${status} ${id}`,
  ),
  listen(
    () => exchange.watchMyTrades(symbol),
    ({ side, amount, order }) => `trade ${side} ${amount} of ${order}`,
  ),
];

const { id } = await exchange.createOrderWs(symbol, 'limit', 'buy', 0.001, last * 0.9);
await untilHeard(`open ${id}`);
await exchange.cancelOrderWs(id, symbol);
await untilHeard(`canceled ${id}`);

const bought = await exchange.createOrderWs(symbol, 'market', 'buy', 0.001, last);
await untilHeard(`trade buy 0.001 of ${bought.id}`);
const sold = await exchange.createOrderWs(symbol, 'market', 'sell', 0.001, last, { reduceOnly: true });
await untilHeard(`trade sell 0.001 of ${sold.id}`);
await exchange.close();
await Promise.all(listening);
