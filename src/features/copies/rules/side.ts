// One of two accounts that are compared: its entries become stories, each of one thing. Orders have the same id in an account and its
// what-ifs. Those that the one has refused have one of their own in the other: they are found by the command that placed them.
import type { AccountEntry } from '../../../actors/core/messages/entry.ts';
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import { type CommandName, type JournalFact, type LostStretch, type Said, saidOf } from './facts.ts';

/** All facts of one thing, in their order. */
export interface Story {
  readonly key: string;
  readonly facts: readonly JournalFact[];
}

export interface SideOptions {
  /** Number of the last command of `of` before those that go to this what-if of it; undefined = not known any more. */
  readonly startOf: (of: string, whatIf: string) => number | undefined;
  /** Settings of leverage are facts, too: under terms of their own they are never the same. */
  readonly hasLeverage: boolean;
}

export const nameText = ({ of, number }: CommandName): string => `${of} ${number}`;

type Writable = Omit<JournalFact, 'commands'> & { readonly commands: CommandName[] };

/** A part of an entry whose facts are of one command. */
interface Part {
  /** That are known when it begins: of a command that came from another account, or has gone to one just before. */
  readonly names: readonly CommandName[];
  readonly facts: Writable[];
}

export class ComparedSide {
  readonly #options: SideOptions;
  readonly #stories = new Map<string, Writable[]>();
  /** Of the stories of orders. */
  readonly #keys = new Map<number, string>();
  /** Commands that it has had, by name, each with what it waited for, ms. */
  readonly #commands = new Map<string, number>();
  /** First and last number of the commands of an account that it has had. */
  readonly #numbers = new Map<string, { first: number; last: number }>();
  /** Actions that wait for their latency. */
  readonly #delayed = new Map<string, CommandName>();
  #accountValue: string | undefined;
  /** Times of entries that cannot be read: after the last one before them, before the next one. */
  readonly #lost: { readonly afterMs: number; beforeMs: number }[] = [];
  #entries = 0;
  /** Time of the newest entry that it has. */
  #lastMs = 0;
  /** Whose entries these are, from when on: those of a what-if, then those of a fork of it. */
  readonly #accounts: { readonly account: string; readonly fromMs: number }[] = [];

  constructor(options: SideOptions) {
    this.#options = options;
  }

  get entries(): number {
    return this.#entries;
  }

  /** The account that it went on as at a time; undefined = nothing of it is known. */
  accountAt(timeMs: number): string | undefined {
    return (this.#accounts.findLast(({ fromMs }) => fromMs <= timeMs) ?? this.#accounts[0])?.account;
  }

  stories(): Story[] {
    return [...this.#stories].map(([key, facts]) => ({ key, facts }));
  }

  /** What the command waited for here, ms; undefined = it has not come. */
  delayOf(name: CommandName): number | undefined {
    return this.#commands.get(nameText(name));
  }

  numbersOf(of: string): { readonly first: number; readonly last: number } | undefined {
    return this.#numbers.get(of);
  }

  /** Whether entries that cannot be read may be of that time. */
  hasLost(timeMs: number): boolean {
    return this.#lost.some(({ afterMs, beforeMs }) => timeMs > afterMs && timeMs < beforeMs);
  }

  add(entry: AccountEntry): void {
    const { accountId: account, seq, timeMs, equity, events } = entry;
    for (const lost of this.#lost) lost.beforeMs = Math.min(lost.beforeMs, timeMs);
    this.#entries += 1;
    this.#lastMs = timeMs;
    if (this.#accounts.at(-1)?.account !== account) this.#accounts.push({ account, fromMs: timeMs });
    if (equity !== undefined) this.#accountValue = equity.accountValue;
    let part: Part = { names: [], facts: [] };
    let isByRules = entry.command === undefined;
    for (const event of events) {
      part = this.#next(part, event, account);
      if (event.type === 'houseRuleBroken') isByRules = true;
      const said = this.#isWanted(event) ? saidOf(event) : undefined;
      if (said === undefined) continue;
      const known = this.#accountValue === undefined ? {} : { accountValue: this.#accountValue };
      const of = { account, seq, timeMs, event, isOfCommand: entry.command !== undefined, ...known };
      const fact = { ...said, ...of, commands: [...part.names] };
      part.facts.push(fact);
      this.#tell(this.#keyOf(said, isByRules), fact);
    }
  }

  /** Entries of the account that cannot be read, before the next one that is added. */
  addLost(account: string, lost: LostStretch, timeMs: number): void {
    this.#lost.push({ afterMs: this.#lastMs, beforeMs: Number.POSITIVE_INFINITY });
    const said = saidOf(lost) as Said;
    const of = { account, seq: lost.to, timeMs, event: lost, isOfCommand: false };
    this.#tell('journal', { ...said, ...of, commands: [] });
  }

  /** A command's name stands before what it did where it came from elsewhere, and after it where it was first decided. */
  #next(part: Part, event: AccountEvent, account: string): Part {
    switch (event.type) {
      case 'mirrorReceived': {
        const start = this.#options.startOf(event.of, account);
        const name = start === undefined ? undefined : { of: event.of, number: start + event.number };
        if (name) this.#note(name);
        return { names: name ? [name] : [], facts: [] };
      }
      case 'commandMirrored': {
        const name = { of: account, number: event.number };
        this.#note(name);
        for (const fact of part.facts) fact.commands.push(name);
        return { names: [...part.names, name], facts: [] };
      }
      case 'actionDelayed': {
        const [name] = part.names;
        if (name === undefined) return part;
        this.#delayed.set(`${account} ${event.number}`, name);
        this.#commands.set(nameText(name), event.note.delayMs ?? 0);
        return part;
      }
      case 'delayedActionDecided': {
        const name = this.#delayed.get(`${account} ${event.number}`);
        if (name) for (const fact of part.facts) fact.commands.push(name);
        return { names: [], facts: [] };
      }
      default:
        return part;
    }
  }

  #note(name: CommandName): void {
    this.#commands.set(nameText(name), this.#commands.get(nameText(name)) ?? 0);
    const known = this.#numbers.get(name.of);
    if (known === undefined) this.#numbers.set(name.of, { first: name.number, last: name.number });
    else known.last = name.number;
  }

  #isWanted({ type }: AccountEvent): boolean {
    return type !== 'leverageSet' || this.#options.hasLeverage;
  }

  /** Orders that a broken rule sends have ids of each account's own: they follow each other by coin. */
  #keyOf({ thing, coin, begins }: Said, isByRules: boolean): string {
    if (typeof thing === 'string') return thing;
    const known = this.#keys.get(thing.oid);
    if (known !== undefined) return known;
    const key = isByRules && begins ? `closing ${coin}` : `order ${thing.oid}`;
    this.#keys.set(thing.oid, key);
    return key;
  }

