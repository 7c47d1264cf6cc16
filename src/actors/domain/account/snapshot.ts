// The text form of a whole account, as MongoDB keeps it. Canonical: equal states give equal text.
import { downcast, type Format, readableFormat, type StoredForm, upcast } from '../../../shared/domain/formats.ts';
import type { Account } from './account.ts';
import { accountCodec } from './accountCodec.ts';
import { SNAPSHOT_DOWNCASTERS, SNAPSHOT_UPCASTERS } from './snapshotGenerations.ts';

/** The whole state as JSON text of the given generation. */
export function toSnapshot(account: Account, format: Format): string {
  const form = accountCodec.write(account) as StoredForm;
  return JSON.stringify({ schemaVersion: format, ...downcast(form, format, SNAPSHOT_DOWNCASTERS) });
}

/** @throws {NewerFormat} when a newer build has written it; Error when it is no snapshot */
export const fromSnapshot = (snapshot: string): Account => readSnapshot(JSON.parse(snapshot));

/** @param stored a snapshot as `JSON.parse` gives it @throws as `fromSnapshot` */
export function readSnapshot(stored: StoredForm): Account {
  const format = readableFormat('snapshot', stored['schemaVersion']);
  return accountCodec.read(upcast(stored, format, SNAPSHOT_UPCASTERS) as never);
}
