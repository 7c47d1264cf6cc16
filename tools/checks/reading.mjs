// Reads the comments of the service, its tests, benches, tools and packages as a reader of plain English does, and finds four kinds of
// sentences that cost a second look: without a noun as subject, passive, longer than 30 words, with a rare word. reading.txt has a digest
// of each such sentence that there is, so that a file may move or be joined with another. Each kind may only get fewer: a new sentence
// needs an old one gone. `node tools/checks/reading.mjs`
//   --list <path>   prints the sentences of files below a path      --tighten   takes sentences off the list that are gone
//   --exact         fails, too, when the list names sentences that are gone
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import nlp from 'compromise';

const KNOWN = new URL('reading.txt', import.meta.url);
const ROOMS = ['src', 'test', 'bench', 'tools', 'clients'];
/** Code of others, recordings, and types whose comments are the contract's descriptions. */
const NOT_OURS = /(?:^|\/)(?:node_modules|dist|fixtures)\/|^src\/dashboard\/api\/contract\.ts$/;
const WORDS_MAX = 30;
const NO_NOUN =
  /^(?:what|whatever|who|whoever|those|ones)\b|^one (?:is|was|has|may|can|must)\b|[,;:] (?:what|who) |\b(?:those|ones?) (?:who|that|which|of)\b/i;
const RARE = /\b(?:anew|told|milliard)\b/i;
/** A form of "to be" or "to get" and, within a few words, a participle: the parser looks at no other sentence. */
const MAY_BE_PASSIVE = /\b(?:is|are|was|were|be|been|being|gets?|got)\b/i;

/** @typedef {'subject' | 'passive' | 'long' | 'rare'} Kind */
/** @typedef {{ readonly kind: Kind, readonly file: string, readonly sentence: string, readonly key: string }} Finding */

const { values: asked } = parseArgs({
  options: { list: { type: 'string' }, tighten: { type: 'boolean' }, exact: { type: 'boolean' } },
});
const files = ROOMS.flatMap((room) =>
  readdirSync(room, { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
).filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !NOT_OURS.test(file));
const findings = files.flatMap((file) => findingsOf(file, readFileSync(file, 'utf8'))).sort(byKey);
if (asked.list === undefined) check();
else
  for (const { kind, file, sentence } of findings) if (file.startsWith(asked.list)) console.log(`${kind}: ${file}: ${sentence}`);

function check() {
  const known = readFileSync(KNOWN, 'utf8').trimEnd().split('\n');
  const fresh = beyond(findings, known);
  const gone = new Set(
    beyond(
      known.map((key) => ({ key })),
      findings.map(({ key }) => key),
    ).map(({ key }) => key),
  ).size;
  const grown = kinds(findings.map(({ key }) => key)).filter(([kind, count]) => count > (new Map(kinds(known)).get(kind) ?? 0));
  const faults = [
    ...sleepingChecks(),
    ...grown.flatMap(([kind]) =>
      fresh.filter((finding) => finding.kind === kind).map(({ file, sentence }) => `${file}: ${kind}: ${sentence}`),
    ),
  ];
  if (asked.tighten && grown.length === 0) writeFileSync(KNOWN, `${findings.map(({ key }) => key).join('\n')}\n`);
  else if (asked.exact && gone > 0) faults.push(`${gone} sentences of reading.txt are gone: --tighten takes them off the list`);
  for (const fault of faults) console.error(fault);
  const counts = kinds(findings.map(({ key }) => key)).map(([kind, count]) => `${count} ${kind}`);
  console.log(`${files.length} files; ${counts.join(', ')}; ${fresh.length} new, ${gone} gone; ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** @param {string} file @param {string} text @returns {Finding[]} */
function findingsOf(file, text) {
  return sentencesOf(text).flatMap((sentence) =>
    kindsOf(sentence).map((kind) => {
      const digest = createHash('sha256').update(sentence).digest('hex').slice(0, 8);
      return { kind, file, sentence, key: `${kind} ${digest}` };
    }),
  );
}

/** @param {string} sentence @returns {Kind[]} */
function kindsOf(sentence) {
  /** @type {Kind[]} */
  const found = [];
  if (NO_NOUN.test(sentence)) found.push('subject');
  if (RARE.test(sentence)) found.push('rare');
  if (sentence.split(' ').length > WORDS_MAX) found.push('long');
  if (MAY_BE_PASSIVE.test(sentence) && nlp(sentence.replace(/`[^`]*`/g, 'Code')).has('#Passive')) found.push('passive');
  return found;
}

/**
 * The sentences of comments that have lines of their own. A comment ends at code, at an empty line of it, and at a tag.
 * @param {string} text @returns {string[]}
 */
function sentencesOf(text) {
  /** @type {string[][]} */
  const comments = [[]];
  for (const line of text.split('\n')) {
    const [, words] = /^\s*(?:\/\/|\/\*\*?|\*(?!\/)|\*\/)\s?(.*?)\s*(?:\*\/)?\s*$/.exec(line) ?? [];
    const isTag = words?.startsWith('@') ?? false;
    if (!words || isTag || /^biome-ignore/.test(words)) comments.push([]);
    if (words && !/^(?:@see|biome-ignore)/.test(words)) comments.at(-1)?.push(words.replace(/^@\w+ (?:\{.*?\} )?/, ''));
    if (/\*\/\s*$/.test(line)) comments.push([]);
  }
  return comments.flatMap((lines) => (lines.length === 0 ? [] : lines.join(' ').split(/(?<=[.!?]) (?=[A-Z`])/)));
}

/**
 * The keyed things that are not on the list. @template {{ key: string }} T @param {readonly T[]} things @param {readonly string[]}
 * list
 */
function beyond(things, list) {
  /** @type {Map<string, number>} */
  const left = new Map();
  for (const key of list) left.set(key, (left.get(key) ?? 0) + 1);
  return things.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

/** How many of each kind. @param {readonly string[]} keys @returns {[Kind, number][]} */
function kinds(keys) {
  return /** @type {const} */ (['subject', 'passive', 'long', 'rare']).map((kind) => [
    kind,
    keys.filter((key) => key.startsWith(`${kind} `)).length,
  ]);
}

/** Each kind is found in a sentence that has it, and none in a plain one. */
function sleepingChecks() {
  const cases = /** @type {const} */ ([
    ['What the account owes counts.', 'subject'],
    ['Closes the sockets of those that wait.', 'subject'],
    ['The order was placed by the owner of the account.', 'passive'],
    ['The account reads its state anew.', 'rare'],
    [Array.from({ length: WORDS_MAX + 1 }, () => 'word').join(' '), 'long'],
    ['The fork owes the funding before the entry. It pays `what` it owes.', undefined],
  ]);
  return cases.flatMap(([text, kind]) => {
    const seen = findingsOf('', `// ${text}`).map((finding) => finding.kind);
    return seen[0] === kind && seen.length <= 1 ? [] : [`the check is asleep: it sees ${seen.join()} in "${text}"`];
  });
}

/** @param {Finding} a @param {Finding} b */
function byKey(a, b) {
  return a.key < b.key ? -1 : 1;
}