  #tell(key: string, fact: Writable): void {
    const known = this.#stories.get(key);
    if (known === undefined) this.#stories.set(key, [fact]);
    else known.push(fact);
  }
}

/** Entries of one account's journal, both included; `to` is undefined for those up to its newest. */
export interface Stretch {
  readonly account: string;
  readonly from: number;
  readonly to: number | undefined;
}

/** The entry that a fork began after. */
export interface Beginning {
  readonly of: string;
  readonly seq: number;
}

/**
 * Where two accounts of a user part: an account that began as a fork goes on from an entry of another one, which may be a fork itself. So
 * each account has a line of journals, and two lines that have one beginning are the same up to some entry.
 */
export interface Parting {
  /** The last entry that both have. */
  readonly common: { readonly account: string; readonly seq: number };
  /** What each has done since, in its order. */
  readonly ways: readonly [readonly Stretch[], readonly Stretch[]];
}

/**
 * All that has led to the account, the oldest first.
 * @param beginningOf of an account; undefined = it is no fork
 */
export function lineOf(account: string, beginningOf: (account: string) => Beginning | undefined): Stretch[] {
  const line: Stretch[] = [{ account, from: 1, to: undefined }];
  const known = new Set([account]);
  for (let before = beginningOf(account); before !== undefined && !known.has(before.of); before = beginningOf(before.of)) {
    line.unshift({ account: before.of, from: 1, to: before.seq });
    known.add(before.of);
  }
  return line;
}

/** @returns undefined when the two have no entry in common */
export function partingOf(one: readonly Stretch[], other: readonly Stretch[]): Parting | undefined {
  let at = -1;
  while (one[at + 1] !== undefined && one[at + 1]?.account === other[at + 1]?.account) at += 1;
  const [mine, its] = [one[at], other[at]];
  if (mine === undefined || its === undefined) return undefined;
  const seq = Math.min(mine.to ?? Number.POSITIVE_INFINITY, its.to ?? Number.POSITIVE_INFINITY);
  if (!Number.isFinite(seq)) return undefined;
  const wayOf = (line: readonly Stretch[]): Stretch[] => {
    const [shared, ...own] = line.slice(at) as [Stretch, ...Stretch[]];
    return shared.to === seq ? own : [{ ...shared, from: seq + 1 }, ...own];
  };
  return { common: { account: mine.account, seq }, ways: [wayOf(one), wayOf(other)] };
}
