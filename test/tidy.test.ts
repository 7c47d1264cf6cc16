// Checks that linters cannot do: every method is routed, tested and documented; every key and reason is on its page; no test is
// left out by accident; no rule draws a random number.
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { EVENT_FACTS } from '../src/actors/core/history/eventFacts.ts';
import { REJECTIONS } from '../src/actors/core/messages/rejection.ts';
import { actionTypes } from '../src/api/exchange/runAction.ts';
import { infoTypes } from '../src/api/info/answerInfo.ts';
import { allEndpoints } from '../src/api/registry.ts';
import { jobsOf } from '../src/jobs/role.ts';
import { readConfig } from '../src/shared/config/config.ts';
import { collections } from '../src/shared/mongo/mongo.ts';
import * as keys from '../src/shared/redis/keys.ts';
import { anchorOf, withoutBlocks } from './rules/ruleBook.ts';
import { filesBelow as filesOf } from './rules/ruleMap.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const filesBelow = (folder: string, ending = /\.(ts|mjs)$/): string[] => filesOf(root, folder, ending);

const sources = filesBelow('src');
const isPure = (file: string): boolean => /\/domain\/|^src\/actors\/core\/|^src\/features\/[^/]+\/rules\b/.test(file);
const tests = filesBelow('test');
const testTexts = new Map(tests.map((file) => [file, read(file)]));
const data = read('docs/data.md');

