// An agent trades over the Model Context Protocol (docs/agents.md), with a key that cannot place an order of more than 100 USD.
// `npm install @modelcontextprotocol/sdk` first.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { api, ask, logIn, makeKey, priced } from './exchange.mjs';

const token = await logIn();
const { answer: group } = await ask('GET', '/v1/exchanges/perpx/account/group', { token });
const account = group.accounts.find(({ name }) => name === null).address;
const { id, api_key: key } = await makeKey(token, {
  name: 'agent',
  account,
  trade_limits: { order_usd: '100', leverage: null, daily_loss_usd: '50', orders_per_minute: 10 },
});
const client = new Client({ name: 'example', version: '1.0.0' });
const requestInit = { headers: { 'x-api-key': key } };
await client.connect(new StreamableHTTPClientTransport(new URL(`${api}/mcp`), { requestInit }));

/** What a tool answers, with the entry of the account that it shows. */
async function call(name, args) {
  const { content } = await client.callTool({ name, arguments: args });
  return JSON.parse(content[0].text);
}

const { tools } = await client.listTools();
console.log(`${tools.length} tools`);
const { asset, price } = await priced({ key }, 'BTC', 2);
for (const usd of [1000, 50]) {
  const s = (usd / Number(price)).toFixed(5);
  const orders = [{ a: asset, b: true, p: price, s, r: false, t: { limit: { tif: 'Ioc' } } }];
  const { data, seq } = await call('order', { orders, grouping: 'na' });
  const [status] = data.response.data.statuses;
  console.log(`${usd} USD, entry ${seq}: ${status.error ?? `filled at ${status.filled.avgPx}`}`);
}
await client.close();
await ask('DELETE', `/v1/auth/api-keys/${id}`, { token });
