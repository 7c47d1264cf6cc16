// Turns a schema into its published form, without the keywords that only our own reader uses. OpenAPI 3.1 takes JSON
// Schema 2020-12, which has tuples under a new name; AsyncAPI 3.0 takes draft 07.
import type { TSchema } from '@sinclair/typebox';

/** Names what a request must be in an error's text. */
const OURS = 'expected';

type Publish = (schema: TSchema) => object;

/** For OpenAPI 3.1. */
export const toPublished: Publish = publisher(withNamedTuple);
/** For AsyncAPI 3.0. */
export const toDraft07: Publish = publisher(withoutDiscriminator);

/** @param finish what a dialect changes in an object's own keywords */
function publisher(finish: (keywords: Keywords) => object): Publish {
  /** Many schemas are parts of others, and some endpoints are in the contract twice. */
  const known = new WeakMap<object, unknown>();
  const publish = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) return node;
    const before = known.get(node);
    if (before !== undefined) return before;
    const now = Array.isArray(node) ? node.map(publish) : finish(publishObject(node, publish));
    known.set(node, now);
    return now;
  };
  return (schema) => publish(schema) as object;
}

type Keywords = Readonly<Record<string, unknown>>;

function publishObject(node: object, publish: (node: unknown) => unknown): Keywords {
  const { [OURS]: expected, ...rest } = node as Record<string, unknown>;
  const fields = Object.entries(rest).map(([name, value]) => [name, isPlain(name) ? value : publish(value)] as const);
  const description = rest['description'] ?? (typeof expected === 'string' ? sentence(expected) : undefined);
  return {
    ...(description !== undefined && { description }),
    ...Object.fromEntries(fields),
  };
}

function withNamedTuple({ items, additionalItems: _additionalItems, ...others }: Keywords): object {
  return { ...others, ...(Array.isArray(items) ? { prefixItems: items, items: false } : items !== undefined && { items }) };
}

/** A mapping of values to schemas is OpenAPI's; here the constants tell them apart. */
function withoutDiscriminator({ discriminator, ...others }: Keywords): object {
  return typeof discriminator === 'object' ? others : { ...others, ...(discriminator !== undefined && { discriminator }) };
}

/** Keywords whose values are data, not schemas. */
const isPlain = (name: string): boolean => name === 'examples' || name === 'const' || name === 'enum' || name === 'default';

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
