// Two bots on two sub-accounts of one user, and what all accounts are worth together. Plain Node: `node bots.mjs` with BASE in the
// environment, the address that `bin/start` prints. Run again, it goes on with the same two.
const { BASE = '' } = process.env;
const COIN = 'BTC';
const USD = 500;
let nonce = Date.now();

async function ask(path, body) {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${BASE}${path}`, init);
  const answer = await response.json();
  if (!response.ok || answer?.status === 'err') throw new Error(JSON.stringify(answer));
  return answer;
}
const info = (type, fields = {}) => ask('/info', { type, ...fields });
// An action with `vaultAddress` is that account's; without it the master's.
const act = async (action, vaultAddress) =>
  (await ask('/exchange', { action, nonce: nonce++, ...(vaultAddress && { vaultAddress }) })).response;

const account = (await ask('/account/group')).accounts.find(({ name }) => name === null).address;
const subAccounts = (await info('subAccounts', { user: account })) ?? [];

/** The address of the sub-account with this name, made and funded where there is none. */
async function open(name) {
  const known = subAccounts.find((one) => one.name === name);
  if (known) return known.subAccountUser;
  const { data: address } = await act({ type: 'createSubAccount', name });
  await act({ type: 'subAccountTransfer', subAccountUser: address, isDeposit: true, usd: USD * 1_000_000 });
  return address;
}

const { universe } = await info('meta');
const asset = universe.findIndex(({ name }) => name === COIN);
/** A market order: 5 % beyond the mid, for what fills at once. */
async function trade(address, isBuy) {
  const mid = Number((await info('allMids'))[COIN]);
  const p = (mid * (isBuy ? 1.05 : 0.95)).toPrecision(5).replace(/\.0+$/, '');
  const order = { a: asset, b: isBuy, p: String(Number(p)), s: '0.001', r: false, t: { limit: { tif: 'Ioc' } } };
  const { data } = await act({ type: 'order', grouping: 'na', orders: [order] }, address);
  return data.statuses[0].filled;
}

const bots = { up: true, down: false };
for (const [name, isBuy] of Object.entries(bots)) {
  const address = await open(name);
  const filled = await trade(address, isBuy);
  const { marginSummary } = await info('clearinghouseState', { user: address });
  console.log(`${name} ${isBuy ? 'bought' : 'sold'} ${filled.totalSz} at ${filled.avgPx}, worth ${marginSummary.accountValue}`);
}
const { accounts, total } = await ask('/account/group');
for (const { name, account_value } of accounts) console.log(`${name ?? 'master'} ${account_value}`);
console.log(`together ${total.account_value}`);
