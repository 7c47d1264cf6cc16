// Says where an answer falls short of a recorded one: every recorded field must be there, of the same type. Our
// answer may have more fields, other values, and lists of another length.

/** Wire form of a number: a point, no exponent, no trailing zeros beyond `.0`. */
const NUMBER_TEXT = /^-?\d+\.(\d|\d*[1-9])$/;

/** Recorded sometimes as `null` and sometimes as a value, in one and the same place of the venue's answers. */
const NULLABLE: ReadonlySet<string> = new Set([
  'cloid',
  'tif',
  'liquidationPx',
  'nSamples',
  'midPx',
  'premium',
  'impactPxs',
  'endGas',
]);

/**
 * @returns one line per fault, empty when `answer` has all that `recorded` has
 */
export function missingFrom(answer: unknown, recorded: unknown, place = '$'): string[] {
  const field = place.slice(place.lastIndexOf('.') + 1);
  if ((answer === null || recorded === null) && NULLABLE.has(field)) return [];
  if (kindOf(answer) !== kindOf(recorded)) return [`${place}: ${kindOf(recorded)} was recorded, ${kindOf(answer)} is answered`];
  if (Array.isArray(recorded) && Array.isArray(answer)) return missingFromList(answer, recorded, place);
  if (isObject(recorded) && isObject(answer)) {
    return Object.entries(recorded).flatMap(([name, value]) =>
      name in answer ? missingFrom(answer[name], value, `${place}.${name}`) : [`${place}.${name} is missing`],
    );
  }
  return [];
}

/** Each recorded element must be matched by some element of ours. */
function missingFromList(answer: readonly unknown[], recorded: readonly unknown[], place: string): string[] {
  if (answer.length === 0 && recorded.length > 0) return [`${place} is empty`];
  return recorded.flatMap((element, i) => {
    const faults = answer.map((ours) => missingFrom(ours, element, `${place}[]`));
    if (faults.some((list) => list.length === 0)) return [];
    return faults.sort((a, b) => a.length - b.length)[0]?.map((fault) => `${fault} (element ${i})`) ?? [];
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'string' && NUMBER_TEXT.test(value)) return 'number text';
  if (typeof value === 'string' && /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(value)) return 'number text of another form';
  return typeof value;
}
