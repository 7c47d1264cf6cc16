// The bare stack of streams: ws with nothing behind it. It sends given texts to all of its sockets, or to the sockets of a group.
// The bench controls it by IPC.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** @param toAll texts for everyone; the time in a book becomes the moment of sending @param toGroups for each of so many groups */
export interface BarePush {
  readonly toAll: readonly string[];
  readonly toGroup: readonly string[];
  /** Numbers of the groups, as in the address that their sockets connected to. */
  readonly groups: readonly number[];
}

const server = createServer();
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
const all = new Set<WebSocket>();
const groups = new Map<number, Set<WebSocket>>();
sockets.on('connection', (socket, { url }) => {
  const name = Number(url?.slice(1));
  const group = groups.get(name) ?? new Set();
  groups.set(name, group);
  for (const set of [all, group]) set.add(socket);
  socket.on('close', () => {
    for (const set of [all, group]) set.delete(socket);
  });
});
server.listen(0, '127.0.0.1', () => process.send?.(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`));

process.on('message', (push: BarePush) => {
  for (const text of push.toAll) {
    const fresh = text.replace(/"time":\d+/, `"time":${Date.now()}`);
    for (const socket of all) socket.send(fresh);
  }
  for (const name of push.groups) {
    for (const text of push.toGroup) for (const socket of groups.get(name) ?? []) socket.send(text);
  }
});
