// Finds the numbered parts of the pages of docs/rules (the specification stands in index.md): rules and sections by their headings, worked examples in
// bold beside their rule, invariants and edge cases as items of a list. An entry's id is the form in which others
// cite it.

export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface Entry {
  /** `trading-rules 4.6`, `wire-format 3.1`, `specification 8`, `EX-4.6b`, `edge 38`, `invariant 9`. */
  readonly id: string;
  /** A section only holds rules. Headings of the other books are sections, too: only the trading rules need tests. */
  readonly kind: 'section' | 'rule' | 'example' | 'edge' | 'invariant';
  /** As the heading has it, with its number; of an entry without a heading the id. */
  readonly title: string;
  /** Page and anchor of the heading that it stands under, from docs/rules. */
  readonly target: string;
}

const FOLDER = 'docs/rules/';
const LISTS = [
  ['8-invariants.md', 'invariant'],
  ['9-edge-cases.md', 'edge'],
] as const;

/** All entries of these pages in their order. */
export function entriesOf(pages: readonly Page[]): Entry[] {
  return pages.flatMap((page) => entriesOfPage(page));
}

function entriesOfPage({ path, text }: Page): Entry[] {
  const place = path.slice(FOLDER.length);
  const [, folder = ''] = /^([\w-]+)(?:\/|\.md$)/.exec(place) ?? [];
  const book = folder === 'index' ? 'specification' : folder;
  const [, listed] = LISTS.find(([page]) => place.endsWith(page)) ?? [];
  let target = place;
  return withoutBlocks(text).flatMap((line): Entry[] => {
    const [, heading] = /^#+ (.+)$/.exec(line) ?? [];
    if (heading !== undefined) {
      target = `${place}#${anchorOf(heading)}`;
      const [, number] = /^(\d+(?:\.\d+)?) /.exec(heading) ?? [];
      if (number === undefined) return [];
      const kind = book === 'trading-rules' && number.includes('.') ? 'rule' : 'section';
      return [{ id: `${book} ${number}`, kind, title: heading, target }];
    }
    const [, example] = /^\*\*EX-(\d+\.\d+[a-z]?)\*\*/.exec(line) ?? [];
    if (example !== undefined) return [{ id: `EX-${example}`, kind: 'example', title: `EX-${example}`, target }];
    const [, item] = /^(\d+)\. /.exec(line) ?? [];
    return item === undefined || !listed ? [] : [{ id: `${listed} ${item}`, kind: listed, title: `${listed} ${item}`, target }];
  });
}

/** Ids that are defined more than once. */
export function repeated(entries: readonly Entry[]): string[] {
  const ids = entries.map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) !== index);
}

/** The anchor that a heading has on GitHub. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

/** Lines outside of code blocks. */
export function withoutBlocks(text: string): string[] {
  let isBlock = false;
  return text.split('\n').filter((line) => {
    if (!line.startsWith('```')) return !isBlock;
    isBlock = !isBlock;
    return false;
  });
}
