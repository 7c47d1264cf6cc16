// Kills an actor pod with 10,000 live accounts while another stands by. Measures the time until accounts with waiting
// commands answer, and until every account is in memory again. `node --import tsx bench/takeover.ts`
import { readFileSync } from 'node:fs';
import type { OrderRequest } from '../src/actors/core/messages/order.ts';
import { podKeys } from '../src/shared/redis/keys.ts';
import { until } from '../test/support/until.ts';
import { accountIds, openAccounts, startGateway } from './support/accounts.ts';
import { BENCH_COINS, startExchange } from './support/exchange.ts';
import { quantile, round } from './support/load.ts';

const ACCOUNTS = 10_000;
/** Accounts that have a command waiting when the new owner comes. */
const WAITING = 500;
const LEASE_TTL_MS = 3000;
const SHARDS = 16;
const [BTC] = BENCH_COINS;

const deadlines = { LEASE_TTL_MS: String(LEASE_TTL_MS), COMMAND_DEADLINE_MS: '20000' };
const stack = await startExchange({ env: deadlines });
const gateway = await startGateway(stack, deadlines);
try {
  const ids = accountIds(ACCOUNTS);
  await openAccounts(gateway, ids, () => [bitcoin(BTC.ask, 'ioc'), bitcoin('60000', 'gtc')]);
  const standBy = await stack.add('actors');
  await until(async () => (await stack.redis.hlen(podKeys.pods)) === 2);
  await stack.kill('actors-0');
  const killedAtMs = Date.now();

  const answeredAfterMs = await Promise.all(
    ids.slice(0, WAITING).map(async (id) => {
      const outcome = await gateway.send(id, { type: 'query', query: { kind: 'openOrders' } }, { requestId: 'bench' });
      if (outcome.type !== 'answer') throw new Error(JSON.stringify(outcome));
      return Date.now() - killedAtMs;
    }),
  );
  const log = stack.process(standBy).logFile;
  await until(() => loadedAtMs(log).length === SHARDS);
  const result = {
    accounts: ACCOUNTS,
    leaseTtlMs: LEASE_TTL_MS,
    waitingAccounts: WAITING,
    firstAnsweredMs: Math.min(...answeredAfterMs),
    lastAnsweredMs: Math.max(...answeredAfterMs),
    p50AnsweredMs: round(
      quantile(
        answeredAfterMs.toSorted((a, b) => a - b),
        0.5,
      ),
      0,
    ),
    allLoadedMs: Math.max(...loadedAtMs(log)) - killedAtMs,
  };
  console.log(JSON.stringify({ takeover: result }));
  if (process.env['DBG']) console.log(readFileSync(log, 'utf8'));
} finally {
  await gateway.stop();
  await stack.stop();
}

function bitcoin(limitPrice: string, timeInForce: 'ioc' | 'gtc'): OrderRequest {
  return { asset: BTC.asset, side: 'buy', limitPrice, size: BTC.size, reduceOnly: false, type: { kind: 'limit', timeInForce } };
}

/** When the pod logged each of its shards as loaded. */
function loadedAtMs(logFile: string): number[] {
  const lines = readFileSync(logFile, 'utf8')
    .split('\n')
    .filter((line) => line.includes('shard loaded'));
  return lines.map((line) => Date.parse(JSON.parse(line).time) || Number(JSON.parse(line).time));
}
