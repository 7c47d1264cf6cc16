// The form of an account's terms and what it comes to. What is wrong in it, the API says.
import type { AccountTerms } from '../../../api/contract.ts';

/** The choices of fees, each with its words; `tier 2` is a tier of the venue. */
export const FEES: readonly (readonly [value: string, words: string])[] = [
  ['default', 'the exchange’s own'],
  ...[0, 1, 2, 3, 4, 5, 6].map((tier) => [`tier ${tier}`, `tier ${tier} of the venue`] as const),
  ['volume', 'the venue’s tier by the volume of 14 days'],
  ['own', 'own rates'],
];

/** The choice that the terms are of. A what-if's own fees are none that can be set. */
export function chosenFees({ fees: { source, tier } }: AccountTerms): string {
  if (source === 'tier') return `tier ${tier}`;
  return source === 'what_if' ? 'default' : source;
}

export const FILL_MODELS: readonly (readonly [value: AccountTerms['fill_model'], words: string])[] = [
  ['queue', 'queue: trades first use up the queue before it (never optimistic)'],
  ['probable', 'probable: cancels before it count, too, by a power law'],
  ['touch', 'touch: any trade at its price'],
  ['pessimistic', 'pessimistic: only what trades through its price'],
];

export function termsBody(data: Pick<FormData, 'get'>): object {
  return { ...feesOf(data), fill_model: String(data.get('fill_model') ?? 'queue') };
}

function feesOf(data: Pick<FormData, 'get'>): object {
  const textOf = (name: string): string => String(data.get(name) ?? '').trim();
  const fees = textOf('fees');
  if (fees === 'volume') return { fees: { by_volume: true } };
  if (fees === 'own') return { fees: { maker: textOf('maker'), taker: textOf('taker') } };
  const [, tier] = /^tier (\d)$/.exec(fees) ?? [];
  if (tier === undefined) return {};
  const rebate = textOf('rebate');
  return { fees: { tier: Number(tier), ...(/^\d$/.test(rebate) && { rebate: Number(rebate) }) } };
}
