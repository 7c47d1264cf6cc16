// The addresses of a webhook's host, looked up and checked once for a delivery. The connection is made to one of these and to nothing
// else, so a name that leads elsewhere a moment later gains nothing. One address that is not allowed refuses the name as a whole.
import type { Resolver } from 'node:dns/promises';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import { isAllowedAddress } from '../../../shared/config/publicAddress.ts';

export interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** A delivery cannot be made; `message` is told to the endpoint's user. */
export class WebhookRefused extends Error {}

/** @throws {WebhookRefused} when the host has no address, or one that is not allowed */
export async function pinnedAddresses(
  host: string,
  { resolver, allowed }: { readonly resolver: Pick<Resolver, 'resolve4' | 'resolve6'>; readonly allowed: BlockList },
): Promise<readonly [PinnedAddress, ...PinnedAddress[]]> {
  const family = isIP(host);
  const found = family === 0 ? await lookUp(host, resolver) : [{ address: host, family: family as 4 | 6 }];
  const [first, ...others] = found;
  if (first === undefined) throw new WebhookRefused('the name of the host has no address');
  if (found.some(({ address }) => !isAllowedAddress(address, allowed)))
    throw new WebhookRefused('the host leads to a private or reserved address that WEBHOOK_NETWORKS does not open');
  return [first, ...others];
}

async function lookUp(host: string, resolver: Pick<Resolver, 'resolve4' | 'resolve6'>): Promise<PinnedAddress[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address): PinnedAddress => ({ address, family: 4 })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address): PinnedAddress => ({ address, family: 6 })),
  ];
}

/** What a socket takes for a look-up: it gives these addresses, whatever it is asked. */
export const lookupOf =
  (pinned: readonly [PinnedAddress, ...PinnedAddress[]]): LookupFunction =>
  (_host, options, callback) => {
    const [first] = pinned;
    if (options.all === true) callback(null, [...pinned]);
    else callback(null, first.address, first.family);
  };
