// An API that others reach gets its secrets from the environment: one that lies in the database goes with every copy of it, and
// signs tokens and opens what is sealed for every user.

import type { Config } from '../../../shared/config/config.ts';
import { type Reach, reachedByOthers } from '../../../shared/config/rules.ts';

/** @throws Error when others would reach an API whose secrets are kept in the database */
export function requireSecrets(config: Reach & Pick<Config, 'JWT_SECRET' | 'DEPLOYMENT_SECRET'>): void {
  const { JWT_SECRET, DEPLOYMENT_SECRET } = config;
  const reached = reachedByOthers(config);
  if (reached === undefined) return;
  const missing = Object.entries({ JWT_SECRET, DEPLOYMENT_SECRET }).flatMap(([name, secret]) => (secret === '' ? [name] : []));
  if (missing.length === 0) return;
  throw new Error(
    `${reached}, which others can reach: set ${missing.join(' and ')} to 32 random characters or more each (openssl rand -hex 32). ` +
      'If there were users before, docs/operations.md ("Secrets") says how they stay logged in and keep their second factors.',
  );
}
