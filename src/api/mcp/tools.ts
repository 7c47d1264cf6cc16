// The tools of an agent, made of the contract: a question for each info type, an act for each action. Name, description and fields are
// those of the published contract, so there is nothing here that could say something else.
import type { TSchema } from '@sinclair/typebox';
import type { KeyScope } from '../../shared/mongo/keyStore.ts';
import { actionContracts, envelope } from '../exchange/runAction.ts';
import { allInfoTypes } from '../info/answerInfo.ts';

/** Words of the contract that only our own reader uses. */
const OURS = 'expected';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly scope: KeyScope;
  readonly inputSchema: { readonly type: 'object'; readonly [keyword: string]: unknown };
  readonly annotations: { readonly readOnlyHint: boolean; readonly destructiveHint: boolean };
  /** The body that `info` or `exchange` would get. */
  readonly bodyOf: (input: Input) => Input;
}

export type Input = Readonly<Record<string, unknown>>;

/** What stands beside an action, not in it. */
const BESIDE = Object.keys(envelope.properties).filter((name) => name !== 'action');

const questions: readonly Tool[] = allInfoTypes().map(({ type, about, schema }) => ({
  name: type,
  description: about,
  scope: 'read',
  inputSchema: inputOf(schema, {}),
  annotations: { readOnlyHint: true, destructiveHint: false },
  bodyOf: (input) => ({ ...input, type }),
}));

const acts: readonly Tool[] = actionContracts().map(({ type, about, schema, published }) => ({
  name: type,
  description: about,
  scope: 'trade',
  inputSchema: inputOf(
    published ?? schema,
    Object.fromEntries(Object.entries(envelope.properties).filter(([name]) => BESIDE.includes(name))),
  ),
  annotations: { readOnlyHint: false, destructiveHint: true },
  bodyOf: (input) => {
    const beside = Object.fromEntries(BESIDE.filter((name) => Object.hasOwn(input, name)).map((name) => [name, input[name]]));
    const action = Object.fromEntries(Object.entries(input).filter(([name]) => !BESIDE.includes(name)));
    return { action: { ...action, type }, ...beside };
  },
}));

/** By name, in the order of the contract. */
export const TOOLS: ReadonlyMap<string, Tool> = new Map([...questions, ...acts].map((tool) => [tool.name, tool]));

/** The fields of a request without its `type`, which is the tool's name. */
function inputOf(schema: TSchema, more: Readonly<Record<string, unknown>>): Tool['inputSchema'] {
  const { properties, required = [] } = plain(schema) as { properties: Record<string, unknown>; required?: string[] };
  const { type: _type, ...fields } = { ...properties, ...(plain(more) as Record<string, unknown>) };
  return { type: 'object', properties: fields, required: required.filter((name) => name !== 'type') };
}

/** A schema without what is ours; what a field must be stands where it has no description. */
function plain(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(plain);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [OURS]: expected, ...rest } = schema as Readonly<Record<string, unknown>>;
  const told = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, plain(value)]));
  return typeof expected === 'string' && told['description'] === undefined ? { ...told, description: expected } : told;
}
