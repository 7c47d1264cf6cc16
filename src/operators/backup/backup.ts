// `bin/admin backup`: a copy of the whole deployment while it trades. The order of the reads makes it consistent: journals are
// copied from their beginning to the very end of the backup, and MongoDB's documents in between. A document is as of some moment
// of that time; what it lacks is in the journals, and folding and appending again what it has changes nothing (ADR 18).
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  RESTORE_ID,
  readMongoRestore,
  readRedisRecord,
  readRedisRestore,
  requireFinished,
} from '../../shared/deployment/deploymentRecord.ts';
import { redisTimeMs } from '../../shared/deployment/liveProcesses.ts';
import { FORMS_LINE, NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { collections } from '../../shared/mongo/mongo.ts';
import { columns, type OperatorParts, onlyWord, Refused, type Report, readOptions } from '../acts/operatorParts.ts';
import { statesInFiles } from './accountStates.ts';
import { BackupFolder, DataFileWriter, type FileFacts } from './backupFiles.ts';
import { BesideJournals } from './besideJournals.ts';
import { copyCollection, READ_IN_ORDER } from './collectionCopy.ts';
import { JournalCopy } from './journalCopy.ts';
import {
  ANSWERS_FILE,
  BESIDE_FILE,
  collectionFile,
  JOURNAL_FILE,
  type Manifest,
  STATES_FILE,
  VERSION,
  writeManifest,
} from './manifest.ts';
import { type Pace, readPace, whileStoresAreThere } from './pace.ts';
import { RememberedAnswers } from './rememberedAnswers.ts';

/** Megabytes read a second: a few percent of what a store gives. */
const RATE = { standard: 20 };
/** Settings that are secrets. */
const SECRETS = new Set(['jwtSecret']);

export async function backup(args: readonly string[], parts: OperatorParts): Promise<Report> {
  const { words, options } = readOptions(args, ['rate']);
  const name = onlyWord(words, 'Where to? bin/admin backup DIR.');
  const pace = readPace(options.get('rate'), RATE);
  requireFinished(await readRedisRestore(parts.redis));
  requireFinished(await readMongoRestore(parts.mongo));
  const folder = await BackupFolder.begin(name);
  try {
    const again = 'The backup was given up, and nothing of it is left: run it again.';
    const manifest = await whileStoresAreThere(parts, again, () => new Backup(parts, folder.path, pace).write());
    await folder.finish();
    return reportOf(name, manifest);
  } catch (error) {
    await folder.remove();
    throw explained(error);
  }
}

class Backup {
  readonly #parts: OperatorParts;
  readonly #folder: string;
  readonly #pace: Pace;
  readonly #files: Record<string, FileFacts> = {};
  readonly #secrets = new Set<string>();

  constructor(parts: OperatorParts, folder: string, pace: Pace) {
    this.#parts = parts;
    this.#folder = folder;
    this.#pace = pace;
  }

  async write(): Promise<Manifest> {
    const { redis, billing } = this.#parts;
    const record = await readRedisRecord(redis);
    if (record === undefined) throw new Refused('There is no deployment in these stores: no process has started on them yet.');
    const { shards, formats } = record;
    const begunMs = await redisTimeMs(redis);
    const answers = new RememberedAnswers(redis);
    const outside = await answers.end();
    const journalFile = new DataFileWriter(this.#pathOf(JOURNAL_FILE));
    const journals = new JournalCopy({ redis, shards, file: journalFile, pace: this.#pace });
    await journals.begin();
    const between = () => journals.keepUp();
    await this.#write(BESIDE_FILE, (file) => new BesideJournals(redis).copy({ shards, file, pace: this.#pace, between }));
    await this.#copyCollections(journals);
    const cutMs = await redisTimeMs(redis);
    await journals.toEnd();
    const cutEndMs = await redisTimeMs(redis);
    this.#files[JOURNAL_FILE] = await journalFile.close();
    const ends = { shards: journals.answersEnds, outside };
    await this.#write(ANSWERS_FILE, (file) => answers.copy({ file, pace: this.#pace, ends }));
    const journalChars = journals.chars;
    const accounts = await this.#writeStates(journalChars, formats);
    const manifest: Manifest = {
      ...{
        version: VERSION,
        forms: FORMS_LINE,
        id: randomBytes(8).toString('hex'),
        database: billing.config.MONGO_DATABASE,
        shards,
        formats,
        newest: NEWEST_FORMAT,
      },
      ...{ begunMs, cutMs, cutEndMs, accounts, journalChars, cuts: journals.cuts },
      ...{ files: this.#files, secrets: [...this.#secrets] },
    };
    await writeManifest(this.#folder, manifest);
    return manifest;
  }

  async #write(name: string, fill: (file: DataFileWriter) => Promise<void>): Promise<FileFacts> {
    const file = new DataFileWriter(this.#pathOf(name));
    await fill(file);
    const facts = await file.close();
    this.#files[name] = facts;
    return facts;
  }

  async #copyCollections(journals: JournalCopy): Promise<void> {
    for (const collection of READ_IN_ORDER) {
      const name = collectionFile(collection);
      this.#files[name] = await copyCollection(this.#parts.mongo, collection, {
        path: this.#pathOf(name),
        pace: this.#pace,
        skips: ({ _id }) => {
          if (collection !== collections.settings) return false;
          if (SECRETS.has(String(_id))) this.#secrets.add(String(_id));
          return _id === RESTORE_ID;
        },
        between: () => journals.keepUp(),
      });
    }
  }

  /** @returns how many there are */
  async #writeStates(journalChars: number, formats: number): Promise<number> {
    const { rows: accounts = 0 } = this.#files[collectionFile(collections.accounts)] ?? {};
    const { rows } = await this.#write(STATES_FILE, async (file) => {
      for await (const { row } of statesInFiles(this.#folder, { journalChars, accounts, formats }))
        await file.write(JSON.stringify(row));
    });
    return rows;
  }

  #pathOf(name: string): string {
    return join(this.#folder, name);
  }
}

function explained(error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'EFBIG')
    return new Refused('The disk is full: the backup was given up, and nothing of it is left.');
  if (error instanceof Refused || !(error instanceof Error)) return error;
  return new Refused(`The backup was given up, and nothing of it is left: ${message}`);
}

function reportOf(name: string, manifest: Manifest): { data: unknown; lines: string[] } {
  const { id, begunMs, cutMs, cutEndMs, accounts, shards, formats, files, secrets } = manifest;
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  const at = (ms: number): string => new Date(ms).toISOString();
  const data = {
    id,
    folder: name,
    begun_at: at(begunMs),
    cut_at: at(cutMs),
    cut_ended_at: at(cutEndMs),
    shards,
    formats,
    accounts,
    bytes,
    secrets,
  };
  const kept = secrets.length === 0 ? 'no secret of the deployment' : `the deployment’s ${secrets.join(', ')}`;
  return {
    data,
    lines: [
      ...columns([
        ['backup', `${id} in ${name}`],
        ['begun', `${at(begunMs)}: everything acknowledged before is inside`],
        ['cut', `${at(cutMs)}: what was acknowledged of accounts before is inside, too`],
        ['accounts', String(accounts)],
        ['bytes', String(bytes)],
      ]),
      `Keep it as you keep the stores: digests of passwords and keys are in it, and ${kept}.`,
      'Secrets that variables give (DEPLOYMENT_SECRET, JWT_SECRET) are not inside: keep them apart, a restore needs the same ones.',
    ],
  };
}
