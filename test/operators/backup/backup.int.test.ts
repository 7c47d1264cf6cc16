// Backups of stores that trade, and restores into empty ones.
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Document, WithId } from 'mongodb';
import { takeLease } from '../../../src/actors/engine/ownership/lease.ts';
import { renewLeases } from '../../../src/actors/engine/ownership/renewals.ts';
import type { CommandGateway } from '../../../src/api/accounts/gateway/commandGateway.ts';
import type { OperatorParts } from '../../../src/operators/acts/operatorParts.ts';
import type { StateRow } from '../../../src/operators/backup/accountStates.ts';
import { DataFileWriter, readRows, requireWhole } from '../../../src/operators/backup/backupFiles.ts';
import { BesideJournals } from '../../../src/operators/backup/besideJournals.ts';
import { digestOfCollection, fillCollection, READ_IN_ORDER, RowsDigest } from '../../../src/operators/backup/collectionCopy.ts';
import { JournalReader } from '../../../src/operators/backup/journalCopy.ts';
import { JOURNAL_FILE, type Manifest, readManifest, STATES_FILE, writeManifest } from '../../../src/operators/backup/manifest.ts';
import { Pace } from '../../../src/operators/backup/pace.ts';
import { verifyContent, verifyStores } from '../../../src/operators/backup/verifyRestored.ts';
import { runCommand } from '../../../src/operators/commands.ts';
import { keepClock, readClock } from '../../../src/shared/deployment/clockRecord.ts';
import { markMongo, markRedis, raiseMongoRecord, raiseRedisRecord } from '../../../src/shared/deployment/deploymentRecord.ts';
import { claimDeployment } from '../../../src/shared/deployment/joinDeployment.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { deploymentKeys, marketKeys, shardKeys } from '../../../src/shared/redis/keys.ts';
import { ActorBench, accountName, commands } from '../../support/actorBench.ts';
import { type AdminStores, adminOn } from '../../support/backupStores.ts';
import { makeDir, type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const SHARDS = 2;
const ask = { requestId: 'r' };
const RESET = { type: 'resetAccount', plan: 'basic', balanceUsd: '10000' } as const;
const log = createLogger({ level: 'silent', role: 'test' });

describe('admin: backup and restore', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let source: AdminStores;
  let stores: Store[];
  let target: AdminStores;
  const folder = makeDir('backups');
  const place = (name: string): string => join(folder, name);
  const accounts = [1, 2, 3, 4, 5, 6].map(accountName);

  before(async () => {
    bench = await ActorBench.start({ SHARDS: String(SHARDS), HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '4000' });
    await raiseRedisRecord(bench.redis, { shards: SHARDS, formats: NEWEST_FORMAT });
    await raiseMongoRecord(bench.mongo, { shards: SHARDS, formats: NEWEST_FORMAT });
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    source = adminOn({ redisUrl: bench.redisStore.url, mongoUrl: bench.mongoStore.url, shards: SHARDS });
    stores = await Promise.all([startRedis(), startMongo({ memory: true })]);
    target = adminOn({ redisUrl: stores[0]?.url ?? '', mongoUrl: stores[1]?.url ?? '', shards: SHARDS });
    for (const account of accounts) await gateway.send(account, commands.open, ask);
    await keepClock(source.mongo, 3_600_000);
    await source.mongo.db
      .collection<{ _id: string }>(collections.settings)
      .insertOne({ _id: 'jwtSecret', value: 's3cret' } as never);
  });
  after(async () => {
    await Promise.all([source.close(), target.close()]);
    await bench.stop();
    await Promise.all(stores.map((store) => store.stop()));
  });

  // biome-ignore lint/suspicious/noExplicitAny: the data of a command is whatever it shows
  const run = async (parts: OperatorParts, ...words: string[]): Promise<any> => (await runCommand(words, parts)).data;
  const refusal = (parts: OperatorParts, ...words: string[]): Promise<string> =>
    run(parts, ...words).then(
      () => expect.fail(`${words.join(' ')} should have been refused`),
      (error: Error) => {
        expect(error, error.stack ?? '').to.have.property('name', 'Refused');
        return error.message;
      },
    );
  const statesOf = async (name: string): Promise<Map<string, StateRow>> => {
    const states = new Map<string, StateRow>();
    for await (const text of readRows(join(place(name), STATES_FILE))) {
      const row: StateRow = JSON.parse(text);
      states.set(row.account, row);
    }
    return states;
  };
  /** MongoDB has all that was committed, snapshots too: nothing moves any more. */
  const isAllWritten = async (): Promise<boolean> => {
    const left = await Promise.all([0, 1].map((shard) => source.redis.xlen(shardKeys.journal(shard))));
    return left.every((length) => length === 0);
  };
  /** Orders without a pause until it is stopped. @returns acknowledged orders of each account as of now */
  const trade = (): { acknowledged: () => Map<string, number>; stop: () => Promise<void> } => {
    let isStopping = false;
    const counts = new Map<string, number>();
    const work = accounts.map(async (account) => {
      for (let n = 0; !isStopping; n++) {
        await gateway.send(account, n % 2 === 0 ? commands.rest('50000') : commands.place(), ask);
        counts.set(account, (counts.get(account) ?? 0) + 1);
      }
    });
    return {
      acknowledged: () => new Map(counts),
      stop: async () => {
        isStopping = true;
        await Promise.all(work);
      },
    };
  };

  it('a backup while accounts trade has all that was acknowledged before, journals that were cut meanwhile, and secrets it names', async () => {
    const trading = trade();
    await until(() => [...trading.acknowledged().values()].filter((count) => count > 5).length === accounts.length);
    const acknowledged = trading.acknowledged();
    const data = await run(source, 'backup', place('first'), '--rate', '0.6');
    await trading.stop();
    expect(data).to.include({ shards: SHARDS, formats: NEWEST_FORMAT, accounts: accounts.length });
    expect(data.secrets).to.deep.equal(['jwtSecret']);
    const states = await statesOf('first');
    for (const account of accounts) {
      const row = states.get(account);
      // Opening is the first entry, and each order is one.
      expect(row && 'seq' in row && row.seq).to.be.at.least((acknowledged.get(account) ?? 0) + 1);
    }
    expect(statSync(place('first')).mode & 0o777).to.equal(0o700);
    for (const name of readdirSync(place('first'))) expect(statSync(join(place('first'), name)).mode & 0o777).to.equal(0o600);
    expect(readdirSync(folder)).to.deep.equal(['first']);
  });

  it('a backup can be checked without stores', async () => {
    const nowhere = {} as OperatorParts;
    expect(await run(nowhere, 'backup-check', place('first'))).to.include({ accounts: accounts.length });
  });

  it('it is restored into empty stores: documents, journals and heads, with numbers beyond all that were given out', async () => {
    await bench.redis.hset(marketKeys.state, 'funding:BTC', '{"v":1}');
    await bench.redis.hset(shardKeys.quarantine(0), accountName(99), '{"reason":"r"}');
    await bench.redis.xadd(shardKeys.dead(1), '5-1', 'account', accountName(98), 'command', '{}', 'reason', 'r', 't', '1');
    await bench.redis.hset(shardKeys.setAside(1), accountName(97), '1 1 20');
    await bench.redis.rpush(shardKeys.entriesSetAside(1, accountName(97)), '1 {"accountId":"unreadable"}');
    const old = await Promise.all([0, 1].map((shard) => bench.redis.get(shardKeys.lease(shard))));
    await until(() => isAllWritten());
    await run(source, 'backup', place('second'));
    expect(await run(target, 'restore', place('second'))).to.include({ shards: SHARDS });

    const { redis, mongo } = target;
    const manifest = await readManifest(place('second'));
    const users = await mongo.db.collection(collections.settings).find().toArray();
    expect(users.map(({ _id }) => String(_id)).sort()).to.deep.equal(['clock', 'deployment', 'jwtSecret']);
    expect(await readClock(redis)).to.deep.equal({ offsetMs: 3_600_000, marketMs: 3_600_000 });
    const ids = async (parts: OperatorParts, name: string) =>
      (await parts.mongo.db.collection(name).find().toArray()).map(({ _id }) => _id);
    for (const name of [collections.accounts, collections.history, collections.cloids, collections.orderEnds]) {
      expect(await ids(target, name)).to.have.deep.members(await ids(source, name));
    }
    expect(await redis.hget(marketKeys.state, 'funding:BTC')).to.equal('{"v":1}');
    expect(await redis.hgetall(shardKeys.quarantine(0))).to.deep.equal({ [accountName(99)]: '{"reason":"r"}' });
    expect((await redis.xrange(shardKeys.dead(1), '-', '+'))[0]?.[0]).to.equal('5-1');
    expect(await redis.lrange(shardKeys.entriesSetAside(1, accountName(97)), 0, -1)).to.have.length(1);
    expect(await redis.exists(deploymentKeys.restore, deploymentKeys.restorer)).to.equal(0);
    const live = await Promise.all([0, 1].map((shard) => redis.smembers(shardKeys.live(shard))));
    expect(live.flat()).to.have.members(accounts);

    for (const { shard, commit, epoch, idCounter, end } of manifest.cuts) {
      const head = await redis.hgetall(shardKeys.head(shard));
      expect(head).to.include({ n: String(commit), clean: '1' });
      expect(Number(head['epoch'])).to.be.at.least(Math.max(epoch + 1_000_000, 1_700_000_000));
      expect(Number(head['ids'])).to.be.at.least(idCounter + 1_000_000_000);
      const info = (await redis.xinfo('STREAM', shardKeys.journal(shard))) as string[];
      expect(info[info.indexOf('last-generated-id') + 1]).to.equal(`${end}-0`);
      const position = await mongo.db.collection<{ _id: number }>(collections.shards).findOne({ _id: shard });
      expect(position).to.include({ owner: 'restore', epoch: Number(head['epoch']) });
      // An owner of before that still lives can neither renew its lease nor write.
      const token = old[shard] ?? '';
      expect(await renewLeases(redis, [{ shard, token, epoch: Number.parseInt(token, 10) } as never], 1000)).to.deep.equal([
        'lost',
      ]);
      const taken = await takeLease({ redis, shard, podId: 'p', ttlMs: 1, highest: { epoch, commitNumber: 0, idCounter: 0 } });
      expect(taken).to.equal('stale');
    }
  });

  it('stores that are not empty are refused, and nothing is changed', async () => {
    const before = await target.redis.dbsize();
    expect(await refusal(target, 'restore', place('second'))).to.match(/^Redis is not empty/);
    await target.redis.flushall();
    expect(await refusal(target, 'restore', place('second'))).to.match(/^MongoDB is not empty/);
    expect(await target.redis.dbsize()).to.equal(0);
    expect(before).to.be.greaterThan(0);
    await target.mongo.db.dropDatabase();
  });

  it('another number of shards is refused, and so is a Redis on which processes run', async () => {
    const other = { ...target, billing: { ...target.billing, config: { ...target.billing.config, SHARDS: 5 } } };
    expect(await refusal(other, 'restore', place('second'))).to.match(/^SHARDS is 5 and the backup has 2 shards/);
    const [seconds] = await target.redis.time();
    const said = JSON.stringify({ roles: ['api'], reads: 1, writes: 1 });
    await target.redis.hset(deploymentKeys.processes, 'api-1', `${Number(seconds) * 1000} ${said}`);
    expect(await refusal(target, 'restore', place('second'))).to.match(
      /^Processes of the deployment run on this Redis: api-1 \(api\)/,
    );
    await target.redis.flushall();
  });

  it('an interrupted restore keeps roles away, and is begun anew', async () => {
    const { redis, mongo } = target;
    const { id } = await readManifest(place('second'));
    await markMongo(mongo, { backup: id, phase: 'writing' });
    const claim = { redis, mongo, log, shards: SHARDS, onRefused: () => undefined };
    const claimed = () =>
      claimDeployment(claim).then(
        () => 'started',
        (error: Error) => error.message,
      );
    expect(await claimed()).to.match(/^A restore of backup \w+ into these stores is unfinished/);
    await markRedis(redis, { backup: id, phase: 'writing' });
    await redis.xadd(shardKeys.journal(0), '7777777-0', 'e', '[]');
    await mongo.db.collection(collections.users).insertOne({ junk: true });
    expect(await claimed()).to.match(/is unfinished/);
    expect(await refusal(target, 'backup', place('of-unfinished')).catch((error: Error) => error.message)).to.match(
      /is unfinished/,
    );
    await run(target, 'restore', place('second'));
    expect(await mongo.db.collection(collections.users).countDocuments()).to.equal(0);
    expect(await claimed()).to.equal('started');
  });

  it('one that was interrupted after it had verified everything only ends', async () => {
    const { redis, mongo } = target;
    const { id } = await readManifest(place('second'));
    await markMongo(mongo, { backup: id, phase: 'verified' });
    await mongo.db.collection(collections.users).insertOne({ proof: 'nothing is written again' });
    await run(target, 'restore', place('second'));
    expect(await mongo.db.collection(collections.users).countDocuments()).to.equal(1);
    expect(await redis.exists(deploymentKeys.restore)).to.equal(0);
    await redis.flushall();
    await mongo.db.dropDatabase();
  });

  it('a state that is not the backup’s is found', async () => {
    const { redis, mongo } = target;
    await run(target, 'restore', place('second'));
    const manifest = await readManifest(place('second'));
    const verification = { redis, mongo, folder: place('second'), manifest, pace: new Pace(1e9) };
    await verifyStores(verification);
    const [account = ''] = accounts;
    await mongo.db.collection<{ _id: string; seq: number }>(collections.accounts).deleteOne({ _id: account });
    const told = await verifyStores(verification).catch((error: Error) => error.message);
    expect(told).to.match(new RegExp(`^The state of account ${account} `));
    await redis.flushall();
    await mongo.db.dropDatabase();
  });

  it('a document, a commit or a record that is not what was written is found, and so is one too many or too few', async () => {
    const { redis, mongo } = target;
    await run(target, 'restore', place('second'));
    const { shards } = await readManifest(place('second'));
    const stores = { redis, mongo, manifest: { shards }, pace: new Pace(1e9) };
    const digests = async (name: string) => digestOfCollection(mongo, name, { ...stores, skips: () => false });
    const written = {
      collections: new Map([[collections.history, await digests(collections.history)]] as const),
      journals: new RowsDigest(),
      beside: new RowsDigest(),
    };
    for await (const row of new BesideJournals(redis).rows(shards)) written.beside.add(JSON.stringify(row));
    const told = () =>
      verifyContent(stores, written).then(
        () => 'the same',
        (error: Error) => error.message,
      );
    expect(await told()).to.equal('the same');
    const history = mongo.db.collection(collections.history);
    const row = (await history.findOne({})) as WithId<Document>;
    await history.updateOne({ _id: row._id }, { $set: { changed: 1 } });
    expect(await told()).to.match(/MongoDB’s collection history are of another content/);
    await history.deleteOne({ _id: row._id });
    expect(await told()).to.match(/MongoDB’s collection history are \d+, not \d+/);
    await history.insertOne(row);
    expect(await told()).to.equal('the same');
    await redis.hset(shardKeys.quarantine(0), accountName(99), '{"reason":"another"}');
    expect(await told()).to.match(/beside the journals are of another content/);
    await redis.xadd(shardKeys.journal(1), '*', 'e', '[]');
    expect(await told()).to.match(/the journals in Redis are 1, not 0/);
    await redis.flushall();
    await mongo.db.dropDatabase();
  });

  it('a document that was removed and made anew while it was copied is there once, as it was later', async () => {
    const { mongo } = target;
    const path = place('twice.jsonl.gz');
    const file = new DataFileWriter(path);
    for (const text of ['first', 'second', 'third']) await file.write(JSON.stringify({ _id: 'same', text }));
    await file.write(JSON.stringify({ _id: 'other' }));
    await file.close();
    const pace = new Pace(1e9);
    const filled = await fillCollection(mongo, 'twice', { path, pace, change: (document) => document });
    expect(await mongo.db.collection('twice').find().sort({ _id: 1 }).toArray()).to.deep.equal([
      { _id: 'other' },
      { _id: 'same', text: 'third' },
    ]);
    expect(filled.equals(await digestOfCollection(mongo, 'twice', { pace, skips: () => false }))).to.equal(true);
    await mongo.db.dropDatabase();
    rmSync(path);
  });

  it('a folder that is not empty, that has no parent, that is a file or that cannot be replaced is refused before anything is read', async () => {
    expect(await refusal(source, 'backup', place('second'))).to.match(/is not empty: give a folder of its own/);
    expect(await refusal(source, 'backup', place('no/such'))).to.match(/^There is no folder .*no: make it first/);
    writeFileSync(place('file'), '');
    expect(await refusal(source, 'backup', place('file'))).to.match(/file is no folder/);
    mkdirSync(place('empty'));
    symlinkSync(place('empty'), place('link'));
    expect(await refusal(source, 'backup', place('link'))).to.match(/link is a mount or a link, or may not be replaced/);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
    await run(source, 'backup', place('empty'));
  });

  it('two backups at once: into two folders both are whole, into one folder one of them is', async () => {
    const outcomes = await Promise.allSettled([
      run(source, 'backup', place('beside')),
      run(source, 'backup', place('same')),
      run(source, 'backup', place('same')),
    ]);
    expect(outcomes[0]?.status).to.equal('fulfilled');
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(2);
    for (const name of ['beside', 'same']) await run({} as OperatorParts, 'backup-check', place(name));
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).to.deep.equal([]);
  });

  it('accounts are reset and their shards go to another pod during a backup: it is whole, and restored', async () => {
    // Keys that other tests have put beside the journals are nothing that a pod can read.
    await bench.redis.hdel(marketKeys.state, 'funding:BTC');
    await bench.redis.del(shardKeys.quarantine(0), shardKeys.dead(1), shardKeys.setAside(1));
    await bench.redis.del(shardKeys.entriesSetAside(1, accountName(97)));
    const trading = trade();
    const backup = run(source, 'backup', place('moved'), '--rate', '0.6');
    await Promise.all(accounts.slice(0, 3).map((account) => gateway.send(account, RESET, ask)));
    const other = await bench.startPod({ nodeId: 'other' });
    await run(source, 'shards', 'move', '1', 'other');
    await until(() => other.status().some(({ shard, loaded }) => shard === 1 && loaded));
    await backup;
    await trading.stop();
    await bench.stopPod(other);
    await until(() => bench.pods.every((pod) => bench.hasAllShards(pod)));
    await run({} as OperatorParts, 'backup-check', place('moved'));
    expect(await run(target, 'restore', place('moved'))).to.include({ accounts: accounts.length });
    await target.redis.flushall();
    await target.mongo.db.dropDatabase();
  });

  it('what is no backup, or a damaged or newer one, is refused before anything is written', async () => {
    expect(await refusal(target, 'restore', place('nowhere'))).to.match(/^There is no backup in .*nowhere/);
    const manifestOf = (name: string): string => join(place(name), 'manifest.json');
    const text = readFileSync(manifestOf('empty'), 'utf8');
    const newer = { ...(await readManifest(place('empty'))), version: 99 as Manifest['version'] };
    rmSync(manifestOf('empty'));
    await writeManifest(place('empty'), newer);
    expect(await refusal(target, 'restore', place('empty'))).to.match(/^The backup has version 99; this build reads up to 1\./);
    rmSync(manifestOf('empty'));
    const { forms: _line, ...unreleased } = { ...newer, version: 2 as Manifest['version'] };
    await writeManifest(place('empty'), unreleased as Manifest);
    const why = `${place('empty')} has a backup of an unreleased build, whose stored forms no release reads: make a fresh one with "bin/admin backup DIR".`;
    for (const command of ['restore', 'backup-check']) expect(await refusal(target, command, place('empty'))).to.equal(why);
    writeFileSync(manifestOf('empty'), text.replace('"formats": 1', '"formats": 2'));
    expect(await refusal(target, 'restore', place('empty'))).to.match(/manifest.json is damaged/);
    writeFileSync(manifestOf('empty'), 'no json');
    expect(await refusal(target, 'backup-check', place('empty'))).to.match(/manifest.json is damaged/);
    writeFileSync(manifestOf('empty'), text);
    appendFileSync(join(place('empty'), JOURNAL_FILE), 'x');
    expect(await refusal(target, 'restore', place('empty'))).to.match(/journal.jsonl.gz is damaged: it has/);
    expect(await target.redis.dbsize()).to.equal(0);
  });

  it('a file without an end is read no further than the one that was written', async () => {
    const expected = { rows: 1, bytes: 4, sha256: '' };
    const told = await requireWhole('/dev/zero', expected).catch((error: Error) => error.message);
    expect(told).to.equal('/dev/zero is damaged: it has more than 4 bytes, and 4 were written.');
  });

  it('the archive is copied before the rows: those of all that it has are there', () => {
    const order = ['shards', 'archive', 'history'].map((name) => READ_IN_ORDER.indexOf(name as 'history'));
    expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
  });

  it('a journal that is cut before it was read, and a Redis that was started again, are noticed', async () => {
    const { redis } = target;
    const journal = shardKeys.journal(0);
    const reader = new JournalReader(redis, 0);
    const numbers = async (): Promise<string[]> => (await reader.next()).rows.map(({ id }) => id);
    await redis.xadd(journal, '3-0', 'e', '[]');
    await redis.xadd(journal, '8-0', 'e', '[]');
    await redis.xtrim(journal, 'MINID', '8');
    expect(await numbers()).to.deep.equal(['8-0']);
    await redis.xadd(journal, '20-0', 'e', '[]');
    await redis.xtrim(journal, 'MINID', '20');
    expect(await numbers()).to.deep.equal(['20-0']);
    await redis.xadd(journal, '21-0', 'e', '[]');
    await redis.xadd(journal, '22-0', 'e', '[]');
    await redis.xtrim(journal, 'MINID', '22');
    expect((await reader.next({ mayMiss: true })).rows.map(({ id }) => id)).to.deep.equal(['22-0']);
    await redis.xadd(journal, '23-0', 'e', '[]');
    await redis.xtrim(journal, 'MINID', '24');
    expect(await reader.next().catch((error: Error) => error.message)).to.match(/^The journal of shard 0 was cut faster/);
    await redis.flushall();
    const later = new JournalReader(redis, 0);
    await later.next();
    const { dir, port } = stores[0] as Store;
    await stores[0]?.kill();
    stores[0] = await startRedis({ dir, port });
    expect(await later.next().catch((error: Error) => error.message)).to.match(/^Redis was started again/);
  });

  it('when a store goes away in the middle, the backup is given up and nothing is left', async () => {
    for (const which of [0, 1]) {
      const others = await Promise.all([startRedis(), startMongo()]);
      const parts = adminOn({ redisUrl: others[0].url, mongoUrl: others[1].url, shards: SHARDS });
      await raiseRedisRecord(parts.redis, { shards: SHARDS, formats: NEWEST_FORMAT });
      await parts.mongo.db
        .collection(collections.users)
        .insertMany(Array.from({ length: 500 }, () => ({ text: 'x'.repeat(1000) })));
      const name = place(`away-${which}`);
      const told = refusal(parts, 'backup', name, '--rate', '0.001');
      await until(() => readdirSync(folder).some((file) => file.startsWith(`away-${which}.unfinished-`)));
      await others[which]?.kill();
      expect(await told).to.match(which === 0 ? /^Redis went away in the middle/ : /MongoDB went away|nothing of it is left/);
      expect(readdirSync(folder).filter((file) => file.startsWith('away'))).to.deep.equal([]);
      await parts.close();
      await Promise.all(others.map((store) => store.stop()));
    }
  });
});
