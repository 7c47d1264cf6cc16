// The demo account: made once through the public API like any other, and kept in demo.json. While it is made it proves that the exchange
// trades: it buys and sells, so it is flat when anybody sees it. A later start asks for a dry run alone, and makes no other account
// without `--new-demo`.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runToEnd } from './command.mjs';
import { PROJECT_DIR } from './project.mjs';
import { Interrupted, Refusal } from './refusal.mjs';

const FILE = 'demo.json';
/** Where the account goes that `--new-demo` replaces: its password is nowhere else. */
const FILE_BEFORE = 'demo.before.json';
const COIN = 'BTC';
const SIZE_USD = 100;
/** How far beyond the mid the order may go, as clients do for a market order. */
const SLIPPAGE = 0.05;
/** A market that has just begun may need a moment until its data are fresh, milliseconds: for the trades, and for a dry run. */
const TRADES_WITHIN_MS = 20_000;
const DRY_RUN_WITHIN_MS = 5000;
const TRY_EVERY_MS = 500;
/** As bin/admin ends where no user has the name. */
const NO_USER = /^There is no user /m;

const DAMAGED =
  'It has the key and the password of the demo account: put it back from a copy, or give --new-demo for another account.';

/**
 * @typedef {{ baseUrl: string, apiKey: string, email: string, password: string, userId: string, address: string, rootUrl?: string }} Demo
 * @typedef {{ side: 'Bought' | 'Sold', size: string, price: string }} Fill
 */

/**
 * The account that is kept, or a new one, which is kept (`keepDemo`) once it has proved itself.
 * @param {Demo | undefined} kept
 * @param {object} context
 * @param {import('./dataFolder.mjs').DataFolder} context.data
 * @param {string} context.baseUrl
 * @param {Record<string, string>} context.env of the roles
 * @param {AbortSignal} context.signal
 * @returns {Promise<{ demo: Demo, isNew: boolean }>}
 * @throws {Refusal} when the stores do not know the account that is kept
 */
