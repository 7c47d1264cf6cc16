// Journal entries as text, and the reading of those of older generations. Events are part of their entry: events of
// an older generation are converted here too.
import { type Format, readForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';
import type { AccountEntry } from './entry.ts';

/** Other forms that hold entries use the same steps. */
export const ENTRY_UPCASTERS: Upcasters = {};

/** The account comes first in the text: those who follow a journal find the entries that concern them by it. */
export const writeEntry = (entry: AccountEntry, format: Format): string => writeForm(entry, format);

/** @throws {NewerFormat} when a newer build has written it; SyntaxError when it is no entry */
export const readEntry = (text: string): AccountEntry => toEntry(JSON.parse(text));

/** The entries of one commit. @throws as `readEntry` */
export const readEntries = (text: string): AccountEntry[] => (JSON.parse(text) as unknown[]).map(toEntry);

/** An entry of a commit as it stands there. */
export interface EntryText {
  readonly accountId: string;
  readonly seq: number;
  readonly timeMs: number;
  readonly text: string;
}

const ENTRY_BEGINS = '{"accountId":"';
const ENTRY_HEAD = /^\{"accountId":"([^"\\]+)","seq":(\d+),"timeMs":(\d+)[,}]/;

/** The texts of one commit's entries, found without reading what is in them. @param text as `readEntries` takes it */
export function splitEntries(text: string): EntryText[] {
  const entries: EntryText[] = [];
  for (let at = 1; at < text.length - 1; ) {
    const next = text.indexOf(ENTRY_BEGINS, at + 1);
    const entry = text.slice(at, next === -1 ? -1 : next - 1);
    const head = ENTRY_HEAD.exec(entry);
    if (head === null) return rewrittenEntries(text);
    entries.push({ accountId: head[1] as string, seq: Number(head[2]), timeMs: Number(head[3]), text: entry });
    at += entry.length + 1;
  }
  return entries;
}

/** Which entry a text has, and when it was: what is in it is not read. */
export function headOfEntry(text: string): Pick<AccountEntry, 'seq' | 'timeMs'> {
  const head = ENTRY_HEAD.exec(text);
  return head === null ? (JSON.parse(text) as AccountEntry) : { seq: Number(head[2]), timeMs: Number(head[3]) };
}

/** For entries that do not begin as this build writes them. */
const rewrittenEntries = (text: string): EntryText[] =>
  (JSON.parse(text) as AccountEntry[]).map((entry) => {
    const { accountId, seq, timeMs } = entry;
    return { accountId, seq, timeMs, text: JSON.stringify(entry) };
  });

/** The text of an entry, as a form of this generation holds it within: without a generation of its own. */
export function entryWithin(text: string, format: Format): string {
  const end = `,"v":${format}}`;
  return text.endsWith(end) ? `${text.slice(0, -end.length)}}` : JSON.stringify(readEntry(text));
}

const toEntry = (parsed: unknown): AccountEntry => readForm('journal entry', parsed, ENTRY_UPCASTERS);
