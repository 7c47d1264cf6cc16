// A byte of a backup that is not what it was is found wherever it is, and the file is named.
import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { OperatorParts } from '../../../src/operators/acts/operatorParts.ts';
import { type FileFacts, requireWhole } from '../../../src/operators/backup/backupFiles.ts';
import { MANIFEST_FILE, readManifest } from '../../../src/operators/backup/manifest.ts';
import { runCommand } from '../../../src/operators/commands.ts';
import { makeDir } from '../../support/stores.ts';

const GOLDEN = fileURLToPath(new URL('../../fixtures/backups/1', import.meta.url));
/** Every so many bytes of a file one is flipped, beside its first and last ones; another bit of each. */
const MANIFEST_STRIDE = 7;
const STRIDE = 41;
const EDGE = 12;

describe('a damaged backup', function () {
  this.timeout(600_000);
  const folder = join(makeDir('damaged'), 'backup');
  const noStores = {} as OperatorParts;
  const names = readdirSync(GOLDEN);
  const dataFiles = names.filter((name) => name !== MANIFEST_FILE);

  beforeEach(() => cpSync(GOLDEN, folder, { recursive: true }));
  afterEach(() => rmSync(folder, { recursive: true }));

  const refusal = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => expect.fail('the damage is not found'),
      (error: Error) => {
        expect(error, error.stack ?? '').to.have.property('name', 'Refused');
        return error.message;
      },
    );
  const check = () => runCommand(['backup-check', folder], noStores);
  const flipped = (bytes: Buffer, at: number, bit: number): Buffer => {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ (1 << bit);
    return changed;
  };

  it('a flipped bit is found all over the manifest', async () => {
    const path = join(folder, MANIFEST_FILE);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += MANIFEST_STRIDE) {
      writeFileSync(path, flipped(bytes, at, at % 8));
      expect(await refusal(readManifest(folder)), `byte ${at}`).to.contain(`${path} is damaged`);
    }
  });

  it('a flipped bit is found all over every data file', async () => {
    const manifest = await readManifest(folder);
    for (const name of dataFiles) {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      for (let at = 0; at < bytes.length; at++) {
        if (at % STRIDE !== 0 && at >= EDGE && at < bytes.length - EDGE) continue;
        writeFileSync(path, flipped(bytes, at, at % 8));
        expect(await refusal(requireWhole(path, manifest.files[name] as FileFacts)), `byte ${at} of ${name}`).to.contain(
          `${path} is damaged`,
        );
      }
      writeFileSync(path, bytes);
    }
    await check();
  });

  it('each file that is missing, cut or longer is named, and one that is none of its files', async () => {
    for (const name of dataFiles) {
      const path = join(folder, name);
      const bytes = readFileSync(path);
      truncateSync(path, bytes.length - 1);
      expect(await refusal(check())).to.contain(`${path} is damaged`);
      writeFileSync(path, Buffer.concat([bytes, Buffer.of(0)]));
      expect(await refusal(check())).to.contain(`${path} is damaged`);
      rmSync(path);
      expect(await refusal(check())).to.contain(`${path} cannot be read`);
      writeFileSync(path, bytes);
    }
    writeFileSync(join(folder, 'mongo-others.jsonl.gz'), '');
    expect(await refusal(check())).to.equal(
      `${join(folder, 'mongo-others.jsonl.gz')} is no file of the backup: move it elsewhere.`,
    );
    rmSync(join(folder, MANIFEST_FILE));
    expect(await refusal(check())).to.match(/^There is no backup in /);
  });
});
