// An event of a journal as a sentence of words and numbers. Kinds that are not known here are told by their fields.
import type { ShownEvent } from './journalLine.ts';

/** Longest text of a field, characters: names of a foreign file may be of any length. */
const FIELD_MAX = 60;
const FIELDS_MAX = 8;

export function eventText(event: ShownEvent): string {
  const { type } = event;
  if (type === 'orderFilled')
    return `Filled ${said(event, 'side size coin')} at ${field(event, 'price')}, ${said(event, 'liquidity')}, fee ${field(event, 'fee')}, order ${field(event, 'oid')}`;
  const order = inner(event['order']);
  if (order !== undefined)
    return `${words(type)}: ${said(order, 'side originalSize coin')} at ${field(order, 'limitPrice')}, filled ${field(order, 'filledSize')}, order ${field(order, 'oid')}${has(event, 'status') ? `, ${field(event, 'status')}` : ''}`;
  const fields = Object.entries(event).flatMap(([name, value]) =>
    name === 'type' || typeof value === 'object' ? [] : [`${words(name).toLowerCase()} ${cut(value)}`],
  );
  return [words(type), fields.slice(0, FIELDS_MAX).join(', ')].filter((part) => part !== '').join(': ');
}

const said = (of: Readonly<Record<string, unknown>>, names: string): string =>
  names
    .split(' ')
    .map((name) => field(of, name))
    .join(' ');
const field = (of: Readonly<Record<string, unknown>>, name: string): string => (has(of, name) ? cut(of[name]) : '–');
const has = (of: Readonly<Record<string, unknown>>, name: string): boolean =>
  of[name] !== undefined && typeof of[name] !== 'object';
const cut = (value: unknown): string => {
  const text = String(value);
  return text.length > FIELD_MAX ? `${text.slice(0, FIELD_MAX)}…` : text;
};

const inner = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;

/** `orderRested` as `Order rested`. */
function words(name: string): string {
  const text = cut(name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
