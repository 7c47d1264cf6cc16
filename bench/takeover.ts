// How long accounts are without an owner when their actor process is killed: until those with waiting commands are
// answered, and until every live account of the dead one is in memory again. Prints JSON.
// node --import tsx bench/takeover.ts [accounts]
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parsePodStatus } from '../src/actors/domain/podStatus.ts';
import { podKeys } from '../src/shared/keys.ts';
import { ActorBench, accountName, commands } from '../test/support/actorBench.ts';
import { RoleProcess } from '../test/support/roleProcess.ts';
import { until } from '../test/support/until.ts';

const ACCOUNTS = Number(process.argv[2] ?? 10_000);
const WAITING = 64;
/** Commands sent at once while the accounts are made. */
const AT_ONCE = 500;
const LEASE_TTL_MS = 3000;

const bench = await ActorBench.start({ SHARDS: '16', LEASE_TTL_MS: String(LEASE_TTL_MS) });
const logDir = mkdtempSync(join(tmpdir(), 'takeover-'));
const { REDIS_URL, MONGO_URL } = bench.config;
const env = {
  REDIS_URL,
  MONGO_URL,
  MONGO_DATABASE: 'test',
  SHARDS: '16',
  LEASE_TTL_MS: String(LEASE_TTL_MS),
  HISTORY_DELAY_MS: '500',
  MARKET_MAX_AGE_MS: '600000',
};
const actor = (name: string): RoleProcess =>
  new RoleProcess(name, { role: 'actors', env, logDir, entry: ['--import', 'tsx', 'src/main.ts'] });

/** Shards that any pod but the given one says it owns, with the wished progress. */
const shardsOf = async (progress: 'recovered' | 'loaded', except: readonly string[] = []): Promise<number> => {
  const pods = Object.entries(await bench.redis.hgetall(podKeys.pods)).map(([id, value]) => parsePodStatus(id, value));
  return pods.filter(({ podId }) => !except.includes(podId)).flatMap(({ shards }) => shards.filter((shard) => shard[progress]))
    .length;
};

const first = actor('first');
first.start();
const gateway = await bench.startGateway({ config: { COMMAND_DEADLINE_MS: 60_000 } });
await until(async () => (await shardsOf('loaded')) === 16, 60_000);
const accounts = Array.from({ length: ACCOUNTS }, (_, n) => accountName(n + 1));
for (let i = 0; i < ACCOUNTS; i += AT_ONCE) {
  const slice = accounts.slice(i, i + AT_ONCE);
  await Promise.all(slice.map((account) => gateway.send(account, commands.open, { requestId: 'bench' })));
  await Promise.all(slice.map((account) => gateway.send(account, commands.rest('60000'), { requestId: 'bench' })));
}
const dead = Object.keys(await bench.redis.hgetall(podKeys.pods));
const second = actor('second');
second.start();
await until(async () => Object.keys(await bench.redis.hgetall(podKeys.pods)).length === 2, 60_000);

const killedAt = performance.now();
await first.end();
const answered = accounts
  .slice(0, WAITING)
  .map((account) => gateway.send(account, commands.openOrders, { requestId: 'bench' }).then(() => performance.now() - killedAt));
const answeredMs = await Promise.all(answered);
await until(async () => (await shardsOf('loaded', dead)) === 16, 120_000);
const loadedMs = performance.now() - killedAt;

const result = {
  accounts: ACCOUNTS,
  leaseTtlMs: LEASE_TTL_MS,
  lastWaitingAnsweredMs: Math.round(Math.max(...answeredMs)),
  allLoadedMs: Math.round(loadedMs),
  reached: { waiting: Math.max(...answeredMs) < LEASE_TTL_MS + 1000, loaded: loadedMs < LEASE_TTL_MS + 5000 },
};
process.stdout.write(`${JSON.stringify(result)}\n`);
await second.end();
await bench.stop();
process.exit(0);
