// The rule book and the code lead to each other: every citation has a target, every rule has code and a test that
// names it, and the index lists them.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Citation, citationsIn, commentsOf, namedIn } from './citations.ts';
import { entriesOf, repeated, withoutBlocks } from './ruleBook.ts';
import { filesBelow, INDEX, indexPage, proofsOf, readProject } from './ruleMap.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(root + path, 'utf8');
const project = readProject(root);
const proofs = proofsOf(project);
const known = new Set(project.entries.map(({ id }) => id));
const LINE_MAX = 160;

describe('the rule book', () => {
  it('defines every number once', () => expect(repeated(project.entries)).to.deep.equal([]));

  it('counts invariants and edge cases without a hole', () => {
    for (const kind of ['invariant', 'edge']) {
      const numbers = project.entries.filter((entry) => entry.kind === kind).map(({ id }) => Number(id.split(' ')[1]));
      expect(numbers, kind).to.deep.equal(numbers.map((_, index) => index + 1));
    }
  });

  it('has an example and a source for every rule', () => {
    for (const { path, text } of project.pages.filter((page) => page.path.includes('/trading-rules/'))) {
      for (const rule of text.split(/^## (?=\d+\.\d+ )/m).slice(1)) {
        const title = `${path}: ${rule.split('\n')[0]}`;
        expect(rule, title).to.match(/^(?:\*\*EX-|Example: )/m);
        expect(rule, title).to.match(/^Source: /m);
      }
    }
  });

  it('has no line longer than a reader wants', () => {
    const long = [...project.pages, { path: INDEX, text: read(INDEX) }].flatMap(({ path, text }) =>
      withoutBlocks(text).flatMap((line) => (line.length > LINE_MAX ? [`${path}: ${line}`] : [])),
    );
    expect(long).to.deep.equal([]);
  });

  it('is cited only where it leads somewhere', () => {
    const files = ['src', 'test', 'bench', 'docs'].flatMap((folder) => filesBelow(root, folder, /\.(?:ts|mjs|md)$/));
    const lost = [...files, 'README.md']
      .filter((path) => !path.startsWith('test/rules/'))
      .flatMap((path) => nowhere(citationsIn(read(path)), known).map((place) => `${path}:${place}`));
    expect(lost).to.deep.equal([]);
  });

  it('has a test for every rule, example, edge case and invariant', () =>
    expect(
      proofs.filter(({ entry, tests }) => entry.kind !== 'section' && tests.length === 0).map(({ entry }) => entry.title),
    ).to.deep.equal([]));

  it('has code for every rule', () =>
    expect(
      proofs.filter(({ entry, code }) => entry.kind === 'rule' && code.length === 0).map(({ entry }) => entry.title),
    ).to.deep.equal([]));

  it('has the index that `npm run rules` makes', () => expect(read(INDEX)).to.equal(indexPage(project)));
});

describe('the check of the rule book is awake', () => {
  const pages = [
    {
      path: 'docs/rules/trading-rules/4-margin.md',
      text: '# 4 Margin\n\n## 4.6 Free margin, holds\n\n**EX-4.6b** 100 USD free.\n',
    },
    {
      path: 'docs/rules/trading-rules/9-edge-cases.md',
      text: '# 9 Edge cases\n\n## Fills\n\n1. First.\n2. Second,\n    wrapped.\n',
    },
    { path: 'docs/rules/wire-format.md', text: '# Wire format\n\n## 4 Actions\n\n### 4.1 Answers\n\n```\n## 4.2 no\n```\n' },
  ];
  const entries = entriesOf(pages);
  const ids = new Set(entries.map(({ id }) => id));
  const lost = (text: string): string[] => nowhere(citationsIn(text), ids);

  it('reads rules, sections, examples and the items of lists', () => {
    expect([...ids]).to.deep.equal([
      'trading-rules 4',
      'trading-rules 4.6',
      'EX-4.6b',
      'trading-rules 9',
      'edge 1',
      'edge 2',
      'wire-format 4',
      'wire-format 4.1',
    ]);
    expect(entries[1]?.target).to.equal('trading-rules/4-margin.md#46-free-margin-holds');
    expect(repeated([...entries, ...entries.slice(0, 1)])).to.deep.equal(['trading-rules 4']);
  });

  const good = [
    '// Holds (trading-rules 4.6; wire-format 4.1).',
    '// Figures of trading-rules section 4, 4.6 and 9.',
    "it('rule 4.6, EX-4.6b, edges 1 and 2: all of them')",
    '/**\n * Margin that is held, as trading-rules\n * 4.6 says.\n */',
    'See docs/rules/trading-rules/4-margin.md and [wire-format](wire-format.md).',
    'The edges of a level, a rule of thumb, the specification.',
  ];
  for (const text of good) it(`is content with: ${text.replaceAll('\n', '⏎')}`, () => expect(lost(text)).to.deep.equal([]));

  const bad: readonly (readonly [text: string, ...places: string[]])[] = [
    ['// a rule\n// (trading-rules 4.6, 4.7)', '2 cites trading-rules 4.7'],
    ['// (trading-rules)', '1 cites trading-rules'],
    ['// (trading-rules edge case 2)', '1 cites trading-rules'],
    ['// the table of section 4.6', '1 cites section 4.6'],
    ['// wire-format 4.1 and 3.3', '1 cites wire-format 3.3'],
    ['// specification 5.2', '1 cites specification 5.2'],
    ["it('EX-4.6: unknown')", '1 cites EX-4.6'],
    ["it('edge 2 and 1.5: none')", '1 cites edge 1.5'],
    ["it('edges 1, 2 and 3')", '1 cites edge 3'],
    ["it('edge case 90')", '1 cites edge 90'],
    ["it('invariants 1, 2')", '1 cites invariant 1', '1 cites invariant 2'],
    ["it('rules 4.6 and 4.9')", '1 cites trading-rules 4.9'],
  ];
  for (const [text, ...places] of bad) {
    it(`is not content with: ${text.replaceAll('\n', '⏎')}`, () => expect(lost(text)).to.deep.equal(places));
  }

  it('tells a rule that nobody names and one that nobody implements', () => {
    const sources = new Map([['src/holds.ts', '// Holds (trading-rules 4.6).\nconst text = "edge 1";']]);
    const tests = new Map([['test/holds.test.ts', "// edge 2\nit('EX-4.6b: a hold', () => {});"]]);
    expect(proofsOf({ entries, pages, sources, tests }).map(({ entry: { id }, ...found }) => [id, found])).to.deep.equal([
      ['trading-rules 4.6', { code: ['src/holds.ts'], tests: ['test/holds.test.ts'] }],
      ['EX-4.6b', { code: [], tests: ['test/holds.test.ts'] }],
      ['edge 1', { code: [], tests: [] }],
      ['edge 2', { code: [], tests: [] }],
      ['wire-format 4', { code: [], tests: [] }],
      ['wire-format 4.1', { code: [], tests: [] }],
    ]);
  });

  it('reads comments of code, and titles of tests', () => {
    expect(citationsIn(commentsOf("const a = 'edge 1'; // edge 2"))).to.deep.equal([{ id: 'edge 2', line: 1 }]);
    expect([...namedIn("// edge 1\nit('edge 2, EX-4.6b', () => {})")]).to.have.members([
      'edge 2',
      'EX-4.6b',
      'trading-rules 4.6',
    ]);
  });

  it('writes the index line by line', () => {
    const tests = new Map(
      Array.from({ length: 9 }, (_, n) => [`test/a rather long name of a file ${n}.test.ts`, "it('edge 1')"]),
    );
    const page = indexPage({ entries, pages, sources: new Map(), tests });
    expect(page).to.include('- [edge 1](trading-rules/9-edge-cases.md#fills): `test/a rather');
    expect(Math.max(...page.split('\n').map((line) => line.length))).to.be.below(LINE_MAX);
  });
});

/** Citations of what is not defined: line and id. */
function nowhere(citations: readonly Citation[], defined: ReadonlySet<string>): string[] {
  return citations.filter(({ id }) => !defined.has(id)).map(({ id, line }) => `${line} cites ${id}`);
}
