// The drill of an upgrade: the build before there were generations of stored forms and the build of today side by side on
// the same stores, under load, replaced process by process, forwards and back.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { deploymentKeys, shardKeys } from '../../src/shared/redis/keys.ts';
import { FaultStack, type Load, SHARDS } from '../support/faults/faultStack.ts';
import { olderBuild } from '../support/faults/olderBuild.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { MAIN } from '../support/roleProcess.ts';

/** The last build that reads and writes the first generation only, and announces nothing. */
const OLDER_BUILD = '988ec6f';
const ADMIN = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));
const WITHIN_MS = 40_000;

describe('two builds on the same stores: processes are replaced one by one under load', function () {
  this.timeout(300_000);
  let faults: FaultStack;
  let older: string;
  let load: Load;

  before(async () => {
    older = await olderBuild(OLDER_BUILD);
    const entry = [older];
    faults = await FaultStack.start({
      ...{ apis: 2, pods: 2, jobs: 1 },
      entries: { api: entry, actors: entry, market: entry, jobs: entry },
      // Hours of funding are no part of what bots' money is checked with.
      env: { FUNDING_SETTLE_HOURS: '24' },
    });
  });
  after(() => faults?.stop());

  /** One of them by SIGKILL; the exchange is well and trades after each. */
  async function replaceEach(names: readonly string[], entry: string, random: Random): Promise<void> {
    const killed = random.pick(names);
    for (const name of names) await replace(name, entry, name === killed ? 'SIGKILL' : 'SIGTERM');
  }

  async function replace(name: string, entry: string, signal: NodeJS.Signals): Promise<void> {
    const { stack } = faults;
    await stack.kill(name, signal);
    stack.process(name).entry = [entry];
    stack.process(name).start();
    await stack.waitHealthy(WITHIN_MS);
    await load.progress(2);
  }

  async function admin(...words: string[]): Promise<{ code: number; said: string }> {
    const { redisStore, mongoStore } = faults.stack;
    const env = { ...process.env, REDIS_URL: redisStore.url, MONGO_URL: mongoStore.url, SHARDS: String(SHARDS) };
    return promisify(execFile)(process.execPath, [ADMIN, ...words], { env }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stderr }) => ({ code, said: stderr }),
    );
  }

  const recorded = (): Promise<string | null> => faults.stack.redis.hget(deploymentKeys.record, 'formats');

  /** No account was halted and no command set aside. */
  async function expectNothingSetAside(): Promise<void> {
    for (let shard = 0; shard < SHARDS; shard++) {
      const { redis } = faults.stack;
      expect(await redis.hgetall(shardKeys.quarantine(shard)), `quarantine of shard ${shard}`).to.deep.equal({});
      expect(await redis.xrange(shardKeys.dead(shard), '-', '+'), `dead letters of shard ${shard}`).to.deep.equal([]);
    }
    expect(load.troubles(), 'what clients were told').to.not.have.any.keys('503 account_quarantined', '500 internal_error');
  }

  scenario('forwards and back: nothing is lost or doubled, no account is halted', async (seed) => {
    load = await faults.load(seed);
    const random = new Random(seed);
    const names = [...faults.stack.processes.keys()];
    const last = names.at(-1) as string;
    await replaceEach(names.slice(0, -1), MAIN, random);
    const refused = await admin('formats', 'raise', '--yes');
    expect(refused).to.include({ code: 1 });
    expect(refused.said).to.match(/cannot read generation 2; replace them first:\n {2}api-1-\w+ \(api\): announces nothing/);
    await replace(last, MAIN, 'SIGTERM');
    await replaceEach(names, older, random);
    expect(await recorded()).to.equal('1');
    await load.verdict();
    await expectNothingSetAside();
  });
});
