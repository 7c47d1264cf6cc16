// The first programs of a bot, as pages and the README print them. BASE is in the environment; a test runs each as it is
// printed, and another one holds the README against them.

/** Two channels for ten seconds, in JavaScript with the package `ws`. */
export const STREAM_SNIPPET = `import WebSocket from 'ws';

const socket = new WebSocket(\`\${process.env.BASE.replace('http', 'ws')}/ws\`);
socket.on('open', () => {
  for (const subscription of [{ type: 'bbo', coin: 'BTC' }, { type: 'userFills' }]) {
    socket.send(JSON.stringify({ method: 'subscribe', subscription }));
  }
});
socket.on('message', (text) => console.log(String(text)));
setTimeout(() => socket.close(), 10_000);
`;

/** A first order with ccxt, in JavaScript. */
export const CCXT_SNIPPET = `import ccxt from 'ccxt';

const base = process.env.BASE;
const exchange = new ccxt.hyperliquid({
  walletAddress: \`0x\${'11'.repeat(20)}\`, // your own; signatures are not checked
  privateKey: \`0x\${'11'.repeat(32)}\`,
  urls: { api: { public: base, private: base } },
});
const { last } = await exchange.fetchTicker('BTC/USDC:USDC');
const order = await exchange.createOrder('BTC/USDC:USDC', 'market', 'buy', 0.001, last);
console.log(order.filled, order.average);
`;

/** A first order with the venue's own client, in Python. */
export const PYTHON_SNIPPET = `import os
import eth_account
from hyperliquid.exchange import Exchange

exchange = Exchange(eth_account.Account.create(), os.environ["BASE"])
print(exchange.market_open("BTC", True, 0.001))
`;
