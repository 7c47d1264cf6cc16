// The form of a webhook's address: https at port 443, without credentials. Only a literal address of a network in WEBHOOK_NETWORKS
// may have another port or speak http. The name is looked up, and what it leads to is checked, at each delivery.
import { type BlockList, isIP } from 'node:net';
import { isAllowedAddress, isPublicAddress } from './publicAddress.ts';

export const URL_MAX = 500;
const HTTPS_PORT = '';

/** Where a webhook goes. */
export interface WebhookTarget {
  readonly url: URL;
  /** Host without brackets. */
  readonly host: string;
}

/** @returns a sentence that says what is wrong, or where it goes */
export function readWebhookUrl(text: string, allowed: BlockList): WebhookTarget | string {
  if (text.length > URL_MAX) return `url must have ${URL_MAX} characters at most`;
  if (!URL.canParse(text)) return 'url must be an address such as https://example.com/hook';
  const url = new URL(text);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (url.username !== '' || url.password !== '') return 'url must have no user name or password';
  if (url.hash !== '') return 'url must have no fragment';
  if (host === '') return 'url must have a host';
  const isAddress = isIP(host) !== 0;
  if (isAddress && !isAllowedAddress(host, allowed)) return 'url must not lead to a private or reserved address';
  const isOwn = isAddress && !isPublicAddress(host);
  if (url.protocol !== 'https:' && !(isOwn && url.protocol === 'http:')) return 'url must begin with https://';
  if (url.port !== HTTPS_PORT && !isOwn) return 'url must use port 443';
  return { url, host };
}