describe('every method is routed, tested and documented', () => {
  it('every file of an info type is reached from answerInfo', () => expectRouted('src/api/info', 'src/api/info/answerInfo.ts'));

  it('every file of an action is reached from runAction', () =>
    expectRouted('src/api/exchange', 'src/api/exchange/runAction.ts'));

  for (const type of [...infoTypes(), ...actionTypes()]) {
    it(`${type} is tested by name`, () => {
      const quoted = new RegExp(`['"\`]${type}['"\`]|\\b${type}:`);
      expect([...testTexts.values()].some((text) => quoted.test(text))).to.equal(true);
    });
  }

  for (const { id, path } of allEndpoints({ hasTestPayments: true, hasDashboard: true, hasControl: true })) {
    it(`${id} is tested by its path`, () => {
      const last = path.split('/').findLast((part) => !part.startsWith(':')) ?? '';
      const asked = new RegExp(`[/'"\`]${last.replaceAll('.', '\\.')}(?![\\w-])`);
      expect([...testTexts.values()].some((text) => asked.test(text))).to.equal(true);
    });
  }

  it('every job has a name of its own, and a file named after it', () => {
    const jobs = jobsOf(readConfig({}));
    expect(new Set(jobs.map(({ name }) => name)).size).to.equal(jobs.length);
    const named = new Set(sources.filter((file) => /^src\/(?:jobs|features\/[^/]+)\//.test(file)).map((file) => basename(file)));
    for (const { name } of jobs) expect(named).to.include(`${camel(name)}.ts`);
  });
});

describe('every page says what there is', () => {
  it('docs/data.md has every Redis key', () => {
    for (const key of allKeys()) expect(data, key).to.include(`\`${key}\``);
  });

  it('docs/data.md has every collection', () => {
    for (const name of Object.values(collections)) expect(data, name).to.include(`\`${name}\``);
  });

  it('docs/errors.md has every reason', () => {
    const page = read('docs/errors.md');
    for (const reason of Object.keys(REJECTIONS)) expect(page, reason).to.include(`\`${reason}\``);
  });

  it('no link in README or docs leads nowhere', () => {
    const pages = ['README.md', 'CONTRIBUTING.md', ...filesBelow('docs', /\.md$/)];
    for (const page of pages) {
      for (const [, path = '', anchor] of read(page).matchAll(/\]\(([^)#:]*)(?:#([^)]*))?\)/g)) {
        const target = path === '' ? page : join(dirname(page), path);
        expect(existsSync(join(root, target)), `${page} -> ${target}`).to.equal(true);
        if (anchor !== undefined) expect(anchorsOf(read(target)), `${page} -> ${target}#${anchor}`).to.include(anchor);
      }
    }
  });
});

describe('nothing is left out or left to chance', () => {
  it('no test is the only one, none is skipped', () => {
    for (const [file, text] of testTexts)
      expect(text, file).not.to.match(/\b(?:it|describe)\.(?:only|skip)\(|\bx(?:it|describe)\(/);
  });

  it('no test has a limit in time that a busy machine could reach', () => {
    for (const [file, text] of testTexts)
      for (const [call, ms = ''] of text.matchAll(/\btimeout\(([\d_]+)/g))
        expect(Number(ms.replaceAll('_', '')), `${file}: ${call}`).to.be.at.least(600_000);
  });

  it('nothing that tests share awaits another module while it is loaded: its modules would be others than those of the hooks of mocha', () => {
    const shared = [...testTexts].filter(([file]) => file.startsWith('test/support/') && !file.endsWith('.test.ts'));
    expect(shared.length).to.be.greaterThan(20);
    for (const [file, text] of shared) expect(text, file).to.not.match(/^(?:export )?(?:const|let) .* = await import\(/m);
  });

  it('no rule draws a random number', () => {
    for (const file of sources.filter(isPure)) expect(read(file), file).not.to.include('Math.random');
  });

  it('no rule keeps anything at the level of its module, but by memo.ts and while limbs.ts computes', () => {
    const keepers = ['memo.ts', 'limbs.ts'].map((name) => `src/shared/domain/${name}`);
    for (const file of sources.filter((name) => isPure(name) && !keepers.includes(name)))
      expect(moduleState(read(file)), file).to.deep.equal([]);
  });

  for (const [text, state] of [
    ['let latest = 0;', 'let latest'],
    ['export let latest: number;', 'let latest'],
    ['const known = new WeakMap<object, number>();', 'known = new WeakMap'],
    ['const kept: number[] =\n  Array(64).fill(0);\nfunction keep(n: number) {\n  kept.push(n);\n}', 'kept.push('],
    ['const known = new Map();\nconst put = (key: string) => known.set(key, 1);', 'known.set('],
    [
      'const kept: (number | undefined)[] = Array(64).fill(undefined);\nfunction keep(n: number) {\n  kept[n % 64] = n;\n}',
      'kept[n % 64] =',
    ],
    ['const last = { price: 0 };\nfunction keep(n: number) {\n  last.price = n;\n}', 'last.price ='],
    ['const count = { all: 0 };\nfunction add() {\n  count.all += 1;\n}', 'count.all +='],
    ['class Plans {\n  static #next = 0;\n}', 'static #next'],
  ] as const) {
    it(`state of a module is seen: ${text.split('\n')[0]}`, () => expect(moduleState(text)).to.deep.equal([state]));
  }

  it('no file keeps a list of events beside the table of eventFacts.ts, the fold and the forms of the past', () => {
    const types = Object.keys(EVENT_FACTS).join('|');
    const compared = new RegExp(String.raw`(?:case |[!=]== |[[,(]\s*)'(${types})'`, 'g');
    const mayCompare = /^src\/actors\/core\/(?:fold\/(?:evolve\w*|writableAccount)|history\/eventFacts|messages\/entry)\.ts$/;
    for (const file of sources.filter((name) => name.startsWith('src/actors/') && !mayCompare.test(name))) {
      const named = new Set([...read(file).matchAll(compared)].map(([, type]) => type));
      expect(named.size, `${file}: ${[...named]}`).to.be.lessThan(2);
    }
  });

  it('a unit of time has one name, in units.ts', () => {
    const unit = /\b(?:86_?400_?000|3_?600_?000)\b|\b(?:24 )?\* 60 \* 60\b|\bconst (?:SECOND|MINUTE|HOUR|DAY)_MS\b/;
    for (const file of sources.filter((name) => !name.endsWith('/domain/units.ts'))) expect(read(file), file).not.to.match(unit);
  });

  it('only the composition roots read the environment', () => {
    const roots = ['src/main.ts', 'src/admin.ts', 'src/leave.ts'];
    // Programs that pages print: readers run them.
    const printed = 'src/api/documents/clientSnippets.ts';
    for (const file of sources.filter((name) => ![...roots, printed].includes(name)))
      expect(read(file), file).not.to.match(/process\.env\b/);
  });

  it('a TODO names its issue', () => {
    for (const file of sources) expect(read(file), file).not.to.match(/\b(?:TODO|FIXME)\b(?!.*#\d)/);
  });
});

/** State that a module keeps between two calls: variables, weak collections, and constants whose contents change. */
function moduleState(text: string): string[] {
  const found = [...text.matchAll(/^(?:export )?((?:let|var) \w+)/gm)].map(([, name = '']) => name);
  for (const [, name = ''] of text.matchAll(/^\s+(static (?!readonly\b)#?\w+)(?=[ :=;])/gm)) found.push(name);
  for (const [use] of text.matchAll(/(?<=^(?:export )?const )\w+\b[^\n]* = new Weak(?:Map|Set)/gm)) found.push(use);
  for (const [, name = ''] of text.matchAll(/^(?:export )?const (\w+)/gm)) {
    const contents = String.raw`(?<![.\w])${name}(?:\.#?\w+|\[[^\]\n]*\])*`;
    const assigned = new RegExp(
      String.raw`${contents}(?:\.\w+|\[[^\]\n]*\]) (?:[-+*/]|\?\?|\|\||&&)?=(?!=)|${contents}(?:\+\+|--)`,
      'g',
    );
    const called = new RegExp(
      String.raw`${contents}\.(?:set|add|delete|clear|push|pop|shift|unshift|splice|fill|sort|reverse|copyWithin)\(`,
      'g',
    );
    for (const change of [assigned, called]) found.push(...[...text.matchAll(change)].map(([use]) => use));
  }
  return found;
}

/** Each file is imported by the router, or by another file below the folder that is. */
function expectRouted(folder: string, router: string): void {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const [, path = ''] of read(file).matchAll(/from '(\.[\w./]+)'/g)) {
      const imported = join(dirname(file), path);
      if (imported.startsWith(`${folder}/`)) visit(imported);
    }
  };
  visit(router);
  expect([...reached]).to.include.members(sources.filter((file) => file.startsWith(`${folder}/`)));
}

/** Every key as docs/data.md writes it. */
function allKeys(): string[] {
  const shard = Object.entries(keys.shardKeys).map(([name, key]) => {
    const named: Record<string, readonly string[]> = {
      commands: ['<account>'],
      entriesSetAside: ['<account>'],
      reply: ['<api node>', '<counter>'],
      answer: ['<name>'],
      requeued: ['<dead letter>'],
      idempotency: ['<account>', '<key>'],
    };
    return (key as (shard: number, ...names: readonly string[]) => string)(0, ...(named[name] ?? [])).replace('{s00}', '{sNN}');
  });
  const plain = [
    keys.deploymentKeys,
    keys.podKeys,
    keys.marketKeys,
    keys.workerKeys,
    keys.apiKeyKeys,
    keys.idempotencyKeys,
  ].flatMap((group) =>
    Object.entries(group).map(([name, key]) =>
      typeof key === 'function' ? key({ userWeight: '<user>', mirrorHearing: '<mirror>' }[name] ?? '<digest>') : key,
    ),
  );
  return [...shard, ...plain, keys.repliesChannel('<api node>'), keys.subjectWindowsKey('<subject>')];
}

/** Anchors of a page's headings. */
const anchorsOf = (page: string): string[] =>
  withoutBlocks(page).flatMap((line) => {
    const [, heading] = /^#+ (.+)$/.exec(line) ?? [];
    return heading === undefined ? [] : [anchorOf(heading)];
  });

const camel = (name: string): string => name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
