// Telegram's Bot API as the alerts use it: a real HTTP server with its answers, its queue of updates and its errors.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const TOKEN = '4839574812:AAFD39kkdpWt3ywyRZergyOLMaJhac60qcU';
export const BOT = 'paper_alerts_bot';

interface Update {
  readonly update_id: number;
  readonly message: object;
}

export class TelegramServer {
  /** The messages of every try, in order. */
  readonly sent: { readonly chatId: string; readonly text: string }[] = [];
  readonly calls: string[] = [];
  /** The answer of `sendMessage`; undefined = that it was sent. */
  answer: ((response: ServerResponse) => void) | undefined;
  /** Messages that are not answered, whose sender still waits. */
  underWay = 0;
  readonly #server: Server;
  #updates: Update[] = [];
  #newest = 1000;

  private constructor() {
    this.#server = createServer((request, response) => {
      const [, token, method = ''] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
      this.calls.push(method);
      text(request).then(
        (body) => this.#answer({ token, method, params: JSON.parse(body) as Record<string, unknown> }, response),
        () => response.destroy(),
      );
    });
  }

  static async start(): Promise<TelegramServer> {
    const server = new TelegramServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Somebody sends the bot a message. */
  write(messageText: string, chat: object = { id: 77_001, type: 'private', username: 'satoshi' }): void {
    this.#newest += 1;
    this.#updates.push({ update_id: this.#newest, message: { message_id: this.#newest, text: messageText, chat } });
  }

  /** Messages that the bot has not confirmed. */
  get unconfirmed(): number {
    return this.#updates.length;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #answer(
    { token, method, params }: { token: string | undefined; method: string; params: Record<string, unknown> },
    response: ServerResponse,
  ): void {
    const say = (status: number, body: object): unknown =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (token !== TOKEN) return void say(401, { ok: false, error_code: 401, description: `Unauthorized: ${token}` });
    if (method === 'getMe') return void say(200, { ok: true, result: { id: 1, is_bot: true, username: BOT } });
    if (method === 'getUpdates') {
      const offset = Number(params['offset'] ?? 0);
      this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
      return void say(200, { ok: true, result: this.#updates.slice(0, Number(params['limit'])) });
    }
    this.sent.push({ chatId: String(params['chat_id']), text: String(params['text']) });
    this.underWay += 1;
    response.once('close', () => {
      this.underWay -= 1;
    });
    if (this.answer !== undefined) return void this.answer(response);
    say(200, { ok: true, result: { message_id: this.sent.length } });
  }
}

export const tooMany =
  (seconds: number) =>
  (response: ServerResponse): void => {
    const body = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: seconds } };
    response.writeHead(429, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
