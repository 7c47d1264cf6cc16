// The drill of an upgrade: the build of the checkout and a build that knows a generation 2 run side by side on the same stores,
// under load. Processes are replaced one by one: forwards, back, and forwards for good.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { SnapshotDocument } from '../../src/actors/core/history/historyDocuments.ts';
import { NEWEST_FORMAT } from '../../src/shared/domain/formats.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { deploymentKeys, shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC } from '../support/faults/coins.ts';
import { FaultStack, type Load, QUIET_BREATHS_MS, SHARDS } from '../support/faults/faultStack.ts';
import { generation2, NOTE } from '../support/faults/generation2.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { UpgradeSteps } from '../support/faults/upgradeSteps.ts';
import { orderAction } from '../support/orderWire.ts';
import { MAIN } from '../support/roleProcess.ts';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

/** dist/main.js of the build of generation 1: set in the copy of the checkout that knows generation 2, where this file runs itself. */
const OLDER_BUILD = process.env['OLDER_BUILD'];

const inTheCopy = OLDER_BUILD === undefined ? () => undefined : describe;

if (OLDER_BUILD === undefined) {
  describe('an upgrade to a generation 2 that exists in tests only', function () {
    this.timeout(1_800_000);
    let copy: string;

    before(async () => {
      copy = await generation2();
    });

    /** A test file of the copy. @throws Error with what it has printed when it fails */
    const passes = (...files: string[]): Promise<unknown> =>
      promisify(execFile)(process.execPath, [join(copy, 'node_modules/mocha/bin/mocha.js'), ...files], {
        cwd: copy,
        env: { ...process.env, OLDER_BUILD: MAIN },
        maxBuffer: 64 * 1024 * 1024,
      }).catch((error: { stdout?: string; message: string }) => {
        throw new Error(error.stdout || error.message);
      });

    it('what generation 1 has written is read and written by it, and its own golden files are made', async () => {
      await promisify(execFile)(process.execPath, ['--import', 'tsx', 'test/formats/writeGolden.ts'], { cwd: copy });
      await passes('test/formats/formats.test.ts');
    });

    it('runs beside generation 1, forwards, back and forwards for good', () => passes('test/faults/upgrade.test.ts'));
  });
}

