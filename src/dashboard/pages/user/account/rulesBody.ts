// The form of house rules and what it comes to: each field's name is its place in the rules (`daily_loss.usd`). A rule whose fields are
// empty is none. What is wrong in it, the API says.
import type { HouseRuleName, HouseRules } from '../../../api/contract.ts';

interface RuleForm {
  readonly name: string;
  readonly about: string;
  /** What is closed. */
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
export function rulesBody(data: Pick<FormData, 'get'>): object {
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
