// Finds WebSockets whose client has gone without a word (a host that vanished, a network that drops its packets): the system
// would keep them for many minutes, and messages would pile up meanwhile. Who is silent is pinged; every client's library
// answers that by itself. All sockets are looked at together, at intervals.
import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** A client from which nothing has come for this long is pinged, ms. */
export const PING_AFTER_MS = 20_000;
/** One from which nothing has come for this long is gone, ms: 4 MB of what waits before the ping take less. */
export const GONE_AFTER_MS = 50_000;
const LOOK_EVERY_MS = 5000;

interface Watched {
  readonly connection: Pick<Socket, 'bytesRead'>;
  heardBytes: number;
  heardMs: number;
  isPinged: boolean;
}

export class SocketHeartbeat {
  readonly #sockets = new Map<WebSocket, Watched>();
  #lookedMs = 0;

  watch(socket: WebSocket, connection: Pick<Socket, 'bytesRead'>, nowMs: number): void {
    this.#sockets.set(socket, { connection, heardBytes: connection.bytesRead, heardMs: nowMs, isPinged: false });
    socket.once('close', () => this.#sockets.delete(socket));
  }

  /** Looks at all sockets, if it is time. @param nowMs where a clock jumps, a client may be pinged early, but never counts as gone unasked */
  look(nowMs: number): void {
    if (Math.abs(nowMs - this.#lookedMs) < LOOK_EVERY_MS) return;
    this.#lookedMs = nowMs;
    for (const [socket, watched] of this.#sockets) lookAt(socket, watched, nowMs);
  }
}

function lookAt(socket: WebSocket, watched: Watched, nowMs: number): void {
  const { bytesRead } = watched.connection;
  const silentMs = nowMs - watched.heardMs;
  if (bytesRead !== watched.heardBytes) {
    watched.heardBytes = bytesRead;
    watched.heardMs = nowMs;
    watched.isPinged = false;
  } else if (silentMs >= GONE_AFTER_MS && watched.isPinged) socket.terminate();
  else if (silentMs >= PING_AFTER_MS && !watched.isPinged && socket.readyState === socket.OPEN) {
    watched.isPinged = true;
    socket.ping();
  }
}
