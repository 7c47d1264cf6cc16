// One running exchange for all client tests, with a coin whose book they know. It ends when the last of them has run.
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { StreamTap } from '../support/streamTap.ts';
import { until } from '../support/until.ts';

/** An API node that is soon out of patience: few requests a minute, and no trial for users who register there. */
const STRICT_ENV = { PLAN_BASIC_REQUESTS_PER_MINUTE: '2', TRIAL_DAYS: '0' };

/** The coin on which clients trade: mark and mid 100, two levels a side. Its max leverage is 20, its lot 0.01. */
export const COIN = 'SOL';
const BIDS = [
  ['99.9', '50'],
  ['99.8', '100'],
] as const;
const ASKS = [
  ['100.1', '1'],
  ['100.2', '100'],
] as const;

export interface SharedStack {
  readonly stack: Stack;
  /** The address for clients: the same, and messages to their sockets are held against the published contract. */
  readonly clientUrl: string;
  /** The same exchange at a node where a key is soon over its limit and a new account's trial is over at once. */
  readonly strictUrl: string;
}

let starting: Promise<SharedStack> | undefined;

export const sharedStack = (): Promise<SharedStack> => {
  starting ??= start();
  return starting;
};

let tap: StreamTap | undefined;

after(async () => {
  await (await starting)?.stack.stop();
  await tap?.close();
});

/** A coin of its own for orders that wait for the mark: no other test minds where its price goes. */
export const TRIGGER_COIN = 'LTC';

/** Sets book and mark of that coin, and waits until the process that fires orders has seen them. */
export async function moveTriggerCoin({ stack }: SharedStack, apiKey: string, price: number): Promise<void> {
  const level = (px: number): [string, string] => [px.toFixed(1), '100'];
  const sides = { bids: [level(price - 0.1)], asks: [level(price + 0.1)] };
  await stack.market.control({ op: 'setBook', coin: TRIGGER_COIN, ...sides });
  await stack.market.control({ op: 'setPrice', coin: TRIGGER_COIN, px: String(price) });
  await until(async () => Number(await stack.markAtOwner(apiKey, TRIGGER_COIN)) === price);
}

/** The base address that carries an account's key: all that a user changes in a client. No slash at its end. */
export const addressOf = ({ apiKey }: Pick<TestAccount, 'apiKey'>, baseUrl: string): string =>
  `${baseUrl}/v1/exchanges/perpx/key/${apiKey}`;

async function start(): Promise<SharedStack> {
  const stack = await startStack();
  await stack.add('api', STRICT_ENV);
  await stack.waitHealthy();
  const [, strictUrl = ''] = stack.baseUrls;
  await stack.market.control({ op: 'setBook', coin: COIN, bids: BIDS, asks: ASKS });
  await stack.market.control({ op: 'setPrice', coin: COIN, px: '100' });
  const { apiKey } = await stack.register();
  // The mark comes after the book, and this answer from the process that fills orders.
  await until(async () => (await stack.markAtOwner(apiKey, COIN)) === '100.0');
  tap = await StreamTap.start(Number(new URL(stack.baseUrl).port));
  return { stack, clientUrl: tap.url, strictUrl };
}
