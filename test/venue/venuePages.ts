// Reads docs/venue: the sentences of the venue's documentation, page by page, each with whether it holds here. The pages' test
// holds each item against the tests, rules and differences that it names.
import { titlesOf } from '../rules/citations.ts';

/** The state of a sentence of the venue's documentation here. */
export type State = 'as there' | 'differs' | 'not simulated';

/** One sentence of the venue's documentation, in our words. */
export interface Sentence {
  /** File of docs/venue and its line, from 1. */
  readonly place: string;
  readonly state: string;
  readonly text: string;
  /** The text after `Here:` or `Reason:`. */
  readonly proof: string;
}

/** A page of the venue that a heading names, with its sentences. */
export interface VenuePage {
  readonly path: string;
  readonly sentences: readonly Sentence[];
}

const PROOF = / (?:Here|Reason): /;

/** The pages of one file: `## <path of the page>`, then `- **<state>** <sentence>`, its proof in a line of its own. */
export function pagesOf(file: string, text: string): VenuePage[] {
  const pages: { path: string; sentences: Sentence[] }[] = [];
  const items: { line: number; page: { sentences: Sentence[] }; text: string }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const [, path] = /^## (\S+\.md)$/.exec(line) ?? [];
    if (path !== undefined) pages.push({ path, sentences: [] });
    const page = pages.at(-1);
    if (page === undefined) continue;
    if (line.startsWith('- **')) items.push({ line: index + 1, page, text: line });
    else if (line.startsWith('  ')) {
      const item = items.at(-1);
      if (item) item.text += ` ${line.trim()}`;
    }
  }
  for (const { line, page, text: item } of items) {
    const [said = '', ...proofs] = item.split(PROOF);
    const [, state = '', sentence = ''] = /^- \*\*([^*]+)\*\* (.*)$/.exec(said) ?? [];
    page.sentences.push({ place: `${file}:${line}`, state, text: sentence, proof: proofs.join(' ') });
  }
  return pages;
}

/** Pages in which a bot observes nothing, by their reason: `- <reason>: <path>, <path>.`, the paths in back ticks, in one line or several. */
export function pagesWithoutSentences(text: string): { path: string; reason: string }[] {
  const items = text.matchAll(/^- ([^*\n][^\n]*?):((?:,?\s+`[^`\s]+\.md`)+)\.$/gm);
  return [...items].flatMap(([, reason = '', paths = '']) =>
    [...paths.matchAll(/`([^`]+)`/g)].map(([, path = '']) => ({ path, reason })),
  );
}

/** The tests that a proof names: path, and the beginning of each title. */
export function testsIn(proof: string): { path: string; title: string }[] {
  return [...proof.matchAll(/`(test\/[^`]+)`((?:,? "[^"]+")+)/g)].flatMap(([, path = '', titles = '']) =>
    [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => ({ path, title })),
  );
}

/** Rows of docs/compatibility.md that a proof links: the row's name, and the anchor of its section. */
export function differencesIn(proof: string): { name: string; anchor: string }[] {
  return [...proof.matchAll(/\[((?:[^\][]|\[\])+)\]\(\.\.\/compatibility\.md#([^)]+)\)/g)].map(([, name = '', anchor = '']) => ({
    name,
    anchor,
  }));
}

/** Whether a title or a row of a table in this test begins with these words. */
export function hasTitle(test: string, title: string): boolean {
  return titlesOf(test).some((quoted) => quoted.slice(1, -1).startsWith(title));
}

/** Names of a section's rows in docs/compatibility.md: bold at the start of an item, or first cells; without back ticks. */
export function rowNames(section: string): string[] {
  const items = [...section.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, name = '']) => name);
  const cells = [...section.matchAll(/^\| (.+?) \|/gm)].map(([, cell = '']) => cell);
  return [...items, ...cells].map((name) => name.replaceAll('`', ''));
}
