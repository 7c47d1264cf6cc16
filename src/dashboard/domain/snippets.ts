// The first order by each client, with a bot's own address filled in.

export interface Snippet {
  readonly name: string;
  readonly code: string;
}

/** @param base the bot's address, with its key */
export const snippets = (base: string): readonly Snippet[] => [
  {
    name: 'curl',
    code: `curl -s '${base}/exchange' -H 'content-type: application/json' -d '{
  "action": { "type": "order", "grouping": "na",
    "orders": [{ "a": 0, "b": true, "p": "0", "s": "0.001", "r": false, "t": { "limit": { "tif": "Ioc" } } }] },
  "nonce": 1 }'`,
  },
  {
    name: 'Python: hyperliquid-python-sdk',
    code: `import eth_account
from hyperliquid.exchange import Exchange

exchange = Exchange(eth_account.Account.create(), "${base}")
print(exchange.market_open("BTC", True, 0.001))`,
  },
  {
    name: 'JavaScript: ccxt',
    code: `import ccxt from 'ccxt';

const exchange = new ccxt.hyperliquid({
  walletAddress: \`0x\${'11'.repeat(20)}\`,
  privateKey: \`0x\${'11'.repeat(32)}\`,
  urls: { api: { public: '${base}', private: '${base}' } },
});
const { last } = await exchange.fetchTicker('BTC/USDC:USDC');
console.log(await exchange.createOrder('BTC/USDC:USDC', 'market', 'buy', 0.001, last));`,
  },
];
