// The socket in the data folder through which the roles reach Redis: on one machine it costs both sides less than TCP.
// Where the system allows none there, the roles use the port on loopback.
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';

/** Bytes that the path of a socket may have; a longer one is cut without a word. */
const PATH_BYTES_MAX = 107;

/**
 * A path for a socket, if one may be made there: some folders have too long a name, some file systems know no sockets.
 * @param {string} path
 * @returns {Promise<string | undefined>} the path
 */
export async function usableSocket(path) {
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) return undefined;
  // Beside the path itself, where a store that still runs may listen.
  const beside = `${path.slice(0, -1)}~`;
  const trial = createServer();
  try {
    rmSync(beside, { force: true }); // of a start that was killed
    trial.listen(beside);
    await once(trial, 'listening');
    return path;
  } catch {
    return undefined;
  } finally {
    trial.close(); // takes the file away, too
  }
}
