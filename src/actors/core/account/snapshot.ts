// The text form of a whole account, as MongoDB keeps it, and the steps between its generations. Canonical: equal states give
// equal text.
import {
  type Downcasters,
  downcast,
  type Format,
  readForm,
  type StoredForm,
  type Upcasters,
  writeForm,
} from '../../../shared/domain/formats.ts';
import type { Account } from './account.ts';
import { accountCodec } from './accountCodec.ts';

const UPCASTERS: Upcasters = {};
const DOWNCASTERS: Downcasters = {};

/** The whole state as JSON text of the given generation. */
export function toSnapshot(account: Account, format: Format): string {
  const form = accountCodec.write(account) as StoredForm;
  return writeForm(downcast(form, format, DOWNCASTERS), format);
}

/** @throws {NewerFormat} when a newer build has written it; Error when it is no snapshot */
export const fromSnapshot = (snapshot: string): Account => toAccount(JSON.parse(snapshot));

/** @param stored a snapshot as `JSON.parse` gives it @throws as `fromSnapshot` */
export const readSnapshot = (stored: StoredForm): Account => toAccount({ ...stored });

const toAccount = (parsed: unknown): Account => accountCodec.read(readForm('snapshot', parsed, UPCASTERS) as never);
