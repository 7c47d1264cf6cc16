// Who of the emulated venue's WebSocket clients hears what (wire-format 6): subscribe with a normalised echo and a
// snapshot, unsubscribe, ping, and `post` of info requests. Every frame is serialised once for all its hearers.
import type { RawData, WebSocket } from 'ws';
import { INTERVALS, type Interval } from './candles.ts';
import { answerInfo, type Body, l2Book, toAggregation, Unreadable } from './info.ts';
import type { Venue, VenueEmit } from './venue.ts';
import { toWireLevel, toWireTrade, type VenueCoin } from './venueCoin.ts';

type Subscription = Pick<Body, 'coin' | 'nSigFigs' | 'mantissa' | 'interval'> & {
  readonly type: string;
  readonly fast?: boolean;
};

interface Frame {
  readonly channel: Parameters<VenueEmit>[0];
  readonly coin: string | undefined;
  readonly data: unknown;
}

const SUBSCRIPTIONS_MAX = 1000;
/** A client that reads slower than this is cut off. */
const BUFFERED_BYTES_MAX = 16_000_000;

export class Subscriptions {
  /** Topic (normalised subscription as text) -> hearers. */
  readonly #hearers = new Map<string, Set<WebSocket>>();
  readonly #topics = new Map<WebSocket, Set<string>>();
  /** Topics that are more than a coin's plain channel, by coin: coarser books and candles. */
  readonly #derived = new Map<string, Map<string, Subscription>>();

  accept(venue: Venue, socket: WebSocket): void {
    this.#topics.set(socket, new Set());
    socket.on('message', (data: RawData) => {
      this.#onText(venue, socket, String(data)).catch(() => parseError(socket, String(data)));
    });
    socket.on('close', () => this.#forget(socket));
    socket.on('error', () => socket.terminate());
  }

  /** Sends a frame to everybody who subscribed to it, and what is derived from it. */
  push(venue: Venue, { channel, coin, data }: Frame): void {
    const name = coin ?? '';
    if (channel === 'allMids') this.#send(topicOf({ type: 'allMids' }), { channel, data });
    else if (channel !== 'l2Book') this.#send(topicOf({ type: channel, coin: name }), { channel, data });
    const emulated = venue.coin(name);
    if (emulated === undefined) return;
    if (channel === 'l2Book') {
      const topic = topicOf(plainBook(name));
      if (this.#hearers.has(topic)) this.#send(topic, { channel, data: l2Book(emulated, undefined) });
    }
    for (const [topic, subscription] of this.#derived.get(name) ?? []) {
      if (subscription.type === channel) this.#send(topic, { channel, data: l2Book(emulated, toAggregation(subscription)) });
      else if (subscription.type === 'candle' && channel === 'trades') this.#sendCandle(venue, emulated, topic, subscription);
    }
  }

  async #onText(venue: Venue, socket: WebSocket, text: string): Promise<void> {
    const message = JSON.parse(text) as { method?: unknown; subscription?: Subscription; id?: number; request?: PostRequest };
    switch (message.method) {
      case 'ping':
        return send(socket, { channel: 'pong' });
      case 'subscribe':
      case 'unsubscribe': {
        const subscription = normalised(venue, message.subscription);
        if (subscription === 'unknownCoin') return socket.close();
        if (message.method === 'subscribe') return await this.#subscribe(venue, socket, subscription);
        return this.#unsubscribe(socket, subscription);
      }
      case 'post':
        return await post(venue, socket, message.id, message.request);
      default:
        throw new Unreadable();
    }
  }

  async #subscribe(venue: Venue, socket: WebSocket, subscription: Subscription): Promise<void> {
    const topic = topicOf(subscription);
    const topics = this.#topics.get(socket);
    if (topics === undefined) return;
    if (topics.has(topic)) return sendError(socket, `Already subscribed: ${JSON.stringify(subscription)}`);
    if (topics.size >= SUBSCRIPTIONS_MAX) return sendError(socket, 'Cannot subscribe to more than 1000 channels.');
    topics.add(topic);
    const hearers = this.#hearers.get(topic) ?? new Set();
    this.#hearers.set(topic, hearers.add(socket));
    const isPlainBook = subscription.type === 'l2Book' && toAggregation(subscription) === undefined;
    if (subscription.type === 'candle' || (subscription.type === 'l2Book' && !isPlainBook)) {
      const coin = String(subscription.coin);
      const derived = this.#derived.get(coin) ?? new Map();
      this.#derived.set(coin, derived.set(topic, subscription));
    }
    send(socket, { channel: 'subscriptionResponse', data: { method: 'subscribe', subscription } });
    const snapshot = await snapshotOf(venue, subscription);
    if (snapshot !== undefined) send(socket, { channel: subscription.type, data: snapshot });
  }

