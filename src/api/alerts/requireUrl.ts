// The form of an endpoint's address, refused with a sentence. Where its name leads is looked up at each delivery.

import { readWebhookUrl } from '../../features/alerts/deliver/webhookUrl.ts';
import type { Config } from '../../shared/config/config.ts';
import { readNetworks, readPorts } from '../../shared/config/publicAddress.ts';
import { RequestError } from '../../shared/errors.ts';

/** @throws {RequestError} 400 for an address that this deployment sends nothing to */
export function requireUrl(
  text: string,
  { WEBHOOK_NETWORKS, WEBHOOK_CLOSED_PORTS }: Pick<Config, 'WEBHOOK_NETWORKS' | 'WEBHOOK_CLOSED_PORTS'>,
): void {
  const read = readWebhookUrl(text, readNetworks(WEBHOOK_NETWORKS), readPorts(WEBHOOK_CLOSED_PORTS));
  if (typeof read === 'string') throw new RequestError(400, 'bad_url', `${read}.`);
}
