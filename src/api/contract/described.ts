// Puts a sentence about a field beside the field, so that readers of the code and of the published contract see the
// same.
import type { TSchema } from '@sinclair/typebox';

/** The same schema with a sentence of its own. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}
