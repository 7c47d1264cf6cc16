// The catalogue of what the trading rules promise by number: worked examples, edge cases, invariants. Each number stands in
// the title of a test, so that whoever reads a rule finds its proof, and whoever drops a proof is told.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

/** Worked examples, by section. */
const EXAMPLES = [
  ['1.1', '1.3', '1.4', '1.6', '1.6b'],
  ['2.3', '2.4', '2.4b', '2.7', '2.8a', '2.8b', '2.8c', '2.8d', '2.9'],
  ['3.2', '3.2b', '3.2c', '3.3'],
  ['4.1', '4.1b', '4.1c', '4.3', '4.3b', '4.4', '4.5', '4.5b', '4.5c', '4.6', '4.6b', '4.6c', '4.7', '4.7b', '4.7c'],
  ['4.8', '4.9', '4.10', '4.11'],
  ['5.1', '5.2', '5.2b', '5.2c', '5.2d', '5.2e', '5.2f', '5.4', '5.5a', '5.5b', '5.5c'],
  ['6.1', '6.2', '6.3', '7.1', '7.2', '7.2b'],
].flat();
const EDGES = numbersTo(92);
const INVARIANTS = numbersTo(32);

const titles = titlesBelow(fileURLToPath(new URL('..', import.meta.url)));

describe('catalogue: every number of the trading rules has a test', () => {
  it('worked examples', () => expect(missing(EXAMPLES, numbersAfter('EX-'))).to.deep.equal([]));
  it('edge cases', () => expect(missing(EDGES, numbersAfter('edge '))).to.deep.equal([]));
  it('invariants', () => expect(missing(INVARIANTS, numbersAfter('invariants? '))).to.deep.equal([]));
});

function numbersTo(last: number): string[] {
  return Array.from({ length: last }, (_, index) => String(index + 1));
}

function missing(wanted: readonly string[], found: ReadonlySet<string>): string[] {
  return wanted.filter((number) => !found.has(number));
}

/** The numbers that titles name after this word; a list like `edge 43, 44 and 50` names each of them. */
function numbersAfter(word: string): Set<string> {
  const number = String.raw`\d+(?:\.\d+)?[a-z]?\b`;
  const lists = new RegExp(`\\b${word}(${number}(?:(?:, | and )${number})*)`, 'gi');
  return new Set([...titles.matchAll(lists)].flatMap(([, list = '']) => list.split(/, | and /)));
}

/** Every quoted text of every test file, comments left out: titles, and the rows of tables that become titles. */
function titlesBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && entry.name !== 'catalogue.test.ts')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').replace(/^\s*(?:\/\/|\/?\*).*$/gm, ''))
    .flatMap((text) => [...text.matchAll(/'[^'\n]*'|`[^`]*`|"[^"\n]*"/g)].map(([quoted]) => quoted))
    .join('\n');
}
