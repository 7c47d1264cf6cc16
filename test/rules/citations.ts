// Finds the citations of the rule book in a text, and the titles of a test file. It accepts lists and wrapped
// comments; every citation that it finds must exist.

export interface Citation {
  /** As `Entry.id`; of a book named without a number the name alone. */
  readonly id: string;
  /** From 1. */
  readonly line: number;
}

const NUMBER = String.raw`\d+(?:\.\d+)*[a-z]?(?![\w%])`;
const LIST = String.raw`(${NUMBER}(?:(?:,\s+(?:and\s+)?|\s+and\s+)${NUMBER})*)`;
const RULE = String.raw`\d+\.\d+(?![\w%])`;
const RULES = String.raw`(${RULE}(?:(?:,\s+|\s+and\s+)${RULE})*)`;

/** Form of a citation, and the start of the ids that its numbers give. */
const FORMS: readonly (readonly [form: RegExp, prefix: string])[] = [
  [new RegExp(String.raw`(?<![\w/-])trading-rules(?:\s+sections?)?\s+${LIST}`, 'g'), 'trading-rules '],
  [new RegExp(String.raw`(?<![\w/-])wire-format(?:\s+sections?)?\s+${LIST}`, 'g'), 'wire-format '],
  [new RegExp(String.raw`\bspec(?:ification)?(?:\s+sections?)?\s+${LIST}`, 'gi'), 'specification '],
  [new RegExp(String.raw`(?<!-)\brules?\s+${RULES}`, 'gi'), 'trading-rules '],
  [/\bEX-(\d[\w.]*\w)/g, 'EX-'],
  [new RegExp(String.raw`\bedges?(?:\s+cases?)?\s+${LIST}`, 'gi'), 'edge '],
  [new RegExp(String.raw`\binvariants?\s+${LIST}`, 'gi'), 'invariant '],
];
/** A book's name that no number follows. A path or the link to a page is none. */
const UNNUMBERED = /(?<![\w/-])(trading-rules|wire-format)(?![\w/.-]*(?:\/|\.md)|\]\()(?!(?:\s+sections?)?\s+\d)/g;
/** A section of nobody knows which book. */
const BOOKLESS = /(?<!(?:trading-rules|wire-format|spec|specification)\s+)\b(sections?\s+\d+\.\d+)/gi;

/** Everything that the text cites, by line. A citation may go on in the next line of a comment. */
export function citationsIn(text: string): Citation[] {
  const flat = text.replace(/^[ \t]*(?:\/\/+|\/?\*+)/gm, (mark) => ' '.repeat(mark.length));
  const lineAt = (index: number): number => flat.slice(0, index).split('\n').length;
  const found: Citation[] = [];
  for (const [form, prefix] of FORMS) {
    for (const { index, 1: list = '' } of flat.matchAll(form)) {
      for (const number of list.split(/(?:,|\sand)\s+(?:and\s+)?/)) found.push({ id: prefix + number, line: lineAt(index) });
    }
  }
  for (const form of [UNNUMBERED, BOOKLESS]) {
    for (const { index, 1: id = '' } of flat.matchAll(form)) found.push({ id, line: lineAt(index) });
  }
  return found.sort((a, b) => a.line - b.line);
}

/** The comments of a source file, in their lines. */
export function commentsOf(text: string): string {
  return text
    .split('\n')
    .map((line) => /^\s*(?:\/\/|\/?\*).*$/.exec(line)?.[0] ?? /\s(?:\/\/|\/\*\*).*$/.exec(line)?.[0] ?? '')
    .join('\n');
}

/** Every quoted text of a test file, comments left out: titles, and the rows of tables that become titles. */
export function titlesOf(text: string): string[] {
  const code = text.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '');
  return [...code.matchAll(/'[^'\n]*'|`[^`]*`|"[^"\n]*"/g)].map(([quoted]) => quoted);
}

/** The rules and examples that the titles of a test file name. An example names the rule that it is of. */
export function namedIn(text: string): Set<string> {
  const named = new Set(titlesOf(text).flatMap((title) => citationsIn(title).map(({ id }) => id)));
  for (const id of [...named]) {
    const [, rule] = /^EX-(\d+\.\d+)/.exec(id) ?? [];
    if (rule !== undefined) named.add(`trading-rules ${rule}`);
  }
  return named;
}
