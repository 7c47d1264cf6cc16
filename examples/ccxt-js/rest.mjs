// ccxt over HTTP: an order that rests is shown, changed and canceled; a position is opened, shown and closed.
import ccxt from 'ccxt';

const exchange = new ccxt.hyperliquid({
  walletAddress: process.env.WALLET_ADDRESS,
  privateKey: process.env.WALLET_PRIVATE_KEY,
  urls: { api: { public: process.env.BASE, private: process.env.BASE } },
  timeout: 60_000, // ms; what a busy machine may need
});

const symbol = 'BTC/USDC:USDC';
const { last } = await exchange.fetchTicker(symbol);

const { id } = await exchange.createOrder(symbol, 'limit', 'buy', 0.001, last * 0.9);
for (const order of await exchange.fetchOpenOrders(symbol)) console.log(`open ${order.id}: ${order.amount} at ${order.price}`);
// The changed order has an id of its own.
const changed = await exchange.editOrder(id, symbol, 'limit', 'buy', 0.002, last * 0.91);
await exchange.cancelOrder(changed.id, symbol);
const canceled = await exchange.fetchOrder(changed.id, symbol);
console.log(`${canceled.status} ${canceled.id}`);

// A market order of this client is a limit order that fills at once, up to 5 % away from the price that it is given.
const bought = await exchange.createOrder(symbol, 'market', 'buy', 0.001, last);
console.log(`filled ${bought.id}: ${bought.filled} at ${bought.average}`);
const [position] = await exchange.fetchPositions([symbol]);
console.log(`position ${position.side} ${position.contracts} at ${position.entryPrice}`);
await exchange.createOrder(symbol, 'market', 'sell', 0.001, last, { reduceOnly: true });
for (const trade of await exchange.fetchMyTrades(symbol)) console.log(`trade ${trade.side} ${trade.amount} at ${trade.price}`);
