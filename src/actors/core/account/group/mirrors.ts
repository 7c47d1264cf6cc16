// What an account knows of its what-ifs: forks of it under other terms, which receive each command that it has decided, once and in
// order. A command waits here until all of them have had it; the shard's owner delivers it again and again, and a what-if remembers
// how many it has had. One for which too many wait receives no more: an account is never held up by its what-ifs.
import type { MirroredCommand } from '../../messages/command.ts';

/** What-ifs of one account that receive commands at a time. */
export const MIRRORS_MAX = 4;
/** Commands that may wait for the slowest, and characters of their JSON text. */
export const MIRRORED_WAITING_MAX = 256;
export const MIRRORED_CHARS_MAX = 200_000;
/** Ended ones that are remembered, so that they can be told of, and are not begun again with a gap. */
const ENDED_MAX = 50;

export interface WaitingMirrored {
  readonly number: number;
  readonly command: MirroredCommand;
}

export interface Mirror {
  readonly account: string;
  /** Number of the last command before it began: it counts its own from 1 on. */
  readonly start: number;
  /** Number of the last command that it has had, by the numbers here. */
  readonly through: number;
  /** Why it receives no more. */
  readonly ended?: 'lagging' | 'gone' | undefined;
}

export interface Mirrors {
  /** Number of the newest command; 0 = none. */
  readonly last: number;
  /** Oldest first. */
  readonly waiting: readonly WaitingMirrored[];
  readonly to: readonly Mirror[];
}

export const NO_MIRRORS: Mirrors = { last: 0, waiting: [], to: [] };

export const liveMirrors = (mirrors: Mirrors | undefined): readonly Mirror[] =>
  mirrors?.to.filter(({ ended }) => ended === undefined) ?? [];

export function withMirror(mirrors: Mirrors, account: string): Mirrors {
  const one = { account, start: mirrors.last, through: mirrors.last };
  const surplus = mirrors.to.filter(({ ended }) => ended !== undefined).slice(0, -ENDED_MAX);
  return { ...mirrors, to: [...mirrors.to.filter((each) => !surplus.includes(each)), one] };
}

export const withMirrored = (mirrors: Mirrors, waiting: WaitingMirrored): Mirrors => ({
  ...mirrors,
  last: waiting.number,
  waiting: [...mirrors.waiting, waiting],
});

/** What all that go on have had waits no more. */
export function withChange(mirrors: Mirrors, account: string, change: Partial<Mirror>): Mirrors {
  const to = mirrors.to.map((each) => (each.account === account ? { ...each, ...change } : each));
  const had = Math.min(mirrors.last, ...liveMirrors({ ...mirrors, to }).map(({ through }) => through));
  return { ...mirrors, to, waiting: mirrors.waiting.filter(({ number }) => number > had) };
}
