// The check of an exported journal, line by line: the chain of hashes, the order of entries, and what the end counts. The figures
// themselves are recomputed by `bin/admin verify`, which has the exchange's rules.
import type { JournalLine } from './journalLine.ts';

/** The first line that differs from the journal as it was written. */
export class WrongLine extends Error {
  override readonly name = 'WrongLine';
  /** From 1. */
  readonly line: number;

  constructor(line: number, why: string) {
    super(why);
    this.line = line;
  }
}

/** The result of the lines that have been read so far. */
export interface JournalFacts {
  readonly account: string | undefined;
  readonly lines: number;
  readonly entries: number;
  readonly fills: number;
  readonly lastSeq: number;
  readonly firstMs: number | undefined;
  readonly lastMs: number | undefined;
  /** As the newest entry that moved money has it, then as the end has it. */
  readonly balance: string | undefined;
  readonly stateHash: string | undefined;
  readonly isComplete: boolean;
}

const NOTHING: JournalFacts = {
  ...{ account: undefined, lines: 0, entries: 0, fills: 0, lastSeq: 0, firstMs: undefined, lastMs: undefined },
  ...{ balance: undefined, stateHash: undefined, isComplete: false },
};

export class JournalCheck {
  #facts = NOTHING;
  #hash = '';
  /** Entries since the last head: an end counts those. */
  #ofPart = 0;
  /** The last line said that the rest is missing: only a part that goes on from the line before may come. */
  #isBrokenOff = false;

  get facts(): JournalFacts {
    return this.#facts;
  }

  /** Hash of the last link, which the next line's is made with; '' before the first. */
  get hash(): string {
    return this.#hash;
  }

  /** @param made the hash that the line comes to behind `hash` @throws {WrongLine} */
  add(line: JournalLine, made: string): void {
    this.#set({ lines: this.#facts.lines + 1 });
    if (this.#facts.isComplete) throw this.#wrong('The journal has ended before it.');
    if (line.hash !== made) throw this.#wrong('It was changed, or it does not belong behind the line before it.');
    if (line.kind === 'head') this.#begin(line);
    else if (this.#facts.account === undefined) throw this.#wrong('The first line is missing.');
    else if (this.#isBrokenOff) throw this.#wrong('The line before it says that the rest is missing.');
    else if (line.kind === 'entry') this.#entry(line);
    else if (line.kind === 'state') this.#set({ lastSeq: line.seq });
    else this.#end(line);
    const isLink = !this.#isBrokenOff && !(line.kind === 'head' && line.continues !== undefined);
    if (isLink) this.#hash = line.hash;
  }

  /** A line that cannot be read. @returns the error to throw */
  unreadable(why: string): WrongLine {
    this.#set({ lines: this.#facts.lines + 1 });
    return this.#wrong(why);
  }

  /** @throws {WrongLine} when lines are missing at the end */
  finish(): JournalFacts {
    if (!this.#facts.isComplete) throw this.unreadable('The file ends before the journal does.');
    return this.#facts;
  }

  #begin({ account, seq, continues }: Extract<JournalLine, { kind: 'head' }>): void {
    const { lines, lastSeq } = this.#facts;
    if (lines > 1) {
      if (continues === undefined) throw this.#wrong('It is a second first line.');
      const goesOn = continues.hash === this.#hash && continues.afterSeq === lastSeq && account === this.#facts.account;
      if (!goesOn) throw this.#wrong('The part does not go on where the one before it ends.');
      [this.#isBrokenOff, this.#ofPart] = [false, 0];
      return;
    }
    if (continues !== undefined) throw this.#wrong('It is a later part of a journal: the part before it has to stand before it.');
    this.#set({ account, lastSeq: seq });
  }

  #entry({ account, seq, timeMs, fills, balance }: Extract<JournalLine, { kind: 'entry' }>): void {
    const facts = this.#facts;
    if (account !== facts.account || seq !== facts.lastSeq + 1) throw this.#wrong('It is not the next entry of the account.');
    this.#ofPart += 1;
    this.#set({
      ...{ entries: facts.entries + 1, fills: facts.fills + fills, lastSeq: seq, lastMs: timeMs },
      ...{ firstMs: facts.firstMs ?? timeMs, balance: balance ?? facts.balance },
    });
  }

  #end({ isComplete, rows, lastSeq, balance, stateHash }: Extract<JournalLine, { kind: 'end' }>): void {
    if (rows !== this.#ofPart || lastSeq !== this.#facts.lastSeq) throw this.#wrong('It counts other entries than there are.');
    this.#isBrokenOff = !isComplete;
    if (isComplete) this.#set({ isComplete, balance, stateHash });
  }

  #set(facts: Partial<JournalFacts>): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  #wrong(why: string): WrongLine {
    return new WrongLine(this.#facts.lines, why);
  }
}
