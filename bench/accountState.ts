// `clearinghouseState` of accounts with 10 positions, 10 connections. `node --import tsx bench/accountState.ts`
import { wireOrder } from '../test/support/orderWire.ts';
import type { TestAccount } from '../test/support/stack.ts';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { type Conversation, postRequest } from './support/load.ts';
import { compare } from './support/sideBySide.ts';

const CONNECTIONS = 10;
const POSITIONS = 10;
/** Market orders are this far through the mark, so that they fill in any book. */
const THROUGH = 1.03;

class AccountState implements Conversation {
  readonly #request: Buffer;

  constructor(baseUrl: string, { apiKey, address }: TestAccount) {
    const body = JSON.stringify({ type: 'clearinghouseState', user: address });
    this.#request = postRequest(`${baseUrl}/v1/exchanges/perpx/info`, body, { 'X-API-Key': apiKey });
  }

  next(): Buffer {
    return this.#request;
  }

  onAnswer(status: number, body: string): void {
    if (status !== 200 || !body.includes('"assetPositions"')) throw new Error(`${status} ${body}`);
  }
}

const stack = await startExchange();
try {
  const accounts = await registerAccounts(stack, CONNECTIONS);
  for (const account of accounts) await openPositions(account);
  const [{ apiKey }] = accounts as [TestAccount];
  const { body: sample } = await stack.info(apiKey, { type: 'clearinghouseState' });
  const states = await compare(stack, { clearinghouseState: sample }, (baseUrl) =>
    accounts.map((one) => new AccountState(baseUrl, one)),
  );
  console.log(JSON.stringify({ clearinghouseState10: states }));
} finally {
  await stack.stop();
}

/** Small positions in the first coins that fill, until the account holds ten. */
async function openPositions({ apiKey }: TestAccount): Promise<void> {
  const { body: meta } = await stack.info(apiKey, { type: 'meta' });
  const { body: mids } = await stack.info(apiKey, { type: 'allMids' });
  let held = 0;
  for (const [asset, { name, szDecimals, isDelisted }] of meta.universe.entries()) {
    if (held === POSITIONS) return;
    if (isDelisted === true || mids[name] === undefined) continue;
    const mid = Number(mids[name]);
    const px = String(Number((mid * THROUGH).toPrecision(3)));
    const sz = (Math.ceil((12 / mid) * 10 ** szDecimals) / 10 ** szDecimals).toFixed(szDecimals);
    const action = { type: 'order', orders: [wireOrder(asset, { px, sz, tif: 'Ioc' })], grouping: 'na' };
    const { body } = await stack.exchange(apiKey, action);
    if (body.response?.data?.statuses?.[0]?.filled) held += 1;
  }
  if (held < POSITIONS) throw new Error(`only ${held} positions could be opened`);
}
