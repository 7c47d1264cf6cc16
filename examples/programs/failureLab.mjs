// A bot that places five orders while a fourth of its requests are refused and another fourth get no answer although they had an effect
// (docs/failure-lab.md). It gives each order a cloid, so that it can ask what became of it and never sends it twice.
import { randomBytes } from 'node:crypto';
import { ask, info, logIn, makeKey, order, priced } from './exchange.mjs';

const ORDERS = 5;
const token = await logIn();
const { id, api_key: key } = await makeKey(token, { name: 'lab bot' });
const { asset, price } = await priced({ key }, 'BTC', -20);
const { answer: group } = await ask('GET', '/v1/exchanges/perpx/account/group', { token });
const user = group.accounts.find(({ name }) => name === null).address;
const profile = { seed: 7, faults: { 429: 0.25, timeoutAfterEffect: 0.25 }, latency: { submit: 50 }, timeoutMs: 100 };
await ask('PUT', `/v1/auth/api-keys/${id}/lab`, { token, body: profile });

/** Asks until there is an answer. */
async function insist(question) {
  for (let tries = 1; ; tries++) {
    const answer = await question().catch((error) => {
      if (error.status !== undefined && error.status !== 429) throw error;
      console.log(`  ${error.status === 429 ? 'refused: 429' : 'no answer'}`);
    });
    if (answer !== undefined) return { answer, tries };
  }
}

const cloids = [];
for (let n = 1; n <= ORDERS; n++) {
  const cloid = `0x${randomBytes(16).toString('hex')}`;
  cloids.push(cloid);
  const fields = { a: asset, b: true, p: price, s: '0.001', r: false, t: { limit: { tif: 'Gtc' } }, c: cloid };
  const { tries } = await insist(async () => {
    // An order that had no answer may be there.
    const known = await info({ key }, { type: 'orderStatus', user, oid: cloid });
    return known.status === 'order' ? known : order({ key }, fields);
  });
  console.log(`order ${n} is there after ${tries} tries`);
}
const { answer: all } = await insist(() => info({ key }, { type: 'frontendOpenOrders', user }));
const open = all.filter(({ cloid }) => cloids.includes(cloid));
console.log(`${ORDERS} orders, ${open.length} open`);

await ask('DELETE', `/v1/auth/api-keys/${id}/lab`, { token });
const cancels = open.map(({ oid }) => ({ a: asset, o: oid }));
await ask('POST', '/v1/exchanges/perpx/exchange', { token, body: { action: { type: 'cancel', cancels }, nonce: Date.now() } });
await ask('DELETE', `/v1/auth/api-keys/${id}`, { token });
