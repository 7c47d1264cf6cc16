// A WebSocket client that keeps every message, so that tests can wait for theirs. It checks each message against the
// published contract, each answer against its request, and each error for secrets.
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Posts } from './posts.ts';
import { requireNoSecretsIn } from './secrets.ts';
import { requireStreamContract, type StreamMessage } from './streamContract.ts';
import { until } from './until.ts';

interface ConnectOptions {
  readonly apiKey?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  /** As a browser's `new WebSocket(url, protocols)`. */
  readonly protocols?: readonly string[];
}

export class StreamClient {
  readonly socket: WebSocket;
  /** All that came, in order. */
  readonly messages: StreamMessage[] = [];
  /** How the server closed. */
  closed: { readonly code: number; readonly reason: string } | undefined;
  readonly #posts = new Posts();
  #read = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (text) => {
      const message: StreamMessage = JSON.parse(String(text));
      this.messages.push(message);
      // Not here, where the library would be left in the middle of its work: the test runner fails the test that runs.
      queueMicrotask(() => {
        requireStreamContract(message);
        requireNoSecretsIn(message);
        this.#posts.requireAnswer(message);
      });
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
    });
    socket.on('error', () => undefined);
  }

  /**
   * @param url of the API node, http
   * @throws Error with the status when the upgrade is refused
   */
  static async connect(url: string, { apiKey, path, headers, protocols = [] }: ConnectOptions): Promise<StreamClient> {
    const address = url.replace(/^http/, 'ws') + (path ?? `/v1/exchanges/perpx/key/${apiKey}/ws`);
    const socket = new WebSocket(address, [...protocols], { headers });
    const client = new StreamClient(socket);
    const refused = once(socket, 'unexpected-response').then(([, response]) => {
      socket.terminate();
      throw new Error(`refused with ${(response as { statusCode: number }).statusCode}`);
    });
    await Promise.race([once(socket, 'open'), refused]);
    refused.catch(() => undefined);
    return client;
  }

  send(frame: unknown): void {
    const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
    this.#posts.onSent(text);
    this.socket.send(text);
  }

  subscribe(subscription: object, more: object = {}): void {
    this.send({ method: 'subscribe', subscription, ...more });
  }

  unsubscribe(subscription: object): void {
    this.send({ method: 'unsubscribe', subscription });
  }

  /** The next message that has not been looked at, of these channels where some are given; those before it are passed over. */
  async next(...channels: readonly string[]): Promise<StreamMessage> {
    let found: StreamMessage | undefined;
    await until(() => {
      while (found === undefined && this.#read < this.messages.length) {
        const message = this.messages[this.#read++];
        if (message !== undefined && (channels.length === 0 || channels.includes(message.channel))) found = message;
      }
      return found !== undefined || this.closed !== undefined;
    });
    if (found === undefined) throw new Error(`closed with ${JSON.stringify(this.closed)}`);
    return found;
  }

  /** The messages of a channel so far. */
  all(channel: string): StreamMessage[] {
    return this.messages.filter((message) => message.channel === channel);
  }

  /** Waits for the server's close. */
  async close(): Promise<{ readonly code: number; readonly reason: string }> {
    await until(() => this.closed !== undefined);
    return this.closed ?? { code: 0, reason: '' };
  }

  async stop(): Promise<void> {
    this.socket.terminate();
    await until(() => this.closed !== undefined);
  }
}
