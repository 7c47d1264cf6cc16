// The headers of a message in the form of Standard Webhooks: an id that stays in every try, the time of the try, and a signature by each
// secret that is in force.
import { Webhook } from 'standardwebhooks';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { AlertDeliveryDocument } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument, ToWebhook } from '../store/alertEndpoint.ts';
import { type SecretNote, webhookSecret } from '../store/webhookSecret.ts';

/** The secrets that sign for an endpoint, the newest first; undefined = this process has another deployment secret. */
export async function secretsInForce(
  secrets: Pick<DeploymentSecrets, 'keyFor'>,
  { _id, secret, secretBefore }: AlertEndpointDocument & ToWebhook,
  nowMs: number,
): Promise<readonly string[] | undefined> {
  const isBefore = secretBefore !== undefined && secretBefore.until.getTime() > nowMs;
  const notes: SecretNote[] = [secret, ...(isBefore ? [secretBefore] : [])];
  const made = await Promise.all(notes.map(({ version }) => webhookSecret(secrets, _id, version)));
  return made.every(({ note }, i) => note.digest === notes[i]?.digest) ? made.map((one) => one.secret) : undefined;
}

/** @param nowMs of the try: a receiver refuses a time that is minutes away from its own */
export function signedHeaders(
  { message, body }: Pick<AlertDeliveryDocument, 'message' | 'body'>,
  secrets: readonly string[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const at = new Date(nowMs);
  return {
    'content-type': 'application/json',
    'user-agent': 'paper-perps-exchange-alerts/1',
    'webhook-id': message,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(message, at, body)).join(' '),
  };
}
