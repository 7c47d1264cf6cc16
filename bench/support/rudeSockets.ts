// The worst callers that do not wait for an answer: WebSockets without a pause, and connections whose answers nobody reads.
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { CallerTask } from './callerTask.ts';

/** A caller, as the sockets that call for it see it. */
export interface Rude {
  readonly task: CallerTask;
  readonly count: (what: string) => void;
  readonly isStopped: () => boolean;
}

const COINS = ['BTC', 'ETH', 'SOL', 'ARB', 'DOGE', 'AVAX', 'NONE'];
const SOCKETS = 50;
/** Bytes that wait in the caller before it pauses. */
const AHEAD_BYTES = 1_000_000;

/** As many sockets and subscriptions as it gets, with nonsense in between. */
export function openSockets(rude: Rude): void {
  const nonsense = `{"method":"post","x":[${Array(2000).fill('9'.repeat(99)).join(',')}]}`;
  const deep = '['.repeat(100_000);
  open(rude, (n) => {
    const coin = COINS[n % COINS.length] as string;
    const subscription = n % 3 === 0 ? { type: 'candle', coin, interval: '1m' } : { type: 'l2Book', coin };
    return n % 50 === 7 ? nonsense : n % 50 === 8 ? deep : JSON.stringify({ method: 'subscribe', subscription });
  });
}

const OWN_CHANNELS = ['webData2', 'userFills', 'orderUpdates', 'userEvents', 'userFundings', 'userHistoricalOrders'];

/** The own account, in the longest words: subscribed, given up and subscribed again, all of its rows from the first. */
export function watchAccounts(rude: Rude): void {
  const { user } = rude.task;
  open(rude, (n) => {
    const type = OWN_CHANNELS[(n >> 1) % OWN_CHANNELS.length] as string;
    const subscription = { type, user, ...(n % 4 === 0 && { fromSeq: 0 }) };
    return JSON.stringify({ method: n % 2 === 0 ? 'subscribe' : 'unsubscribe', subscription });
  });
}

function open(rude: Rude, frame: (n: number) => string): void {
  for (let i = 0; i < SOCKETS; i++) openOne(rude, i, frame);
}

/** A socket in the place of each that is closed or refused. */
function openOne(rude: Rude, i: number, frame: (n: number) => string): void {
  if (rude.isStopped()) return;
  const { baseUrl, keys, address } = rude.task;
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/v1/exchanges/perpx/ws`, {
    headers: { 'x-api-key': keys[i % keys.length] as string },
    localAddress: address,
    perMessageDeflate: false,
  });
  socket.on('unexpected-response', (_, { statusCode }) => {
    rude.count(`upgrade ${statusCode}`);
    socket.terminate();
  });
  socket.on('error', () => rude.count('socket error'));
  socket.on('close', (code) => {
    rude.count(`closed ${code}`);
    setTimeout(openOne, 1, rude, i, frame);
  });
  socket.on('open', () => void talk(rude, socket, frame));
}

async function talk(rude: Rude, socket: WebSocket, frame: (n: number) => string): Promise<void> {
  for (let n = 0; !rude.isStopped() && socket.readyState === WebSocket.OPEN; n++) {
    socket.send(frame(n));
    rude.count('frame');
    if (socket.bufferedAmount > AHEAD_BYTES) await pause(10);
    else if (n % 20 === 0) await pause(1);
  }
}

const PIPELINES = 32;
const REQUESTS_IN_A_PIECE = 100;

/**
 * Connections full of questions with long answers, of which none is read. When no more can be sent, every second
 * connection is reset and another one is opened; the others are held.
 */
export function pipeline(rude: Rude): void {
  for (let n = 0; n < PIPELINES; n++) fill(rude, n);
}

function fill(rude: Rude, n: number): void {
  const { baseUrl, keys, address } = rude.task;
  const { hostname, port } = new URL(baseUrl);
  const body = JSON.stringify({ type: n % 4 < 2 ? 'metaAndAssetCtxs' : 'meta' });
  const head = `POST /v1/exchanges/perpx/info HTTP/1.1\r\nhost: ${hostname}\r\nx-api-key: ${keys[n % keys.length]}\r\n`;
  const request = `${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const piece = Buffer.from(request.repeat(REQUESTS_IN_A_PIECE));
  const socket = connect({ host: hostname, port: Number(port), localAddress: address });
  socket.pause();
  const send = (): void => {
    if (rude.isStopped()) socket.destroy();
    if (socket.destroyed) return;
    rude.count('piece');
    if (socket.write(piece)) setImmediate(send);
    else if (n % 2 === 0) socket.resetAndDestroy();
    else socket.once('drain', send);
  };
  socket.once('connect', send);
  socket.on('error', () => rude.count('cut'));
  socket.once('close', () => {
    if (!rude.isStopped()) setTimeout(fill, 1, rude, n + PIPELINES);
  });
}
