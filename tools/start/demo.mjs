// The demo account: made once through the public API like any other, kept in demo.json, and used for one market order
// at every start, to prove that the exchange trades. An account that no longer can (its stores were wiped, its trial
// is over) is replaced by a new one.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted, Refusal } from './refusal.mjs';
import { say } from './say.mjs';

const COIN = 'BTC';
const SIZE_USD = 100;
/** How far beyond the mid the order may go, as clients do for a market order. */
const SLIPPAGE = 0.05;
/** A market that has just begun may need a moment until its data are fresh, milliseconds. */
const TRY_WITHIN_MS = 20_000;
const TRY_EVERY_MS = 500;

/**
 * @typedef {{ baseUrl: string, apiKey: string, email: string, password: string, userId: string, address: string, rootUrl?: string }} Demo
 * @typedef {{ side: 'Bought' | 'Sold', size: string, coin: string, price: string, oid: number }} Fill
 */

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {string} baseUrl
 * @returns {Promise<Demo>}
 */
export async function demoAccount(data, baseUrl) {
  const kept = /** @type {Demo | undefined} */ (data.read('demo.json'));
  if (kept?.apiKey) {
    const refusal = await refusalOf({ ...kept, baseUrl });
    if (refusal === undefined) {
      const { rootUrl, ...demo } = kept; // of the start before: its port is closed
      if (rootUrl !== undefined || kept.baseUrl !== baseUrl) data.write('demo.json', { ...demo, baseUrl });
      return { ...demo, baseUrl };
    }
    say(`The demo account of before can no longer trade (${refusal}); making a new one.`);
  }
  const made = await makeDemo(baseUrl);
  data.write('demo.json', made);
  return made;
}

/**
 * One market order; it shrinks the position if there is one, so that any number of starts leaves the account in order.
 * @param {Demo} demo
 * @param {AbortSignal} signal
 * @returns {Promise<Fill>}
 * @throws {Refusal} with the exchange's own words
 */
export async function placeMarketOrder(demo, signal) {
  const giveUpAtMs = Date.now() + TRY_WITHIN_MS;
  for (;;) {
    if (signal.aborted) throw new Interrupted();
    const { fill, refused } = await tryOrder(demo);
    if (fill) return fill;
    if (Date.now() > giveUpAtMs) throw new Refusal(`The demo order was not filled: ${refused}`);
    await sleep(TRY_EVERY_MS);
  }
}

/**
 * @param {Demo} demo
 * @returns {Promise<{ fill?: Fill, refused?: string }>}
 */
async function tryOrder(demo) {
  const { universe } = await info(demo, { type: 'meta' });
  const mids = await info(demo, { type: 'allMids' });
  const { assetPositions } = await info(demo, { type: 'clearinghouseState', user: demo.address });
  const asset = universe.findIndex((/** @type {{ name: string }} */ { name }) => name === COIN);
  const mid = Number(mids[COIN]);
  if (asset < 0 || !(mid > 0)) return { refused: `The market has no price for ${COIN} yet.` };
  const held = assetPositions.find((/** @type {any} */ { position }) => position.coin === COIN);
  const isBuy = !(Number(held?.position.szi ?? 0) > 0);
  const limit = mid * (isBuy ? 1 + SLIPPAGE : 1 - SLIPPAGE);
  const order = {
    ...{ a: asset, b: isBuy, r: false, t: { limit: { tif: 'Ioc' } } },
    p: fiveDigits(limit),
    s: (SIZE_USD / mid).toFixed(universe[asset].szDecimals),
  };
  const { status, body } = await call(demo.baseUrl, 'POST', '/v1/exchanges/perpx/exchange', {
    key: demo.apiKey,
    body: { action: { type: 'order', orders: [order], grouping: 'na' }, nonce: Date.now() },
  });
  const filled = body?.response?.data?.statuses?.[0]?.filled;
  if (filled)
    return { fill: { side: isBuy ? 'Bought' : 'Sold', size: filled.totalSz, coin: COIN, price: filled.avgPx, oid: filled.oid } };
  const refused = body?.response?.data?.statuses?.[0]?.error ?? body?.response ?? body?.detail ?? `HTTP ${status}`;
  if (status === 504) throw new Refusal(`The demo order was not answered in time: ${refused}`); // it may have been filled: not again
  return { refused: typeof refused === 'string' ? refused : JSON.stringify(refused) };
}

/**
 * @param {Demo} demo
 * @param {object} body
 */
async function info(demo, body) {
  const answer = await call(demo.baseUrl, 'POST', '/v1/exchanges/perpx/info', { key: demo.apiKey, body });
  return require200(answer, 'The demo account cannot read the market');
}

/**
 * @param {Demo} demo
 * @returns {Promise<string | undefined>} why its key is refused; undefined: it is not
 */
async function refusalOf(demo) {
  const { status, body } = await call(demo.baseUrl, 'POST', '/v1/exchanges/perpx/info', {
    key: demo.apiKey,
    body: { type: 'clearinghouseState', user: demo.address },
  });
  return status === 401 || status === 403 ? (body?.detail ?? `HTTP ${status}`) : undefined;
}

/**
 * A new account with a key, made through the public API.
 * @param {string} baseUrl
 * @returns {Promise<Demo>}
 */
export async function makeDemo(baseUrl) {
  const email = `demo-${randomBytes(5).toString('hex')}@example.com`;
  const password = randomBytes(18).toString('base64url');
  const wrong = 'The demo account could not be made';
  const user = require200(await call(baseUrl, 'POST', '/v1/auth/register', { body: { email, password } }), wrong);
  const token = user.access_token;
  const key = require200(await call(baseUrl, 'POST', '/v1/auth/api-keys', { token, body: { name: 'demo' } }), wrong);
  const me = require200(await call(baseUrl, 'GET', '/v1/auth/me', { token }), wrong);
  return { baseUrl, apiKey: key.api_key, email, password, userId: me.id, address: me.address };
}

/**
 * @param {{ status: number, body: any }} answer
 * @param {string} wrong
 */
function require200({ status, body }, wrong) {
  if (status >= 200 && status < 300) return body;
  throw new Refusal(`${wrong}: ${body?.detail ?? `HTTP ${status}`}`);
}

/**
 * @param {string} baseUrl
 * @param {string} method
 * @param {string} path
 * @param {{ key?: string, token?: string, body?: object }} options
 * @returns {Promise<{ status: number, body: any }>}
 */
async function call(baseUrl, method, path, { key, token, body }) {
  const headers = {
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'x-api-key': key }),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  };
  try {
    const options = {
      method,
      headers,
      signal: AbortSignal.timeout(15_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${baseUrl}${path}`, options);
    const text = await response.text();
    return { status: response.status, body: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : { detail: text } };
  } catch (error) {
    throw new Refusal(`The API at ${baseUrl} did not answer ${path}: ${/** @type {Error} */ (error).message}`);
  }
}

/** A price as the venue takes it: five significant digits at most; a whole number is always allowed. @param {number} price */
const fiveDigits = (price) => (price >= 10_000 ? Math.round(price).toString() : Number(price.toPrecision(5)).toString());
