// From bytes to plain data: bounded first (jsonBounds.ts), then parsed, then searched for what JavaScript cannot hold
// and for members that could become a prototype. Bodies and the frames of sockets pass here.
import { RequestError } from '../../../shared/errors.ts';
import { DEPTH_MAX, DIGITS_MAX, type JsonFault, NAMES_MAX, scanJson, VALUES_MAX } from '../../domain/jsonBounds.ts';

/** What a client is told of a bound that its JSON breaks. */
export function refusalOf(fault: JsonFault): RequestError {
  switch (fault) {
    case 'tooDeep':
      return new RequestError(400, 'body_too_deep', `The body nests deeper than ${DEPTH_MAX} levels.`);
    case 'longNumber':
      return new RequestError(400, 'invalid_number', `A number in the body has ${DIGITS_MAX} digits or more.`);
    case 'tooManyValues':
      return new RequestError(400, 'body_too_complex', `The body has more than ${VALUES_MAX} values.`);
    case 'tooManyNames':
      return new RequestError(400, 'body_too_complex', `The body has members of more than ${NAMES_MAX} names.`);
  }
}

/**
 * @param bytes UTF-8, with or without a byte order mark; nothing counts as an empty object
 * @throws {RequestError} 400 for what is no JSON object or array, or breaks a bound
 */
export function readJson(bytes: Buffer): unknown {
  const { fault, isOdd } = scanJson(bytes);
  if (fault !== undefined) throw refusalOf(fault);
  const text = withoutMark(bytes.toString());
  if (text === '') return {};
  const value = parsed(text);
  if (typeof value !== 'object' || value === null) throw notJson();
  if (isOdd) refuseOddValues(value);
  return value;
}

const withoutMark = (text: string): string => (text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw notJson(); // the parser's own words quote the body
  }
}

const notJson = (): RequestError => new RequestError(400, 'invalid_json', 'The body is not valid JSON.');

/**
 * NaN cannot be written in JSON; 1e400 becomes Infinity. A zero with a sign has no meaning in any field.
 * @throws {RequestError} 400
 */
export function refuseOddValues(value: unknown): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new RequestError(400, 'invalid_number', 'A number in the body is too large.');
    if (Object.is(value, -0)) throw new RequestError(400, 'invalid_number', 'A number in the body is a negative zero.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) for (const element of value) refuseOddValues(element);
  else
    for (const name in value) {
      if (name === '__proto__') throw notJson();
      refuseOddValues((value as Record<string, unknown>)[name]);
    }
}
