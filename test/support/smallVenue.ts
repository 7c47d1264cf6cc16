// A server of the venue's protocol that shares nothing with the project's own: three coins, the least that a
// connector needs, and the venue's answers otherwise. Written from the recorded frames alone.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export const SMALL_VENUE_COINS = ['BTC', 'ETH', 'HYPE'];

/** Channels that it offers. */
const CHANNELS = ['allMids', 'l2Book', 'trades'];

export class SmallVenue {
  /** Requests by REST and subscriptions, as they came. */
  readonly asked: string[] = [];
  readonly subscribed: string[] = [];
  pings = 0;
  /** Connections that it has closed because it had said nothing on them for too long. */
  closedAsSilent = 0;
  connections = 0;
  /** Called for each connection: how many of its messages are heard before it breaks. */
  breaksAfter: () => number = () => Number.POSITIVE_INFINITY;
  readonly #http = createServer();
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #subscribers = new Map<WebSocket, Set<string>>();
  /** Coins at their cap of open interest; undefined = the question is refused. */
  capped: unknown;
  readonly #silenceMs: number;
  readonly #now: () => number;
  #price = 60_000;
  #tid = 1000;

  /** @param options.silenceMs a connection on which it said nothing for so long is closed */
  constructor(options: { silenceMs?: number; now?: () => number } = {}) {
    this.#silenceMs = options.silenceMs ?? 60_000;
    this.#now = options.now ?? Date.now;
    this.#http.on('request', (request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        const { type } = JSON.parse(body) as { type: string };
        this.asked.push(type);
        const answer = request.url === '/hl/info' ? this.#answerTo(type) : undefined;
        const isKnown = answer !== undefined;
        response.writeHead(isKnown ? 200 : 422, { 'content-type': isKnown ? 'application/json' : 'text/plain' });
        response.end(isKnown ? JSON.stringify(answer) : 'Failed to deserialize the JSON body into the target type');
      });
    });
    this.#http.on('upgrade', (request, socket, head) => {
      if (request.url !== '/hl/ws') socket.destroy();
      else this.#server.handleUpgrade(request, socket, head, (client) => this.#accept(client));
    });
  }

  /** @returns the base address, below a path */
  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}/hl`;
  }

  async stop(): Promise<void> {
    for (const client of this.#server.clients) client.terminate();
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  #answerTo(type: string): unknown {
    if (type === 'perpsAtOpenInterestCap') return this.capped;
    return type === 'metaAndAssetCtxs' ? this.#metaAndContexts() : undefined;
  }

  /** Moves the price of all coins: a trade and a book of each. */
  move(price: number): void {
    this.#price = price;
    for (const coin of SMALL_VENUE_COINS) {
      this.#tid += 1;
      const trade = { coin, side: 'B', px: `${price}.0`, sz: '0.5', time: this.#now(), hash: '0x0', tid: this.#tid };
      this.#push(`trades ${coin}`, { channel: 'trades', data: [trade] });
      this.#push(`l2Book ${coin}`, this.#book(coin));
    }
  }

  /** Connections that are open. */
  get open(): number {
    return this.#server.clients.size;
  }

  /** Closes every connection. */
  hangUp(): void {
    for (const client of this.#server.clients) client.close(1001);
  }

  #accept(client: WebSocket): void {
    this.connections += 1;
    this.#subscribers.set(client, new Set());
    const silence = setTimeout(() => {
      this.closedAsSilent += 1;
      client.close(1001, 'Inactive');
    }, this.#silenceMs);
    const say = (frame: unknown): void => {
      silence.refresh();
      client.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
    };
    client.on('close', () => {
      clearTimeout(silence);
      this.#subscribers.delete(client);
    });
    const breaksAfter = this.breaksAfter();
    if (breaksAfter === 0) client.terminate();
    let heard = 0;
    client.on('message', (data) => {
      heard += 1;
      if (heard <= breaksAfter) this.#answer(client, String(data), say);
      if (heard === breaksAfter) client.terminate();
    });
    say('Websocket connection established.');
  }

  #answer(client: WebSocket, text: string, say: (frame: unknown) => void): void {
    const { method, subscription } = JSON.parse(text) as { method: string; subscription?: { type: string; coin?: string } };
    if (method === 'ping') {
      this.pings += 1;
      say({ channel: 'pong' });
      return;
    }
    const { type = '', coin = '' } = subscription ?? {};
    if (!CHANNELS.includes(type)) {
      say({ channel: 'error', data: `Error parsing JSON into valid websocket request: ${text}` });
      return;
    }
    this.subscribed.push(`${type} ${coin}`.trim());
    this.#subscribers.get(client)?.add(`${type} ${coin}`);
    say({ channel: 'subscriptionResponse', data: { method, subscription } });
    if (type === 'l2Book') say(this.#book(coin));
    if (type === 'allMids') {
      const mids = Object.fromEntries(SMALL_VENUE_COINS.map((name) => [name, `${this.#price}.5`]));
      say({ channel: 'allMids', data: { mids } });
    }
  }

  #push(topic: string, frame: unknown): void {
    for (const [client, topics] of this.#subscribers) if (topics.has(topic)) client.send(JSON.stringify(frame));
  }

  #book(coin: string): unknown {
    const side = (px: number): unknown[] => [{ px: `${px}.0`, sz: '2.0', n: 3 }];
    return { channel: 'l2Book', data: { coin, time: this.#now(), levels: [side(this.#price), side(this.#price + 1)] } };
  }

  #metaAndContexts(): unknown {
    const price = `${this.#price}.0`;
    const context = {
      funding: '0.0000125',
      openInterest: '1.0',
      prevDayPx: price,
      dayNtlVlm: '1.0',
      premium: null,
      oraclePx: price,
      markPx: price,
      midPx: null,
      impactPxs: null,
    };
    const universe = SMALL_VENUE_COINS.map((name) => ({ name, szDecimals: 2, maxLeverage: 10 }));
    return [{ universe }, universe.map(() => context)];
  }
}
