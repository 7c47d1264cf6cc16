// Names of schemas in the published contract. A schema with a name stands there once, among the components, and is referred to from
// wherever it is used, so that a generated client has one type for it, under this name.
import type { TSchema } from '@sinclair/typebox';

/** A symbol is no keyword: validators do not see it. It goes along where a schema is copied, as `Type.Optional` and `described` do. */
const COMPONENT = Symbol('component');

export interface Component {
  readonly name: string;
  /** The schema as it was named; a copy may have a description of its own. */
  readonly schema: TSchema;
}

/** The same schema under a name. @param name as people want to see it in their editor, e.g. `Fill` */
export function named<T extends TSchema>(name: string, schema: T): T {
  const component: Component = { name, schema };
  return { ...schema, [COMPONENT]: component };
}

/** The component that a schema is, if it has a name. */
export const componentOf = (schema: object): Component | undefined => (schema as { [COMPONENT]?: Component })[COMPONENT];

/** The same under this name, if it has none. */
export const namedOr = <T extends TSchema>(name: string, schema: T): T => (componentOf(schema) ? schema : named(name, schema));

/** The same schema with a sentence of its own: readers of the code and of the published contract see the same one. */
export function described<T extends TSchema>(schema: T, description: string): T {
  return { ...schema, description };
}

/** The version of the published contract, as its documents and `/health` name it. */
export const VERSION = '1.0';
