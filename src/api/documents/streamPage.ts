// /docs/websocket: the published contract of the WebSocket as a page without scripts. Everything on it comes from the AsyncAPI document:
// addresses, messages that a client sends, each channel with its messages, close codes and limits. A schema is shown as the JSON that it
// describes, with a word in place of each value and the sentence of a field behind it. References are followed; a choice between many is
// named, not shown.
import { escaped, sentence } from '../http/pages.ts';
import { privateChannels } from '../stream/allChannels.ts';
import type { AsyncApiDocument } from './asyncApi.ts';
import { STREAM_SNIPPET } from './clientSnippets.ts';
import { type DocumentPage, STREAMS_PATH } from './documentPage.ts';

/** A schema of the published document. */
// biome-ignore lint/suspicious/noExplicitAny: a published schema is walked by its keywords
type PublishedSchema = any;

/** Finds what a `$ref` names. */
type Resolve = (ref: string) => PublishedSchema;

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

const privateTypes: ReadonlySet<string> = new Set(privateChannels.map(({ type }) => type));

/** What belongs to no subscription, in the order of use. */
const FRAMES = ['subscriptionResponse', 'error', 'ping', 'pong', 'post', 'post.answer'];

export function streamPage(document: AsyncApiDocument): DocumentPage {
  const { channels, components } = document;
  const types = Object.keys(channels).filter((name) => `${name}.subscribe` in (components['messages'] ?? {}));
  const resolve = (ref: string): PublishedSchema => at(document, ref);
  const messageOf = (name: string): PublishedSchema => components['messages']?.[name];
  const shape = (name: string): string => pre(shapeOf(messageOf(name).payload, resolve));
  const sections = (wanted: boolean): string =>
    types
      .filter((type) => privateTypes.has(type) === wanted)
      .map((type) => channelSection(type, channels[type], { messageOf, shape, resolve }))
      .join('\n');
  return {
    title: 'Paper perpetuals exchange: WebSocket',
    text: `${paragraphs(document['info'])}
<p>This page is made from <a href="${STREAMS_PATH}">${STREAMS_PATH}</a>. In what follows <code>text</code> stands for a string, <code>?</code>
behind a name for a field that may be absent, and <code>…</code> for more of the same.</p>
<p>Channels: ${types.map((type) => `<a href="#${type}">${type}</a>`).join(', ')}. <a href="#closing">Why a socket is closed</a>.
<a href="#limits">Limits</a>.</p>
<h2>Address</h2>
${Object.values<PublishedSchema>(document['servers'] as object)
  .map(({ protocol, pathname, variables, description }) => {
    return `${pre(`${protocol}://${variables.host.default}${pathname}`)}\n<p>${sentence(description)}</p>`;
  })
  .join('\n')}
<h2>The first messages</h2>
<p>With node and its package <code>ws</code>; <code>BASE</code> is the address of the <a href="/docs">first steps</a>.</p>
${pre(STREAM_SNIPPET, 'program')}
<h2>Frames</h2>
${FRAMES.map((name) => {
  const { summary, examples = [] } = messageOf(name);
  return `<h3 id="frame-${name}">${name}</h3>\n<p>${sentence(summary)}</p>\n${frames(examples)}${details(shape(name))}`;
}).join('\n')}
<h2>Public channels</h2>
${sections(false)}
<h2>Private channels</h2>
${sections(true)}
<h2 id="closing">Why a socket is closed</h2>
${table(['Code', 'Why'], document['x-close-codes'] as object[], ({ code, reason }) => [String(code), reason])}
<h2 id="limits">Limits of this deployment</h2>
${pre(JSON.stringify(document['x-limits'], undefined, 2))}`,
  };
}

interface Parts {
  readonly messageOf: (name: string) => PublishedSchema;
  readonly shape: (name: string) => string;
  readonly resolve: (ref: string) => PublishedSchema;
}

function channelSection(type: string, channel: PublishedSchema, { messageOf, shape, resolve }: Parts): string {
  const subscribe = messageOf(`${type}.subscribe`);
  const names = Object.keys(channel.messages).filter(
    (name) => !/^(?:subscriptionResponse|error)$|\.(?:un)?subscribe$/.test(name),
  );
  const wanted = shapeOf(subscribe.payload.properties.subscription, resolve);
  return `<h3 id="${type}">${type}</h3>
<p>${sentence(channel.description)}</p>
${frames(subscribe.examples)}<details><summary>All fields of the subscription</summary>${pre(wanted)}</details>
${names.map((name) => `<details><summary>Messages on <code>${name}</code></summary>${shape(name)}</details>`).join('\n')}`;
}

/** Frames that a client can send as they are. */
const frames = (examples: readonly { payload: unknown }[]): string =>
  examples.map(({ payload }) => `${pre(JSON.stringify(payload), 'frame')}\n`).join('');

const details = (shown: string): string => `<details><summary>All fields</summary>${shown}</details>`;

const pre = (text: string, kind?: string): string => `<pre${kind === undefined ? '' : ` class="${kind}"`}>${escaped(text)}</pre>`;

/** The document's own introduction. */
const paragraphs = (info: PublishedSchema): string =>
  (info.description as string)
    .split('\n\n')
    .map((text) => `<p>${sentence(text)}</p>`)
    .join('\n');

function table<Row>(heads: readonly string[], rows: readonly Row[], cells: (row: PublishedSchema) => readonly string[]): string {
  const line = (tag: string, texts: readonly string[]): string =>
    `<tr>${texts.map((text) => `<${tag}>${sentence(text)}</${tag}>`).join('')}</tr>`;
  return `<table>\n${[line('th', heads), ...rows.map((row) => line('td', cells(row)))].join('\n')}\n</table>`;
}

/** The part of the document that a reference names. */
const at = (document: AsyncApiDocument, ref: string): PublishedSchema =>
  ref
    .slice(2)
    .split('/')
    .reduce<PublishedSchema>((node, name) => node?.[name], document);
