// Where two things that should be the same differ first: for an operator to look at.

export interface Difference {
  /** Entry at which it shows; undefined when it belongs to none. */
  readonly seq?: number | undefined;
  /** The document or store that has it. */
  readonly where: string;
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

/** Characters of a value that are shown. */
const SHOWN_CHARS = 200;

/** @param expected, found plain JSON @returns undefined when they are the same */
export function firstDifference(
  expected: unknown,
  found: unknown,
  path = '',
): Pick<Difference, 'field' | 'expected' | 'found'> | undefined {
  if (isContainer(expected) && isContainer(found) && Array.isArray(expected) === Array.isArray(found)) {
    const [a, b] = [expected as Record<string, unknown>, found as Record<string, unknown>];
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const way = Array.isArray(expected) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
      const difference = firstDifference(a[key], b[key], way);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return Object.is(expected, found) ? undefined : { field: path, expected: shown(expected), found: shown(found) };
}

export const shown = (value: unknown): string =>
  value === undefined ? 'nothing' : (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, SHOWN_CHARS);

const isContainer = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** The first difference of a verification: it ends there. */
export class Differs extends Error {
  override name = 'Differs';
  readonly difference: Difference;

  constructor(difference: Difference) {
    super(sentenceOf(difference));
    this.difference = difference;
  }
}

export const sentenceOf = ({ seq, where, field, expected, found }: Difference): string =>
  `${seq === undefined ? '' : `entry ${seq}, `}${where}, ${field}: expected ${expected}, found ${found}`;
