// REDIS_URL as the address of a socket in the file system: where Redis runs on the same machine, it costs both sides less
// than TCP.

/** Bytes that such a path may have: the system's 108 less the zero at its end. Libraries cut a longer one without a word. */
const PATH_BYTES_MAX = 107;
const FORM = /^unix:\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\/[^?#]+)$/;

export interface SocketAddress {
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
  const [, username, password, path] = (FORM.exec(url) ?? []).map(decoded);
  if (!path) throw new Error('REDIS_URL: a socket is written unix:///path/redis.sock or unix://user:password@/path/redis.sock.');
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
    throw new Error(`REDIS_URL: the path of a socket has ${PATH_BYTES_MAX} bytes at most, and ${path} has more.`);
  }
  return { path, ...(username && { username }), ...(password && { password }) };
}

function decoded(part = ''): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // a % that stands for itself
  }
}
