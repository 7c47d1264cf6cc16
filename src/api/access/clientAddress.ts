// The address that a request comes from, in one form: for the audit log as it is, for limits as the network of one
// customer. A provider gives each customer a whole IPv6 /64, so a limit by single IPv6 addresses would bind none of them.
// Text of a proxy's header that is no address is never kept.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Context } from 'koa';

/** Bits of an IPv6 address that name a customer's network. */
const NETWORK_BITS = 64;
/** IPv4 behind a translator (RFC 6052): each of these addresses is another customer's. */
const TRANSLATED = 'rfc6052';

/**
 * The client's address in its usual form: from X-Forwarded-For where PROXY_HOPS believes it, else the connection's.
 * @returns an IPv4 address, also for one written as IPv6; or an IPv6 address without its zone; or empty once the connection is gone
 */
export function addressOf(ctx: Pick<Context, 'ip' | 'req'>): string {
  return toAddress(ctx.ip) ?? addressOfPeer(ctx.req);
}

/** The address at the other end of the connection: the client's, where no proxy is believed. */
export const addressOfPeer = ({ socket }: Pick<IncomingMessage, 'socket'>): string => toAddress(socket.remoteAddress ?? '') ?? '';

/** The subject of limits per address: an IPv4 address, or the /64 of an IPv6 address as `2001:db8:0:1::/64`. */
export const networkOf = (ctx: Pick<Context, 'ip' | 'req'>): string => toNetwork(addressOf(ctx));

/**
 * `networkOf` for a request that no middleware has seen yet.
 * @param hops proxies that are believed; each has added the address that it saw
 */
export function networkBehindProxies({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, hops: number): string {
  const seen = headers['x-forwarded-for'];
  const [address = ''] = typeof seen === 'string' ? seen.split(',').slice(-hops) : [];
  return toNetwork(toAddress(address.trim()) ?? socket.remoteAddress ?? '');
}

/** `networkOf` for an address that is known. */
export function toNetwork(address: string): string {
  const usual = toAddress(address);
  if (usual === undefined || isIP(usual) !== 6) return usual ?? '';
  const parsed = ipaddr.IPv6.parse(usual);
  if (parsed.range() === TRANSLATED) return new ipaddr.IPv4(parsed.toByteArray().slice(-4)).toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${usual}/${NETWORK_BITS}`).toString()}/${NETWORK_BITS}`;
}

/** Texts that were read as addresses: a connection's is asked for several times in each of its requests. */
const known = new Map<string, string>();
/** Past it all are forgotten: reading one again costs some microseconds. */
const KNOWN_MAX = 10_000;
/** An address may have a zone, which may be as long as a header. */
const KNOWN_CHARS_MAX = 64;

/** @returns undefined for text that is no address; some proxies add the port, which is left out */
function toAddress(text: string): string | undefined {
  const before = known.get(text);
  if (before !== undefined) return before;
  const address = readAddress(text);
  if (address === undefined || text.length > KNOWN_CHARS_MAX) return address;
  if (known.size >= KNOWN_MAX) known.clear();
  known.set(text, address);
  return address;
}

function readAddress(text: string): string | undefined {
  const bare = /^\[([\da-f:.]{2,45})\](?::\d{1,5})?$/i.exec(text)?.[1] ?? /^([\d.]{7,15}):\d{1,5}$/.exec(text)?.[1] ?? text;
  const [address = ''] = bare.split('%', 1);
  return isIP(address) === 0 ? undefined : ipaddr.process(address).toString();
}
