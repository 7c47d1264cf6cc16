// The form of an endpoint's address, refused with a sentence. Where its name leads is looked up at each delivery.
import { readNetworks } from '../../shared/alerts/publicAddress.ts';
import { readWebhookUrl } from '../../shared/alerts/webhookUrl.ts';
import type { Config } from '../../shared/config.ts';
import { RequestError } from '../../shared/errors.ts';

/** @throws {RequestError} 400 */
export function requireUrl(text: string, { WEBHOOK_NETWORKS }: Pick<Config, 'WEBHOOK_NETWORKS'>): void {
  const read = readWebhookUrl(text, readNetworks(WEBHOOK_NETWORKS));
  if (typeof read === 'string') throw new RequestError(400, 'bad_url', `${read}.`);
}
