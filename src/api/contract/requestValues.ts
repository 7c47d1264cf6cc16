// Values of requests that a schema says whole: decimal numbers with their bounds and decimals, and times that the calendar has. What the
// schema allows is accepted, so no code behind it looks at the form once more.
import { Type } from '@sinclair/typebox';
import { described } from './named.ts';

/** Bounds of a decimal number: from `10 ** from`, or above 0, to `10 ** to`. */
interface Bounds {
  readonly from?: number;
  readonly to: number;
  readonly decimals: number;
}

/** A decimal text in plain digits, without sign, exponent and leading zeros. @param expected for errors */
export const decimalText = (bounds: Bounds, expected: string) => Type.String({ pattern: `^(${digits(bounds)})$`, expected });

/** The same as a JSON number or a text. */
export const decimalOrNumber = (bounds: Bounds, expected: string) =>
  Type.Union([number(bounds), Type.String({ pattern: `^(${digits(bounds)})$` })], { expected });

/** USD, as far as an account can have any. */
export const UsdAmount = decimalOrNumber({ to: 12, decimals: 6 }, 'a number or a decimal string above 0 with at most 6 decimals');

function digits({ from, to, decimals }: Bounds): string {
  const fraction = `(\\.\\d{1,${decimals}})?`;
  const below = `[1-9]\\d{${from ?? 0},${to - 1}}${fraction}`;
  const largest = `10{${to}}(\\.0{1,${decimals}})?`;
  return from === undefined ? `${below}|${largest}|0\\.(${someDigit(decimals)})` : `${below}|${largest}`;
}

/** Decimals that are not all 0. */
function someDigit(decimals: number): string {
  return Array.from({ length: decimals }, (_, zeros) => `${'0'.repeat(zeros)}[1-9]\\d{0,${decimals - 1 - zeros}}`).join('|');
}

function number({ from, to, decimals }: Bounds) {
  return Type.Number({
    ...(from === undefined ? { exclusiveMinimum: 0 } : { minimum: 10 ** from }),
    ...{ maximum: 10 ** to, multipleOf: Number(`1e-${decimals}`) },
  });
}

const LEAP_YEAR = '(\\d\\d(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)';
/** No 30 February: it would be read as 2 March. */
const DAY = `(\\d{4}-((0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)|${LEAP_YEAR}-02-29)`;
const HOUR_AND_MINUTE = '([01]\\d|2[0-3]):[0-5]\\d';
const TIME = `${DAY}T${HOUR_AND_MINUTE}(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]${HOUR_AND_MINUTE})`;
/** A date and time with its zone. */
export const ISO_TIME = `^${TIME}$`;
/** The same, or a day. */
export const ISO_TIME_OR_DAY = `^(${TIME}|${DAY})$`;
/** In milliseconds, UTC, as answers write it. */
export const ISO_MS = `^${DAY}T${HOUR_AND_MINUTE}:[0-5]\\d\\.\\d{3}Z$`;
/** A time with its zone, a day, or milliseconds since the epoch. A `+` that was not encoded in a query has become a space. */
export const QUERY_TIME = `^(${TIME.replace('[+-]', '[+ -]')}|${DAY}|\\d{1,15})$`;

export const IsoTimeText = Type.String({
  ...{ pattern: ISO_TIME, expected: 'an ISO 8601 time with its zone', examples: ['2026-01-31T12:00:00Z'] },
});
/** Of a query. */
export const queryTime = (description: string) =>
  Type.Optional(Type.String({ pattern: QUERY_TIME, description, expected: 'an ISO 8601 time or milliseconds since the epoch' }));

/** Keywords of an object whose fields do not fit together where `wrong` fits it. @param together the sentence of the error */
export const fitting = (together: string, wrong: object) => ({ not: wrong, together });

/** Fits an object that has all of these. Linters of contracts want to see a required field among the properties. */
export const hasAll = (...names: readonly string[]) => ({
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});

/** Fits an object that has none of these. */
export const hasNone = (...names: readonly [string, string, ...string[]]) => ({
  not: { anyOf: names.map((name) => hasAll(name)) },
});

/** Fits an object that does not have just one of these. */
export const hasNotOne = (...names: readonly [string, string, ...string[]]) => ({
  not: { oneOf: names.map((name) => hasAll(name)) },
});

const NAME_MAX = 16;
/**
 * Control characters, invisible ones, those that turn the direction of text, lone surrogates, and ends of lines. Some that show nothing
 * are letters or marks to Unicode (the Hangul fillers, selectors of a variant), and one is a symbol (the Braille pattern without dots).
 */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

export const SubAccountName = described(
  Type.String({ minLength: 1, maxLength: NAME_MAX, expected: `a text of 1 to ${NAME_MAX} characters` }),
  'Other than those of the user’s other sub-accounts; without control and invisible characters.',
);

/** True when all of the name can be seen. */
export const isShownName = (name: string): boolean => !HIDDEN.test(name) && name.trim() !== '';
