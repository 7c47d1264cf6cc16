// ARCHIVE_DIR on disks that fail: files are late, the archive is not, operators hear of it, and it goes on by itself.
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Binary } from 'mongodb';
import { Registry } from 'prom-client';
import { ArchiveCopy, type ArchiveCopyParts, type ArchiveDisk } from '../../../../src/actors/engine/journal/archiveCopy.ts';
import { archiveMetrics } from '../../../../src/actors/engine/shardMetrics.ts';
import { removeAccountFolder, writeChunkFile, writeStateFile } from '../../../../src/shared/archive/archiveFolder.ts';
import { type ChunkDocument, chunkId } from '../../../../src/shared/archive/archiveForm.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../../src/shared/mongo/mongo.ts';
import { type Store, startMongo } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const ACCOUNT = '0xa';

describe('ARCHIVE_DIR: a disk that fails holds nothing up', function () {
  this.timeout(600_000);
  let store: Store;
  let mongo: MongoConnection;
  let dir: string;
  let copy: ArchiveCopy;
  let registry: Registry;

  before(async () => {
    store = await startMongo({ memory: true });
    mongo = connectMongo({ url: store.url, database: 'test', timeoutMs: 3000 });
  });
  beforeEach(async () => {
    await mongo.db.collection(collections.archive).deleteMany({});
    dir = mkdtempSync(join(tmpdir(), 'paper-archive-'));
  });
  afterEach(() => copy.stop());
  after(async () => {
    await mongo.close();
    await store.stop();
  });

  const chunks = () => mongo.db.collection<ChunkDocument>(collections.archive);
  async function archived(chunk: number): Promise<string> {
    const _id = chunkId(ACCOUNT, chunk * 128);
    const part = { sha256: '', data: new Binary(Buffer.from('x')) };
    const rest = { v: 1, account: ACCOUNT, shard: 0, commit: 1, lastTimeMs: 1, bytes: 1 } as const;
    await chunks().insertOne({ _id, ...rest, lastSeq: chunk * 128, parts: [part] });
    return _id;
  }
  const begin = (options: Partial<ArchiveCopyParts> = {}): void => {
    registry = new Registry();
    const log = createLogger({ level: 'silent', role: 'test' });
    copy = new ArchiveCopy({ dir, mongo, log, metrics: archiveMetrics(registry, { lagMs: () => 0 }), ...options });
  };
  const disk = (onWrite: () => Promise<void>): ArchiveDisk => ({
    writeChunkFile: async (...args) => {
      await onWrite();
      await writeChunkFile(...args);
    },
    writeStateFile,
  });
  const failures = async (): Promise<number> =>
    (await registry.getSingleMetric('actor_archive_copy_failures_total')?.get())?.values[0]?.value ?? 0;
  /** Whole ones. */
  const files = (): number => {
    const folder = join(dir, ACCOUNT);
    return existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')).length : 0;
  };

  it('what is noted just as a copy ends is copied too', async () => {
    begin();
    for (let chunk = 0; chunk < 40; chunk++) {
      copy.note({ chunks: [await archived(chunk)] });
      // Each ends at another moment of the copy before it.
      for (let turn = 0; turn < chunk; turn++) await Promise.resolve();
    }
    await until(() => files() === 40);
  });

  it('also one that comes between the last look and the end', async () => {
    const ids = [await archived(0), await archived(1)];
    let failures = 1;
    const log = createLogger({ level: 'silent', role: 'test' });
    // The message that it works again comes just then.
    log.info = () => copy.note({ chunks: ids.slice(1) });
    const failing = async (): Promise<void> => {
      failures -= 1;
      if (failures >= 0) throw new Error('once');
    };
    begin({ log, disk: disk(failing) });
    copy.note({ chunks: ids.slice(0, 1) });
    await until(() => files() === 2);
  });

  it('a disk that is full counts, and gets what it missed when it has room', async () => {
    let isFull = true;
    const full = async (): Promise<void> => {
      if (isFull) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
    };
    begin({ disk: disk(full) });
    copy.note({ chunks: [await archived(0)] });
    await until(async () => (await failures()) > 0);
    expect(files()).to.equal(0);
    isFull = false;
    await until(() => files() === 1);
  });

  it('a file in the place of the folder counts; a folder that was removed is made again', async () => {
    begin();
    rmSync(dir, { recursive: true });
    copy.note({ chunks: [await archived(0)] });
    await until(() => files() === 1);
    rmSync(dir, { recursive: true });
    writeFileSync(dir, '');
    copy.note({ chunks: [await archived(1)] });
    await until(async () => (await failures()) > 0);
    rmSync(dir);
    await until(() => files() === 1);
  });

  it('a disk that hangs counts too, and holds up no process that ends', async () => {
    begin({ disk: disk(() => new Promise(() => undefined)), hangsAfterMs: 20 });
    copy.note({ chunks: [await archived(0)] });
    await until(async () => (await failures()) > 1);
    await copy.stop();
  });

  it('a file written while the account is deleted goes too', async () => {
    const _id = await archived(0);
    begin({
      disk: disk(async () => {
        await chunks().deleteMany({});
        await removeAccountFolder(dir, ACCOUNT);
      }),
    });
    copy.note({ chunks: [_id] });
    await until(async () => (await chunks().countDocuments({})) === 0);
    await copy.stop();
    expect(existsSync(join(dir, ACCOUNT))).to.equal(false);
  });
});
