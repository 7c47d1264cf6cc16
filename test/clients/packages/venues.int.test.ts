// The fixtures of the packages of clients/ as users get them. Pytest and mocha run a passing and a failing test, on an exchange
// that they start or that runs already. The journal of the failing test is a file, which `bin/admin verify` proves.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { isAlive, running, StartCommand } from '../../support/startCommand.ts';
import { makeDir } from '../../support/stores.ts';
import { until } from '../../support/until.ts';
import * as faulty from './faultyTests.ts';
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

  /** A folder for a run, with its programs and a place for its temporary files, of which none may be left. */
  const roomOf = (name: string): { folder: string; temporary: string; program: (text: string) => string } => {
    const folder = makeDir(name);
    const temporary = join(folder, 't');
    mkdirSync(temporary);
    const program = (text: string): string => {
      writeFileSync(join(folder, 'start'), text, { mode: 0o755 });
      return join(folder, 'start');
    };
    return { folder, temporary, program };
  };
  const requireNothingLeft = (temporary: string) =>
    until(() => readdirSync(temporary).every((name) => !name.startsWith('paper-ci-')));

  describe('pytest, under faults', () => {
    let python: string;
    before(async () => {
      ({ python } = await installPython());
    });
    const words = ['-m', 'pytest', '-p', 'no:cacheprovider', '-q'];

    it('keeps the journal of each test that fails, in its setup and teardown, too, and of no other', async () => {
      const { folder, temporary } = roomOf('pf');
      writeFileSync(join(folder, 'test_faults.py'), faulty.PYTEST);
      const journals = join(folder, 'journals');
      mkdirSync(journals);
      writeFileSync(join(journals, 'test_faults.py-test_passes.jsonl'), 'of an earlier run');
      const { text } = await ends(python, words, { cwd: folder, env: { PAPER_START: START, TMPDIR: temporary } });
      expect(text).to.match(/3 failed, 2 passed, 1 skipped, 1 xfailed, 2 errors/);
      expect(text).not.to.include('was not kept');
      const kept = readdirSync(journals).sort();
      expect(kept).to.have.length(faulty.PYTEST_FAILING.length);
      for (const [at, name] of faulty.PYTEST_FAILING.entries()) expect(kept[at]).to.include(name);
      // The first is of the test in which a process died: its export may have been cut off and resumed.
      await run(join(project, 'bin', 'admin'), ['verify', join(journals, kept[0] ?? '')], { cwd: project });
      await requireNothingLeft(temporary);
    });

    it('an exchange that is killed in a test: that one and those after it say so, and nothing is left of it', async () => {
      const { folder, temporary } = roomOf('pk');
      writeFileSync(join(folder, 'test_killed.py'), faulty.PYTEST_KILLED);
      const { text } = await ends(python, words, { cwd: folder, env: { PAPER_START: START, TMPDIR: temporary } });
      expect(text).to.match(/1 failed, 1 error/);
      expect(text.match(/^E +RuntimeError: the exchange has ended with -9/gm)).to.have.length(2);
      expect(existsSync(join(folder, 'journals'))).to.equal(false);
      await requireNothingLeft(temporary);
    });

    for (const [signal, how] of [
      ['SIGINT', 'SIGTERM'],
      ['SIGKILL', 'stdin'],
    ] as const) {
      it(`${signal} of pytest ends the exchange, too`, async () => {
        const { folder, temporary, program } = roomOf('pi');
        const ended = join(folder, 'ended');
        writeFileSync(join(folder, 'test_hanging.py'), faulty.PYTEST_HANGING);
        const env = { ...process.env, TMPDIR: temporary, PAPER_START: program(faulty.READY_AT_ONCE), ENDED: ended };
        const child = spawn(python, words, { cwd: folder, env, stdio: 'ignore', detached: true });
        const exit = once(child, 'exit');
        await until(() => existsSync(join(folder, 'hangs')));
        process.kill(-(child.pid ?? 0), signal); // all of its group, as a terminal does
        await exit;
        await until(() => existsSync(ended) && readFileSync(ended, 'utf8') === how);
      });
    }

    it('a start that is never ready, or prints something else, is told so and ended', async () => {
      for (const [text, said] of [
        [faulty.NEVER_READY, /--ci was not ready within 1 s:\s+E?\s*still at it/],
        [faulty.PRINTS_ELSE, /--ci ended with -15:\s+E?\s*npm notice/],
      ] as const) {
        const { folder, program } = roomOf('pn');
        writeFileSync(join(folder, 'test_hanging.py'), faulty.PYTEST_HANGING);
        const env = { PAPER_START: program(text) };
        const { status, text: told } = await ends(python, [...words, '--paper-timeout', '1'], { cwd: folder, env });
        expect([status, said.test(told)], told).to.deep.equal([1, true]);
      }
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
      return ends(process.execPath, words, { cwd: user, env: { EXCHANGE: project, PAPER_JOURNALS: folder, ...env } });
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
        const title = 'bot/wrong.mjs the bot fails: has a resting order filled in a crash';
        const hash = createHash('sha256').update(title).digest('hex').slice(0, 8);
        const name = `bot--wrong.mjs-the-bot-fails-has-a-resting-order-filled-in-a-crash-${hash}.jsonl`;
        await requireJournal(folder, { name, fills: 1 });
      } finally {
        await command.abandon();
      }
    });

    it('an exchange that does not start is told with what it printed', async () => {
      const { status, text } = await mocha(['bot.mjs'], { PAPER_START: START, SHARDS: 'many' });
      expect([status === 0, /--ci ended with/.test(text), text.includes('SHARDS')], text).to.deep.equal([false, true, true]);
    });

    it('keeps the journal of each test that fails, in hooks before and behind it, too, and of no other', async () => {
      const { folder: journals, temporary } = roomOf('mf');
      writeFileSync(join(user, 'bot', 'faults.mjs'), faulty.MOCHA);
      writeFileSync(join(journals, 'bot--faults.mjs-faults-passes.jsonl'), 'of an earlier run');
      const env = { PAPER_START: START, TMPDIR: temporary, PAPER_JOURNALS: journals };
      const { text } = await mocha(['faults.mjs'], env);
      expect(text).not.to.include('was not kept');
      const kept = readdirSync(journals).filter((name) => name.endsWith('.jsonl'));
      expect(
        kept.map((name) => name.replace('.jsonl', '')),
        text,
      ).to.have.members(faulty.MOCHA_FAILING);
      await requireNothingLeft(temporary);
    });

    it('an exchange of a mocha that is killed ends with it', async () => {
      const { folder, temporary } = roomOf('mk');
      writeFileSync(join(user, 'bot', 'faults.mjs'), faulty.MOCHA);
      const hangs = join(folder, 'hangs');
      const words = [join(project, 'node_modules/mocha/bin/mocha.js'), '--no-config', join('bot', 'faults.mjs')];
      const env = { ...process.env, PAPER_START: START, TMPDIR: temporary, PAPER_JOURNALS: folder, HANGS: hangs };
      const child = spawn(process.execPath, words, { cwd: user, env, stdio: 'ignore' });
      await until(() => existsSync(hangs));
      const [name = ''] = readdirSync(temporary);
      const pids = Object.values(running(join(temporary, name)));
      expect(pids).to.have.length(3);
      child.kill('SIGKILL');
      await requireNothingLeft(temporary);
      expect(pids.filter(isAlive)).to.deep.equal([]);
    });

    it('a start that is never ready, or prints something else, is told so and ended', async () => {
      const { program } = roomOf('mn');
      const script = `import { Venue } from 'paper-perps/venue';
        const { message } = await Venue.start({ command: process.argv[2], timeoutMs: 500 }).catch((error) => error);
        console.log(message);`;
      writeFileSync(join(user, 'bot', 'start.mjs'), script);
      for (const [text, said] of [
        [faulty.NEVER_READY, /--ci was not ready within 0\.5 s:\nstill at it/],
        [faulty.PRINTS_ELSE, /in place of its line of JSON: npm notice/],
      ] as const) {
        const { stdout } = await run(process.execPath, [join('bot', 'start.mjs'), program(text)], { cwd: user });
        expect(stdout).to.match(said);
      }
    });
  });
});
