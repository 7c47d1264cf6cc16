// A process with sockets on two channels of the market and two of an account. It counts messages and measures how
// late they are. The bench controls it by IPC.
import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface Audience {
  readonly sockets: number;
  /** They take turns. */
  readonly targets: readonly { readonly url: string; readonly user: string }[];
}

/** Since it was asked last. */
export interface Heard {
  readonly messages: number;
  readonly bytes: number;
  /** Of the books, ms after they were made. */
  readonly lateMs: readonly number[];
  /** When fills came, ms since the epoch, by socket. */
  readonly fills: readonly { readonly user: string; readonly seq: number; readonly atMs: number }[];
  /** The last text of each channel. */
  readonly samples: Readonly<Record<string, string>>;
}

/** How many sockets connect at a time. */
const AT_ONCE = 50;
/** Where the name of the channel begins, and the time of a book of BTC: {"channel":"l2Book","data":{"coin":"BTC","time":1795000000000,… */
const NAME_AT = 12;
const TIME_AT = 48;
const TIME_LENGTH = 13;

let messages = 0;
let bytes = 0;
let lateMs: number[] = [];
let fills: Heard['fills'][number][] = [];
const samples = new Map<string, Buffer>();

const [{ sockets: count, targets }] = (await once(process, 'message')) as [Audience];
const sockets: WebSocket[] = [];
while (sockets.length < count) {
  const opening = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, async (_, n) => {
    const { url, user } = targets[(sockets.length + n) % targets.length] as Audience['targets'][number];
    const socket = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true });
    await once(socket, 'open');
    socket.on('message', (data: Buffer) => onMessage(data, user));
    const more = [
      { type: 'allMids' },
      { type: 'l2Book', coin: 'BTC' },
      { type: 'userFills', user },
      { type: 'orderUpdates', user },
    ];
    for (const subscription of more) socket.send(JSON.stringify({ method: 'subscribe', subscription }));
    return socket;
  });
  sockets.push(...(await Promise.all(opening)));
}
process.send?.('ready');

process.on('message', (order: 'heard' | 'stop') => {
  if (order === 'stop') process.exit(0);
  const texts = Object.fromEntries([...samples].map(([name, data]) => [name, data.toString()]));
  process.send?.({ messages, bytes, lateMs, fills, samples: texts } satisfies Heard);
  [messages, bytes, lateMs, fills] = [0, 0, [], []];
});

function onMessage(data: Buffer, user: string): void {
  messages += 1;
  bytes += data.length;
  const name = data.toString('latin1', NAME_AT, data.indexOf('"', NAME_AT));
  samples.set(name, data);
  if (name === 'l2Book') lateMs.push(Date.now() - Number(data.toString('latin1', TIME_AT, TIME_AT + TIME_LENGTH)));
  if (name !== 'userFills') return;
  const atMs = performance.timeOrigin + performance.now();
  const { seq, data: said } = JSON.parse(data.toString()) as { seq: number; data: { isSnapshot?: boolean } };
  if (said.isSnapshot !== true) fills.push({ user, seq, atMs });
}
