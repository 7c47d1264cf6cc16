// The steps of an upgrade as docs/upgrade.md has them, for the fault test and the drill. The steps replace processes one by one under load,
// and raise the generation of stored forms when all processes can read the next one.
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { deploymentKeys, shardKeys } from '../../../src/shared/redis/keys.ts';
import { until } from '../until.ts';
import { type FaultStack, type Load, SHARDS } from './faultStack.ts';

/**
 * Answers that clients may get while processes are replaced, beside acknowledgements: that the request was not done, or that nobody
 * knows.
 */
const HONEST = /^(?:503 (?!account_quarantined)|unknown)/;

export class UpgradeSteps {
  readonly #faults: FaultStack;
  readonly #load: Load;

  constructor(faults: FaultStack, load: Load) {
    this.#faults = faults;
    this.#load = load;
  }

  /** Ends a process and starts it as another build; the exchange is well, this process has taken up its work, and bots trade on. */
  async replace(name: string, entry: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const { stack } = this.#faults;
    await stack.kill(name, signal);
    stack.process(name).entry = [entry];
    stack.process(name).start();
    await stack.waitHealthy();
    await until(() => stack.isReady(name));
    await this.#load.progress(2);
  }

  /** @param main dist/main.js of the build whose `bin/admin` is asked */
  async admin(main: string, ...words: string[]): Promise<{ code: number; said: string }> {
    const { redisStore, mongoStore } = this.#faults.stack;
    const env = { ...process.env, REDIS_URL: redisStore.url, MONGO_URL: mongoStore.url, SHARDS: String(SHARDS) };
    const asked = promisify(execFile)(process.execPath, [join(dirname(main), 'admin.js'), ...words], { env });
    return asked.then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stderr }) => ({ code, said: stderr }),
    );
  }

  /** The generation that may be written; null where no process knows of generations. */
  recorded(): Promise<string | null> {
    return this.#faults.stack.redis.hget(deploymentKeys.record, 'formats');
  }

  /** One generation at a time, each when all processes write the one before. */
  async raise(main: string, newest: number): Promise<void> {
    for (let generation = Number(await this.recorded()) + 1; generation <= newest; generation++) {
      expect(await this.admin(main, 'formats', 'raise', '--yes')).to.deep.include({ code: 0 });
      await until(async () => (await this.#processes(main)).every(({ writes }) => writes === generation));
    }
  }

  /** The newest generation that every live process reads. */
  async readable(main: string): Promise<number> {
    return Math.min(...(await this.#processes(main)).map(({ reads }) => reads));
  }

  async #processes(main: string): Promise<{ reads: number; writes: number }[]> {
    return JSON.parse((await this.admin(main, '--json', 'formats')).said).processes;
  }

  /** No account was halted, no command set aside, and no client got a wrong answer. */
  async expectNothingSetAside(): Promise<void> {
    const { redis } = this.#faults.stack;
    for (let shard = 0; shard < SHARDS; shard++) {
      expect(await redis.hgetall(shardKeys.quarantine(shard)), `quarantine of shard ${shard}`).to.deep.equal({});
      expect(await redis.xrange(shardKeys.dead(shard), '-', '+'), `dead letters of shard ${shard}`).to.deep.equal([]);
    }
    const said = Object.keys(this.#load.troubles());
    expect(
      said.filter((one) => !HONEST.test(one)),
      'what clients were told',
    ).to.deep.equal([]);
  }
}
