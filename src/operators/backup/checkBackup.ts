// `bin/admin backup-check`: reads a backup to its end and makes every account's state from it, without a store.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { columns, onlyWord, Refused, type Report } from '../acts/operatorParts.ts';
import { isIn, partsOf, requireSame, type StateRow, statesOfPart } from './accountStates.ts';
import { readRows, requireWhole } from './backupFiles.ts';
import { MANIFEST_FILE, type Manifest, readManifest, STATES_FILE } from './manifest.ts';

export async function checkBackup(args: readonly string[]): Promise<Report> {
  const folder = onlyWord(args, 'Which backup? bin/admin backup-check DIR.');
  const manifest = await readManifest(folder);
  await requireWholeFiles(folder, manifest);
  await verifyFiles(folder, manifest);
  const { id, cutMs, shards, formats, accounts } = manifest;
  const cut = new Date(cutMs).toISOString();
  return {
    data: { id, cut_at: cut, shards, formats, accounts },
    lines: columns([
      ['backup', id],
      ['cut', cut],
      ['shards', String(shards)],
      ['accounts', `${accounts}, each in the state that the backup says`],
    ]),
  };
}

/** @throws {Refused} when a file is not as it was written, is missing, or is there beside them */
export async function requireWholeFiles(folder: string, manifest: Manifest): Promise<void> {
  const other = (await readdir(folder)).find((name) => name !== MANIFEST_FILE && manifest.files[name] === undefined);
  if (other !== undefined) throw new Refused(`${join(folder, other)} is no file of the backup: move it elsewhere.`);
  for (const [name, facts] of Object.entries(manifest.files)) {
    const path = join(folder, name);
    await requireWhole(path, facts);
    let rows = 0;
    for await (const _row of readRows(path)) rows += 1;
    if (rows !== facts.rows) throw new Refused(`${path} is damaged: it has ${rows} rows, and ${facts.rows} were written.`);
  }
}

async function verifyFiles(folder: string, manifest: Manifest): Promise<void> {
  for (const part of partsOf(manifest)) {
    const expected = new Map<string, StateRow>();
    for await (const text of readRows(join(folder, STATES_FILE))) {
      const row: StateRow = JSON.parse(text);
      if (isIn(part, row.account)) expected.set(row.account, row);
    }
    for await (const { row } of statesOfPart(folder, part, manifest)) {
      const wanted = expected.get(row.account);
      if (wanted === undefined) throw new Refused(`The backup has an account ${row.account} that is not among its states.`);
      requireSame(wanted, row, { backup: manifest, where: 'in its files' });
      expected.delete(row.account);
    }
    for (const account of expected.keys()) throw new Refused(`The backup lacks account ${account}, which is among its states.`);
  }
}
