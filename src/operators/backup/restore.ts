// `bin/admin restore`: puts a backup into empty stores. A mark in both stores stands from before the first thing that is written
// until everything is verified: no role starts meanwhile, and the command, run again after an interruption, begins anew.
import { join } from 'node:path';
import { readKeptClock, restoreClock } from '../../shared/deployment/clockRecord.ts';
import {
  markMongo,
  markRedis,
  RESTORE_ID,
  raiseRedisRecord,
  unmarkMongo,
  unmarkRedis,
} from '../../shared/deployment/deploymentRecord.ts';
import { redisTimeMs } from '../../shared/deployment/liveProcesses.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { deploymentKeys } from '../../shared/redis/keys.ts';
import { columns, type OperatorParts, onlyWord, Refused, type Report, readOptions } from '../acts/operatorParts.ts';
import { readRows } from './backupFiles.ts';
import { BesideJournals, type BesideRow } from './besideJournals.ts';
import { requireWholeFiles } from './checkBackup.ts';
import { fillCollection, READ_IN_ORDER, RowsDigest } from './collectionCopy.ts';
import { ANSWERS_FILE, BESIDE_FILE, collectionFile, type Manifest, readManifest } from './manifest.ts';
import { type Pace, readPace, whileStoresAreThere } from './pace.ts';
import { type AnswerRow, RememberedAnswers } from './rememberedAnswers.ts';
import { asOnlyRestore, requireRestorable } from './restorableStores.ts';
import { beyond, movedPosition, putShards } from './shardsRestore.ts';
import { verifyContent, verifyStores } from './verifyRestored.ts';

/** The most shards that a deployment can have: an interrupted restore may have been of another one. */
const SHARDS_MAX = 100;
/** Megabytes a second: nobody trades on these stores. */
const RATE = { standard: 200 };
const AGAIN = 'The restore is unfinished, and no role starts on these stores: run it again.';

export async function restore(args: readonly string[], parts: OperatorParts): Promise<Report> {
  const { words, options } = readOptions(args, ['rate']);
  const folder = onlyWord(words, 'Which backup? bin/admin restore DIR.');
  const pace = readPace(options.get('rate'), RATE);
  const manifest = await readManifest(folder);
  const { SHARDS } = parts.billing.config;
  if (SHARDS !== manifest.shards)
    throw new Refused(
      `SHARDS is ${SHARDS} and the backup has ${manifest.shards} shards: restore with SHARDS=${manifest.shards}, and start the roles with it.`,
    );
  const { redis } = parts;
  await requireRestorable(parts, manifest.id);
  await requireWholeFiles(folder, manifest);
  return whileStoresAreThere(parts, AGAIN, () =>
    asOnlyRestore(redis, async () => {
      // Another restore may have ended just now.
      const todo = await requireRestorable(parts, manifest.id);
      if (todo === 'begin') await explained(() => new Restore({ ...parts, folder, manifest, pace }).run());
      await removeMarks(parts);
      return reportOf(manifest);
    }),
  );
}

interface RestoreParts extends OperatorParts {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly pace: Pace;
}

class Restore {
  readonly #parts: RestoreParts;

  constructor(parts: RestoreParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { redis, mongo, folder, manifest, pace } = this.#parts;
    const { id: backup, shards, formats, cuts } = manifest;
    await markMongo(mongo, { backup, phase: 'writing' });
    await markRedis(redis, { backup, phase: 'writing' });
    await this.#removeEarlier();
    const nowMs = await redisTimeMs(redis);
    const beyondOf = cuts.map((cut) => beyond(cut, manifest, nowMs));
    const written = { collections: new Map<string, RowsDigest>(), journals: new RowsDigest(), beside: new RowsDigest() };
    for (const collection of READ_IN_ORDER) {
      if (manifest.files[collectionFile(collection)] === undefined) continue;
      const filled = await fillCollection(mongo, collection, {
        path: join(folder, collectionFile(collection)),
        pace,
        change: (document) => (collection === collections.shards ? movedPosition(document, beyondOf) : document),
      });
      written.collections.set(collection, filled);
    }
    written.journals = await putShards(redis, { folder, cuts, beyondOf, pace });
    await this.#putBeside(written.beside);
    await this.#putAnswers();
    await restoreClock(redis, await readKeptClock(mongo));
    await raiseRedisRecord(redis, { shards, formats });
    await verifyContent(this.#parts, written);
    await verifyStores(this.#parts);
    await markMongo(mongo, { backup, phase: 'verified' });
  }

  /** What an interrupted restore has left. */
  async #removeEarlier(): Promise<void> {
    const { redis, mongo } = this.#parts;
    await new BesideJournals(redis).remove(SHARDS_MAX);
    await new RememberedAnswers(redis).remove(SHARDS_MAX, await this.#lifeOfAnswers());
    await redis.del(deploymentKeys.record);
    for (const { name } of await mongo.db.listCollections({}, { nameOnly: true }).toArray()) {
      if (name === collections.settings)
        await mongo.db.collection<{ _id: string }>(name).deleteMany({ _id: { $ne: RESTORE_ID } });
      else if (!name.startsWith('system.')) await mongo.db.dropCollection(name);
    }
  }

  async #putBeside(put: RowsDigest): Promise<void> {
    const { redis, folder } = this.#parts;
    const beside = new BesideJournals(redis);
    for await (const row of readRows(join(folder, BESIDE_FILE))) {
      await beside.put(JSON.parse(row) as BesideRow);
      put.add(row);
    }
  }

  async #putAnswers(): Promise<void> {
    const { redis, folder } = this.#parts;
    const life = await this.#lifeOfAnswers();
    const answers = new RememberedAnswers(redis);
    for await (const row of readRows(join(folder, ANSWERS_FILE))) await answers.put(JSON.parse(row) as AnswerRow, life);
  }

  async #lifeOfAnswers(): Promise<{ nowMs: number; ofNewMs: number }> {
    const { redis, billing } = this.#parts;
    return { nowMs: await redisTimeMs(redis), ofNewMs: billing.config.IDEMPOTENCY_TTL_MS };
  }
}

async function explained(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Refused || !(error instanceof Error)) throw error;
    throw new Refused(`${error.message} ${AGAIN}`);
  }
}

/** In this order an interruption leaves a mark that says that nothing else is to be done. */
async function removeMarks({ redis, mongo }: OperatorParts): Promise<void> {
  await unmarkRedis(redis);
  await unmarkMongo(mongo);
}

function reportOf({ id, cutMs, shards, formats, accounts }: Manifest): Report {
  const cut = new Date(cutMs).toISOString();
  return {
    data: { id, cut_at: cut, shards, formats, accounts },
    lines: [
      ...columns([
        ['restored', id],
        ['cut', cut],
        ['accounts', `${accounts}, each in the state that the backup says`],
      ]),
      `Start the roles with SHARDS=${shards} and the secrets that the deployment had.`,
    ],
  };
}
