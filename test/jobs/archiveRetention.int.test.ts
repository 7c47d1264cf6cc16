import { existsSync, mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Binary } from 'mongodb';
import { archiveRetention } from '../../src/jobs/archiveRetention.ts';
import { subAccountAddress } from '../../src/shared/access/subAccountAddress.ts';
import { removeAccountFolder, writeChunkFile } from '../../src/shared/archive/archiveFolder.ts';
import { type ChunkDocument, chunkId, type StateDocument, stateId } from '../../src/shared/archive/archiveForm.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { createLogger } from '../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../src/shared/mongo/mongo.ts';
import { connectRedis, type Redis } from '../../src/shared/redis/redis.ts';
import { newestFormats } from '../support/formats.ts';
import { type Store, startMongo, startRedis } from '../support/stores.ts';

const DAY_MS = 86_400_000;
const NOW_MS = 1_800_000_000_000;
const [MASTER, PRO] = ['0xb', '0xp'] as const;
/** A sub-account. */
const BASIC = subAccountAddress(MASTER, 1);

describe('archive-retention: the archive is kept for the plan’s days and bytes', function () {
  this.timeout(600_000);
  const log = createLogger({ level: 'silent', role: 'test' });
  let stores: [Store, Store];
  let redis: Redis;
  let mongo: MongoConnection;
  let dir: string;

  before(async () => {
    stores = await Promise.all([startRedis(), startMongo({ memory: true })]);
    redis = connectRedis({ url: stores[0].url, name: 'test', log });
  });

  beforeEach(async () => {
    mongo = connectMongo({ url: stores[1].url, database: `t${Date.now()}${Math.round(Math.random() * 1e6)}`, timeoutMs: 3000 });
    dir = mkdtempSync(join(tmpdir(), 'paper-archive-'));
    const users = mongo.db.collection<{ _id: string; address: string; subAccountsMade?: number; plan: string }>(
      collections.users,
    );
    await users.insertMany([
      { _id: 'user_b', address: MASTER, subAccountsMade: 1, plan: 'basic' },
      { _id: 'user_p', address: PRO, plan: 'pro' },
    ]);
  });

  afterEach(() => mongo.close());

  after(async () => {
    redis.disconnect();
    await Promise.all(stores.map((store) => store.stop()));
  });

  /** Four chunks and four states, ten days between one and the next, the last of today. */
  async function fill(account: string, bytes = 100): Promise<void> {
    for (let at = 0; at < 4; at++) {
      const timeMs = NOW_MS - (3 - at) * 10 * DAY_MS;
      const first = at * 1024;
      const rest = { v: 1, account, shard: 0 } as const;
      const part = { sha256: '', data: new Binary(Buffer.from('x')) };
      const chunk: ChunkDocument = {
        ...{ _id: chunkId(account, first), ...rest, commit: 1, lastSeq: first + 127, lastTimeMs: timeMs, bytes, parts: [part] },
      };
      const state: StateDocument = {
        ...{
          _id: stateId(account, first + 5, 'distance'),
          ...rest,
          seq: first + 5,
          timeMs,
          reason: 'distance',
          after: first + 5,
        },
        ...{ hash: '', data: new Binary(Buffer.from('x')) },
      };
      await mongo.db.collection<ChunkDocument>(collections.archive).insertOne(chunk);
      await mongo.db.collection<StateDocument>(collections.archiveStates).insertOne(state);
      await writeChunkFile(dir, chunk);
    }
  }

  async function left(account: string): Promise<{ chunks: number[]; states: number[]; files: number }> {
    const chunks = await mongo.db.collection<ChunkDocument>(collections.archive).find({ account }).toArray();
    const states = await mongo.db.collection<StateDocument>(collections.archiveStates).find({ account }).toArray();
    const folder = join(dir, account);
    return {
      chunks: chunks.map(({ lastSeq }) => lastSeq - 127).sort((a, b) => a - b),
      states: states.map(({ seq }) => seq).sort((a, b) => a - b),
      files: existsSync(folder) ? readdirSync(folder).length : 0,
    };
  }

  const run = (days: number, archiveDir = dir) =>
    archiveRetention.run(
      { config: readConfig({ ARCHIVE_DIR: archiveDir }), log, redis, mongo, formats: newestFormats, now: Date.now },
      NOW_MS + days * DAY_MS,
    );

  it('what lies before the newest state that is old enough goes, with its files; the rest can be rebuilt from that state', async () => {
    await fill(BASIC);
    await fill(PRO);
    await run(0);
    expect(await left(BASIC)).to.deep.equal({ chunks: [0, 1024, 2048, 3072], states: [5, 1029, 2053, 3077], files: 4 });
    await run(15);
    expect(await left(BASIC)).to.deep.equal({ chunks: [1024, 2048, 3072], states: [1029, 2053, 3077], files: 3 });
    expect((await left(PRO)).chunks).to.deep.equal([0, 1024, 2048, 3072]);
    await run(1000);
    expect(await left(BASIC)).to.deep.equal({ chunks: [3072], states: [3077], files: 1 });
    expect((await left(PRO)).chunks).to.deep.equal([3072]);
  });

  it('an account with more bytes than its plan has room for loses its oldest entries before their time', async () => {
    await fill(BASIC, 30 * 1024 * 1024);
    await fill(PRO, 30 * 1024 * 1024);
    await run(0);
    expect((await left(BASIC)).chunks).to.deep.equal([2048, 3072]);
    expect((await left(PRO)).chunks).to.deep.equal([0, 1024, 2048, 3072]);
  });

  it('a run that died at any point is finished by the next: no state stands before a hole, and no file stays', async () => {
    await fill(BASIC);
    const { db } = mongo;
    await db.collection<StateDocument>(collections.archiveStates).deleteMany({ account: BASIC, seq: { $lt: 1029 } });
    expect(await left(BASIC)).to.deep.equal({ chunks: [0, 1024, 2048, 3072], states: [1029, 2053, 3077], files: 4 });
    await run(15);
    expect(await left(BASIC)).to.deep.equal({ chunks: [1024, 2048, 3072], states: [1029, 2053, 3077], files: 3 });
    await db.collection<StateDocument>(collections.archiveStates).deleteMany({ account: BASIC, seq: { $lt: 2053 } });
    await db.collection<ChunkDocument>(collections.archive).deleteMany({ account: BASIC, lastSeq: { $lt: 2048 } });
    await run(15);
    expect(await left(BASIC)).to.deep.equal({ chunks: [2048, 3072], states: [2053, 3077], files: 2 });
  });

  it('what a process that died has left of a file goes after a day; one that is being written stays', async () => {
    await fill(BASIC);
    const folder = join(dir, BASIC);
    for (const [name, ageMs] of [
      ['.a.tmp', 2 * DAY_MS],
      ['.b.tmp', 1000],
    ] as const) {
      writeFileSync(join(folder, name), 'half');
      utimesSync(join(folder, name), new Date(), new Date(Date.now() - ageMs));
    }
    await run(0);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).to.deep.equal(['.b.tmp']);
  });

  it('a folder that cannot be read holds nothing up', async () => {
    await fill(BASIC);
    const file = join(dir, 'file');
    writeFileSync(file, '');
    await run(15, file);
    expect((await left(BASIC)).chunks).to.deep.equal([1024, 2048, 3072]);
  });

  it('a deleted account’s folder goes whole, and no other path is ever meant', async () => {
    await fill(BASIC);
    mkdirSync(join(dir, 'other'));
    await removeAccountFolder(dir, BASIC);
    expect(readdirSync(dir)).to.deep.equal(['other']);
    for (const name of ['..', 'a/b', '']) {
      const failure = await Promise.resolve()
        .then(() => removeAccountFolder(dir, name))
        .catch((error: Error) => error.message);
      expect(failure).to.match(/no name for a folder/);
    }
  });
});
