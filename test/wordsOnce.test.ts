// One word, one meaning: no two exported classes or types of src have one name, and no term of the glossary stands for two things. Where
// two have one name for a good reason, the reason is given here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { filesBelow } from './rules/ruleMap.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const GENERATED = 'src/dashboard/api/contract.ts';
const sources = filesBelow(root, 'src', /\.tsx?$/).filter((file) => file !== GENERATED);

/** The page imports nothing of the service, so it has a form of its own of the same thing. */
const OF_THE_PAGE = 'the same thing, as the page reads it from the API';
const SAME_NAME: Readonly<Record<string, string>> = {
  Book: OF_THE_PAGE,
  BookLevel: OF_THE_PAGE,
  Fill: OF_THE_PAGE,
  Interval: OF_THE_PAGE,
  JournalLine: OF_THE_PAGE,
  OpenOrder: OF_THE_PAGE,
  Period: OF_THE_PAGE,
  RowKind: OF_THE_PAGE,
  StreamMessage: OF_THE_PAGE,
  Twap: OF_THE_PAGE,
  WrongLine: OF_THE_PAGE,
};

describe('one word, one meaning', () => {
  it('no two exported classes or types have one name, but for those that are listed', () => {
    const shared = [...filesByName()].filter(([, files]) => files.length > 1);
    const known = Object.keys(SAME_NAME);
    expect(shared.filter(([name]) => !known.includes(name)).map(([name, files]) => `${name}: ${files.join(', ')}`)).to.deep.equal(
      [],
    );
    const names = shared.map(([name]) => name);
    expect(
      known.filter((name) => !names.includes(name)),
      'these are not shared any more: take them off the list',
    ).to.deep.equal([]);
  });

  it('no term of the glossary stands in two rows', () => {
    const rows = termsOf(readFileSync(join(root, 'docs/glossary.md'), 'utf8'));
    expect(rows.filter((term, at) => rows.indexOf(term) !== at)).to.deep.equal([]);
  });

  it('the check sees every form of a class and a type, and each of the terms of a row', () => {
    const text =
      'export class A {}\nexport abstract class B {}\nexport interface C {}\nexport type D = 1;\ninterface E {}\nexport const F = 1;';
    expect(namesOf(text)).to.deep.equal(['A', 'B', 'C', 'D']);
    expect(termsOf('| Term | Meaning |\n|---|---|\n| group, parent (of it) | a |\n| group | b |')).to.deep.equal([
      'group',
      'parent',
      'group',
    ]);
  });
});

function namesOf(text: string): string[] {
  return [...text.matchAll(/^export (?:default )?(?:abstract )?(?:class|interface|type) (\w+)/gm)].map(([, name = '']) => name);
}

function filesByName(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of sources)
    for (const name of namesOf(readFileSync(join(root, file), 'utf8'))) found.set(name, [...(found.get(name) ?? []), file]);
  return found;
}

/** The terms that the glossary explains, each for itself. */
function termsOf(glossary: string): string[] {
  const rows = (glossary.split('## Stored and public names')[0] ?? '').split('\n').filter((line) => line.startsWith('|'));
  return rows
    .map((line) => line.split('|')[1]?.trim() ?? '')
    .filter((terms) => !/^(?:Term|Kind|-+)$/.test(terms))
    .flatMap((terms) => terms.split(', ').map((term) => term.replace(/ \(.*\)$/, '')));
}
