// Reads the configuration from the environment. A wrong value stops the start with one sentence per variable.
import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { grownDefaults } from './config/grownDefaults.ts';
import { refuseWrongTogether } from './config/rules.ts';
import { type Config, ConfigSchema } from './config/schema.ts';

export type { Config } from './config/schema.ts';

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
