// Filled IOC orders against a deployment that runs already, beside the bare stack, as 64 connections and as one.
// `node --import tsx bench/deployment.ts --url http://127.0.0.1:3000 [--data folder of bin/start] [--key api key]`
// With `--key` all connections trade the account of that key; without it the bench registers 64 accounts. The deployment has to
// allow that many: start it with AUTH_REGISTER_PER_MINUTE, PLAN_BASIC_REQUESTS_PER_MINUTE, PLAN_BASIC_WEIGHT_PER_MINUTE and
// ANONYMOUS_REQUESTS_PER_MINUTE at 100000000. With `--data` it prints the processes' CPU, too.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { orderAction } from '../test/support/orderWire.ts';
import { IocOrders } from './support/iocOrders.ts';
import { compareRunning } from './support/sideBySide.ts';

const CONNECTIONS = 64;
/** In USD, above the least order. */
const NOTIONAL = 15;
/** Prices of an order are this far through the market, so that it fills in a book that moves. */
const THROUGH = 0.02;
const PASSWORD = 'correct horse battery';

const { values } = parseArgs({ options: { url: { type: 'string' }, data: { type: 'string' }, key: { type: 'string' } } });
const { url: baseUrl = 'http://127.0.0.1:3000', data, key } = values;
const venue = `${baseUrl}/v1/exchanges/perpx`;

const keys = key === undefined ? await registered(CONNECTIONS) : Array.from({ length: CONNECTIONS }, () => key);
const [first = ''] = keys;
const actions = await tradeBothWays(first);
const sample = await call(`${venue}/exchange`, { action: actions[0], nonce: Date.now() }, { 'X-API-Key': first });
const ofKeys = (some: readonly string[]) => (url: string) => some.map((apiKey) => new IocOrders(url, { apiKey }, actions));
const running = { baseUrl, pids };
const many = await compareRunning(running, { order: sample }, ofKeys(keys));
const one = await compareRunning(running, { order: sample }, ofKeys([first]));
console.log(JSON.stringify({ deployment64: many, deployment1: one }));

/** A buy and a sell of the first coin that fill wherever its price is meanwhile. */
async function tradeBothWays(apiKey: string): Promise<[object, object]> {
  const ask = (type: string) => call(`${venue}/info`, { type }, { 'X-API-Key': apiKey });
  const [{ universe }, mids] = [await ask('meta'), await ask('allMids')];
  const [{ name, szDecimals }] = universe;
  const mid = Number(mids[name]);
  const sz = (Math.ceil((NOTIONAL / mid) * 10 ** szDecimals) / 10 ** szDecimals).toFixed(szDecimals);
  const orderAt = (buy: boolean) => {
    const px = String(Number((mid * (buy ? 1 + THROUGH : 1 - THROUGH)).toPrecision(4)));
    return orderAction(0, { buy, px, sz, tif: 'Ioc' });
  };
  return [orderAt(true), orderAt(false)];
}

async function registered(count: number): Promise<string[]> {
  const made: string[] = [];
  while (made.length < count) {
    const email = `bench-${crypto.randomUUID()}@example.com`;
    const { access_token } = await call(`${baseUrl}/v1/auth/register`, { email, password: PASSWORD });
    const { api_key } = await call(`${baseUrl}/v1/auth/api-keys`, { name: 'bench' }, { authorization: `Bearer ${access_token}` });
    made.push(api_key);
  }
  return made;
}

// biome-ignore lint/suspicious/noExplicitAny: a body is whatever the endpoint sends
async function call(url: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<any> {
  const method = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
  const response = await fetch(url, method);
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
  return JSON.parse(text);
}

/** The records that `bin/start` keeps and this bench reads. */
function pids(): ReadonlyMap<string, number> {
  const own: [string, number] = ['generator', process.pid];
  if (data === undefined) return new Map([own]);
  const folder = join(data, 'run');
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return new Map([
    ...files.map((file) => [file.replace('.json', ''), JSON.parse(readFileSync(join(folder, file), 'utf8')).pid] as const),
    own,
  ]);
}
