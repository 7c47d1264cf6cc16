// Why an account is halted, and which of its entries were set aside, as Redis has it.
import { type JournaledEntry, readEntry } from './entry.ts';

// Why and since when an account is in quarantine, as the hash `{sNN}:quarantine` has it.

interface QuarantineRecord {
  readonly reason: string;
  /** When it was halted. */
  readonly atMs: number;
  /** Its newest entry by then. */
  readonly seq: number;
}

export const writeQuarantineRecord = (record: QuarantineRecord): string => JSON.stringify(record);

export const readQuarantineRecord = (text: string): QuarantineRecord => JSON.parse(text) as QuarantineRecord;

/** In the index of accounts that a shard's owner could not load: the field with the owner's token. */
export const OWNER_FIELD = '_owner';

/**
 * Account id -> reason, of accounts that a shard's owner could not load. It is the owner's word, and counts as long as the shard is its own.
 * @param index the fields of the hash
 * @param lease value of the shard's lease
 */
export function readNotLoaded(index: Readonly<Record<string, string>>, lease: string | null): Record<string, string> {
  const { [OWNER_FIELD]: owner, ...reasons } = index;
  return owner !== undefined && owner === lease ? reasons : {};
}

/** What an operator wants of an account, as Redis has it for the account’s owner. */
export type Wish =
  /** A halted account back with all its entries. */
  | { readonly want: 'lift' }
  /** The same without the entries that cannot be folded. */
  | { readonly want: 'drop' }
  /** The account as of an entry, from the archive; undefined = as of the newest that it has when it is halted, which comes first. */
  | { readonly want: 'rebuild'; readonly asOf: number | undefined };

export const writeWish = (wish: Wish): string => (wish.want === 'rebuild' ? `rebuild ${wish.asOf ?? NEWEST}` : wish.want);

const NEWEST = 'newest';

/** Words that this build does not know are `lift`, which loses nothing. */
export function readWish(text: string): Wish {
  const [, asOf] = /^rebuild (\d+|newest)$/.exec(text) ?? [];
  if (asOf !== undefined) return { want: 'rebuild', asOf: asOf === NEWEST ? undefined : Number(asOf) };
  return { want: text === 'drop' ? 'drop' : 'lift' };
}

/**
 * What was set aside of a halted account, as Redis has it: a line in the shard's index, and the entries in a list.
 */
export interface SetAside {
  readonly lastSeq: number;
  readonly lastCommit: number;
  /** Length of the entries' text. */
  readonly bytes: number;
}

/** @param text a field of the index: `<last seq> <last commit> <bytes>` */
export function readSetAsideLine(text: string): SetAside {
  const [lastSeq = 0, lastCommit = 0, bytes = 0] = text.split(' ').map(Number);
  return { lastSeq, lastCommit, bytes };
}

/** @param text an element of the list: `<commit> <entry>` @throws {NewerFormat} when a newer build has written it */
export function readSetAsideEntry(text: string): JournaledEntry {
  const gap = text.indexOf(' ');
  return { commit: Number(text.slice(0, gap)), entry: readEntry(text.slice(gap + 1)) };
}
