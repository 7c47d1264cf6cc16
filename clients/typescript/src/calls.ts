// The parts that the groups of endpoints share.
import { randomUUID } from 'node:crypto';
import type { Client } from 'openapi-fetch';
import type { components, paths } from './schema.js';

/** A shape of the published contract by its name. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name];

/** Operations of the contract by their paths, for operations that have no method here. */
export type Operations = Client<paths>;

/** The exchange's name, which its paths have in them. */
export const ON_EXCHANGE = { exchange: 'perpx' } as const;

/** The body of an answer. Refusals were thrown before it was read. */
export async function answered<T>(asked: Promise<{ data?: T }>): Promise<T> {
  const { data } = await asked;
  if (data === undefined) throw new TypeError('The answer has no body.');
  return data;
}

/** The caller's Idempotency-Key, or a new one: a repetition of the call is then done once. */
export const repeatable = (given: string | undefined): { 'Idempotency-Key': string } => ({
  'Idempotency-Key': given ?? randomUUID(),
});

interface Page<Row> {
  readonly items: readonly Row[];
  readonly next_cursor: string | null;
}

/** The rows of all pages, each page read when its first row is asked for. */
export async function* pages<Row>(read: (at: { cursor?: string }) => Promise<Page<Row>>): AsyncGenerator<Row, void, undefined> {
  let at: { cursor?: string } | undefined = {};
  while (at !== undefined) {
    const page: Page<Row> = await read(at);
    yield* page.items;
    at = page.next_cursor === null ? undefined : { cursor: page.next_cursor };
  }
}
