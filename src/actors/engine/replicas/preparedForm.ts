// A commit as it is prepared: the whole call by which it will be made true, by its owner or by the next one.
import { readForm, type Upcasters, writeForm } from '../../../shared/domain/formats.ts';
import type { CommitPart, HeldPart } from '../commit/commitPart.ts';

/** Keys and arguments of `commitPreparedScript` for one part. */
export type Prepared = Pick<CommitPart, 'keys' | 'args'>;

const UPCASTERS: Upcasters = {};

export const writePrepared = ({ keys, args }: Prepared, { format }: Pick<HeldPart, 'format'>): string =>
  writeForm({ keys, args }, format);

/** @throws {NewerFormat} when a newer build has prepared it */
export const readPrepared = (text: string): Prepared => readForm('prepared commit', JSON.parse(text), UPCASTERS);
