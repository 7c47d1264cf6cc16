// Why and since when an account is in quarantine, as the hash `{sNN}:quarantine` has it. Older builds wrote the reason alone.

export interface QuarantineRecord {
  readonly reason: string;
  /** When it was halted; absent in records of older builds. */
  readonly atMs?: number;
  /** Its newest entry by then; absent in records of older builds. */
  readonly seq?: number;
}

export const writeQuarantineRecord = (record: QuarantineRecord): string => JSON.stringify(record);

export function readQuarantineRecord(text: string): QuarantineRecord {
  if (!text.startsWith('{"reason":')) return { reason: text };
  return JSON.parse(text) as QuarantineRecord;
}

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
