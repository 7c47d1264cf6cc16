// Defaults that grow with a limit: who raises the limit has raised what it needs, too.
import type { Config } from './schema.ts';

/** The unit of a default that grows with a limit which was raised, so that raising the limit is enough. */
const GROWN_DEFAULTS = [
  ['PLAN_BASIC_WEIGHT_PER_MINUTE', 'PLAN_BASIC_REQUESTS_PER_MINUTE', 20],
  ['PLAN_PRO_WEIGHT_PER_MINUTE', 'PLAN_PRO_REQUESTS_PER_MINUTE', 20],
  ['ANONYMOUS_WEIGHT_PER_MINUTE', 'ANONYMOUS_REQUESTS_PER_MINUTE', 20],
  ['PLAN_BASIC_SOCKET_BYTES_PER_MINUTE', 'PLAN_BASIC_MESSAGES_PER_MINUTE', 4096],
  ['PLAN_PRO_SOCKET_BYTES_PER_MINUTE', 'PLAN_PRO_MESSAGES_PER_MINUTE', 4096],
] as const;

/** The values of such defaults, where the operator raised a limit and gave no value for them. */
export function grownDefaults(config: Config, isGiven: ReadonlySet<string>): Partial<Config> {
  const grown = GROWN_DEFAULTS.filter(([name]) => !isGiven.has(name));
  return Object.fromEntries(grown.map(([name, limit, each]) => [name, Math.max(config[name], each * config[limit])]));
}
