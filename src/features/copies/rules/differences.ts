// The differences between two accounts, and the reason of each difference.

import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { FillModel, Terms } from '../../../actors/core/messages/terms.ts';
import type { CommandName, JournalFact } from './facts.ts';
import { type ComparedSide, nameText, type Story } from './side.ts';

/**
 * The first place at which two accounts have not done the same, for each thing that they have done: an order that is filled here and not
 * there, at another price, refused. Whatever comes after it of the same thing follows from it.
 */
export interface AccountDifference {
  /** Of the earlier of the two. */
  readonly timeMs: number;
  /** The facts that are not the same; undefined = the account has none. */
  readonly facts: Both<JournalFact | undefined>;
  /** The last fact of the thing before it, which both have alike. */
  readonly before: Both<JournalFact | undefined>;
  /** The commands that placed it, or that either fact is of. */
  readonly commands: readonly CommandName[];
}

export type Both<T> = readonly [T, T];

export interface Comparing {
  /** Entries after this time have not been read of both. */
  readonly untilMs: number;
  /** What only one account has done after this time may be on its way in the other. */
  readonly settledMs: number;
  /** Where the comparison does not begin at the entry that both have: things that were begun before are left out. */
  readonly afterMs: number | undefined;
  /** Accounts whose commands still come to one of the two. */
  readonly live: Both<ReadonlySet<string>>;
}

/** Stories that are looked at before others may have their turn: a millisecond or two. */
const STORIES_AT_ONCE = 64;

/**
 * All, the first one first. It comes in steps, between which who drives it can let other work go on: thousands of orders take tenths of a
 * second.
 */
export function* differencesOf(sides: Both<ComparedSide>, comparing: Comparing): Generator<void, AccountDifference[]> {
  const stories = sides.map((side) => side.stories()) as unknown as Both<Story[]>;
  const found: AccountDifference[] = [];
  for (const [i, pair] of (yield* pairsOf(stories)).entries()) {
    if (isTurnOver(i)) yield;
    const difference = firstOf(pair);
    if (difference && !isLeftOut(difference, pair, sides, comparing)) found.push(difference);
  }
  return found.sort((a, b) => a.timeMs - b.timeMs);
}

const isTurnOver = (count: number): boolean => count % STORIES_AT_ONCE === STORIES_AT_ONCE - 1;

type Pair = Both<Story | undefined>;

/** Stories of one thing, then those of one order that has another id in each account. */
function* pairsOf([mine, its]: Both<Story[]>): Generator<void, Pair[]> {
  const byKey = new Map(its.map((story) => [story.key, story]));
  const pairs: Pair[] = [];
  const alone: Story[] = [];
  for (const [i, story] of mine.entries()) {
    if (isTurnOver(i)) yield;
    const other = byKey.get(story.key);
    if (other === undefined) alone.push(story);
    else pairs.push([story, other]);
    byKey.delete(story.key);
  }
  const left = new Map<string, Story[]>();
  for (const [i, story] of [...byKey.values()].entries()) {
    if (isTurnOver(i)) yield;
    for (const name of namesOf(story)) left.set(name, [...(left.get(name) ?? []), story]);
  }
  const taken = new Set<Story>();
  for (const [i, story] of alone.entries()) {
    if (isTurnOver(i)) yield;
    const other = namesOf(story).flatMap((name) => left.get(name) ?? []).find((each) => !taken.has(each)); // biome-ignore format: reads as one search
    if (other !== undefined) taken.add(other);
    pairs.push([story, other]);
  }
  for (const story of byKey.values()) if (!taken.has(story)) pairs.push([undefined, story]);
  return pairs;
}

/** By which an order is found again: its command with its own description. */
function namesOf({ facts }: Story): string[] {
  const [first] = facts;
  const form = facts.find((fact) => fact.form !== undefined && fact.seq === first?.seq)?.form;
  return form === undefined ? [] : (first?.commands ?? []).map((name) => `${nameText(name)} ${form}`);
}