export async function demoAccount(kept, { data, baseUrl, env, signal }) {
  if (kept === undefined) return { demo: await makeDemo(baseUrl), isNew: true };
  const args = [join(PROJECT_DIR, 'dist', 'admin.js'), '--json', 'user', kept.userId];
  const { ok, output } = await runToEnd(process.execPath, args, { cwd: PROJECT_DIR, env, signal });
  if (!ok && NO_USER.test(output))
    throw new Refusal(
      `The stores do not know the demo account of ${data.folder(FILE)}: bring back the stores in which it was made, or give --new-demo ` +
        'for another account.',
    );
  if (!ok) throw new Refusal(`The demo account could not be looked for: ${output.trim()}`);
  const { rootUrl: _closed, ...demo } = { ...kept, baseUrl };
  return { demo, isNew: false };
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @returns {Demo | undefined} undefined: no start has ended making one
 */
export const keptDemo = (data) => data.readKept(FILE, isWhole, DAMAGED);

/** @param {any} value */
const isWhole = ({ apiKey, userId, address }) =>
  [apiKey, userId, address].every((text) => typeof text === 'string' && text !== '');

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {Demo} demo an account that has proved itself, if it is new
 */
export function keepDemo(data, demo) {
  const before = /** @type {Demo | undefined} */ (data.read(FILE));
  if (before !== undefined && before.userId !== demo.userId) data.write(FILE_BEFORE, before);
  data.write(FILE, demo);
}

/**
 * The first two fills of an account, which is flat again: 100 USD are bought and sold at the market.
 * @param {Demo} demo
 * @param {AbortSignal} signal
 * @returns {Promise<[Fill, Fill]>}
 * @throws {Refusal} with the exchange's own words
 */
export async function firstTrades(demo, signal) {
  const opened = await untilFilled(demo, { isBuy: true, signal });
  return [opened, await untilFilled(demo, { isBuy: false, size: opened.size, signal })];
}

/**
 * @param {Demo} demo
 * @param {{ isBuy: boolean, size?: string, signal: AbortSignal }} order `size` closes what was opened
 * @returns {Promise<Fill>}
 */
async function untilFilled(demo, { isBuy, size, signal }) {
  const { fill, refused } = await untilTried({ withinMs: TRADES_WITHIN_MS, signal }, () => trade(demo, { isBuy, size }));
  if (fill) return fill;
  throw new Refusal(`The demo account's first ${isBuy ? 'order' : 'way back'} was not filled: ${refused}`);
}

/**
 * @param {Demo} demo
 * @param {{ isBuy: boolean, size: string | undefined }} order
 * @returns {Promise<Tried>}
 */
async function trade(demo, { isBuy, size }) {
  const { order, refused } = await marketOrder(demo, { isBuy, size });
  if (order === undefined) return { refused };
  const { status, body } = await send(demo, { action: { type: 'order', orders: [order], grouping: 'na' }, nonce: Date.now() });
  const filled = body?.response?.data?.statuses?.[0]?.filled;
  // In part: the rest of the way back is too small for another order, so the book has to have all of it.
  if (filled && (size === undefined || Number(filled.totalSz) === Number(size)))
    return { fill: { side: isBuy ? 'Bought' : 'Sold', size: filled.totalSz, price: filled.avgPx } };
  const told = refusalIn(status, body) ?? `${filled.totalSz} of ${size} ${COIN} were filled`;
  if (status === 504 || filled) throw new Refusal(`The demo account's order was not done whole: ${told}`); // not again
  return { refused: told };
}

/**
 * A market order that is not sent: whether it would fill, and nothing changes.
 * @param {Demo} demo
 * @param {AbortSignal} signal
 * @returns {Promise<Tried>}
 */
export async function dryRun(demo, signal) {
  return untilTried({ withinMs: DRY_RUN_WITHIN_MS, signal }, async () => {
    const { order, refused } = await marketOrder(demo, { isBuy: true });
    if (order === undefined) return { refused };
    const action = { type: 'order', orders: [order], grouping: 'na' };
    const { status, body } = await send(demo, { action, nonce: Date.now(), dryRun: true });
    const answer = body?.response?.data?.answer;
    const filled = answer?.response?.data?.statuses?.[0]?.filled;
    if (filled) return { fill: { side: 'Bought', size: filled.totalSz, price: filled.avgPx } };
    return { refused: refusalIn(status, answer ?? body) };
  });
}

/**
 * @typedef {{ fill?: Fill, refused?: string | undefined }} Tried
 * @param {{ withinMs: number, signal: AbortSignal }} bound
 * @param {() => Promise<Tried>} tryIt
 * @returns {Promise<Tried>} with the fill, or the last refusal
 */
async function untilTried({ withinMs, signal }, tryIt) {
  const giveUpAtMs = Date.now() + withinMs;
  for (;;) {
    if (signal.aborted) throw new Interrupted();
    const tried = await tryIt();
    if (tried.fill || Date.now() > giveUpAtMs) return tried;
    await sleep(TRY_EVERY_MS);
  }
}

/**
 * @param {Demo} demo
 * @param {{ isBuy: boolean, size?: string | undefined }} wanted `size` absent: 100 USD of it
 * @returns {Promise<{ order?: object, refused?: string | undefined }>} an order in the venue's form
 */
async function marketOrder(demo, { isBuy, size }) {
  const meta = await info(demo, { type: 'meta' });
  const mids = await info(demo, { type: 'allMids' });
  if (meta.refused ?? mids.refused) return { refused: meta.refused ?? mids.refused };
  const { universe } = meta.body;
  const asset = universe.findIndex((/** @type {{ name: string }} */ { name }) => name === COIN);
  const mid = Number(mids.body[COIN]);
  if (asset < 0 || !(mid > 0)) return { refused: `The market has no price for ${COIN} yet.` };
  const p = fiveDigits(mid * (isBuy ? 1 + SLIPPAGE : 1 - SLIPPAGE));
  const s = size ?? (SIZE_USD / mid).toFixed(universe[asset].szDecimals);
  return { order: { a: asset, b: isBuy, p, s, r: size !== undefined, t: { limit: { tif: 'Ioc' } } } };
}

/**
 * @param {number} status
 * @param {any} body of an action's answer without a fill
 * @returns {string}
 */
function refusalIn(status, body) {
  const refused = body?.response?.data?.statuses?.[0]?.error ?? body?.response ?? body?.detail ?? `HTTP ${status}`;
  return typeof refused === 'string' ? refused : JSON.stringify(refused);
}

/**
 * @param {Demo} demo
 * @param {object} body
 */
const send = (demo, body) => call(demo.baseUrl, 'POST', '/v1/exchanges/perpx/exchange', { key: demo.apiKey, body });

/**
 * @param {Demo} demo
 * @param {object} body
 * @returns {Promise<{ body?: any, refused?: string }>}
 */
async function info(demo, body) {
  const answer = await call(demo.baseUrl, 'POST', '/v1/exchanges/perpx/info', { key: demo.apiKey, body });
  return answer.status === 200 ? { body: answer.body } : { refused: answer.body?.detail ?? `HTTP ${answer.status}` };
}

/**
 * A new account with a key, made through the public API.
 * @param {string} baseUrl
 * @returns {Promise<Demo>}
 */
async function makeDemo(baseUrl) {
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
