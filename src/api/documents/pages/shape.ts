// A schema as people read it: the JSON that it describes, with a word in place of each value and the sentence of a field
// behind it. References are followed; a choice between many is named, not shown.

/** A schema of the published document. */
// biome-ignore lint/suspicious/noExplicitAny: a published schema is walked by its keywords
export type PublishedSchema = any;

/** Finds what a `$ref` names. */
export type Resolve = (ref: string) => PublishedSchema;

/** A choice between more named schemas than these is told by its names alone. */
const NAMED_CHOICES_SHOWN = 4;
/** A choice between more schemas than these, named or not, is counted. */
const CHOICES_SHOWN = 12;
/** Objects within objects that are shown; what is deeper is told by its name or kind. */
const DEPTH_MAX = 6;

/** @returns lines without an end of line, the first of them not indented */
export const shapeOf = (schema: PublishedSchema, resolve: Resolve): string => show(schema, { resolve, path: [], indent: '' });

interface Place {
  readonly resolve: Resolve;
  /** References that are being followed, and one for each level. */
  readonly path: readonly string[];
  readonly indent: string;
}

function show(schema: PublishedSchema, place: Place): string {
  const { $ref } = schema;
  if ($ref !== undefined) {
    const isKnown = place.path.includes($ref) || place.path.length >= DEPTH_MAX;
    return isKnown ? nameOf($ref) : show(place.resolve($ref), { ...place, path: [...place.path, $ref] });
  }
  // A reference with a description of its own.
  if (schema.allOf?.length === 1) return show(schema.allOf[0], place);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return schema.enum.map((value: unknown) => JSON.stringify(value)).join(' | ');
  const choices: PublishedSchema[] | undefined = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return showChoice(choices, place);
  if (schema.type === 'object') return showObject(schema, place);
  if (schema.type === 'array') return showArray(schema, place);
  return kindOf(schema);
}

const nameOf = (ref: string): string => ref.split('/').at(-1) ?? ref;

function kindOf({ type }: PublishedSchema): string {
  if (type === 'string') return 'text';
  return type ?? 'anything';
}

function showChoice(choices: readonly PublishedSchema[], place: Place): string {
  if (choices.length > NAMED_CHOICES_SHOWN && choices.every(({ $ref }) => $ref !== undefined)) {
    return `one of ${choices.length}: ${nameOf(choices[0].$ref)}, …, ${nameOf(choices.at(-1).$ref)}`;
  }
  if (choices.length > CHOICES_SHOWN) return `one of ${choices.length}`;
  const shown = choices.map((one) => show(one, place));
  const isLong = shown.filter((one) => one.includes('\n')).length > 1;
  return [...new Set(shown)].join(isLong ? `\n${place.indent}or ` : ' | ');
}

function showArray(schema: PublishedSchema, place: Place): string {
  const tuple: PublishedSchema[] | undefined = schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined);
  if (tuple !== undefined) return `[${tuple.map((item) => show(item, place)).join(', ')}]`;
  return schema.items === undefined ? '[…]' : `[${show(schema.items, place)}, …]`;
}

function showObject(
  { properties = {}, required = [], additionalProperties, patternProperties }: PublishedSchema,
  place: Place,
): string {
  const inner = { ...place, indent: `${place.indent}  ` };
  const values = Object.values<PublishedSchema>(patternProperties ?? {});
  if (typeof additionalProperties === 'object') values.push(additionalProperties);
  const fields = Object.entries<PublishedSchema>(properties).map(([name, field]) => {
    const text = `"${name}"${required.includes(name) ? '' : '?'}: ${show(field, inner)}`;
    const told = aboutOf(field, place.resolve);
    const [first = '', ...rest] = text.split('\n');
    return [`${inner.indent}${first}${told === '' ? '' : `  // ${told}`}`, ...rest].join('\n');
  });
  const others = values.map((value) => `${inner.indent}…: ${show(value, inner)}`);
  const lines = [...fields, ...others];
  return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${place.indent}}`;
}

function aboutOf(schema: PublishedSchema, resolve: Resolve): string {
  const { description, $ref } = schema;
  if (description !== undefined) return description;
  return $ref === undefined ? '' : (resolve($ref)?.description ?? '');
}
