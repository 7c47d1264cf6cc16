// The packages of clients/ as users get them: built, installed from what was built into an environment of their own, checked
// strictly, and tried against the running service: their tests, and each block of their READMEs as it is printed.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { findPython } from '../../compat/pythonClient.ts';
import { addressOf, sharedStack } from '../../compat/sharedStack.ts';
import { installPython, installTypescript } from './installed.ts';
import { blocksIn, run } from './room.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));

/** The output of the blocks: balance and state of a journal; the sub-account, and all accounts. */
const JOURNAL = /^\d+\.\d+ h2:[0-9a-f]{64}\n$/;
const ACCOUNTS = /^250\.0\nmain \d+\.\d+\n\w+ 250\.0\n$/;

/** Blocks that pytest and mocha run are tried in `venues.int.test.ts`. */
const isNoTest = (block: string): boolean => !/^def test_|usePaper/m.test(block);

describe('packages for programs of users', function () {
  this.timeout(600_000);

  /** An account that the README's own first block has traded with, twice. */
  async function traded(order: (base: string) => Promise<string>): Promise<NodeJS.ProcessEnv> {
    const { stack } = await sharedStack();
    const base = addressOf(await stack.register(), stack.baseUrl);
    for (let count = 0; count < 2; count += 1) expect(await order(base)).to.include('0.001');
    return { BASE: base, EMAIL: `reader-${crypto.randomUUID()}@example.com` };
  }

  describe('clients/python', () => {
    let source: string;
    let tools: string;
    let env: NodeJS.ProcessEnv;
    let python: string;
    const blocks = blocksIn(join(project, 'clients/python/README.md'), 'python').filter(isNoTest);

    before(async () => {
      ({ source, tools, python } = await installPython());
      const [trade = ''] = blocks;
      env = await traded(async (base) => (await run(findPython(), ['-c', trade], { cwd: source, env: { BASE: base } })).stdout);
    });

    it('its types are strict', async () => {
      const mypy = join(tools, 'bin', 'mypy');
      const at = { cwd: source, env: { MYPYPATH: join(source, 'src') } };
      const words = ['--strict', '--cache-dir', join(source, '..', 'mypy')];
      await run(mypy, [...words, '-p', 'paper_perps'], at);
      await run(mypy, [...words, 'tests'], at);
    });

    it('passes its tests as it is installed', async () => {
      await run(python, ['-m', 'unittest', 'discover', '-s', 'tests'], { cwd: source, env });
    });

    for (const [at, block] of blocks.slice(1).entries()) {
      it(`block ${at + 2} of its README runs as printed`, async () => {
        const { stdout } = await run(python, ['-c', block], { cwd: source, env });
        expect(stdout).to.match([/displayed|book/, /equity/, JOURNAL, ACCOUNTS, /^pe_\w+\n.*'basic'/][at] as RegExp);
      });
    }

    it('has no block that is not run', () => expect(blocks).to.have.length(6));
  });

  describe('clients/typescript', () => {
    let user: string;
    let env: NodeJS.ProcessEnv;
    const blocks = blocksIn(join(project, 'clients/typescript/README.md'), 'js').filter(isNoTest);
    const module = async (code: string, base = env): Promise<string> => {
      writeFileSync(join(user, 'block.mjs'), code);
      return (await run(process.execPath, ['block.mjs'], { cwd: user, env: base })).stdout;
    };

    before(async () => {
      user = await installTypescript();
      env = await traded((base) => module(blocks[0] ?? '', { BASE: base }));
    });

    it('passes its tests as it is installed', async () => {
      await run(process.execPath, ['--test', 'paperPerps.test.mjs'], { cwd: user, env });
    });

    for (const [at, block] of blocks.slice(1).entries()) {
      it(`block ${at + 2} of its README runs as printed`, async () => {
        expect(await module(block)).to.match([/displayed|book/, /equity/, JOURNAL, ACCOUNTS, /^pe_\w+\n.*'basic /][at] as RegExp);
      });
    }

    it('its blocks are strictly typed', async () => {
      const files = blocks.slice(1).map((block, at) => {
        writeFileSync(join(user, `block${at}.ts`), block.replaceAll('process.env.', '(process.env as Record<string, string>).'));
        return `block${at}.ts`;
      });
      const words = [
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2023',
        '--types',
        'node',
        ...files,
      ];
      await run(process.execPath, [join(project, 'node_modules/typescript/bin/tsc'), ...words], { cwd: user });
    });

    it('has no block that is not run', () => expect(blocks).to.have.length(6));
  });
});
