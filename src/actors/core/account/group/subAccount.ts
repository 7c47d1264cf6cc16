// The sub-accounts of a master account. The master's journal says which there are: they are made once, in order, and never removed.
// Each is an account of its own, with an id that follows from its master and its number; this module does not know it.
import type { ForkOrigin } from '../../messages/command.ts';

/** The first has number 1: a number is one more than the place in the list. */
export interface SubAccount {
  /** As the user named it; 1 to 16 characters. */
  readonly name: string;
  readonly createdAtMs: number;
  /** Of one that begins with the state of another account. Absent = it begins empty. */
  readonly fork?: ForkOrigin | undefined;
}

export const NAME_CHARS_MAX = 16;
