// REDIS_URL: where Redis is. One server, the nodes of a cluster, or Sentinels that know which server is the master.

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

interface Access {
  readonly username?: string;
  readonly password?: string;
  /** True for the schemes that begin with `rediss`. */
  readonly hasTls: boolean;
}

/** `server`: an address that ioredis reads by itself. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  | ({ readonly kind: 'socket' } & SocketAddress)
  | ({ readonly kind: 'cluster'; readonly nodes: readonly HostAndPort[] } & Access)
  | ({
      readonly kind: 'sentinels';
      readonly sentinels: readonly HostAndPort[];
      readonly master: string;
      readonly database: number;
      readonly sentinelUsername?: string;
      readonly sentinelPassword?: string;
    } & Access);

const PORT = 6379;
const SENTINEL_PORT = 26_379;
/** One address or the first of a list: scheme, user and password, hosts, what follows. A password may hold any `@`. */
const FORM = /^(rediss?)(\+cluster|\+sentinel)?:\/\/(?:([^/?#]*)@)?([^/?#@]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^:;[\]\s]+))(?::(\d{1,5}))?$/i;

const SERVER_FORM = 'one server is written redis://user:password@host:6379/0, or rediss://… with TLS';
const MARKS = 'In it %25, %2F, %23, %3F, %40 and %2C stand for %, /, #, ?, @ and the comma of a password';
const CLUSTER_FORM =
  'the nodes of a cluster are written redis://user:password@host:6379,host:6379, one of them redis+cluster://…';
const SENTINEL_FORM = 'Sentinels are written redis+sentinel://user:password@host:26379,host:26379/name-of-the-master';

/**
 * @param text `redis://…`, `rediss://…` (TLS), `host:port`, `unix:///path` or the path alone; several nodes with commas between them, or `redis+cluster://…`;
 *   `redis+sentinel://…/master`, with `?sentinelPassword=…` where Sentinels have one of their own. `%40` and the like stand for
 *   single characters
 * @throws Error with a sentence that says what is wrong, without the password
 */
export function redisAddress(text: string): RedisAddress {
  const url = text.trim();
  const socket = socketAddress(url.startsWith('/') ? `unix://${url}` : url);
  if (socket !== undefined) return { kind: 'socket', ...socket };
  // A list may repeat the scheme in each of its addresses.
  const [first = '', ...others] = url.split(/\s*,\s*(?=rediss?(?:\+\w+)?:\/\/)/);
  const parts = FORM.exec(first);
  const [, , kind, access = '', hosts = first] = parts ?? [];
  const isList = others.length > 0 || hosts.includes(',');
  if (kind === '+sentinel') return sentinels(parts as RegExpExecArray, others);
  if (/^rediss?\+sentinel/.test(url)) throw wrong(SENTINEL_FORM);
  // A list names user and password once, so a text that looks like a second pair is a mistake.
  if (/@[^@]*,/.test(access)) throw wrong(CLUSTER_FORM);
  if (isList || /^rediss?\+/.test(url)) return cluster(parts, others);
  if (!isServer(parts, url)) throw wrong(SERVER_FORM);
  return { kind: 'server', url };
}

/** False for an address that ioredis would take for another one: it would wait for a server that no operator meant. */
function isServer(parts: RegExpExecArray | null, url: string): boolean {
  const [, scheme, , access = '', host = url, database = ''] = parts ?? [];
  const isWhole = scheme !== undefined || !url.includes('/');
  return isWhole && hostOf(host, PORT) !== undefined && /^\d*$/.test(database) && isEscaped(access);
}

function cluster(parts: RegExpExecArray | null, others: readonly string[]): RedisAddress {
  const [, scheme = '', , access, hosts = '', path = '', query] = parts ?? [];
  const nodes = [...hosts.split(','), ...others.flatMap((other) => hostsOf(other, scheme))].map((text) => hostOf(text, PORT));
  if (nodes.includes(undefined) || query !== undefined) throw wrong(CLUSTER_FORM);
  if (path !== '' && path !== '0') throw new Error('REDIS_URL: a cluster has database 0 only: leave what follows the hosts out.');
  return { kind: 'cluster', nodes: nodes as HostAndPort[], ...accessOf(access), hasTls: scheme === 'rediss' };
}

/** Hosts of a further address of a list: of the same scheme, and with no other user and password than the first can have. */
function hostsOf(url: string, scheme: string): readonly string[] {
  const [, own, , , hosts = '', path = '', query] = FORM.exec(url) ?? [];
  if (own !== scheme || path !== '' || query !== undefined) throw wrong(CLUSTER_FORM);
  return hosts.split(',');
}

function sentinels(parts: RegExpExecArray, others: readonly string[]): RedisAddress {
  const [, scheme, , access, hosts = '', path = '', query = ''] = parts;
  const [master = '', database = '0', ...more] = path.split('/').map(decoded);
  const places = hosts.split(',').map((text) => hostOf(text, SENTINEL_PORT));
  if (others.length > 0 || master === '' || !/^\d+$/.test(database) || more.length > 0 || places.includes(undefined)) {
    throw wrong(SENTINEL_FORM);
  }
  const options = new Map(query === '' ? [] : query.split('&').map((option) => splitAt(option, '=')));
  const unknown = [...options.keys()].find((name) => name !== 'sentinelUsername' && name !== 'sentinelPassword');
  if (unknown !== undefined) throw wrong(`what follows ? is sentinelUsername=… or sentinelPassword=…; ${SENTINEL_FORM}`);
  const [sentinelUsername, sentinelPassword] = [options.get('sentinelUsername'), options.get('sentinelPassword')];
  return {
    ...{ kind: 'sentinels', sentinels: places as HostAndPort[], master, database: Number(database) },
    ...(sentinelUsername && { sentinelUsername: decoded(sentinelUsername) }),
    ...(sentinelPassword && { sentinelPassword: decoded(sentinelPassword) }),
    ...accessOf(access),
    hasTls: scheme === 'rediss',
  };
}

function hostOf(text: string, usualPort: number): HostAndPort | undefined {
  const [, bracketed, name, port] = HOST.exec(text.trim()) ?? [];
  const host = bracketed ?? name;
  const number = port === undefined ? usualPort : Number(port);
  return host === undefined || number === 0 || number > 65_535 ? undefined : { host, port: number };
}

function accessOf(text = ''): Pick<Access, 'username' | 'password'> {
  const [username, password] = splitAt(text, ':').map(decoded);
  return { ...(username && { username }), ...(password && { password }) };
}

function splitAt(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function isEscaped(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

function decoded(part = ''): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a % that stands for itself
  }
}

const wrong = (form: string): Error => new Error(`REDIS_URL: ${form}. ${MARKS}.`);

// A socket in the file system: where Redis runs on the same machine, it costs both sides less than TCP.

/** Bytes that such a path may have: the system's 108 less the zero at its end. Libraries cut a longer one without a word. */
const PATH_BYTES_MAX = 107;
const SOCKET_FORM = /^unix:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\/[^?#]+)$/;

interface SocketAddress {
  readonly path: string;
  readonly username?: string;
  readonly password?: string;
}

/**
 * @param url `unix://[user:password@]/path/redis.sock`; as in any address, `%40` and the like stand for single characters
 * @returns undefined for an address that does not begin with `unix:`
 * @throws Error with a sentence that says what is wrong, without the password
 */
export function socketAddress(url: string): SocketAddress | undefined {
  if (!url.startsWith('unix:')) return undefined;
  const [, username, password, path] = (SOCKET_FORM.exec(url) ?? []).map(decoded);
  if (!path) throw new Error('REDIS_URL: a socket is written unix:///path/redis.sock or unix://user:password@/path/redis.sock.');
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
    throw new Error(`REDIS_URL: the path of a socket has ${PATH_BYTES_MAX} bytes at most, and ${path} has more.`);
  }
  return { path, ...(username && { username }), ...(password && { password }) };
}
