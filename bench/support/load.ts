// A load generator that costs next to nothing: one keep-alive socket per conversation, one request in flight on each, and
// no more parsing than finding the end of an answer. The same code drives both sides of a comparison.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The requests of one connection, one after the other. */
export interface Conversation {
  /** The whole next request. */
  next(): Buffer;
  /** Checks an answer. @throws to end the run: a bench of the wrong answers measures nothing */
  onAnswer(status: number, body: string): void;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  /** Milliseconds from the write to the last byte of the answer. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** A POST with a JSON body. */
export function postRequest(url: string, body: string, headers: Readonly<Record<string, string>> = {}): Buffer {
  const { host, pathname } = new URL(url);
  const lines = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}

/**
 * Lets every conversation run against a server for so long; ends when each has its last answer.
 * @param options.perSecond requests a second of all together, evenly spread; without it each follows its answer at once
 */
export async function drive(
  url: string,
  conversations: readonly Conversation[],
  seconds: number,
  { perSecond }: { readonly perSecond?: number } = {},
): Promise<LoadResult> {
  const everyMs = perSecond === undefined ? 0 : (1000 * conversations.length) / perSecond;
  const connections = await Promise.all(
    conversations.map((conversation, n) => {
      const firstAfterMs = (n * everyMs) / conversations.length;
      return Connection.open(url, conversation, { everyMs, firstAfterMs });
    }),
  );
  const startMs = performance.now();
  const endMs = startMs + seconds * 1000;
  await Promise.all(connections.map((connection) => connection.run(endMs)));
  const tookSeconds = (performance.now() - startMs) / 1000;
  for (const connection of connections) connection.close();
  const latencies = Float64Array.from(connections.flatMap((connection) => connection.latenciesMs)).sort();
  return {
    requests: latencies.length,
    seconds: round(tookSeconds, 2),
    requestsPerSecond: Math.round(latencies.length / tookSeconds),
    p50Ms: round(quantile(latencies, 0.5), 3),
    p99Ms: round(quantile(latencies, 0.99), 3),
  };
}

/** @param sorted ascending, not empty */
export const quantile = (sorted: ArrayLike<number>, q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] as number;

export const round = (value: number, decimals: number): number => Number(value.toFixed(decimals));

/** When a connection sends: the first request, and how much later each further one is due; 0 is as soon as it can. */
interface Pace {
  readonly everyMs: number;
  readonly firstAfterMs: number;
}

class Connection {
  readonly latenciesMs: number[] = [];
  readonly #socket: Socket;
  readonly #conversation: Conversation;
  readonly #pace: Pace;
  #dueMs = 0;
  #received = '';
  #sentAtMs = 0;
  #endMs = 0;
  #finish: ((error?: Error) => void) | undefined;

  private constructor(socket: Socket, conversation: Conversation, pace: Pace) {
    this.#socket = socket;
    this.#conversation = conversation;
    this.#pace = pace;
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.#onData(chunk));
    socket.on('close', () => this.#finish?.(new Error('the server closed the connection')));
    socket.on('error', (error) => this.#finish?.(error));
  }

  static async open(url: string, conversation: Conversation, pace: Pace): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new Connection(socket, conversation, pace);
  }

  run(endMs: number): Promise<void> {
    this.#endMs = endMs;
    return new Promise((resolve, reject) => {
      this.#finish = (error) => (error ? reject(error) : resolve());
      this.#dueMs = performance.now() + this.#pace.firstAfterMs;
      this.#sendWhenDue();
    });
  }

  close(): void {
    this.#finish = undefined;
    this.#socket.destroy();
  }

  #sendWhenDue(): void {
    const waitMs = this.#dueMs - performance.now();
    this.#dueMs += this.#pace.everyMs;
    if (waitMs <= 0) this.#send();
    else setTimeout(() => this.#send(), waitMs);
  }

  #send(): void {
    this.#sentAtMs = performance.now();
    this.#socket.write(this.#conversation.next());
  }

  #onData(chunk: string): void {
    this.#received += chunk;
    const headEnd = this.#received.indexOf('\r\n\r\n');
    if (headEnd === -1) return;
    const length = /content-length: (\d+)/i.exec(this.#received)?.[1];
    const end = headEnd + 4 + Number(length);
    if (this.#received.length < end) return;
    const nowMs = performance.now();
    this.latenciesMs.push(nowMs - this.#sentAtMs);
    const status = Number(this.#received.slice(9, 12));
    const body = this.#received.slice(headEnd + 4, end);
    this.#received = '';
    try {
      this.#conversation.onAnswer(status, body);
    } catch (error) {
      this.#finish?.(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    if (Math.max(nowMs, this.#dueMs) < this.#endMs) this.#sendWhenDue();
    else this.#finish?.();
  }
}
