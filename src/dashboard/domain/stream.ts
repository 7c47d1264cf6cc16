// The progress of a private channel, and the way on after its socket has closed. Every message of such a channel has the sequence
// number of its journal entry, so a break of the connection loses nothing and repeats nothing: the channel goes on after the last
// entry whose messages have all come.

/** The place of a message in the journal. */
export interface MessagePlace {
  readonly seq: number;
  /** Another message of the same entry follows on the channel. */
  readonly more?: boolean | undefined;
}

/**
 * The entry to continue after, once a message has been heard.
 * @param heard the entry before; undefined = nothing yet
 */
export function heardUpTo(heard: number | undefined, { seq, more }: MessagePlace): number {
  const done = more ? seq - 1 : seq;
  return heard === undefined ? done : Math.max(heard, done);
}

/** True for a message of an entry that has been heard whole: it comes again after a resume. */
export function isRepeated(heard: number | undefined, { seq }: MessagePlace): boolean {
  return heard !== undefined && seq <= heard;
}

/** The state that a channel of states shows. */
export interface StateMoment {
  readonly seq: number;
  readonly timeMs: number;
}

/** True when a state is no older than the shown state: the state has a later entry, or the same entry and a later mark. */
export function replacesState(shown: StateMoment | undefined, next: StateMoment): boolean {
  if (shown === undefined || next.seq > shown.seq) return true;
  return next.seq === shown.seq && next.timeMs >= shown.timeMs;
}

export type AfterClose =
  /** Connect again and continue each channel. */
  | { readonly type: 'resume'; readonly waitMs: number }
  /** The same without book and trades, which the client cannot read fast enough. */
  | { readonly type: 'resumeWithoutMarket'; readonly waitMs: number }
  /** The session is over, or its token: ask for a new one first. */
  | { readonly type: 'refreshSession' }
  /** Trial or subscription is over: read-only, no socket. */
  | { readonly type: 'expired' };

/** Waits between attempts, ms; the last one goes on for ever. */
const WAITS_MS = [250, 500, 1_000, 2_000, 5_000, 10_000] as const;
/** After "more messages than the plan includes". */
const FLOOD_WAIT_MS = 60_000;

/**
 * The next step of the page when its socket has closed, by the close code (docs/streams.md).
 * @param attempt failed attempts in a row, from 0
 * @param random 0 to 1: half of each wait is random, so that clients of a node that died come back one by one
 */
export function afterClose(code: number, { attempt, random }: { attempt: number; random: number }): AfterClose {
  switch (code) {
    case 4001:
      return { type: 'refreshSession' };
    case 4003:
      return { type: 'expired' };
    case 4008:
      return { type: 'resumeWithoutMarket', waitMs: waitMs(attempt, random) };
    case 4029:
      return { type: 'resume', waitMs: FLOOD_WAIT_MS };
    default:
      return { type: 'resume', waitMs: waitMs(attempt, random) };
  }
}

function waitMs(attempt: number, random: number): number {
  const whole = WAITS_MS[Math.min(attempt, WAITS_MS.length - 1)] as number;
  return whole / 2 + (whole / 2) * random;
}
