// How would a copy of this address do? A sub-account begins with what an address of the venue has, times a scale, and follows it (docs/copies.md).
// At its next fill the program says what the same has cost here, by cause, and ends the mirror.
//   node examples/programs/mirror.mjs 0x… 0.01
import { ask, logIn } from './exchange.mjs';

const [address, scale = '1'] = process.argv.slice(2);
const token = await logIn();
const action = { type: 'createSubAccount', name: `copy ${Date.now() % 1e6}` };
const { answer: made } = await ask('POST', '/v1/exchanges/perpx/exchange', { token, body: { action, nonce: Date.now() } });
if (made.status !== 'ok') throw new Error(made.response);
const account = made.response.data;
const at = async (method, what, body) =>
  (await ask(method, `/v1/exchanges/perpx/account/${what}?account=${account}`, { token, body })).answer;

const { balance, positions, orders, left } = await at('POST', 'import', { address, scale, dryRun: true });
console.log(`it would begin with ${balance} USD, ${positions.length} positions and ${orders.length} orders`);
for (const { kind, coin, text } of left) console.log(`not taken: ${kind} of ${coin}. ${text}`);

await at('POST', 'mirror', { address, scale });
const pause = () => new Promise((resolve) => setTimeout(resolve, 100));
for (let mirror; !mirror?.caught_up; { mirror } = await at('GET', 'mirror')) await pause();
console.log(`${account} follows ${address}`);

/** One of which a part still waits for its copy counts when it is decided. */
const isDecided = ({ state }) => state !== 'waits';
let fills = [];
for (; !fills.some(isDecided); { fills } = await at('GET', 'divergence')) await pause();
for (const { coin, side, scaled_size: size, real, ours, causes, difference } of fills.filter(isDecided)) {
  const parts = Object.entries(causes).map(([cause, { usd, bps }]) => `${cause} ${usd} USD (${bps} bp)`);
  console.log(`${side} ${size} ${coin} at ${real.price}, here ${ours.size} at ${ours.price}: ${parts.join(', ')}`);
  console.log(`all of it: ${difference.usd} USD (${difference.bps} bp)`);
}
await at('DELETE', 'mirror');
