// A line of an exported journal (docs/export.md), read without trust, because the line may have been changed; and its events as
// sentences.

/** An event has more fields than these; they are shown as they stand. */
interface ShownEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type JournalLine = { readonly hash: string } & (
  | {
      readonly kind: 'head';
      readonly account: string;
      /** Of the state that the entries go on from, 0 = the account's beginning. */
      readonly seq: number;
      readonly continues?: { readonly hash: string; readonly afterSeq: number };
    }
  | {
      readonly kind: 'entry';
      readonly account: string;
      readonly seq: number;
      readonly timeMs: number;
      readonly events: readonly ShownEvent[];
      readonly fills: number;
      readonly orders: number;
      /** After it; absent where no money moved. */
      readonly balance?: string;
    }
  | { readonly kind: 'state'; readonly seq: number }
  | {
      readonly kind: 'end';
      readonly isComplete: boolean;
      readonly rows: number;
      readonly lastSeq: number;
      readonly balance?: string;
      readonly stateHash?: string;
    }
);

/** Where the part of a line begins that its hash is made of. */
export const BODY_AT = '{"hash":"",'.length + 64;

const LINE = /^\{"hash":"([0-9a-f]{64})","(head|entry|state|end)":/;
const FILLS = new Set(['orderFilled', 'positionTakenOver', 'positionClosed', 'positionSettled']);
const ORDERS = /^(?:order[A-Z]|trigger|parentReplaced|twap)/;

/** @param text without the newline @throws Error in words, when it is no line of a journal */
export function readJournalLine(text: string): JournalLine {
  const [, hash, kind] = LINE.exec(text) ?? [];
  if (hash === undefined || kind === undefined) throw new Error('It is no line of a journal.');
  const body = record(record(parsed(text))[kind]);
  if (kind === 'head') return { hash, kind, ...headOf(body) };
  if (kind === 'entry') return { hash, kind, ...entryOf(body) };
  if (kind === 'state') return { hash, kind, seq: count(record(body['snapshot'])['seq']) };
  const { balance_usd: balance, state_hash: stateHash } = body;
  return {
    ...{ hash, kind: 'end', isComplete: body['complete'] === true, rows: count(body['rows']), lastSeq: count(body['last_seq']) },
    ...(balance !== undefined && { balance: word(balance) }),
    ...(stateHash !== undefined && { stateHash: word(stateHash) }),
  };
}

function headOf({ form, version, forms, account, state, continues }: Record<string, unknown>) {
  if (form !== 'perpx journal' || version !== 1) throw new Error(`It is of another form: ${String(form)}, ${String(version)}.`);
  if (forms !== '1.0') throw new Error('It is of an unreleased build, whose forms no release reads: take a fresh one.');
  const part = continues === undefined ? undefined : record(continues);
  return {
    ...{ account: word(account), seq: state === null || state === undefined ? 0 : count(record(state)['seq']) },
    ...(part && { continues: { hash: word(part['hash']), afterSeq: count(part['after_seq']) } }),
  };
}

function entryOf({ accountId, seq, timeMs, events: given, equity }: Record<string, unknown>) {
  if (!Array.isArray(given)) throw new Error('It has no events.');
  const events = given.map((event) => ({ ...record(event), type: word(record(event)['type']) }));
  const balance = equity === undefined ? undefined : record(equity)['balance'];
  return {
    ...{ account: word(accountId), seq: count(seq), timeMs: moment(timeMs), events },
    fills: events.filter(({ type }) => FILLS.has(type)).length,
    orders: events.filter(({ type }) => ORDERS.test(type)).length,
    ...(balance !== undefined && { balance: word(balance) }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('It is no whole JSON.');
  }
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('Something in it is no object.');
  return value as Record<string, unknown>;
}

/** Longest name, number or hash of a line, characters: the page shows them whole. */
const WORD_MAX = 1_000;

function word(value: unknown): string {
  if (typeof value !== 'string') throw new Error('Something in it is no text.');
  if (value.length > WORD_MAX) throw new Error('Something in it is longer than it can be.');
  return value;
}

function count(value: unknown): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw new Error('Something in it is no count.');
  return value as number;
}

/** The latest moment that a date can show, ms since the epoch. */
const MOMENT_MAX = 8.64e15;

function moment(value: unknown): number {
  const ms = count(value);
  if (ms > MOMENT_MAX) throw new Error('Its time is none.');
  return ms;
}

/** Longest text of a field, characters: names of a foreign file may be of any length. */
const FIELD_MAX = 60;
const FIELDS_MAX = 8;

/** An event of a journal as a sentence of words and numbers. A kind that is not known here is described by its fields. */
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