function firstOf([mine, its]: Pair): AccountDifference | undefined {
  const [a, b] = [mine?.facts ?? [], its?.facts ?? []];
  const at = Array.from({ length: Math.max(a.length, b.length) }, (_, i) => i).find((i) => !isSame(a[i], b[i]));
  if (at === undefined) return undefined;
  const facts = [a[at], b[at]] as const;
  const timeMs = Math.min(...facts.map((fact) => fact?.timeMs ?? Number.POSITIVE_INFINITY));
  const commands = [a[0], b[0], ...facts].flatMap((fact) => fact?.commands ?? []);
  return { timeMs, facts, before: [a[at - 1], b[at - 1]], commands };
}

const isSame = (a: JournalFact | undefined, b: JournalFact | undefined): boolean => a?.what === b?.what && a?.same === b?.same;

/** It is no difference yet, or nobody knows what was before. */
function isLeftOut(difference: AccountDifference, pair: Pair, sides: Both<ComparedSide>, comparing: Comparing): boolean {
  const [a, b] = difference.facts;
  const { untilMs, settledMs, afterMs } = comparing;
  if (difference.timeMs > untilMs) return true;
  if (afterMs !== undefined && !pair.every((story) => story === undefined || isWhole(story, afterMs))) return true;
  if (afterMs !== undefined && difference.commands.some((name) => isBefore(name, sides))) return true;
  if (a !== undefined && b !== undefined) return false;
  const [fact, at] = a === undefined ? [b as JournalFact, 0 as const] : [a, 1 as const];
  if (fact.timeMs > settledMs) return true;
  return fact.commands.some((name) => isWaiting(name, sides[at], comparing.live[at]));
}

/** Whether all that has been of the thing is here. */
function isWhole({ facts: [first] }: Story, afterMs: number): boolean {
  if (first === undefined || typeof first.thing === 'string') return first?.what !== 'twap' || first.begins === true;
  return first.placedAtMs === undefined ? first.begins === true : first.placedAtMs > afterMs;
}

/** The other account had the command before the comparison begins. */
const isBefore = ({ of, number }: CommandName, sides: Both<ComparedSide>): boolean =>
  sides.some((side) => number < (side.numbersOf(of)?.first ?? 0));

/** The command has not come yet, and will. */
function isWaiting({ of, number }: CommandName, side: ComparedSide, live: ReadonlySet<string>): boolean {
  return live.has(of) && number > (side.numbersOf(of)?.last ?? 0);
}

/**
 * Why two accounts have not done the same, as far as their journals and their terms tell it: one word and a sentence. What comes after a
 * difference may follow from it, and is said to.
 */
export const WHYS = [
  ...(['fees', 'leverage', 'fill_model', 'latency', 'command'] as const),
  ...(['own_money', 'lost', 'earlier', 'moment'] as const),
] as const;
type Why = (typeof WHYS)[number];

interface Reason {
  readonly why: Why;
  readonly text: string;
}

export interface ComparedSides {
  readonly sides: Both<ComparedSide>;
  /** Terms of an account on the way of the one and of the other; of one that is not known, those of the account compared. */
  readonly termsOf: Both<(account: string | undefined) => Terms | undefined>;
  /** Whether an earlier difference is known, or may be. */
  readonly hasEarlier: boolean;
}

const MARGIN = new Set(['perpMarginRejected', 'perpMaxPositionRejected', 'marginCanceled', 'liquidatedCanceled']);

