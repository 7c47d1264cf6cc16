// The pages that readers follow, and the code blocks in them. Each block is run as it is printed, or a mark says what is done with it:
// a comment of HTML in the line before the block, `<!-- not run: REASON -->` and the like (docs/testing.md, "The pages").
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));

/** `body` has method and path; `run in` names a folder beside the project. */
export type MarkKind = 'not run' | 'run in' | 'body' | 'saved as';
export interface Mark {
  readonly kind: MarkKind;
  readonly text: string;
}

export interface Block {
  /** Empty where the page names none. */
  readonly language: string;
  readonly code: string;
  readonly mark: Mark | undefined;
  /** Of its first line in the page. */
  readonly line: number;
}

const KINDS: readonly MarkKind[] = ['not run', 'run in', 'body', 'saved as'];
const COMMENT = /^<!-- ([a-z ]+): (.+) -->$/;

/** The code blocks of a page, from its top. @throws Error for a mark that is none, or a block without an end */
export function blocksOf(page: string): Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', language] = /^( *)```(\S*)$/.exec(lines[at] ?? '') ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end < 0) throw new Error(`the block in line ${at + 1} has no end`);
    const code = `${lines.slice(at + 1, end).join('\n')}\n`;
    blocks.push({ language, code, mark: markIn((lines[at - 1] ?? '').trim()), line: at + 2 });
    at = end;
  }
  return blocks;
}

function markIn(line: string): Mark | undefined {
  if (!line.startsWith('<!--')) return undefined;
  const [, kind, text = ''] = COMMENT.exec(line) ?? [];
  const known = KINDS.find((one) => one === kind);
  if (known === undefined) throw new Error(`"${line}" is no mark: ${KINDS.join(', ')}`);
  return { kind: known, text };
}

const CLIENTS = 'docs/clients.md';
const textOf = (file: string): string => readFileSync(join(PROJECT, file), 'utf8');
/** Names of the sections of clients.md whose client has an example. */
const EXAMPLES = [...textOf(CLIENTS).matchAll(/^## ([\w-]+)$/gm)].flatMap(([, name = '']) =>
  existsSync(join(PROJECT, 'examples', name)) ? [name] : [],
);

/** In the order in which a reader meets them: the README, clients, the section of each client, then what is done with an exchange. */
export const PAGES: readonly string[] = [
  'README.md',
  CLIENTS,
  ...EXAMPLES.map((name) => `${CLIENTS}#${name}`),
  ...pagesIn('docs').filter((page) => page !== CLIENTS),
  'CONTRIBUTING.md',
];

function pagesIn(folder: string): string[] {
  const names = readdirSync(join(PROJECT, folder)).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => `${folder}/${name}`);
}

/** A page, or a section of clients.md alone; clients.md itself is without these sections. Lines of other sections are empty. */
export function readPage(page: string): string {
  const [file = '', wanted = ''] = page.split('#');
  if (file !== CLIENTS) return textOf(file);
  let section = '';
  const lines = textOf(file).split('\n');
  return lines
    .map((line) => {
      const [, heading] = /^## (.+)$/.exec(line) ?? [];
      if (heading !== undefined) section = EXAMPLES.includes(heading) ? heading : '';
      return section === wanted ? line : '';
    })
    .join('\n');
}

/** The example of a section of clients.md; undefined for any other page. */
export const exampleOf = (page: string): string | undefined => page.split('#')[1];

/** A block that is `bin/start` alone, for a terminal of its own. @returns its variables and arguments */
export function startIn(code: string): { env: Record<string, string>; args: string[] } | undefined {
  const words = code.replace(/#.*$/gm, '').trim().split(/\s+/);
  const at = words.indexOf('bin/start');
  const isAlone = at >= 0 && !code.includes('&') && words.slice(0, at).every((word) => /^\w+=/.test(word));
  if (!isAlone) return undefined;
  const env = Object.fromEntries(words.slice(0, at).map((word) => word.split('=', 2) as [string, string]));
  return { env, args: words.slice(at + 1) };
}
