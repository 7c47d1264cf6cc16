import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

/** The start is plain JavaScript, for it runs before anything is installed. */
const load = (name: string) => import(`../../tools/start/${name}.mjs`);

interface Folder {
  close(): void;
}

describe('the passwords of the stores that bin/start runs', () => {
  let folder: string;
  let data: Folder;
  let storeSecrets: (data: Folder) => { redis: string; mongo: string };
  let Refusal: ErrorConstructor;
  beforeEach(async () => {
    ({ Refusal } = await load('refusal'));
    ({ storeSecrets } = await load('secrets'));
    const { DataFolder } = await load('dataFolder');
    folder = mkdtempSync(join(tmpdir(), 'paper-data-'));
    data = new DataFolder(folder);
  });
  afterEach(() => {
    data.close();
    rmSync(folder, { recursive: true });
  });

  it('are made once, for their owner alone', () => {
    const made = storeSecrets(data);
    expect(storeSecrets(data)).to.deep.equal(made);
    expect(statSync(join(folder, 'secrets.json')).mode & 0o777).to.equal(0o600);
  });

  it('are never made anew over a file that is damaged: the start says what to do', () => {
    storeSecrets(data);
    const file = join(folder, 'secrets.json');
    const whole = readFileSync(file, 'utf8');
    for (const cut of ['', whole.slice(0, 40), '{}', 'null', '{"redis":"x"}']) {
      writeFileSync(file, cut);
      chmodSync(file, 0o600);
      expect(() => storeSecrets(data), cut).to.throw(Refusal, /secrets\.json is damaged\. .*copy.*--data/);
      expect(readFileSync(file, 'utf8')).to.equal(cut);
    }
    writeFileSync(file, whole);
    expect(storeSecrets(data)).to.deep.equal(JSON.parse(whole));
  });
});
