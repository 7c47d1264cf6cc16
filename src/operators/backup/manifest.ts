// The manifest of a backup: what it is of, as of when, and which files it has. It is written last; a folder without one is no
// backup. Its form is for ever: a later version is a new number, with a reader of each older one (test/fixtures/backups).
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FORMS_LINE, NEWEST_FORMAT } from '../../shared/domain/formats.ts';
import { Refused } from '../acts/operatorParts.ts';
import type { FileFacts } from './backupFiles.ts';

export const MANIFEST_FILE = 'manifest.json';
export const VERSION = 1;

/** Names of the files that are no collection's. */
export const JOURNAL_FILE = 'journal.jsonl.gz';
export const BESIDE_FILE = 'redis.jsonl.gz';
export const ANSWERS_FILE = 'answers.jsonl.gz';
export const STATES_FILE = 'states.jsonl.gz';
export const collectionFile = (collection: string): string => `mongo-${collection}.jsonl.gz`;

/** Where the cut goes through a shard. */
export interface ShardCut {
  readonly shard: number;
  /** Of the head: number of the last commit, with or without entries, and what it has reached. */
  readonly commit: number;
  readonly epoch: number;
  readonly idCounter: number;
  readonly tick: string;
  readonly atMs: number;
  /** Number of the newest commit that the journal has ever held. */
  readonly end: number;
}

export interface Manifest {
  readonly version: typeof VERSION;
  /** The line of forms; absent in backups of unreleased builds. */
  readonly forms: string;
  /** Names the backup. */
  readonly id: string;
  /** Name of the deployment's database in MongoDB. */
  readonly database: string;
  readonly shards: number;
  /** Generation of stored forms that the deployment may write. */
  readonly formats: number;
  /** The newest generation that the build knew which has made the backup: state hashes are of its states. */
  readonly newest: number;
  /** By Redis's clock: everything acknowledged before this is inside. */
  readonly begunMs: number;
  /** What was acknowledged of accounts before this is inside, too; nothing after `cutEndMs` is. */
  readonly cutMs: number;
  readonly cutEndMs: number;
  /** Accounts with a state, in the file of states: `StateRow`. */
  readonly accounts: number;
  /** Characters of the journal's entries. */
  readonly journalChars: number;
  readonly cuts: readonly ShardCut[];
  readonly files: Readonly<Record<string, FileFacts>>;
  /** Values of which the backup itself would be enough to act as the deployment. */
  readonly secrets: readonly string[];
}

/** Written as a whole and to disk. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, MANIFEST_FILE), textOf(manifest), { flag: 'wx', mode: 0o600, flush: true });
}

/** @throws {Refused} when the folder has no backup that this build can read */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
      throw new Refused(
        `There is no backup in ${folder}: it has no ${MANIFEST_FILE}. A backup that was interrupted has none either.`,
      );
    throw new Refused(`${join(folder, MANIFEST_FILE)} cannot be read: ${error.message}.`);
  });
  const { sha256: _, ...manifest } = parsed(text, folder);
  if (text !== textOf(manifest)) throw new Refused(`${join(folder, MANIFEST_FILE)} is damaged: its SHA-256 is not what it says.`);
  if (manifest.forms !== FORMS_LINE)
    throw new Refused(
      `${folder} has a backup of an unreleased build, whose stored forms no release reads: make a fresh one with "bin/admin backup DIR".`,
    );
  if (manifest.version !== VERSION)
    throw new Refused(
      `The backup has version ${String(manifest.version)}; this build reads up to ${VERSION}. Run a newer build.`,
    );
  if (manifest.formats > NEWEST_FORMAT)
    throw new Refused(
      `The backup has stored forms of generation ${manifest.formats}; this build reads up to ${NEWEST_FORMAT}. Run a newer build.`,
    );
  return manifest;
}

function parsed(text: string, folder: string): Manifest & { readonly sha256?: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Manifest;
  } catch {
    // told below
  }
  throw new Refused(`${join(folder, MANIFEST_FILE)} is damaged: it is no JSON object.`);
}

/** Its own SHA-256 is the last field, in all versions; not a byte may differ. */
function textOf(manifest: Manifest): string {
  const sha256 = createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
  return `${JSON.stringify({ ...manifest, sha256 }, null, 1)}\n`;
}
