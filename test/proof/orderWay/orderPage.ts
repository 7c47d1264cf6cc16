// docs/orderLife.md, held against the files that ran.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const PAGE = new URL('../../../docs/orderLife.md', import.meta.url);

/**
 * @param onTheWay files that the page has to name, or a folder of theirs, relative to src
 * @param ran these, and others that ran, too
 * @throws AssertionError with files that did not run, and with files that have no place on the page
 */
export function expectOrderPage(onTheWay: readonly string[], ran: readonly string[]): void {
  const named = [...readFileSync(PAGE, 'utf8').matchAll(/`src\/([\w/.]+)`/g)].map(([, path = '']) => path);
  const [files, folders] = [named.filter((path) => path.endsWith('.ts')), named.filter((path) => path.endsWith('/'))];
  const known = new Set([...onTheWay, ...ran]);
  expect(
    files.filter((file) => !known.has(file)),
    'docs/orderLife.md names files that did not run',
  ).to.deep.equal([]);
  const isPlaced = (file: string): boolean => files.includes(file) || folders.some((folder) => file.startsWith(folder));
  expect(
    onTheWay.filter((file) => !isPlaced(file)),
    'docs/orderLife.md has no place for files that ran',
  ).to.deep.equal([]);
}
