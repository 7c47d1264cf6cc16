// Reads a client's JSON against a schema: the values that `info` and `exchange` share, compiled once, and one
// sentence that names the first fault. The venue answers such bodies with 422 and this sentence; here it is a 400.
// The form of e-mail addresses and the `?limit` of lists stand here, too.
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Decimal } from '../../shared/domain/decimal.ts';
import { RequestError } from '../../shared/errors.ts';
import type { RouteContext } from '../access/requestContext.ts';
import { named } from '../contract/named.ts';
import type { BodyReader } from './body.ts';

/** The venue's sentence for a body that it cannot read; the fault follows it. */
export const UNREADABLE = 'Failed to deserialize the JSON body into the target type';

/** @returns the 400 with the venue's sentence and the fault */
export function unreadable(what: string): RequestError {
  return new RequestError(400, 'invalid_request', `${UNREADABLE}: ${what}`);
}

/** @returns the 400 for fields that are each as they must be, and do not fit together in a way that no schema says */
export const contradiction = (what: string): RequestError => new RequestError(400, 'contradiction', `${UNREADABLE}: ${what}`);

/**
 * A price or size: plain digits with at most 8 decimals (trading-rules 1.1). 20 digits before the point are more than any
 * legal number has, and few enough to compute with exactly.
 */
export const DecimalText = Type.String({ pattern: '^(0|[1-9]\\d{0,19})(\\.\\d{1,8})?$', expected: 'a decimal string' });
/** Milliseconds since the epoch. */
export const TimeMs = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, expected: 'an integer of milliseconds' });
/** Order id, asset id, nonce: a whole number that JavaScript can hold. */
export const WholeNumber = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, expected: 'an integer' });
/** Client order id: 128 bits in hex, any case; compared in lower case. */
export const CloidText = Type.String({ pattern: '^0x[0-9a-fA-F]{32}$', expected: '0x and 32 hex digits' });
export const AddressText = Type.String({ pattern: '^0x[0-9a-fA-F]{40}$', expected: '0x and 40 hex digits' });
/** Name of a market; case sensitive. */
export const CoinText = Type.String({ minLength: 1, maxLength: 64, expected: 'a coin name' });

/** A field that may be left out or `null`. */
export const absentOr = <T extends TSchema>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()], { expected: expectedOf(schema) }));

const expectedOf = (node: unknown): string | undefined => (node as { readonly expected?: string } | undefined)?.expected;

const ajv = new Ajv({ strict: false, formats: { email: isEmail } }).removeKeyword('multipleOf');
// By the digits of a number as it is written: 0.3 is a multiple of 0.1.
ajv.addKeyword({
  ...{ keyword: 'multipleOf', type: 'number', schemaType: 'number' },
  validate: (step: number, value: number) => new Decimal(value).mod(step).isZero(),
});

/** Gives its argument back, typed. `schema` is for the published contract. */
interface Reader<T extends TSchema> {
  (body: unknown): Static<T>;
  readonly schema: T;
}

/**
 * Reads by a schema. It is compiled with the first body, so that a start does not wait for schemas that are not used.
 * @returns a function that gives its argument back, typed
 * @throws {RequestError} 400 with the venue's sentence and the first fault, e.g. `orders[0].s must be a decimal string`
 */
export function compileReader<T extends TSchema>(schema: T): Reader<T> {
  let validate: ValidateFunction<Static<T>> | undefined;
  const read = (body: unknown): Static<T> => {
    validate ??= ajv.compile<Static<T>>(schema);
    if (validate(body)) return body;
    throw unreadable(firstFault(validate.errors ?? [], schema));
  };
  return Object.assign(read, { schema });
}

function firstFault(errors: readonly ErrorObject[], schema: TSchema): string {
  const error = errors[0];
  if (!error) return 'the body has another form';
  const place = toPlace(error.instancePath);
  if (error.keyword === 'required') {
    const { missingProperty } = error.params as { readonly missingProperty: string };
    return `${place === '' ? '' : `${place}.`}${missingProperty} is missing`;
  }
  if (error.keyword === 'not') {
    const together = (nodeAt(schema, error.schemaPath.split('/').slice(1, -1)) as { readonly together?: string }).together;
    if (together !== undefined) return `${place === '' ? 'the body' : place} ${together}`;
  }
  const expected = expectedAt(schema, error.schemaPath);
  return `${place === '' ? 'the body' : place} ${expected ? `must be ${expected}` : error.message}`;
}

/** `/action/orders/0/s` → `action.orders[0].s`. */
function toPlace(instancePath: string): string {
  return instancePath
    .slice(1)
    .replace(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.');
}

const nodeAt = (schema: TSchema, steps: readonly string[]): unknown =>
  steps.reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[decodeURIComponent(step)], schema);

/** The `expected` text of the field that fails: it reads better than a pattern. */
function expectedAt(schema: TSchema, schemaPath: string): string | undefined {
  let node: unknown = schema;
  let expected = expectedOf(schema);
  let parent = '';
  for (const step of schemaPath.split('/').slice(1)) {
    node = (node as Record<string, unknown> | undefined)?.[decodeURIComponent(step)];
    const isField = parent === 'properties' || step === 'items';
    const here = expectedOf(node);
    expected = isField ? here : (expected ?? here);
    parent = isField ? '' : step;
  }
  return expected;
}

/** The client's text, short enough to repeat in an answer. */
export const quoted = (text: string): string => JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);

// The form of an e-mail address, without regard to case and outer spaces.

/** Longest address that mail can carry (RFC 5321). */
const EMAIL_LENGTH_MAX = 254;
/** Before the @: dots between other characters only, and none that separates addresses in a mail's head: a mail must go to one person. */
const LOCAL_PART = '(?=.{1,64}@)[^\\s@\\p{C}<>(),;:"[\\]\\\\.]+(?:\\.[^\\s@\\p{C}<>(),;:"[\\]\\\\.]+)*';
const HOST_LABEL = '[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?';
/** Behind it: a host's name of two labels or more, of which the last is no number, in any script. */
const EMAIL_FORM = new RegExp(`^${LOCAL_PART}@(?:${HOST_LABEL}\\.)+(?!\\p{N}+$)(?=..)${HOST_LABEL}$`, 'u');

function isEmail(text: string): boolean {
  const email = text.trim().toLowerCase();
  return email.length <= EMAIL_LENGTH_MAX && EMAIL_FORM.test(email);
}

// The `?limit` of paged lists: read and published in the same way everywhere.

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 500;

/** For the published contract. */
export const limitParameter = Type.Optional(Type.Integer({ minimum: 1, maximum: LIMIT_MAX, default: LIMIT_DEFAULT }));

/** @throws {RequestError} 400 for anything but a whole number in its bounds, given once or not at all */
export function readLimit(given: string | string[] | undefined): number {
  if (given === undefined) return LIMIT_DEFAULT;
  const limit = typeof given === 'string' && /^\d{1,3}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > LIMIT_MAX)
    throw new RequestError(400, 'invalid_request', `limit must be a whole number from 1 to ${LIMIT_MAX}.`);
  return limit;
}

const readObject = compileReader(named('NoFields', Type.Object({}, { expected: 'an object' })));

/** The body of an endpoint that needs no fields: no body, or any JSON object. */
export const NoFields = readObject.schema;

/** @throws {RequestError} 4xx for a body that is no JSON object */
export async function readNoFields(ctx: RouteContext, readBody: BodyReader): Promise<void> {
  const hasBody = ctx.is('*/*') !== null && ctx.request.length !== 0;
  if (hasBody) readObject(await readBody(ctx));
}
