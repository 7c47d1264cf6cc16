// The folder of a backup that is being written. It has another name until all of it is on disk, so one that was interrupted,
// in whatever way, is never taken for a whole one.
import { mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Refused } from '../../../operators/operatorParts.ts';

export class BackupFolder {
  /** Where its files are written. */
  readonly path: string;
  readonly #final: string;

  private constructor(path: string, final: string) {
    this.path = path;
    this.#final = final;
  }

  /**
   * @param name where the backup is to be: a folder that is empty or not there yet
   * @throws {Refused} when it can be no backup's
   */
  static async begin(name: string): Promise<BackupFolder> {
    const final = resolve(name);
    await requireEmpty(final);
    try {
      // Only its owner may enter it.
      const folder = new BackupFolder(await mkdtemp(`${final}.unfinished-`), final);
      await folder.#requireRename();
      return folder;
    } catch (error) {
      if (error instanceof Refused) throw error;
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') throw new Refused(`There is no folder ${dirname(final)}: make it first.`);
      throw new Refused(`${dirname(final)} cannot be written: ${message}.`);
    }
  }

  /** A mount, or a link, cannot be replaced by a folder: that is found out while the folder is empty, not after hours. */
  async #requireRename(): Promise<void> {
    try {
      await rename(this.path, this.#final);
    } catch (error) {
      await this.remove();
      const { message } = error as Error;
      throw new Refused(`${this.#final} is a mount or a link, or may not be replaced: name a new folder in it (${message}).`);
    }
    await rename(this.#final, this.path);
  }

  /** Gives it its name, when everything in it is on disk. */
  async finish(): Promise<void> {
    await flush(this.path);
    try {
      await rename(this.path, this.#final);
    } catch (error) {
      throw new Refused(`${basename(this.#final)} was made by another meanwhile: ${(error as Error).message}.`);
    }
    await flush(dirname(this.#final));
  }

  async remove(): Promise<void> {
    // Something that was given up may still be writing into it.
    await rm(this.path, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const found = await stat(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new Refused(`${folder} cannot be looked at: ${error.message}.`);
  });
  if (found === undefined) return;
  if (!found.isDirectory()) throw new Refused(`${folder} is no folder.`);
  if ((await readdir(folder)).length > 0) throw new Refused(`${folder} is not empty: give a folder of its own to each backup.`);
}

/** Names in a folder are on disk when the folder is. */
async function flush(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