/** The first that applies. */
export function reasonOf(difference: AccountDifference, { sides, termsOf, hasEarlier }: ComparedSides): Reason {
  const [mine, its] = sides.map((side, at) => difference.facts[at]?.account ?? side.accountAt(difference.timeMs));
  const terms = [termsOf[0](mine), termsOf[1](its)] as const;
  const facts = difference.facts.filter((fact) => fact !== undefined);
  const models = terms.map((each, at) => modelOf(difference.facts[at]) ?? each?.fillModel ?? 'queue');
  const delays = difference.commands.flatMap((name) => sides.map((side) => side.delayOf(name) ?? 0));
  const delayMs = Math.max(0, ...delays);
  if (facts.some(({ what }) => what === 'money' || what === 'reset'))
    return { why: 'own_money', text: 'Deposits, transfers and resets are of one account alone.' };
  // What stood in them is as if it had never been, whatever the other account has done then.
  if (facts.some(({ what }) => what === 'lost') || sides.some((side) => side.hasLost(difference.timeMs)))
    return { why: 'lost', text: 'Entries of one account are lost.' };
  if (isOneSided(difference, sides))
    return { why: 'command', text: 'Only this account had the command: it was sent to it alone, or not passed on.' };
  const fees = feesOf(difference);
  if (fees) return { why: 'fees', text: `The same fill at other fee rates: ${fees.join(' USD here, ')} USD there.` };
  if (facts.some(isOfMargin) && terms.some((each) => each?.leverage !== undefined))
    return { why: 'leverage', text: `Another leverage ties up another margin: ${leverageText(terms)}.` };
  if (facts.some(isOfMaker) && models[0] !== models[1])
    return { why: 'fill_model', text: `Resting orders fill by other models: ${models.join(' here, ')} there.` };
  if (delayMs > 0) return { why: 'latency', text: `A command waited ${delayMs} ms in one account, and met another market.` };
  if (hasEarlier) return { why: 'earlier', text: 'The accounts differed already: it may follow from that.' };
  return { why: 'moment', text: 'Each account decides alone, at a moment of its own, on the book of that moment.' };
}

/** A command that the other account has not had. */
function isOneSided({ facts: [a, b] }: AccountDifference, sides: Both<ComparedSide>): boolean {
  if (a !== undefined && b !== undefined) return false;
  const [fact, other] = a === undefined ? [b as JournalFact, sides[0]] : [a, sides[1]];
  // An order that leaves nothing at all in the other account has not come to it: the limits of its key have refused it here.
  if (fact.event.type === 'orderEnded' && fact.event.status === 'rejected' && fact.isOfCommand) return true;
  if (fact.commands.length > 0) return !fact.commands.some((name) => other.delayOf(name) !== undefined);
  return fact.isOfCommand;
}

/** The fees of one fill that differs in them alone: the rates were others, by terms of the one or the other. */
function feesOf({ facts: [a, b] }: AccountDifference): Both<string> | undefined {
  const [mine, its] = [fillOf(a), fillOf(b)];
  if (mine === undefined || its === undefined || priced(mine) !== priced(its) || mine.fee === its.fee) return undefined;
  return [mine.fee, its.fee];
}

type FillEvent = Extract<AccountEvent, { type: 'orderFilled' }>;

const fillOf = (fact: JournalFact | undefined): FillEvent | undefined =>
  fact?.event.type === 'orderFilled' ? fact.event : undefined;
const priced = ({ price, size, liquidity, evidence }: FillEvent): string =>
  [price, size, liquidity, liquidity === 'maker' ? evidence.tradeTid : ''].join(' ');

const isOfMargin = ({ what, event }: JournalFact): boolean =>
  what === 'liquidated' || what === 'leverage' || what === 'margin' || (event.type === 'orderEnded' && MARGIN.has(event.status));

/** A fill of a resting order names its model, or is of `queue`. */
function modelOf(fact: JournalFact | undefined): FillModel | undefined {
  const fill = fillOf(fact);
  return fill?.liquidity === 'maker' ? (fill.evidence.model ?? 'queue') : undefined;
}

const isOfMaker = (fact: JournalFact): boolean => fillOf(fact)?.liquidity === 'maker';

const leverageText = (terms: Both<Terms | undefined>): string =>
  `${terms.map((each) => (each?.leverage === undefined ? 'its settings' : `${each.leverage}x`)).join(' here, ')} there`;
