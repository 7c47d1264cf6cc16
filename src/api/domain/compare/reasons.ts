// Why two accounts have not done the same, as far as their journals and their terms tell it: one word and a sentence. What comes after a
// difference may follow from it, and is said to.
import type { AccountEvent } from '../../../actors/core/messages/event.ts';
import type { FillModel, Terms } from '../../../actors/core/messages/terms.ts';
import type { Both, Difference } from './differences.ts';
import type { Fact } from './facts.ts';
import type { Side } from './side.ts';

export const WHYS = [
  ...(['fees', 'leverage', 'fill_model', 'latency', 'command'] as const),
  ...(['own_money', 'lost', 'earlier', 'moment'] as const),
] as const;
export type Why = (typeof WHYS)[number];

export interface Reason {
  readonly why: Why;
  readonly text: string;
}

export interface Compared {
  readonly sides: Both<Side>;
  /** Terms of an account on the way of the one and of the other; of one that is not known, those of the account compared. */
  readonly termsOf: Both<(account: string | undefined) => Terms | undefined>;
  /** Whether an earlier difference is known, or may be. */
  readonly hasEarlier: boolean;
}

const MARGIN = new Set(['perpMarginRejected', 'perpMaxPositionRejected', 'marginCanceled', 'liquidatedCanceled']);

/** The first that applies. */
export function reasonOf(difference: Difference, { sides, termsOf, hasEarlier }: Compared): Reason {
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
function isOneSided({ facts: [a, b] }: Difference, sides: Both<Side>): boolean {
  if (a !== undefined && b !== undefined) return false;
  const [fact, other] = a === undefined ? [b as Fact, sides[0]] : [a, sides[1]];
  // An order that leaves nothing at all in the other account has not come to it: the limits of its key have refused it here.
  if (fact.event.type === 'orderEnded' && fact.event.status === 'rejected' && fact.isOfCommand) return true;
  if (fact.commands.length > 0) return !fact.commands.some((name) => other.delayOf(name) !== undefined);
  return fact.isOfCommand;
}

/** The fees of one fill that differs in them alone: the rates were others, by terms of the one or the other. */
function feesOf({ facts: [a, b] }: Difference): Both<string> | undefined {
  const [mine, its] = [fillOf(a), fillOf(b)];
  if (mine === undefined || its === undefined || priced(mine) !== priced(its) || mine.fee === its.fee) return undefined;
  return [mine.fee, its.fee];
}

type FillEvent = Extract<AccountEvent, { type: 'orderFilled' }>;

const fillOf = (fact: Fact | undefined): FillEvent | undefined => (fact?.event.type === 'orderFilled' ? fact.event : undefined);
const priced = ({ price, size, liquidity, evidence }: FillEvent): string =>
  [price, size, liquidity, liquidity === 'maker' ? evidence.tradeTid : ''].join(' ');

const isOfMargin = ({ what, event }: Fact): boolean =>
  what === 'liquidated' || what === 'leverage' || what === 'margin' || (event.type === 'orderEnded' && MARGIN.has(event.status));

/** A fill of a resting order names its model, or is of `queue`. */
function modelOf(fact: Fact | undefined): FillModel | undefined {
  const fill = fillOf(fact);
  return fill?.liquidity === 'maker' ? (fill.evidence.model ?? 'queue') : undefined;
}

const isOfMaker = (fact: Fact): boolean => fillOf(fact)?.liquidity === 'maker';

const leverageText = (terms: Both<Terms | undefined>): string =>
  `${terms.map((each) => (each?.leverage === undefined ? 'its settings' : `${each.leverage}x`)).join(' here, ')} there`;