inTheCopy('two builds on the same stores: processes are replaced one by one under load', function () {
  this.timeout(900_000);
  let faults: FaultStack;
  const older = OLDER_BUILD ?? '';
  let load: Load;
  let steps: UpgradeSteps;

  before(async () => {
    const entry = [older];
    faults = await FaultStack.start({
      ...{ apis: 2, pods: 2, jobs: 1 },
      entries: { api: entry, actors: entry, market: entry, jobs: entry },
      // Hours of funding are no part of what bots' money is checked with.
      env: { FUNDING_SETTLE_HOURS: '24', DASHBOARD: 'off' },
    });
  });
  after(() => faults?.stop());

  /** One process ends by SIGKILL; the exchange is well and trades after each step. */
  async function replaceEach(names: readonly string[], entry: string, random: Random): Promise<void> {
    const killed = random.pick(names);
    for (const name of names) await steps.replace(name, entry, name === killed ? 'SIGKILL' : 'SIGTERM');
  }

  scenario('forwards and back: nothing is lost or doubled, no account is halted', async (seed) => {
    load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    steps = new UpgradeSteps(faults, load);
    const random = new Random(seed);
    const names = [...faults.stack.processes.keys()];
    const last = names.at(-1) as string;
    await replaceEach(names.slice(0, -1), MAIN, random);
    // A killed process counts as alive for some seconds more.
    await until(async () => {
      const { code, said } = await steps.admin(MAIN, 'formats', 'raise', '--yes');
      expect(code, said).to.equal(1);
      return /cannot read generation 2; replace them first:\n {2}api-1-\w+ \(api\): reads up to 1, writes 1\n?$/.test(said);
    });
    await steps.replace(last, MAIN);
    await replaceEach(names, older, random);
    expect(await steps.recorded()).to.equal('1');
    await load.verdict();
    await steps.expectNothingSetAside();
  });

  scenario('forwards for good: the record is raised, and a form newer than the build stops nothing for good', async (seed) => {
    const { stack } = faults;
    load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    steps = new UpgradeSteps(faults, load);
    const all = [...stack.processes.values()];
    await Promise.all(all.map((one) => one.signal('SIGTERM')));
    for (const one of all) {
      one.entry = [MAIN];
      one.start();
    }
    await stack.waitHealthy();
    await steps.raise(MAIN, NEWEST_FORMAT);
    await load.progress(5);
    await steps.replace('actors-0', MAIN, 'SIGKILL');
    await steps.replace('actors-1', MAIN, 'SIGTERM');
    const account = await restingAccount();
    const snapshots = stack.mongo.db.collection<SnapshotDocument>(collections.accounts);
    const { text } = (await snapshots.findOne({ _id: account.address })) as SnapshotDocument;
    expect(JSON.parse(text)).to.include({ v: NEWEST_FORMAT, note: NOTE });
    await snapshots.updateOne(
      { _id: account.address },
      { $set: { text: JSON.stringify({ ...JSON.parse(text), v: NEWEST_FORMAT + 1 }) } },
    );
    // Its shard's next owner finds it in MongoDB alone.
    await stack.redis.hdel(shardKeys.kept(shardOf(account.address, SHARDS)), account.address);
    const pods = ['actors-0', 'actors-1'];
    await Promise.all(pods.map((name) => stack.restart(name)));
    await until(() => isRefused(account));
    // A pod that is still starting would take the next record for the deployment's, and write it into MongoDB.
    await until(() => pods.every((name) => stack.process(name).lifeLog().includes('role started')));

    // A deployment that writes a generation this build does not know: pods stand by, all others end.
    await stack.redis.hset(deploymentKeys.record, 'formats', NEWEST_FORMAT + 1);
    const others = [...stack.processes.values()].filter(({ name }) => !name.startsWith('actors'));
    await Promise.all(others.map((one) => one.ended()));
    await until(async () => (await owned()) === 0);
    await snapshots.updateOne({ _id: account.address }, { $set: { text } });
    await stack.redis.hset(deploymentKeys.record, 'formats', NEWEST_FORMAT);
    for (const one of others) one.start();

    await load.verdict();
    await steps.expectNothingSetAside();
    const open = await stack.ask(account.apiKey, { type: 'openOrders', user: account.address });
    expect(open).to.have.length(1);
  });

  const owned = async (): Promise<number> => {
    const { redis } = faults.stack;
    const leases = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => redis.exists(shardKeys.lease(shard))));
    return leases.filter((there) => there === 1).length;
  };

  /** An account with an order that no trade reaches, whose newest state is in MongoDB. */
  async function restingAccount(): Promise<TestAccount> {
    const { stack } = faults;
    const account = await stack.register();
    const placed = await stack.act(account.apiKey, orderAction(BTC.asset, { px: '40000', sz: '0.001', tif: 'Gtc' }));
    expect(placed.body).to.have.nested.property('response.data.statuses[0].resting');
    await until(async () => {
      const stored = await stack.mongo.db.collection<SnapshotDocument>(collections.accounts).findOne({ _id: account.address });
      return stored?.text.includes('40000') === true;
    });
    return account;
  }

  /** /health names the form that no pod reads. */
  async function isRefused(account: TestAccount): Promise<boolean> {
    const { code, reasons } = await faults.stack.health();
    const what = `cannot read shard ${shardOf(account.address, SHARDS)}: a snapshot has format ${NEWEST_FORMAT + 1}`;
    return code === 503 && reasons.some((reason) => reason.endsWith(what));
  }
});
