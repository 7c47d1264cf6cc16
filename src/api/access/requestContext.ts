// The request as the pipeline knows it before an endpoint sees it: its id, its address, the caller behind it, and the limit that its
// answer tells.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { RouterContext } from '@koa/router';
import ipaddr from 'ipaddr.js';
import type { Context } from 'koa';
import type { Config } from '../../shared/config/config.ts';
import type { Span } from '../../shared/tracing/tracing.ts';
import type { TokenClaims } from './accessTokens.ts';
import type { Budget } from './budget.ts';
import type { KeyRecord } from './keyRecord.ts';
import type { LimitUsage } from './limits/charge.ts';
import type { BodyBytes, Holder } from './limits/heldBytes.ts';

export interface RequestContext {
  readonly requestId: string;
  /** Where the request is traced. */
  readonly trace?: Span | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** The record of a valid API key that may be used from the client's address. */
  readonly key?: KeyRecord;
  /** The API key is valid and may not be used from the client's address. */
  readonly isKeyElsewhere?: true;
  /** The claims of a valid access token; not read beside a key that is unknown or not allowed. */
  readonly token?: TokenClaims;
  /** The user of the token, where no key came along. */
  readonly holder?: KeyRecord;
  readonly limit: LimitUsage;
  /** The windows in which the request counts. */
  readonly budget: Budget;
}

/** What the parts that handle a request tell each other of it. */
export interface RequestState {
  request: RequestContext;
  /** The path without the API key, in its usual spelling. */
  path?: string;
  /** A failure lab has drawn how it ends. */
  isDrawn?: true;
  /** What its body holds. */
  held?: BodyBytes;
  /** The limit that the answer tells, also where the request was not admitted. */
  limit?: LimitUsage;
  /** Headers of an endpoint's own, names and values in turn: a refusal has them too. */
  headers?: string[];
  /** The JSON text of an answer that goes out in one piece (answers.ts). */
  text?: string;
}

/** An admitted request in a route. */
export type RouteContext = RouterContext<RequestState>;

/**
 * Who is behind a request, as far as bounds of this process go: the user of its key or token, else its address.
 * Works for requests that were not admitted yet as well: they count on their address.
 */
export function callerOf(ctx: Context): Holder {
  const { key, token } = (ctx.state['request'] ?? {}) as Partial<RequestContext>;
  const userId = key?.caller.userId ?? token?.userId;
  return userId === undefined
    ? { subject: `address:${networkOf(ctx)}`, isKnown: false }
    : { subject: `user:${userId}`, isKnown: true };
}

// How answers tell the caller's limit: each has its headers, also one to a request that was refused or never counted.

/** The limit of an address without a request: for answers to requests that are not counted. */
export function unusedLimit(config: Pick<Config, 'ANONYMOUS_REQUESTS_PER_MINUTE'>, nowMs: number): LimitUsage {
  return { used: 0, cap: config.ANONYMOUS_REQUESTS_PER_MINUTE, resetMs: nowMs + 60_000 };
}

/** Names and values in turn; the reset is in seconds since the epoch. */
export function limitHeaders({ used, cap, resetMs }: LimitUsage): string[] {
  const [left, resetS] = [Math.max(0, cap - used), Math.ceil(resetMs / 1000)];
  return ['X-RateLimit-Limit', `${cap}`, 'X-RateLimit-Remaining', `${left}`, 'X-RateLimit-Reset', `${resetS}`];
}

/** Keeps the limit that the answer's headers will tell; the last one counts. */
export function tellLimit(ctx: Context, limit: LimitUsage): void {
  (ctx.state as RequestState).limit = limit;
}

/** Gives requests the names that logs and answers show. Ids that no other process gives: a random part and a counter. */
export function requestIds(): () => string {
  const prefix = randomBytes(6).toString('hex');
  let counter = 0;
  return () => `${prefix}-${(++counter).toString(36)}`;
}

// The address that a request comes from, in one form: for the audit log as it is, for limits as the network of one
// customer. A provider gives each customer a whole IPv6 /64, so a limit by single IPv6 addresses would bind none of them.
// Text of a proxy's header that is no address is never kept.

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
