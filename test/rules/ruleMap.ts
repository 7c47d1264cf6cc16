// From each rule to the files that implement it and the tests that prove it: citations in comments and names in
// titles, gathered into docs/rules/index.md behind the specification. `npm run rules` writes that part of the page, and a test compares it
// with the sources.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { citationsIn, commentsOf, namedIn } from './citations.ts';
import { type Entry, entriesOf, type Page } from './ruleBook.ts';

/** The files of the repository that are read. */
export interface Project {
  readonly entries: readonly Entry[];
  readonly pages: readonly Page[];
  /** Text by path. */
  readonly sources: ReadonlyMap<string, string>;
  readonly tests: ReadonlyMap<string, string>;
}

/** The places that lead to one rule. */
export interface Proof {
  readonly entry: Entry;
  /** Files of src whose comments cite it. */
  readonly code: readonly string[];
  /** Files of test whose titles name it. */
  readonly tests: readonly string[];
}

export const INDEX = 'docs/rules/index.md';
/** The heading behind which `npm run rules` writes. */
const START = '## Index of the rules';
const WIDTH_MAX = 140;
/** The checker's own tests cite what does not exist. */
const OWN = 'test/rules/';

/** @param root of the repository, with a slash at its end */
export function readProject(root: string): Project {
  const read = (folder: string, ending: RegExp): Map<string, string> =>
    new Map(filesBelow(root, folder, ending).map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const texts = read('docs/rules', /\.md$/);
  const pages = [...texts].map(([path, text]) => ({ path, text: path === INDEX ? writtenByHand(text) : text }));
  const tests = new Map([...read('test', /\.ts$/)].filter(([path]) => !path.startsWith(OWN)));
  return { entries: entriesOf(pages), pages, sources: read('src', /\.ts$/), tests };
}

/** Files below a folder by path, in the order of their names. */
export function filesBelow(root: string, folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}

/** Every entry but the bare sections of the trading rules, with what leads to it. */
export function proofsOf({ entries, sources, tests }: Project): Proof[] {
  const cited = [...sources].map(([path, text]) => [path, new Set(citationsIn(commentsOf(text)).map(({ id }) => id))] as const);
  const named = [...tests].map(([path, text]) => [path, namedIn(text)] as const);
  const pathsWith = (files: typeof cited, id: string): string[] => files.filter(([, ids]) => ids.has(id)).map(([path]) => path);
  return entries
    .filter(({ kind, id }) => kind !== 'section' || !id.startsWith('trading-rules'))
    .map((entry) => ({ entry, code: pathsWith(cited, entry.id), tests: pathsWith(named, entry.id) }));
}

const writtenByHand = (index: string): string => index.split(`${START}\n`)[0] ?? '';

/** The page, as `npm run rules` writes it. */
export function indexPage(project: Project): string {
  const proofs = proofsOf(project);
  const examplesOf = (rule: string) => proofs.filter(({ entry: { id } }) => new RegExp(`^EX-${rule}[a-z]?$`).test(id));
  const rules = proofs.filter(({ entry }) => entry.kind === 'rule');
  const others = project.pages.filter(({ path }) => path !== INDEX);
  return [
    (project.pages.find(({ path }) => path === INDEX)?.text ?? '') + HEAD,
    ...others.map(({ path, text }) => `- [${text.split('\n')[0]?.slice(2)}](${path.slice('docs/rules/'.length)})`),
    '\n## Rules\n',
    ...rules.flatMap((proof) => [
      `### ${proof.entry.title}\n`,
      `[The rule](${proof.entry.target})\n`,
      wrapped('- Code:', proof.code),
      wrapped('- Tests:', proof.tests),
      ...examplesOf(proof.entry.id.split(' ')[1] ?? '').map(({ entry, tests }) => wrapped(`- ${entry.id}:`, tests)),
      '',
    ]),
    ...listOf('Invariants', 'invariant', proofs),
    ...listOf('Edge cases', 'edge', proofs),
    ...listOf('Wire format and specification, where they are cited', 'section', proofs),
  ].join('\n');
}

const HEAD = `${START}

\`npm run rules\` makes the rest of this page from citations in comments of \`src\` and titles in \`test\`. \`test/rules\` fails when the page is not up
to date, when a rule has no code or no test, and when a citation leads nowhere. How to cite: \`trading-rules 4.6\` (in a title \`rule 4.6\` will do),
\`EX-4.6b\`, \`edge 38\`, \`invariant 9\`, \`wire-format 4.1\`, \`specification 8\`.

The pages of the rules:
`;

function listOf(title: string, kind: Entry['kind'], proofs: readonly Proof[]): string[] {
  const rows = proofs.filter(({ entry, code, tests }) => entry.kind === kind && code.length + tests.length > 0);
  return [
    `## ${title}\n`,
    ...rows.map(({ entry, code, tests }) => wrapped(`- [${entry.id}](${entry.target}):`, [...code, ...tests])),
    '',
  ];
}

/** An item with its paths, broken into lines that a reader sees whole. */
function wrapped(start: string, paths: readonly string[]): string {
  const lines = [start];
  paths.forEach((path, index) => {
    const word = ` \`${path}\`${index < paths.length - 1 ? ',' : ''}`;
    const line = lines.at(-1) ?? '';
    if (line.length + word.length > WIDTH_MAX && line !== start) lines.push(` ${word}`);
    else lines[lines.length - 1] = line + word;
  });
  return lines.join('\n');
}
