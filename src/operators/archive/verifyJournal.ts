// `bin/admin verify`: is an exported journal what was written, and does it come to what it says? Needs the file alone.
import { createReadStream } from 'node:fs';
import { type Account, emptyAccount } from '../../actors/core/account/account.ts';
import { readSnapshot } from '../../actors/core/account/accountCodec.ts';
import { balanceOf } from '../../actors/core/margin/margin.ts';
import { readEntry } from '../../actors/core/messages/entry.ts';
import type { AccountEvent } from '../../actors/core/messages/event.ts';
import { applyEntry } from '../../features/rules.ts';
import { JOURNAL_FORM, JOURNAL_VERSION, type JournalLine, NO_LINE, readLine } from '../../shared/archive/journalFile.ts';
import { halfUp, roundOffDust, toWire, USD_DECIMALS } from '../../shared/domain/decimal.ts';
import { FORMS_LINE, type StoredForm } from '../../shared/domain/formats.ts';
import { stateHashOf } from '../../shared/stateHash.ts';
import { columns, onlyWord, Refused, type Report } from '../acts/operatorParts.ts';

const NEWLINE = 10;

export async function verifyJournal(args: readonly string[]): Promise<Report> {
  const file = onlyWord(args, 'Which file?');
  try {
    const verified = await verifyLines(createReadStream(file));
    return {
      data: { verified, wrong: null },
      lines: columns(Object.entries(verified).map(([name, value]) => [name, String(value)])),
    };
  } catch (error) {
    if (error instanceof WrongLine)
      return { data: { verified: null, wrong: wrongOf(error) }, lines: [error.message], isBad: true };
    if (error instanceof Error && 'syscall' in error) throw new Refused(`${file} cannot be read: ${error.message}`);
    throw error;
  }
}

const wrongOf = ({ line, message }: WrongLine) => ({ line, why: message });

/** @param bytes of the file, in pieces @throws {WrongLine} */
export async function verifyLines(bytes: AsyncIterable<Buffer> | Iterable<Buffer>): Promise<Verified> {
  const fold = new JournalFold();
  let pieces: Buffer[] = [];
  for await (const piece of bytes) {
    let from = 0;
    for (let end = piece.indexOf(NEWLINE); end !== -1; end = piece.indexOf(NEWLINE, from)) {
      fold.add(Buffer.concat([...pieces, piece.subarray(from, end)]));
      [pieces, from] = [[], end + 1];
    }
    if (from < piece.length) pieces.push(piece.subarray(from));
  }
  // What no newline ends was cut off: the line is judged, and then missed at the end.
  if (pieces.length > 0) {
    fold.add(Buffer.concat(pieces));
    fold.refuseCut();
  }
  return fold.end();
}

/** A line is not what was written. */
export class WrongLine extends Error {
  override name = 'WrongLine';
  readonly line: number;

  constructor(line: number, why: string) {
    super(`Line ${line}: ${why}`);
    this.line = line;
  }
}

interface Head {
  readonly form: string;
  readonly version: number;
  readonly forms?: string;
  readonly account: string;
  readonly state?: StoredForm | null;
  /** Of a part: the line that it goes on from. */
  readonly continues?: { readonly after_seq: number; readonly hash: string };
}

interface End {
  readonly complete: boolean;
  readonly rows: number;
  readonly last_seq: number;
  readonly state_hash?: string;
  readonly balance_usd?: string;
}

interface Verified {
  readonly account: string;
  readonly lines: number;
  readonly entries: number;
  readonly last_seq: number;
  readonly balance_usd: string;
  readonly state_hash: string;
  /** Hash of the last line: names the whole file. */
  readonly hash: string;
  /** Places where entries do not count or are not kept, and the account goes on from a state. */
  readonly breaks: number;
}

/**
 * Reads an exported journal line by line: the chain first, then what the lines say, folded by the rules' own fold. The first line that is
 * not what was written ends it.
 */
class JournalFold {
  #line = 0;
  #hash = NO_LINE;
  #account: Account | undefined;
  #entries = 0;
  /** Entries since the last head: an end counts those. */
  #entriesOfPart = 0;
  #breaks = 0;
  #isComplete = false;
  /** The last line said that the rest is missing: only a part that goes on from the line before may come. */
  #isBrokenOff = false;
  /** The last line was the first one of a further part. */
  #isPartBegun = false;

