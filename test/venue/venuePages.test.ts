// The list of the venue's sentences leads somewhere: each page of the copy is named once, each sentence that is said to
// be so here names a test and its case, and each that is not names the row of docs/compatibility.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { anchorOf } from '../rules/ruleBook.ts';
import { differencesIn, hasTitle, pagesOf, pagesWithoutSentences, rowNames, type State, testsIn } from './venuePages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): string => readFileSync(root + file, 'utf8');

const files = readdirSync(`${root}docs/venue`).filter((name) => name.endsWith('.md'));
const texts = new Map(files.map((name) => [name, read(`docs/venue/${name}`)]));
const pages = [...texts].flatMap(([name, text]) => pagesOf(name, text));
const silent = [...texts.values()].flatMap(pagesWithoutSentences);
const inTheCopy = read('docs/venue/pages.txt').trim().split('\n');
const differences = new Map(
  read('docs/compatibility.md')
    .split(/^## /m)
    .map((section) => [anchorOf(section.split('\n')[0] ?? ''), rowNames(section)]),
);
const tests = new Map<string, string>();

/** The text of a test file, read once. */
function textOf(path: string): string {
  const known = tests.get(path);
  if (known !== undefined) return known;
  const text = read(path);
  tests.set(path, text);
  return text;
}

describe('docs/venue: the venue’s documentation, sentence by sentence', () => {
  it('names every page of the copy once, and no other', () => {
    const named = [...pages, ...silent].map(({ path }) => path);
    expect([...named].sort()).to.deep.equal([...inTheCopy].sort());
  });

  it('has a reason for each page without a sentence', () => {
    for (const { path, reason } of silent) expect(reason.length, path).to.be.above(10);
  });

  for (const { path, sentences } of pages) {
    describe(path, () => {
      it('has sentences', () => expect(sentences).not.to.deep.equal([]));

      for (const { place, state, text, proof } of sentences) {
        it(`${place}: ${text}`, () => {
          expect(text).not.to.equal('');
          expect(proofs[state as State], `state “${state}”`).not.to.equal(undefined);
          proofs[state as State](proof);
          expectTests(proof);
          expectDifferences(proof);
        });
      }
    });
  }
});

describe('docs/venue: the reader of the list', () => {
  const page =
    '# Title\n\n## a/b.md\n\n- **as there** One\n  two.\n  Here: `test/x.test.ts` "three\'s", rule 4.3.\n- **differs** Four.\n  Here: [five](../compatibility.md#six).\n';

  it('finds pages, sentences in several lines, and their proofs', () => {
    expect(pagesOf('t.md', page)).to.deep.equal([
      {
        path: 'a/b.md',
        sentences: [
          { place: 't.md:5', state: 'as there', text: 'One two.', proof: '`test/x.test.ts` "three\'s", rule 4.3.' },
          { place: 't.md:8', state: 'differs', text: 'Four.', proof: '[five](../compatibility.md#six).' },
        ],
      },
    ]);
  });

  it('finds pages without a sentence by their reason, over several lines', () => {
    expect(pagesWithoutSentences('- A reason, `x`: `a.md`,\n  `b/c.md`.\n- **as there** `d`: `e.md`.\n')).to.deep.equal([
      { path: 'a.md', reason: 'A reason, `x`' },
      { path: 'b/c.md', reason: 'A reason, `x`' },
    ]);
  });

  it('finds tests and differences in a proof', () => {
    expect(testsIn('`test/x.test.ts` "three\'s", "four", rule 4.3, `test/y.test.ts` "five".')).to.deep.equal([
      { path: 'test/x.test.ts', title: "three's" },
      { path: 'test/x.test.ts', title: 'four' },
      { path: 'test/y.test.ts', title: 'five' },
    ]);
    expect(differencesIn('[five](../compatibility.md#six).')).to.deep.equal([{ name: 'five', anchor: 'six' }]);
  });

  it('knows titles by their beginning, rows of tables among them, and nothing of comments', () => {
    const test = "// it('a comment')\nit('whole words', f);\nconst rows = [{ name: 'a row', want: 1 }];";
    expect(['whole', 'whole words', 'a row'].map((title) => hasTitle(test, title))).to.deep.equal([true, true, true]);
    expect(['words', 'a comment', 'whole words too'].map((title) => hasTitle(test, title))).to.deep.equal([false, false, false]);
  });

  it('knows rows by their bold beginning or first cell', () => {
    expect(rowNames('5. x\n\n- **`a`, b**: text **c**\n\n| `d` | e |\n')).to.deep.equal(['a, b', 'd']);
  });
});

/** The proof that each state needs. */
const proofs: Readonly<Record<State, (proof: string) => void>> = {
  'as there': (proof) => expect(testsIn(proof), 'a test and its case').not.to.deep.equal([]),
  differs: (proof) => expect(differencesIn(proof), 'a row of docs/compatibility.md').not.to.deep.equal([]),
  'not simulated': (proof) => expect(proof.length, 'a reason').to.be.above(10),
};

function expectTests(proof: string): void {
  for (const [, path = ''] of proof.matchAll(/`(test\/[^`]+)`/g)) expect(existsSync(root + path), path).to.equal(true);
  for (const { path, title } of testsIn(proof)) expect(hasTitle(textOf(path), title), `${path} "${title}"`).to.equal(true);
}

function expectDifferences(proof: string): void {
  for (const { name, anchor } of differencesIn(proof)) expect(differences.get(anchor), `#${anchor}`).to.include(name);
}
