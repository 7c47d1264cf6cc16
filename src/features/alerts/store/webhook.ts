// A webhook: the form of its address, and the secret that signs its messages.
// The address is https at port 443, without credentials. Only a literal address of a network in WEBHOOK_NETWORKS, or
// `localhost` where that has 127.0.0.1, may have another port, but none in WEBHOOK_CLOSED_PORTS, or speak http.
// The name is looked up, and what it leads to is checked, at each delivery.

import { createHash, createHmac } from 'node:crypto';
import { type BlockList, isIP } from 'node:net';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import { isAllowedAddress, isPublicAddress } from '../../../shared/config/publicAddress.ts';

export const URL_MAX = 500;
const HTTPS_PORT = '';
const USUAL_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 };
const NO_PORTS: ReadonlySet<number> = new Set();

const NOT_OPEN = 'url must not lead to a private or reserved address that WEBHOOK_NETWORKS does not open';

/** Where a webhook goes. */
interface WebhookTarget {
  readonly url: URL;
  /** Host without brackets. */
  readonly host: string;
}

/**
 * @param allowed networks beside the internet
 * @param closed ports that are refused in them
 * @returns a sentence that says what is wrong, or where it goes
 */
export function readWebhookUrl(text: string, allowed: BlockList, closed = NO_PORTS): WebhookTarget | string {
  if (text.length > URL_MAX) return `url must have ${URL_MAX} characters at most`;
  if (!URL.canParse(text)) return 'url must be an address such as https://example.com/hook';
  const url = new URL(text);
  const host = url.hostname === 'localhost' ? '127.0.0.1' : url.hostname.replace(/^\[|\]$/g, '');
  if (url.username !== '' || url.password !== '') return 'url must have no user name or password';
  if (url.hash !== '') return 'url must have no fragment';
  if (host === '') return 'url must have a host';
  const isAddress = isIP(host) !== 0;
  if (isAddress && !isAllowedAddress(host, allowed)) return NOT_OPEN;
  const isOwn = isAddress && !isPublicAddress(host);
  if (url.protocol !== 'https:' && !(isOwn && url.protocol === 'http:')) return 'url must begin with https://';
  if (url.port !== HTTPS_PORT && !isOwn) return 'url must use port 443';
  const port = url.port === '' ? USUAL_PORTS[url.protocol] : Number(url.port);
  if (isOwn && port !== undefined && closed.has(port)) return `url must not lead to port ${port}, which is the exchange’s own`;
  return { url, host };
}

// The secret that signs an endpoint's messages: drawn from the deployment's secret, the endpoint's id and a version, so that no copy of
// the database has it. What is stored of it is a digest, by which a process notices that it has another deployment secret.

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
