// A deployment is lost with both of its stores, and comes back from a backup that was made while it traded.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Manifest, readManifest } from '../../src/operators/backup/manifest.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { deploymentKeys } from '../../src/shared/redis/keys.ts';
import { FaultStack, SHARDS } from '../support/faults/faultStack.ts';
import { scenario } from '../support/faults/seeds.ts';
import { guard } from '../support/guard.ts';
import { makeDir, startMongo, startRedis } from '../support/stores.ts';
import { until } from '../support/until.ts';

const ADMIN = fileURLToPath(new URL('../../dist/admin.js', import.meta.url));

/** An operator's command as a process of its own. */
class Operator {
  readonly #child: ChildProcess;
  readonly #ended: Promise<number | null>;
  #said = '';

  constructor({ stack }: FaultStack, words: readonly string[], shell: readonly string[] = []) {
    const { redisStore, mongoStore } = stack;
    const env = { REDIS_URL: redisStore.url, MONGO_URL: mongoStore.url, MONGO_DATABASE: 'paper', SHARDS: String(SHARDS) };
    const [program = '', ...args] = [...shell, process.execPath, ADMIN, ...words];
    this.#child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    const guarded = guard(this.#child.pid as number);
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.on('data', (text) => (this.#said += text));
    this.#ended = once(this.#child, 'exit').then(([code]) => {
      guarded.release();
      return code as number | null;
    });
  }

  async kill(): Promise<void> {
    expect(this.#child.exitCode, this.#said).to.equal(null);
    this.#child.kill('SIGKILL');
    await this.#ended;
  }

  async ended(): Promise<{ code: number | null; said: string }> {
    const code = await this.#ended;
    return { code, said: this.#said };
  }

  async succeeds(): Promise<void> {
    const { code, said } = await this.ended();
    expect(code, said).to.equal(0);
  }
}

describe('both stores are lost, and a backup is restored', function () {
  this.timeout(600_000);
  const folder = makeDir('drill');
  const place = (name: string): string => join(folder, name);
  let faults: FaultStack;

  before(async () => {
    // Journals are cut while a backup is made.
    faults = await FaultStack.start({ mongoInMemory: true, env: { HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '4000' } });
  });
  after(() => faults.stop());

  const operator = (words: readonly string[], shell?: readonly string[]) => new Operator(faults, words, shell);
  const isBegun = (name: string) => readdirSync(folder).some((file) => file.startsWith(`${name}.unfinished-`));

  /** Everything but the market's source ends, and both stores are empty when it resolves. */
  const loseEverything = async ({ cuts }: Manifest): Promise<void> => {
    const { stack, tap } = faults;
    for (const { name } of stack.processes.values()) await stack.kill(name);
    await tap.read();
    await tap.stop();
    const ends = cuts.map(({ end }) => end);
    tap.onLoss(
      ends.map(() => []),
      ends,
    );
    await Promise.all([stack.redisStore.kill(), stack.mongoStore.kill()]);
    stack.redisStore = await startRedis({ port: stack.redisStore.port });
    stack.mongoStore = await startMongo({ port: stack.mongoStore.port, memory: true });
  };

  scenario('what was acknowledged before is there once, accounts trade on, and history is whole', async (seed) => {
    const { stack, tap } = faults;
    const load = await faults.load(seed);

    const killed = operator(['backup', place('killed'), '--rate', '0.01']);
    await until(() => isBegun('killed'));
    await killed.kill();
    expect(existsSync(place('killed'))).to.equal(false);

    // A limit on the length of files, in blocks, is met as a full disk is.
    const limited = await operator(['backup', place('full')], ['sh', '-c', 'ulimit -f 2 && exec "$@"', 'sh']).ended();
    expect(limited.code, limited.said).to.equal(1);
    expect(limited.said).to.match(/^The disk is full/);
    expect(isBegun('full') || existsSync(place('full'))).to.equal(false);

    const backup = operator(['backup', place('whole'), '--rate', '0.3']);
    await until(() => isBegun('whole'));
    await stack.kill('actors-0');
    await stack.restart('actors-0');
    await load.progress(10);
    await backup.succeeds();
    await operator(['backup-check', place('whole')]).succeeds();
    const manifest = await readManifest(place('whole'));
    await load.progress(10);
    await loseEverything(manifest);

    const interrupted = operator(['restore', place('whole'), '--rate', '0.05']);
    await until(async () => (await stack.mongo.db.collection(collections.history).countDocuments()) > 0);
    await interrupted.kill();
    await stack.restart('actors-0');
    await stack.process('actors-0').ended();
    expect(stack.process('actors-0').lastLines()).to.match(/A restore of backup \w+ into these stores is unfinished/);
    await operator(['restore', place('whole')]).succeeds();
    expect(await stack.redis.exists(deploymentKeys.restore)).to.equal(0);
    await operator(['account', 'verify', '--all']).succeeds();

    tap.start();
    for (const { name } of stack.processes.values()) await stack.restart(name);
    const pasts = await load.verdict({ lostFromMs: manifest.cutMs });
    for (const { entries } of pasts) expect(entries.length).to.be.greaterThan(20);
  });
});
