// Turns schemas into their published form, without the keywords that only our own reader uses, and gathers those with a name, which the
// document has once. OpenAPI 3.1 takes JSON Schema 2020-12, which has tuples under a new name; AsyncAPI 3.0 takes draft 07.
import type { TSchema } from '@sinclair/typebox';
import { assert } from '../../shared/domain/assert.ts';
import { type Component, componentOf } from './named.ts';

/** What a request must be, and how its fields must fit together, in an error's text. */
const EXPECTED = 'expected';
const TOGETHER = 'together';
export const SCHEMAS = '#/components/schemas/';

type Keywords = Readonly<Record<string, unknown>>;

interface Dialect {
  /** Changes an object's own keywords. */
  readonly finish: (keywords: Keywords) => object;
  /** A reference with a description of its own. */
  readonly refer: (reference: { readonly $ref: string }, description: string) => object;
}

const OPENAPI: Dialect = { finish: withNamedTuple, refer: (reference, description) => ({ ...reference, description }) };
/** What stands beside a reference is not read in draft 07. */
const DRAFT_07: Dialect = {
  finish: withoutDiscriminator,
  refer: (reference, description) => ({ allOf: [reference], description }),
};

/** The schemas of one document. */
export class PublishedSchemas {
  readonly #dialect: Dialect;
  readonly #components = new Map<string, object>();
  /** Many schemas are parts of others, and some endpoints are in the contract twice. */
  readonly #known = new WeakMap<object, unknown>();

  private constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  static ofOpenApi = (): PublishedSchemas => new PublishedSchemas(OPENAPI);
  static ofAsyncApi = (): PublishedSchemas => new PublishedSchemas(DRAFT_07);

  /** The schema as it stands in the document: a reference where it has a name. */
  publish(schema: TSchema): object {
    return this.#publish(schema) as object;
  }

  /** All that have names and were published, by these, in the order of the alphabet. */
  components(): Record<string, object> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #publish(node: unknown): unknown {
    if (typeof node !== 'object' || node === null) return node;
    const before = this.#known.get(node);
    if (before !== undefined) return before;
    const component = componentOf(node);
    const now = Array.isArray(node)
      ? node.map((one) => this.#publish(one))
      : component
        ? this.#refer(component, node as TSchema)
        : this.#dialect.finish(this.#publishObject(node));
    this.#known.set(node, now);
    return now;
  }

  #refer({ name, schema }: Component, copy: TSchema): object {
    const { description } = copy;
    assert(textOf(copy) === textOf(schema), `a copy of ${name} differs in more than its description`);
    const published = this.publish(schema);
    const before = this.#components.get(name);
    assert(before === undefined || JSON.stringify(before) === JSON.stringify(published), `${name} is the name of two schemas`);
    if (before === undefined) this.#components.set(name, published);
    const reference = { $ref: SCHEMAS + name };
    return description === undefined || description === schema.description
      ? reference
      : this.#dialect.refer(reference, description);
  }

  #publishObject(node: object): Keywords {
    const { [EXPECTED]: expected, [TOGETHER]: together, ...rest } = node as Record<string, unknown>;
    const fields = Object.entries(rest).map(([name, value]) => [name, isPlain(name) ? value : this.#publish(value)] as const);
    const texts = [expected, together].filter((text) => typeof text === 'string');
    const description = rest['description'] ?? (texts.length > 0 ? texts.map(sentence).join(' ') : undefined);
    return {
      ...(description !== undefined && { description }),
      ...Object.fromEntries(fields),
    };
  }
}

const textOf = ({ description: _own, [EXPECTED]: _expected, ...keywords }: TSchema): string => JSON.stringify(keywords);

/** `minItems` and `maxItems` of a tuple say how long it is; some generators take no `items: false` beside it. */
function withNamedTuple({ items, additionalItems: _additionalItems, ...others }: Keywords): object {
  if (!Array.isArray(items)) return { ...others, ...(items !== undefined && { items }) };
  assert(others['minItems'] === items.length && others['maxItems'] === items.length, 'a tuple says how long it is');
  return { ...others, prefixItems: items };
}

/** A mapping of values to schemas is OpenAPI's; here the constants tell them apart. */
function withoutDiscriminator({ discriminator, ...others }: Keywords): object {
  return typeof discriminator === 'object' ? others : { ...others, ...(discriminator !== undefined && { discriminator }) };
}

/** Keywords whose values are data, not schemas. */
const isPlain = (name: string): boolean => name === 'examples' || name === 'const' || name === 'enum' || name === 'default';

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