  #unsubscribe(socket: WebSocket, subscription: Subscription): void {
    const topic = topicOf(subscription);
    if (!this.#topics.get(socket)?.delete(topic)) {
      sendError(socket, `Already unsubscribed: ${JSON.stringify(subscription)}`);
      return;
    }
    this.#leave(socket, topic);
    send(socket, { channel: 'subscriptionResponse', data: { method: 'unsubscribe', subscription } });
  }

  #forget(socket: WebSocket): void {
    for (const topic of this.#topics.get(socket) ?? []) this.#leave(socket, topic);
    this.#topics.delete(socket);
  }

  #leave(socket: WebSocket, topic: string): void {
    const hearers = this.#hearers.get(topic);
    hearers?.delete(socket);
    if (hearers?.size !== 0) return;
    this.#hearers.delete(topic);
    for (const derived of this.#derived.values()) derived.delete(topic);
  }

  #send(topic: string, frame: unknown): void {
    const hearers = this.#hearers.get(topic);
    if (hearers === undefined) return;
    const text = JSON.stringify(frame);
    for (const socket of hearers) {
      if (socket.bufferedAmount > BUFFERED_BYTES_MAX) socket.terminate();
      else socket.send(text);
    }
  }

  #sendCandle(venue: Venue, coin: VenueCoin, topic: string, subscription: Subscription): void {
    currentCandle(venue, coin, subscription).then(
      (data) => this.#send(topic, { channel: 'candle', data }),
      () => undefined,
    );
  }
}

interface PostRequest {
  readonly type?: unknown;
  readonly payload?: { readonly type?: unknown };
}

async function post(venue: Venue, socket: WebSocket, id: number | undefined, request: PostRequest | undefined): Promise<void> {
  if (request?.type !== 'info') throw new Unreadable();
  const data = await answerInfo(venue, request.payload);
  const payload = { type: request.payload?.type, data };
  send(socket, { channel: 'post', data: { id, response: { type: 'info', payload } } });
}

/** The subscription with its defaults and without unknown fields. @throws {Unreadable} for an unknown type */
function normalised(venue: Venue, subscription: Subscription | undefined): Subscription | 'unknownCoin' {
  const type = subscription?.type;
  if (subscription === undefined || type === undefined) throw new Unreadable();
  if (type === 'allMids') return { type };
  if (!['l2Book', 'bbo', 'trades', 'activeAssetCtx', 'candle'].includes(type)) throw new Unreadable();
  const coin = subscription.coin;
  if (typeof coin !== 'string') throw new Unreadable();
  if (venue.coin(coin) === undefined) return 'unknownCoin';
  if (type === 'candle') {
    const interval = subscription.interval;
    if (!INTERVALS.includes(interval as Interval)) throw new Unreadable();
    return { type, coin, interval };
  }
  if (type !== 'l2Book') return { type, coin };
  toAggregation(subscription);
  return { ...plainBook(coin), nSigFigs: subscription.nSigFigs ?? null, mantissa: subscription.mantissa ?? null };
}

const plainBook = (coin: string): Subscription => ({ type: 'l2Book', coin, nSigFigs: null, mantissa: null, fast: false });

const topicOf = (subscription: Subscription): string => Object.values(subscription).join(' ');

async function snapshotOf(venue: Venue, subscription: Subscription): Promise<unknown> {
  if (subscription.type === 'allMids') return { mids: venue.mids() };
  const coin = venue.coin(String(subscription.coin));
  if (coin === undefined || coin.isPaused) return undefined;
  const name = coin.listing.coin;
  switch (subscription.type) {
    case 'l2Book':
      return l2Book(coin, toAggregation(subscription));
    case 'bbo': {
      const { timeMs, bids, asks } = coin.book;
      return { coin: name, time: timeMs, bbo: [bids[0] ? toWireLevel(bids[0]) : null, asks[0] ? toWireLevel(asks[0]) : null] };
    }
    case 'trades':
      return coin.recent.map((trade) => toWireTrade(name, trade)).reverse();
    case 'activeAssetCtx':
      return { coin: name, ctx: coin.context(venue.now()) };
    default:
      return await currentCandle(venue, coin, subscription);
  }
}

async function currentCandle(venue: Venue, coin: VenueCoin, subscription: Subscription): Promise<unknown> {
  const nowMs = venue.now();
  const candles = await venue.candles.read(coin, subscription.interval as Interval, { startMs: nowMs, endMs: nowMs, nowMs });
  return candles.at(-1);
}

const send = (socket: WebSocket, frame: unknown): void => socket.send(JSON.stringify(frame));
const sendError = (socket: WebSocket, text: string): void => send(socket, { channel: 'error', data: text });
const parseError = (socket: WebSocket, text: string): void =>
  sendError(socket, `Error parsing JSON into valid websocket request: ${text}`);
