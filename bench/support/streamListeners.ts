// The process that listens: so many sockets on two channels, counting what comes and how late it is. Told by IPC.
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface Heard {
  readonly messages: number;
  readonly bytes: number;
  /** Of the books, ms after they were made. */
  readonly lateMs: readonly number[];
}

/** How many sockets connect at a time. */
const AT_ONCE = 50;

const [url = '', count = '0'] = process.argv.slice(2);
let messages = 0;
let bytes = 0;
let lateMs: number[] = [];

const sockets: WebSocket[] = [];
while (sockets.length < Number(count)) {
  const opening = Array.from({ length: Math.min(AT_ONCE, Number(count) - sockets.length) }, () => new WebSocket(url));
  await Promise.all(opening.map((socket) => once(socket, 'open')));
  sockets.push(...opening);
}
for (const socket of sockets) {
  socket.on('message', onMessage);
  socket.send('{"method":"subscribe","subscription":{"type":"allMids"}}');
  socket.send('{"method":"subscribe","subscription":{"type":"l2Book","coin":"BTC"}}');
}
process.send?.('ready');

process.on('message', (order: 'heard' | 'stop') => {
  if (order === 'stop') process.exit(0);
  process.send?.({ messages, bytes, lateMs } satisfies Heard);
  [messages, bytes, lateMs] = [0, 0, []];
});

function onMessage(data: Buffer): void {
  messages += 1;
  bytes += data.length;
  // {"channel":"l2Book","data":{"coin":"BTC","time":1795000000000,…
  if (data[12] === 108) lateMs.push(Date.now() - Number(data.toString('latin1', 48, 61)));
}
