// The words of the project: lines of prose that fit a screen, retired words that stay away, and a glossary whose
// files and symbols exist.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { filesBelow } from './rules/ruleMap.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Lines of a file, each after its name. */
const linesOf = (file: string): string[] =>
  read(file)
    .split('\n')
    .map((line) => `${file}: ${line.trim()}`);

const PROSE_MAX = 160;
const code = ['src', 'test', 'bench', 'tools'].flatMap((folder) => filesBelow(root, folder, /\.(ts|mjs)$/));
const sources = code.filter((file) => file.startsWith('src/'));
/** An ADR is superseded and never edited. */
const readmes = ['README.md', 'CONTRIBUTING.md', 'clients/python/README.md', 'clients/typescript/README.md'];
const pages = [...readmes, 'CHANGELOG.md', ...filesBelow(root, 'docs', /\.md$/)].filter((file) => !file.startsWith('docs/adr/'));

/** Words of our own for what the field has a word for, as identifiers or in prose. */
const RETIRED = [
  /\bpockets?\b|Pocket/i,
  /\b(?:the|this|our|any|same) door\b|\bDoor\b|DoorParts/,
  /\bVisit\b|VisitContext|state\.visit\b/,
  /\bbells?\b|BellListener|\brung\b|onDeaf/i,
  /\bsuspects\b/i,
  /GrantsInHand|grantsInHand|grants in hand/i,
  /noteAct\b|NotedAct\b/,
  /LostData|lostData|ShardFloor|shardFloor/,
  /\bworth[A-Z]\w*|[a-z]Worth\b|WorthPoint/,
  /rowsBack|eachRowBack/,
  /dieOfWhat/,
  /\bhearers?\b|\bForgetful\b/i,
  /HeavyReads|SocketPlaces|socketPlaces/,
  /\bjudge(?:Order|Execution|Form|Trigger|Plan)\b/,
  /\bsafeDistance\b|\bconcernedAccounts\b|ConcernedAccounts/,
  /\bisolated buckets?\b|\bbucket of (?:an|the) isolated\b/,
];
/** Stored and public names keep an older word; docs/glossary.md says what they are called now. */
const KEPT = /\{[^}\s]*\}:(?:bell|suspects)\b|:(?:bell|suspects)`|adr\/0005-bell-carries-the-command/g;
/** The pages that say which words are kept. */
const MAY_NAME_THEM = ['docs/glossary.md'];

describe('prose fits a screen', () => {
  for (const page of pages) {
    it(`no line of ${page} is longer than ${PROSE_MAX} characters`, () => {
      expect(proseOf(read(page)).filter((line) => line.length > PROSE_MAX)).to.deep.equal([]);
    });
  }

  it(`no comment has a line longer than ${PROSE_MAX} characters`, () => {
    const long = code.flatMap((file) =>
      read(file)
        .split('\n')
        .filter((line) => line.length > PROSE_MAX && /^\s*(?:\/\/|\/?\*)/.test(line))
        .map((line) => `${file}: ${line}`),
    );
    expect(long).to.deep.equal([]);
  });
});

describe('a word that was given up stays away', () => {
  for (const word of RETIRED) {
    it(String(word), () => {
      const found = [...sources, ...pages]
        .filter((file) => !MAY_NAME_THEM.includes(file))
        .flatMap((file) =>
          read(file)
            .replace(KEPT, '')
            .split('\n')
            .flatMap((line) => (word.test(line) ? [`${file}: ${line}`] : [])),
        );
      expect(found).to.deep.equal([]);
    });
  }

  it('comments and pages say who does what', () => {
    const riddles = /\b(?:whoever|nobody|somebody)\b/i;
    const comments = sources.flatMap((file) =>
      linesOf(file).filter((line) => /(?:^|:\s*)(?:\/\/|\/?\*|--) /.test(line) || / \/\/ /.test(line)),
    );
    const prose = pages.flatMap((file) => linesOf(file));
    expect([...comments, ...prose].filter((line) => riddles.test(line))).to.deep.equal([]);
  });

  it('the check finds each of them', () => {
    const made = ['pocket', 'the door', 'Visit', 'onDeaf', 'grantsInHand', 'noteAct', 'lostData', 'readWorth', 'rowsBack'];
    for (const text of made)
      expect(
        RETIRED.some((word) => word.test(text)),
        text,
      ).to.equal(true);
  });
});

describe('docs/glossary.md', () => {
  const glossary = read('docs/glossary.md');
  const terms = glossary.split('## Stored and public names')[0] ?? '';
  const rows = terms.split('\n').flatMap((line) => {
    const [, term, , named] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return !line.startsWith('|') || term === undefined || named === undefined || /^(?:Term|Kind|-+)$/.test(term)
      ? []
      : [{ term, named }];
  });

  it('has terms', () => expect(rows.length).to.be.above(80));

  it('explains each term once', () => {
    expect(new Set(rows.map(({ term }) => term)).size).to.equal(rows.length);
  });

  for (const { term, named } of rows) {
    it(`${term}: ${named} is there`, () => {
      const names = [...named.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      expect(names).not.to.deep.equal([]);
      for (const name of names) expect(isThere(name), name).to.equal(true);
    });
  }

  const isThere = (name: string): boolean =>
    name.endsWith('.ts')
      ? sources.filter((file) => file.endsWith(`/${name}`) || basename(file) === name).length === 1
      : sources.some((file) => new RegExp(`\\b${name}\\b`).test(read(file)));
});

/** Lines that people read: no blocks of code, and no rows that a test makes from the configuration. */
function proseOf(page: string): string[] {
  const made = /<!-- variables:[\s\S]*?<!-- end of variables -->/;
  let isCode = false;
  return page
    .replace(made, '')
    .split('\n')
    .filter((line) => {
      if (line.startsWith('```')) isCode = !isCode;
      return !isCode;
    });
}
