// What would this bot have without fees? A what-if of the account (docs/copies.md) receives each of its commands and pays none.
import { ask, info, logIn, order, priced } from './exchange.mjs';

const token = await logIn();
const path = '/v1/exchanges/perpx/account';
const accounts = async () => (await ask('GET', `${path}/group`, { token })).answer.accounts;
const { seq } = await ask('POST', '/v1/exchanges/perpx/info', { token, body: { type: 'openOrders' } });
const name = `no fees ${Date.now() % 1e6}`;
const what_if = { fees: { maker: '0', taker: '0' } };
const { answer: fork } = await ask('POST', `${path}/fork`, { token, body: { name, seq, what_if } });
console.log(`${name} begins with entry ${fork.seq} and ${fork.balance} USD`);

for (const isBuy of [true, false]) {
  const { asset, price } = await priced({ token }, 'BTC', isBuy ? 2 : -2);
  const { filled } = await order({ token }, { a: asset, b: isBuy, p: price, s: '0.01', r: false, t: { limit: { tif: 'Ioc' } } });
  console.log(`${isBuy ? 'bought' : 'sold'} ${filled.totalSz} at ${filled.avgPx}`);
}

/** It decides a moment later. */
async function whenReceived(commands) {
  for (;;) {
    const found = (await accounts()).find(({ address }) => address === fork.address);
    if (found.what_if.received >= commands) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
await whenReceived(2);
const feesOf = async (user) =>
  (await info({ token }, { type: 'userFills', user })).slice(0, 2).reduce((sum, { fee }) => sum + Number(fee), 0);
console.log(`fees: ${(await feesOf(fork.of)).toFixed(6)}, without: ${(await feesOf(fork.address)).toFixed(6)}`);
const { answer: compared } = await ask('GET', `${path}/compare?with=${fork.address}`, { token });
const [first] = compared.differences;
console.log(`first difference, because of ${first.why}: ${first.account.text}, and there: ${first.with.text}`);
