// What the programs of this folder share: a user that is logged in, and the exchange as it is asked with the user's token. From the
// environment: API (`http://127.0.0.1:3000`), EMAIL and PASSWORD, as `bin/start` leaves them in `var/demo.json`, and `bin/start --ci`
// in its line.
const { API = 'http://127.0.0.1:3000', EMAIL, PASSWORD } = process.env;
export const api = API;

/** Asks the API. @throws Error with `status` for an answer that is no success, and `fetch`’s own when there is none */
export async function ask(method, path, { body, token, key } = {}) {
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(key !== undefined && { 'x-api-key': key }),
  };
  const response = await fetch(API + path, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const text = await response.text();
  const answer = text === '' ? undefined : JSON.parse(text);
  if (!response.ok) throw Object.assign(new Error(`${response.status} ${text}`), { status: response.status });
  return { answer, seq: Number(response.headers.get('x-account-seq')) };
}

/** The access token of the user. */
export const logIn = async () =>
  (await ask('POST', '/v1/auth/login', { body: { email: EMAIL, password: PASSWORD } })).answer.access_token;

/** A key of the user. @param fields as `POST /v1/auth/api-keys` takes them */
export const makeKey = async (token, fields) => (await ask('POST', '/v1/auth/api-keys', { token, body: fields })).answer;

export const info = async (caller, body) => (await ask('POST', '/v1/exchanges/perpx/info', { ...caller, body })).answer;

/** Sends an action; the element that the answer has for its only order. */
export async function order(caller, fields) {
  const action = { type: 'order', grouping: 'na', orders: [fields] };
  const path = '/v1/exchanges/perpx/exchange';
  const { answer } = await ask('POST', path, { ...caller, body: { action, nonce: Date.now() } });
  if (answer.status !== 'ok') throw new Error(answer.response);
  return answer.response.data.statuses[0];
}

/** The number of a coin, and its price so many percent away from the mid, as the exchange takes it. */
export async function priced(caller, coin, percent) {
  const { universe } = await info(caller, { type: 'meta' });
  const asset = universe.findIndex(({ name }) => name === coin);
  const price = Number((await info(caller, { type: 'allMids' }))[coin]) * (1 + percent / 100);
  const decimals = Math.max(0, Math.min(6 - universe[asset].szDecimals, 4 - Math.floor(Math.log10(price))));
  return { asset, price: String(Number(price.toFixed(decimals))) };
}