  /** @param bytes without the newline @throws {WrongLine} when it is not the line that was written here */
  add(bytes: Buffer): void {
    this.#line += 1;
    if (this.#isComplete) throw this.#wrong('the journal has ended before it');
    const line = this.#as('it is no line of a journal', () => readLine(bytes));
    const head = line.kind === 'head' ? (this.#as('it cannot be read', () => JSON.parse(line.text)) as Head) : undefined;
    if (head?.continues !== undefined && this.#account !== undefined) {
      this.#goOn(line, head);
      return;
    }
    this.#isPartBegun = false;
    if (this.#isBrokenOff) throw this.#wrong('the line before it says that the rest is missing');
    if (!line.follows(this.#hash)) throw this.#wrong(this.#line === 1 ? 'it was changed' : NOT_AFTER);
    this.#as('it does not fit what is before it', () => (head === undefined ? this.#take(line) : this.#begin(head)));
    if (!this.#isBrokenOff) this.#hash = line.hash;
  }

  /** The last line has no newline at its end. @throws {WrongLine} */
  refuseCut(): never {
    throw this.#wrong('its end is missing');
  }

  /** @throws {WrongLine} when lines are missing at the end */
  end(): Verified {
    const account = this.#account;
    if (!this.#isComplete || account === undefined) {
      this.#line += 1;
      throw this.#wrong('the file ends before the journal does: it has no line that says that it is complete');
    }
    return {
      ...{ account: account.id, lines: this.#line, entries: this.#entries, last_seq: account.seq },
      ...{ balance_usd: shownBalanceOf(account), state_hash: stateHashOf(account), hash: this.#hash, breaks: this.#breaks },
    };
  }

  #begin({ form, version, forms, account, state, continues }: Head): void {
    if (form !== JOURNAL_FORM || version !== JOURNAL_VERSION) throw new Error(`the form is "${form}", version ${version}`);
    if (forms !== FORMS_LINE) throw new Error(UNRELEASED);
    if (this.#line > 1) throw new Error('it is a second first line');
    if (continues !== undefined)
      throw new Error(`it is a part that goes on after entry ${continues.after_seq}: put it behind the part before`);
    this.#account = state ? readSnapshot(state) : emptyAccount(account);
    if (this.#account.id !== account) throw new Error('its state is of another account');
  }

  /** The first line of a further part: it goes on from the last line, and is no link of the chain. */
  #goOn(line: JournalLine, { account, continues }: Head): void {
    const { id, seq } = this.#begun();
    if (continues?.hash !== this.#hash || continues.after_seq !== seq || account !== id || !line.follows(this.#hash))
      throw this.#wrong('the part does not go on where the one before it ends');
    if (this.#isPartBegun) throw this.#wrong('a part begins twice');
    this.#isPartBegun = true;
    this.#isBrokenOff = false;
    this.#entriesOfPart = 0;
  }

  #take({ kind, text }: JournalLine): void {
    const account = this.#begun();
    if (kind === 'entry') {
      const entry = readEntry(text);
      if (entry.accountId !== account.id) throw new Error(`it is of the account ${entry.accountId}`);
      for (const event of entry.events) if (event.type === 'forked') requireForked(event);
      this.#account = applyEntry(account, entry);
      this.#entries += 1;
      this.#entriesOfPart += 1;
    } else if (kind === 'state') {
      const { snapshot } = JSON.parse(text) as { readonly snapshot: StoredForm };
      const next = readSnapshot(snapshot);
      if (next.id !== account.id || next.seq <= account.seq) throw new Error('it is of another account or of an older entry');
      this.#account = next;
      this.#breaks += 1;
    } else this.#compare(JSON.parse(text) as End, account);
  }

  #compare(end: End, account: Account): void {
    requireSame('entries', end.rows, this.#entriesOfPart);
    requireSame('last entry', end.last_seq, account.seq);
    if (!end.complete) {
      this.#isBrokenOff = true;
      return;
    }
    requireSame('balance', end.balance_usd, shownBalanceOf(account));
    requireSame('state hash', end.state_hash, stateHashOf(account));
    this.#isComplete = true;
  }

  #begun(): Account {
    if (this.#account === undefined) throw new Error('the first line is missing');
    return this.#account;
  }

  #as<Result>(what: string, read: () => Result): Result {
    try {
      return read();
    } catch (error) {
      throw this.#wrong(`${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  readonly #wrong = (why: string): WrongLine => new WrongLine(this.#line, why);
}

const UNRELEASED =
  'the journal is of an unreleased build, whose forms no release reads: take a fresh one with "GET /v1/export/journal"';
const NOT_AFTER = 'it was changed, or it does not belong behind the line before it (a line is missing, twice there or elsewhere)';

/** USD, as the overview of the account shows it. */
const shownBalanceOf = (account: Account): string => toWire(halfUp(roundOffDust(balanceOf(account)), USD_DECIMALS));

/** A fork's first event names the state that it has, and that state is whole. */
function requireForked({ of, seq, hash, state }: Extract<AccountEvent, { type: 'forked' }>): void {
  const source = readSnapshot(state);
  requireSame('account that was forked', of, source.id);
  requireSame('entry that was forked', seq, source.seq);
  requireSame('hash of the forked state', hash, stateHashOf(source));
}

function requireSame(name: string, written: unknown, found: unknown): void {
  if (written !== found) throw new Error(`the ${name} is said to be ${String(written)}, and the lines come to ${String(found)}`);
}
