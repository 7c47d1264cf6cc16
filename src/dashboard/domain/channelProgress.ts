// How far a private channel has been heard. Every message of such a channel has the sequence number of its journal
// entry, so a break of the connection loses nothing and repeats nothing: the channel goes on after the last entry whose
// messages have all come.

/** What a message says about its place in the journal. */
export interface Place {
  readonly seq: number;
  /** Another message of the same entry follows on the channel. */
  readonly more?: boolean | undefined;
}

/**
 * The entry to continue after, once a message has been heard.
 * @param heard the entry before; undefined = nothing yet
 */
export function heardUpTo(heard: number | undefined, { seq, more }: Place): number {
  const done = more ? seq - 1 : seq;
  return heard === undefined ? done : Math.max(heard, done);
}

/** True for a message of an entry that has been heard whole: it comes again after a resume. */
export function isRepeated(heard: number | undefined, { seq }: Place): boolean {
  return heard !== undefined && seq <= heard;
}

/** The state that a channel of states shows. */
export interface StateMoment {
  readonly seq: number;
  readonly timeMs: number;
}

/** True when a state is no older than the one that is shown: of a later entry, or of the same one and of a later mark. */
export function replacesState(shown: StateMoment | undefined, next: StateMoment): boolean {
  if (shown === undefined || next.seq > shown.seq) return true;
  return next.seq === shown.seq && next.timeMs >= shown.timeMs;
}
