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
