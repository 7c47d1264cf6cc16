// A draft as the commit script gets it, and what the script answers of it.
import type { Format } from '../../../shared/domain/formats.ts';

/** Whose commit it is, and what its head says. */
export interface SealedAs {
  readonly shard: number;
  readonly token: string;
  readonly epoch: number;
  readonly idCounter: number;
  /** Position of the ticks that it includes. */
  readonly tick: string;
  readonly timeMs: number;
  /** It is prepared first, for replicas to have it (src/actors/engine/replicas). */
  readonly isHeld?: boolean;
}

/** What became of a part, and what belongs to it. */
export type CommitAnswer =
  | readonly [kind: 'applied' | 'already', ...accountsStillWaiting: string[]]
  | readonly [kind: 'gap' | 'fenced' | 'unleased']
  | readonly [kind: 'late', redisMs: string]
  | readonly [kind: 'error', message: string];

export interface HeldPart {
  readonly shard: number;
  /** Generation of what is prepared. */
  readonly format: Format;
  /** Accounts of which no view is true from here on. */
  readonly changed: readonly string[];
}

/** A draft as the script gets it. */
export interface CommitPart {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** It is to be prepared first. */
  readonly held?: HeldPart;
  /** Commands that it consumes, and characters of its entries and replies: what a call with it costs. */
  readonly commands: number;
  readonly chars: number;
}

/** Keys and arguments of the script. Drafts of several shards go in one call only where Redis has all their keys in one slot. */
export function commitCall(parts: readonly CommitPart[]): { keys: string[]; args: (string | number)[] } {
  const keys: string[] = [];
  const args: (string | number)[] = [];
  for (const part of parts) {
    keys.push(...part.keys);
    args.push(part.keys.length, part.args.length, ...part.args);
  }
  return { keys, args };
}
