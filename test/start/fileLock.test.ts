import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';

// Plain JavaScript, which the type check of the tests leaves to the type check of the tools.
const { tryLock } = await import('../../tools/start/fileLock.mjs' as string);

describe('fileLock: the lock of a holder that was killed does not count', () => {
  const dir = mkdtempSync(join(tmpdir(), 'paper-lock-'));
  const lock = join(dir, 'lock');
  afterEach(() => rmSync(lock, { force: true }));
  after(() => rmSync(dir, { recursive: true }));

  it('one that runs keeps it, and lets go of it', () => {
    const unlock = tryLock(lock);
    expect(tryLock(lock)).to.equal(undefined);
    unlock();
    expect(existsSync(lock)).to.equal(false);
  });

  // In a container each start has the id 1.
  for (const held of ['{"pid":1}', '{"pid":1,"began":"another time"}', '{"pid":', '']) {
    it(`a file that says ${held || 'nothing'} is one of nobody who runs`, () => {
      writeFileSync(lock, held);
      expect(tryLock(lock)).to.be.a('function');
    });
  }
});
