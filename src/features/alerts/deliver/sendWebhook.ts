// One try of a delivery: a POST to the addresses that were checked, within bounds of time and bytes, on a connection of its own. A
// redirect is an answer like any other: it is not followed. The status decides; the body of the answer is read to a bound and dropped.
import { Resolver } from 'node:dns/promises';
import { request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { type BlockList, isIP, type LookupFunction } from 'node:net';
import { isAllowedAddress } from '../../../shared/config/publicAddress.ts';
import { readWebhookUrl } from '../store/webhook.ts';
import type { TryResult } from './tryResult.ts';

/** Longest that a try takes, from the look-up of the name to the answer, ms. */
const TRY_MS_MAX = 10_000;
/** One question to a name server, ms. */
const LOOKUP_MS = 2000;
const LOOKUP_TRIES = 2;
/** Of an answer. */
const HEAD_BYTES_MAX = 8 * 1024;
const BODY_BYTES_MAX = 4 * 1024;
/** All that a connection brings: a TLS handshake, answers that go before the answer (1xx), and what is no head and no body. */
const READ_BYTES_MAX = 64 * 1024;

export interface WebhookNetwork {
  /** Networks beside the internet that may be reached. */
  readonly allowed: BlockList;
  /** Ports that are refused there. */
  readonly closedPorts?: ReadonlySet<number>;
  /** Name servers, `address:port`; absent = the machine's. */
  readonly nameServers?: readonly string[];
  /** Longest that a try takes, ms. */
  readonly withinMs?: number;
}

/** Never throws: what goes wrong is the result. */
export async function sendWebhook(
  {
    url: text,
    headers,
    body,
  }: { readonly url: string; readonly headers: Readonly<Record<string, string>>; readonly body: string },
  network: WebhookNetwork,
): Promise<TryResult> {
  const signal = AbortSignal.timeout(network.withinMs ?? TRY_MS_MAX);
  const resolver = new Resolver({ timeout: LOOKUP_MS, tries: LOOKUP_TRIES });
  if (network.nameServers !== undefined) resolver.setServers(network.nameServers);
  const onTimeout = (): void => resolver.cancel();
  signal.addEventListener('abort', onTimeout);
  try {
    const target = readWebhookUrl(text, network.allowed, network.closedPorts);
    if (typeof target === 'string') throw new WebhookRefused(target);
    const pinned = await pinnedAddresses(target.host, { resolver, allowed: network.allowed });
    const status = await post(target.url, { headers, body, lookup: lookupOf(pinned), signal });
    return { isDelivered: status >= 200 && status < 300, result: `answered ${status}` };
  } catch (error) {
    return { isDelivered: false, result: signal.aborted ? 'did not answer in time' : reasonOf(error) };
  } finally {
    signal.removeEventListener('abort', onTimeout);
  }
}

/** @returns the status of the answer */
function post(
  url: URL,
  options: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly lookup: ReturnType<typeof lookupOf>;
    readonly signal: AbortSignal;
  },
): Promise<number> {
  const { headers, body, lookup, signal } = options;
  const request = url.protocol === 'https:' ? requestTls : requestPlain;
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false,
      lookup,
      signal,
      maxHeaderSize: HEAD_BYTES_MAX,
    });
    let status: number | undefined;
    const done = (said: number): void => {
      status = said;
      resolve(said);
      sent.destroy();
    };
    const failed = (error: Error): void => (status === undefined ? reject(error) : resolve(status));
    sent.on('error', failed);
    // Whatever ends a connection without a word is over too.
    sent.on('close', () => failed(new WebhookRefused(REASONS.ECONNRESET)));
    sent.on('socket', (socket) => {
      const look = (): void => {
        if (socket.bytesRead <= READ_BYTES_MAX) return;
        if (status === undefined) sent.destroy(new WebhookRefused(REASONS.HPE_HEADER_OVERFLOW));
        else done(status);
      };
      socket.on('data', look).on('session', look);
    });
    // The receiver has switched to another protocol: an answer like any other, and no more of it is read.
    sent.on('upgrade', ({ statusCode = 0 }) => done(statusCode));
    sent.on('response', (answer) => {
      const { statusCode = 0 } = answer;
      status = statusCode;
      let bytes = 0;
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > BODY_BYTES_MAX) done(statusCode);
      });
      // The status has been said: an end that breaks, or that is late, takes nothing back.
      answer.on('close', () => done(statusCode));
      answer.on('error', () => done(statusCode));
    });
    sent.end(body);
  });
}

/** Codes of sockets in words: nothing of what a host has answered. */
const REASONS = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was broken',
  EPIPE: 'the connection was broken',
  ENETUNREACH: 'the network cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'did not answer in time',
  HPE_HEADER_OVERFLOW: 'the head of the answer was too long',
} as const;

function reasonOf(error: unknown): string {
  if (error instanceof WebhookRefused) return error.message;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (Object.hasOwn(REASONS, code)) return REASONS[code as keyof typeof REASONS];
  if (code.startsWith('HPE_')) return 'the answer was not HTTP';
  return /CERT|TLS|SSL|SELF_SIGNED|VERIFY/.test(code)
    ? 'the certificate or the TLS handshake was refused'
    : 'the delivery failed';
}

// The addresses of a webhook's host, looked up and checked once for a delivery. The connection is made to one of these and to nothing
// else, so a name that leads elsewhere a moment later gains nothing. One address that is not allowed refuses the name as a whole.

interface PinnedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** A delivery cannot be made; `message` is told to the endpoint's user. */
class WebhookRefused extends Error {}

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
