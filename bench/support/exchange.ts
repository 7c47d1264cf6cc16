// The exchange under load: every role a process of its own as in production, a market that stands still with books as good
// as endless, and accounts made through the public API. The code is that of dist, built from the sources as they are.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Stack, type StackOptions, startStack, type TestAccount } from '../../test/support/stack.ts';
import { socketUrl } from '../../test/support/stores.ts';

const BUILD = fileURLToPath(new URL('../../tools/start/build.mjs', import.meta.url));
/** Registering costs a password hash each; a few at a time. */
const REGISTERED_AT_ONCE = 8;

/** Coins with round prices and books that no bench can empty; the recorded `meta` gives the ids. */
export const BENCH_COINS = [
  { coin: 'BTC', asset: 0, bid: '64990', mark: '65000', ask: '65010', size: '0.001' },
  { coin: 'ETH', asset: 1, bid: '1999', mark: '2000', ask: '2001', size: '0.02' },
  { coin: 'SOL', asset: 5, bid: '99.9', mark: '100', ask: '100.1', size: '0.5' },
] as const;
const DEEP = '1000000000';

/** The build that runs the roles: dist, or the build that BENCH_MAIN names, to compare two. */
const { BENCH_MAIN, BENCH_REDIS = 'socket', BENCH_NODE_FLAGS = '' } = process.env;
/** For the API and the actors, such as `--no-parallel-scavenge`. */
const NODE_FLAGS = BENCH_NODE_FLAGS.split(' ').filter((flag) => flag !== '');
/** One connection would fill a smaller journal within half a minute, and entries that history has are cut after a minute. */
const JOURNAL_BOUNDS = { JOURNAL_MAX_BYTES: `${2 ** 30}`, JOURNAL_ACCOUNT_MAX_BYTES: `${2 ** 30}` };
const MAIN = BENCH_MAIN ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** As `bin/start` reaches Redis; `BENCH_REDIS=tcp` and builds that know no sockets use the port. */
const usesSocket = (): boolean =>
  BENCH_REDIS === 'socket' && existsSync(join(dirname(MAIN), 'shared', 'redis', 'socketAddress.js'));

/**
 * Resolves when orders can be taken.
 * @param options.nodeFlags for the API and the actors
 */
export async function startExchange({
  nodeFlags = NODE_FLAGS,
  env = {},
  ...options
}: StackOptions & { nodeFlags?: readonly string[] } = {}): Promise<Stack> {
  if (BENCH_MAIN === undefined) execFileSync(process.execPath, [BUILD], { stdio: ['ignore', 'ignore', 'inherit'] });
  const entries = { api: [...nodeFlags, MAIN], actors: [...nodeFlags, MAIN], market: [MAIN], jobs: [MAIN] };
  const redisThrough: StackOptions['redisThrough'] = async (url, store) => (usesSocket() ? socketUrl(store) : url);
  const stack = await startStack({ entries, redisThrough, env: { ...JOURNAL_BOUNDS, ...env }, ...options });
  for (const { coin, bid, mark, ask } of BENCH_COINS) {
    await stack.market.control({ op: 'setPrice', coin, px: mark });
    await stack.market.control({ op: 'setBook', coin, bids: [[bid, DEEP]], asks: [[ask, DEEP]] });
  }
  return stack;
}

export async function registerAccounts(stack: Stack, count: number): Promise<TestAccount[]> {
  const accounts: TestAccount[] = [];
  while (accounts.length < count) {
    const batch = Array.from({ length: Math.min(REGISTERED_AT_ONCE, count - accounts.length) }, () => stack.register());
    accounts.push(...(await Promise.all(batch)));
  }
  return accounts;
}

/** Process ids by part, for the CPU meter. */
export function pidsOf(stack: Stack): Map<string, number> {
  const pids = new Map([...stack.processes.values()].map(({ name, pid }) => [name.replace(/-0$/, ''), pid as number]));
  return pids.set('redis', stack.redisStore.pid).set('mongo', stack.mongoStore.pid).set('generator', process.pid);
}
