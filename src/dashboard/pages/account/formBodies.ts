// The forms of an account's limits and of its terms, and the request bodies that they come to. A field of limits is named by its
// place in them (`daily_loss.usd`); a limit whose fields are empty is left out. The API names the fields that are wrong.
import type { AccountTerms, HouseRuleName, HouseRules } from '../../api/contract.ts';

interface RuleForm {
  readonly name: string;
  readonly about: string;
  /** The effect of a limit that is reached. */
  readonly acts: string;
  readonly fields: readonly { readonly field: string; readonly label: string }[];
}

export const RULES: Readonly<Record<HouseRuleName, RuleForm>> = {
  daily_loss: {
    name: 'Loss of a day',
    about: 'Broken until the next UTC day.',
    acts: 'all',
    fields: [{ field: 'usd', label: 'USD; empty = no rule' }],
  },
  drawdown: {
    name: 'Drawdown',
    about: 'From the highest value since the rules were set. Broken until they are set again.',
    acts: 'all',
    fields: [{ field: 'percent', label: 'Percent; empty = no rule' }],
  },
  hours: {
    name: 'Hours',
    about: 'Outside them nothing may be open.',
    acts: 'all',
    fields: [
      { field: 'from', label: 'From, UTC, as 08:00; empty = no rule' },
      { field: 'to', label: 'To, UTC' },
    ],
  },
  coins: {
    name: 'Coins',
    about: 'In others nothing may be open.',
    acts: 'what is open in others',
    fields: [{ field: 'only', label: 'Names with commas; empty = no rule' }],
  },
};

/** The texts of the fields by their names. */
export function valuesOf(rules: HouseRules): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const rule of Object.keys(RULES) as HouseRuleName[]) {
    for (const [field, value] of Object.entries(rules[rule] ?? {}))
      values.set(`${rule}.${field}`, Array.isArray(value) ? value.join(', ') : String(value));
  }
  return values;
}

/** The rules that the filled-in fields say. */
export function limitsBody(data: Pick<FormData, 'get'>): object {
  const textOf = (name: string): string => String(data.get(name) ?? '').trim();
  const rules = Object.entries(RULES).flatMap(([rule, { fields }]) => {
    const filled = fields.map(({ field }) => [field, textOf(`${rule}.${field}`)] as const);
    if (filled.every(([, text]) => text === '')) return [];
    const values = filled.map(([field, text]) => [field, field === 'only' ? namesIn(text) : text]);
    return [[rule, { ...Object.fromEntries(values), act: textOf(`${rule}.act`) }]];
  });
  return Object.fromEntries(rules);
}

const namesIn = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** The choices of fees, each with its words; `tier 2` is a tier of the venue. */
export const FEES: readonly (readonly [value: string, words: string])[] = [
  ['default', 'the exchange’s own'],
  ...[0, 1, 2, 3, 4, 5, 6].map((tier) => [`tier ${tier}`, `tier ${tier} of the venue`] as const),
  ['volume', 'the venue’s tier by the volume of 14 days'],
  ['own', 'own rates'],
];

/** The choice that stands for the account's terms. A what-if's own fees cannot be chosen. */
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
