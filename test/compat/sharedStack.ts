// One running exchange for all client tests, with a coin whose book they know, ended when the last of them has run.
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** Requests a minute that the exchange's second address allows a key. */
const FEW_REQUESTS = 3;

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
  /** The same exchange where a key is soon over its limit. */
  readonly limitedUrl: string;
}

let starting: Promise<SharedStack> | undefined;

export const sharedStack = (): Promise<SharedStack> => {
  starting ??= start();
  return starting;
};

after(async () => (await starting)?.stack.stop());

/** The base address that carries an account's key: all that a user changes in a client. No slash at its end. */
export const addressOf = ({ apiKey }: Pick<TestAccount, 'apiKey'>, baseUrl: string): string =>
  `${baseUrl}/v1/exchanges/perpx/key/${apiKey}`;

async function start(): Promise<SharedStack> {
  const stack = await startStack();
  await stack.add('api', { PLAN_BASIC_REQUESTS_PER_MINUTE: String(FEW_REQUESTS) });
  await stack.waitHealthy();
  const [, limitedUrl = ''] = stack.baseUrls;
  await stack.market.control({ op: 'setBook', coin: COIN, bids: BIDS, asks: ASKS });
  await stack.market.control({ op: 'setPrice', coin: COIN, px: '100' });
  const { apiKey } = await stack.register();
  // The mark comes after the book, and this answer from the process that fills orders.
  await until(async () => (await stack.info(apiKey, { type: 'activeAssetData', coin: COIN })).body.markPx === '100.0');
  return { stack, limitedUrl };
}
