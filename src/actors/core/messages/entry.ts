// The journal's unit: all that one command, wake-up or market event did to one account. The journal is the truth; an
// account is the fold of its entries, and `applyEntry` is the only way to fold one.
import { type Format, readForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';
import type { AccountEvent } from './event.ts';
import type { EquityNote, HistoryKind } from './historyRows.ts';

export interface AccountEntry {
  readonly accountId: string;
  /** Sequence number of this entry within the account, from 1, without holes. */
  readonly seq: number;
  readonly timeMs: number;
  /** The command that caused it, if one did: its API node's incarnation and its counter there. */
  readonly command?: CommandId;
  /** Orders, cancels and modifies that the command is counted for (`userRateLimit`); absent = 0. */
  readonly requests?: number;
  readonly events: readonly AccountEvent[];
  /** The account value after it; absent where neither money nor positions moved. */
  readonly equity?: EquityNote;
  /** Number of the first history row of each kind that the entry's events give; kinds without a row are absent. */
  readonly firstRows: Readonly<Partial<Record<HistoryKind, number>>>;
}

/** An entry with the commit that made it true. */
export interface JournaledEntry {
  readonly commit: number;
  readonly entry: AccountEntry;
  /** As the newest generation has it, where it is at hand. */
  readonly text?: string;
}

/** `incarnation` names one life of one API process; `counter` rises on its connection to the shard. */
export interface CommandId {
  readonly incarnation: string;
  readonly counter: number;
}

/** What makes an entry: a command (with its id, its `requests` and perhaps no event), or a market event. */
export interface EntryCause {
  readonly timeMs: number;
  readonly command?: CommandId | undefined;
  readonly requests?: number | undefined;
  readonly events: readonly AccountEvent[];
}

// Journal entries as text, and the reading of those of older generations. Events are part of their entry: events of
// an older generation are converted here too.

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
