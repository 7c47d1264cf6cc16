// A sentence about a field, at the field: what a reader of the code sees is what a reader of the published contract sees.
import type { TSchema } from '@sinclair/typebox';

/** The same schema with a sentence of its own. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}
