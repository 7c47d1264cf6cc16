// Checks of the pages' blocks that need no run, of marked blocks most of all.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { contract } from '../support/contract.ts';
import { type Block, blocksOf, exampleOf, PAGES, PROJECT, readPage } from './page.ts';
import { bodyFaults } from './requestBody.ts';

interface Placed extends Block {
  readonly page: string;
}

const blocks: readonly Placed[] = PAGES.flatMap((page) => blocksOf(readPage(page)).map((block) => ({ ...block, page })));
const commands = blocks.filter(({ language }) => language === 'sh');
const marked = (kind: string): Placed[] => blocks.filter(({ mark }) => mark?.kind === kind);
const nameOf = ({ page, line }: Placed): string => `${page}:${line}`;

describe('the blocks of the pages', () => {
  it('are run, are a part of an example, or have a mark with a reason', () => {
    const isRun = ({ page, language }: Placed): boolean =>
      language === 'sh' || exampleOf(page) !== undefined || (page === 'README.md' && ['js', 'python'].includes(language));
    expect(blocks.filter((block) => block.mark === undefined && !isRun(block)).map(nameOf)).to.deep.equal([]);
    for (const { mark } of marked('not run')) expect(mark?.text).to.have.length.above(5);
  });

  it('that are commands can be read by a shell', () => {
    for (const block of commands) {
      const { status, stderr } = spawnSync('bash', ['-n'], { input: block.code, encoding: 'utf8' });
      expect(status, `${nameOf(block)}: ${stderr}`).to.equal(0);
    }
  });

  it('name options that the programs have, and files that are there', () => {
    const helps = new Map<string, string>();
    const helpOf = (program: string): string => {
      const known = helps.get(program) ?? execFileSync(join(PROJECT, program), ['--help'], { encoding: 'utf8' });
      helps.set(program, known);
      return known;
    };
    for (const block of commands.filter(({ page }) => exampleOf(page) === undefined)) {
      for (const [line, program = ''] of block.code.matchAll(/(bin\/(?:start|test|scenario)).*/g))
        for (const [option] of line.replace(/#.*/, '').matchAll(/--[a-z-]+/g))
          expect(helpOf(program), nameOf(block)).to.include(option);
      for (const [path] of block.code.matchAll(/(?<![\w./$~-])(?:bin|deploy|docs|examples|tools)\/[\w./-]+/g))
        expect(existsSync(join(PROJECT, path)), `${nameOf(block)}: ${path}`).to.equal(true);
    }
  });

  it('that are JSON can be read, and are bodies that the contract takes', () => {
    for (const { code } of blocks.filter(({ language, page }) => language === 'json' && exampleOf(page) === undefined))
      JSON.parse(code);
    expect(marked('body').length).to.be.above(2);
    for (const block of marked('body')) {
      const [method = '', path = ''] = block.mark?.text.split(' ') ?? [];
      expect(bodyFaults(contract, { method, path, body: JSON.parse(block.code) }), nameOf(block)).to.deep.equal([]);
    }
  });

  it('that are not run send bodies that the contract takes, but for what stands for something else', () => {
    let sent = 0;
    for (const block of marked('not run').filter(({ language }) => language === 'sh')) {
      for (const [, path = '', body = ''] of block.code.matchAll(/curl [^\n]*"\$BASE(\/[\w/-]+)[^"]*".* -d '([^']*)'/g)) {
        const request = {
          method: 'POST',
          path: `/v1/exchanges/perpx${path}`,
          body: JSON.parse(body.replace('0x…', `0x${'1'.repeat(40)}`)),
        };
        expect(bodyFaults(contract, request), nameOf(block)).to.deep.equal([]);
        sent += 1;
      }
    }
    expect(sent).to.be.above(0);
  });

  it('use variables that a block before them sets', () => {
    const set = new Set(['DATA', 'HOME', 'PATH']);
    for (const block of commands) {
      for (const [, name = ''] of block.code.matchAll(/(?:^|[\s;])(?:export |for )?([A-Za-z_]+)(?:=| in )/g)) set.add(name);
      const used = [...block.code.replace(/'[^']*'/g, '').matchAll(/\$\{?([A-Za-z_]+)/g)].map(([, name = '']) => name);
      // A reader who imports has chosen a sub-account: the page says so.
      for (const name of used)
        expect(set.has(name) || (name === 'SUB' && block.mark?.kind === 'not run'), `${nameOf(block)}: $${name}`).to.equal(true);
    }
  });

  it('of the README install the packages that its programs import, and each is one that the tests use', () => {
    const own = blocks.filter(({ page }) => page === 'README.md');
    const [, ...named] =
      own
        .find(({ code }) => code.startsWith('npm install'))
        ?.code.trim()
        .split(/ install | /) ?? [];
    const imported = own.flatMap(({ code }) => [...code.matchAll(/ from '([^']+)'/g)].map(([, name]) => name));
    expect(named).to.have.members([...new Set(imported)]);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
    expect({ ...dependencies, ...devDependencies }).to.include.all.keys(named);
  });
});
