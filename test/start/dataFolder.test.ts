// The folder that --data names: it has to be the start's own, and what was there before a start stays as it was.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

/** The start is plain JavaScript, for it runs before anything is installed. */
const load = (name: string) => import(`../../tools/start/${name}.mjs`);

interface Folder {
  folder(name: string): string;
  write(name: string, value: unknown): void;
  shut(): void;
  close(): void;
}

describe('the data folder of bin/start', () => {
  let room: string;
  let DataFolder: new (path: string) => Folder;
  before(async () => {
    ({ DataFolder } = await load('dataFolder'));
  });
  beforeEach(() => {
    room = mkdtempSync(join(tmpdir(), 'paper-data-'));
  });
  afterEach(() => rmSync(room, { recursive: true }));
  const modeOf = (path: string): string => (statSync(path).mode & 0o7777).toString(8);
  const opened = (path: string, work: (data: Folder) => void = () => undefined): void => {
    const data = new DataFolder(path);
    try {
      work(data);
    } finally {
      data.close();
    }
  };

  it('that the start has made, with the folders above it, is its owner’s alone', () => {
    opened(join(room, 'above', 'data'));
    for (const path of ['above', 'above/data', 'above/data/logs', 'above/data/run'])
      expect(modeOf(join(room, path)), path).to.equal('700');
  });

  for (const mode of ['755', '1777']) {
    it(`that was there, empty, with mode ${mode}, keeps it; secrets are their owner’s alone`, () => {
      chmodSync(room, Number.parseInt(mode, 8));
      opened(room, (data) => {
        data.write('secrets.json', {});
        writeFileSync(data.folder('demo.json'), '{}', { mode: 0o644 });
        data.shut();
      });
      expect(modeOf(room)).to.equal(mode);
      for (const name of ['secrets.json', 'demo.json', 'found.json']) expect(modeOf(join(room, name)), name).to.equal('600');
      for (const name of ['logs', 'run']) expect(modeOf(join(room, name)), name).to.equal('700');
    });
  }

  for (const name of ['notes.txt', 'logs', 'mail', 'cache']) {
    it(`that holds ${name} of something else is refused with the folder that would do, and stays as it is`, () => {
      chmodSync(room, 0o1777);
      if (name.includes('.')) writeFileSync(join(room, name), '');
      else mkdirSync(join(room, name), { mode: 0o755 });
      const modes = [modeOf(room), modeOf(join(room, name))];
      const why = `The folder ${room} holds other things (${name}): give one of its own, such as --data ${join(room, 'paper-perps')}.`;
      expect(() => opened(room)).to.throw(why);
      expect([modeOf(room), modeOf(join(room, name))]).to.deep.equal(modes);
      expect(readdirSync(room)).to.deep.equal([name]);
      opened(join(room, 'paper-perps'));
    });
  }

  it('is known again, also with a file of the user’s in it, and after a start that ended early', () => {
    opened(room);
    writeFileSync(join(room, 'notes.txt'), '', { mode: 0o644 });
    opened(room);
    expect(modeOf(join(room, 'notes.txt'))).to.equal('644');
    opened(room, (data) => data.write('secrets.json', {}));
    rmSync(join(room, 'found.json')); // by a user who has installed a program
    opened(room);
    expect(existsSync(join(room, 'found.json'))).to.equal(true);
  });

  it('of an unreleased build is refused before anything is written, with the command for a fresh one', () => {
    for (const store of ['redis', 'mongo']) {
      const path = join(room, store);
      mkdirSync(join(path, store), { recursive: true });
      writeFileSync(join(path, 'found.json'), '{}');
      const why = `The data folder ${path} holds an exchange of an unreleased build, whose stored forms no release reads: start a fresh one with "bin/start --data ${path}-1.0".`;
      expect(() => opened(path)).to.throw(why);
      expect(readdirSync(path).sort()).to.deep.equal(['found.json', store]);
    }
  });

  it('of this line is known again with its stores, also when programs were noted before and forgotten since', () => {
    writeFileSync(join(room, 'found.json'), '{"redis":"/usr/bin/redis-server"}');
    opened(room, (data) => mkdirSync(data.folder('redis')));
    rmSync(join(room, 'found.json'));
    opened(room);
  });

  it('may be a new file system, or one with the libraries of MongoDB’s stand-in', () => {
    for (const name of ['lost+found', 'mongo-jars']) mkdirSync(join(room, name), { mode: 0o755 });
    opened(room);
    for (const name of ['lost+found', 'mongo-jars']) expect(modeOf(join(room, name)), name).to.equal('755');
  });
});
