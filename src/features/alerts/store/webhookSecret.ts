// The secret that signs an endpoint's messages: drawn from the deployment's secret, the endpoint's id and a version, so that no copy of
// the database has it. What is stored of it is a digest, by which a process notices that it has another deployment secret.
import { createHash, createHmac } from 'node:crypto';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';

const PREFIX = 'whsec_';
const DIGEST_CHARS = 16;

/** What is stored of a secret. */
export interface SecretNote {
  readonly version: number;
  readonly digest: string;
}

/** @returns the secret as its user sees it: `whsec_` and 32 bytes in base64 */
export async function webhookSecret(
  secrets: Pick<DeploymentSecrets, 'keyFor'>,
  endpointId: string,
  version: number,
): Promise<{ readonly secret: string; readonly note: SecretNote }> {
  const bytes = createHmac('sha256', await secrets.keyFor('webhooks'))
    .update(`${endpointId}:${version}`)
    .digest();
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, DIGEST_CHARS);
  return { secret: PREFIX + bytes.toString('base64'), note: { version, digest } };
}
