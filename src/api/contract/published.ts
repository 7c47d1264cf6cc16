// A schema as OpenAPI 3.1 has it (JSON Schema 2020-12): tuples under their new name, and without what only our own reader
// looks at.
import type { TSchema } from '@sinclair/typebox';

/** Names what a request must be in an error's text. */
const OURS = 'expected';

export function toPublished(schema: TSchema): object {
  return publish(schema) as object;
}

/** Many schemas are parts of others, and some endpoints are in the contract twice. */
const known = new WeakMap<object, unknown>();

function publish(node: unknown): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const before = known.get(node);
  if (before !== undefined) return before;
  const now = Array.isArray(node) ? node.map(publish) : publishObject(node);
  known.set(node, now);
  return now;
}

function publishObject(node: object): object {
  const { [OURS]: expected, ...rest } = node as Record<string, unknown>;
  const fields = Object.entries(rest).map(([name, value]) => [name, isPlain(name) ? value : publish(value)] as const);
  const { items, additionalItems: _additionalItems, ...others } = Object.fromEntries(fields);
  const description = rest['description'] ?? (typeof expected === 'string' ? sentence(expected) : undefined);
  return {
    ...(description !== undefined && { description }),
    ...others,
    ...(Array.isArray(items) ? { prefixItems: items, items: false } : items !== undefined && { items }),
  };
}

/** Keywords whose values are data, not schemas. */
const isPlain = (name: string): boolean => name === 'examples' || name === 'const' || name === 'enum' || name === 'default';

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
