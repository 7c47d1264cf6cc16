// The rules for secrets in the configuration: no secret so short that a stranger could guess it.

const LENGTH_MIN = 32;

/** @throws Error that names the variable whose secret is too short */
export function refuseShortSecrets({
  JWT_SECRET,
  JWT_SECRETS_OLD,
  DEPLOYMENT_SECRET,
}: Readonly<Record<'JWT_SECRET' | 'JWT_SECRETS_OLD' | 'DEPLOYMENT_SECRET', string>>): void {
  for (const [name, secret] of Object.entries({ JWT_SECRET, DEPLOYMENT_SECRET })) {
    if (secret !== '' && secret.length < LENGTH_MIN)
      throw new Error(`${name} must have ${LENGTH_MIN} characters or more, or be empty.`);
  }
  const old = JWT_SECRETS_OLD === '' ? [] : JWT_SECRETS_OLD.split(',');
  if (old.some((secret) => secret !== 'kept' && secret.length < LENGTH_MIN)) {
    throw new Error(`JWT_SECRETS_OLD: each key must have ${LENGTH_MIN} characters or more, or be the word "kept".`);
  }
}
