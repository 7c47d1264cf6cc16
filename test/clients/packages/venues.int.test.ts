// The fixtures of the packages of clients/ as users get them: pytest and mocha run a test that passes and one that fails, on an exchange
// that they start or that runs already; the journal of the one that fails is a file which `bin/admin verify` proves.
import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { isAlive, StartCommand } from '../../support/startCommand.ts';
import { makeDir } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import { installPython, installTypescript } from './installed.ts';
import { blocksIn, run } from './room.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const START = join(project, 'bin', 'start');

interface Ended {
  readonly status: number;
  readonly text: string;
}

describe('fixtures for tests of users', function () {
  this.timeout(600_000);

  /** As `run`, for a program that is to fail. */
  const ends = (program: string, words: readonly string[], at: { cwd: string; env: NodeJS.ProcessEnv }): Promise<Ended> =>
    promisify(execFile)(program, words, { ...at, env: { ...process.env, ...at.env } }).then(
      ({ stdout, stderr }) => ({ status: 0, text: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ status: code, text: `${stdout}${stderr}` }),
    );
  const testOf = (name: 'python' | 'typescript', language: string): string => {
    const blocks = blocksIn(join(project, 'clients', name, 'README.md'), language);
    const found = blocks.filter((block) => /^def test_|usePaper/m.test(block));
    expect(found).to.have.length(1);
    return found[0] ?? '';
  };
  /** The kept journal: whole, as it was written, with the fills of all tests so far; and not proved any more once a digit of it is another. */
  const requireJournal = async (folder: string, { name, fills }: { name: string; fills: number }): Promise<void> => {
    expect(readdirSync(folder)).to.deep.equal([name]);
    const file = join(folder, name);
    const { stdout } = await run(join(project, 'bin', 'admin'), ['verify', file], { cwd: project });
    expect(stdout).to.match(/state_hash|balance/);
    expect(readFileSync(file, 'utf8').split('"type":"orderFilled"')).to.have.length(fills + 1);
    writeFileSync(file, readFileSync(file, 'utf8').replace('"price":"54000"', '"price":"54001"'));
    const changed = await ends(join(project, 'bin', 'admin'), ['verify', file], { cwd: project, env: {} });
    expect([changed.status === 0, /^Line \d+: it was changed/m.test(changed.text)], changed.text).to.deep.equal([false, true]);
  };

  describe('pytest', () => {
    let python: string;
    const folder = makeDir('pytest');
    before(async () => {
      ({ python } = await installPython());
      const block = testOf('python', 'python');
      const failing = block.replace('def test_a_resting', 'def test_fails_a_resting').replace('== 54_000', '== 1');
      writeFileSync(join(folder, 'test_bot.py'), block);
      writeFileSync(join(folder, 'test_wrong.py'), `${failing}\n\ndef test_that_needs_none():\n    assert True\n`);
    });

    it('starts an exchange, keeps the journal of the test that fails, says where, and ends the exchange', async () => {
      const env = { EXCHANGE: project, PAPER_START: START };
      const { status, text } = await ends(python, ['-m', 'pytest', '-p', 'no:cacheprovider', '--paper-seed', '3'], {
        cwd: folder,
        env,
      });
      expect(status, text).to.equal(1);
      expect(text).to.match(/1 failed, 2 passed/);
      expect(text).to.include('paper journal').and.to.include(join(folder, 'journals'));
      // Of both tests that trade: the account is reset in between, which is an entry of its journal.
      const name = 'test_wrong.py-test_fails_a_resting_order_fills_in_a_crash.jsonl';
      await requireJournal(join(folder, 'journals'), { name, fills: 2 });
    });

    it('an exchange that does not start is told with what it printed', async () => {
      const env = { EXCHANGE: project, PAPER_START: START, SHARDS: 'many' };
      const { status, text } = await ends(python, ['-m', 'pytest', '-p', 'no:cacheprovider', 'test_bot.py'], {
        cwd: folder,
        env,
      });
      expect([status, /--ci ended with [1-9]/.test(text), text.includes('SHARDS')], text).to.deep.equal([1, true, true]);
    });
  });

  describe('mocha', () => {
    let user: string;
    const folder = makeDir('mocha');
    before(async () => {
      user = await installTypescript();
      mkdirSync(join(user, 'bot'), { recursive: true });
      const block = testOf('typescript', 'js');
      const failing = block.replace("'has a resting", "'fails: has a resting").replace('54_000);', '1);');
      writeFileSync(join(user, 'bot', 'bot.mjs'), block);
      writeFileSync(join(user, 'bot', 'wrong.mjs'), failing);
    });
    after(() => rmSync(join(user, 'bot'), { recursive: true }));
    const mocha = (files: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> => {
      const words = [join(project, 'node_modules/mocha/bin/mocha.js'), '--no-config', ...files.map((file) => join('bot', file))];
      return ends(process.execPath, words, { cwd: user, env: { ...env, EXCHANGE: project, PAPER_JOURNALS: folder } });
    };

    it('starts an exchange and ends it; the test passes and keeps nothing', async () => {
      const { status, text } = await mocha(['bot.mjs'], { PAPER_START: START });
      expect([status, readdirSync(folder)], text).to.deep.equal([0, []]);
    });

    it('uses one that runs, leaves it running, and keeps the journal of the test that fails', async () => {
      const command = new StartCommand(['--ci']);
      try {
        await until(() => command.stdout.endsWith('\n') || command.ended !== undefined);
        const { exchangeUrl, pid } = JSON.parse(command.stdout);
        const { status, text } = await mocha(['wrong.mjs'], { PAPER_URL: exchangeUrl });
        expect(status, text).to.equal(1);
        expect(text).to.include(`Its journal: ${folder}`);
        expect(isAlive(pid)).to.equal(true);
        await requireJournal(folder, { name: 'the-bot-fails-has-a-resting-order-filled-in-a-crash.jsonl', fills: 1 });
      } finally {
        await command.abandon();
      }
    });

    it('an exchange that does not start is told with what it printed', async () => {
      const { status, text } = await mocha(['bot.mjs'], { PAPER_START: START, SHARDS: 'many' });
      expect([status === 0, /--ci ended with/.test(text), text.includes('SHARDS')], text).to.deep.equal([false, true, true]);
    });
  });
});
