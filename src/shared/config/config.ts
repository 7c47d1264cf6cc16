// Reads the configuration from the environment. A wrong value stops the start with one sentence per variable.
import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { type Config, ConfigSchema, refuseWrongTogether } from './schema.ts';

export type { Config } from './schema.ts';

/**
 * Each start compiles the schema for one reading. So it is not held against the rules for schemas, which a test does, and the code
 * that comes of it is not made shorter: both take as long as the rest.
 */
const READ_ONCE: Options = { meta: false, validateSchema: false, code: { optimize: false } };

/**
 * Reads the configuration from environment variables; unknown ones are ignored, empty ones count as absent.
 * @throws Error that names every bad variable, what is wrong with its value, and what it is for
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.keys(ConfigSchema.properties).flatMap((name) => (env[name] ? [[name, env[name]]] : [])),
  );
  const validate = new Ajv({ ...READ_ONCE, useDefaults: true, coerceTypes: true, allErrors: true }).compile<Config>(ConfigSchema);
  const isGiven = new Set(Object.keys(given));
  if (!validate(given)) throw new Error(configError(validate.errors ?? []));
  Object.assign(given, grownDefaults(given as Config, isGiven));
  refuseWrongTogether(given as Config);
  return Object.freeze(given as Config);
}

function configError(errors: readonly ErrorObject[]): string {
  const names = [...new Set(errors.map((error) => error.instancePath.slice(1)))];
  return names
    .map((name) => {
      const schema: TSchema | undefined = ConfigSchema.properties[name as keyof typeof ConfigSchema.properties];
      const reasons = errors.filter((error) => error.instancePath === `/${name}` && error.keyword !== 'const');
      const choices: readonly TSchema[] | undefined = schema?.['anyOf'];
      const says = choices
        ? [`must be one of ${choices.map((choice) => String(choice['const'])).join(', ')}`]
        : reasons.map((error) => error.message);
      return `${name} ${says.join(', ')}: ${schema?.description ?? ''}`;
    })
    .join('\n');
}

/** The unit of a default that grows with a limit which was raised, so that raising the limit is enough. */
const GROWN_DEFAULTS = [
  ['PLAN_BASIC_WEIGHT_PER_MINUTE', 'PLAN_BASIC_REQUESTS_PER_MINUTE', 20],
  ['PLAN_PRO_WEIGHT_PER_MINUTE', 'PLAN_PRO_REQUESTS_PER_MINUTE', 20],
  ['ANONYMOUS_WEIGHT_PER_MINUTE', 'ANONYMOUS_REQUESTS_PER_MINUTE', 20],
  ['PLAN_BASIC_SOCKET_BYTES_PER_MINUTE', 'PLAN_BASIC_MESSAGES_PER_MINUTE', 4096],
  ['PLAN_PRO_SOCKET_BYTES_PER_MINUTE', 'PLAN_PRO_MESSAGES_PER_MINUTE', 4096],
] as const;

/** The values of such defaults, where the operator raised a limit and gave no value for them. */
function grownDefaults(config: Config, isGiven: ReadonlySet<string>): Partial<Config> {
  const grown = GROWN_DEFAULTS.filter(([name]) => !isGiven.has(name));
  return Object.fromEntries(grown.map(([name, limit, each]) => [name, Math.max(config[name], each * config[limit])]));
}
