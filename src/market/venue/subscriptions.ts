// The subscriptions of the WebSocket clients (wire-format 6): subscribe with a normalised echo and a snapshot,
// unsubscribe, ping, and `post` of info requests. Every frame is serialised once for all its subscribers.
import type { RawData, WebSocket } from 'ws';
import { INTERVALS, type Interval } from '../domain/candleInterval.ts';
import type { VenueCandle } from '../domain/feed.ts';
import { type Exchange, type ExchangeSubscription, type Frame, toAggregation, UnreadableRequest } from './exchange.ts';

const SUBSCRIPTIONS_MAX = 1000;
/** A client with more unsent bytes than this is disconnected. */
const BUFFERED_BYTES_MAX = 16_000_000;
const COIN_CHANNELS = ['l2Book', 'bbo', 'trades', 'activeAssetCtx', 'candle'];
const USER_CHANNELS = ['orderUpdates', 'userFills'];
const ADDRESS = /^0x[0-9a-f]{40}$/;

export class ExchangeSubscriptions {
  readonly #exchange: Exchange;
  /** Topic (normalised subscription as text) -> subscribers. */
  readonly #subscribers = new Map<string, Set<WebSocket>>();
  readonly #topics = new Map<WebSocket, Set<string>>();
  /** Topics that are more than a coin's plain channel, by coin: coarser books and candles. */
  readonly #derived = new Map<string, Map<string, ExchangeSubscription>>();
  /** When the newest candle of a topic that was sent begins, ms. */
  readonly #candleStarts = new Map<string, number>();

  constructor(exchange: Exchange) {
    this.#exchange = exchange;
  }

  accept(socket: WebSocket): void {
    this.#topics.set(socket, new Set());
    socket.on('message', (data: RawData) => {
      this.#onText(socket, String(data)).catch(() => parseError(socket, String(data)));
    });
    socket.on('close', () => this.#forget(socket));
    socket.on('error', () => socket.terminate());
  }

  /** Sends a frame to everybody who subscribed to it, and what is derived from it. */
  push({ channel, coin, user, data }: Frame): void {
    const topic = topicOf(subscriptionOf(channel, coin, user));
    if (this.#subscribers.has(topic)) this.#send(topic, { channel, data: data() });
    for (const [derivedTopic, subscription] of this.#derived.get(coin ?? '') ?? []) {
      // A price that a test sets changes candles without a trade.
      const isSource = channel === subscription.type || (channel === 'trades' && subscription.type === 'candle');
      if (isSource) this.#sendDerived(derivedTopic, subscription);
    }
  }

  async #onText(socket: WebSocket, text: string): Promise<void> {
    const message = JSON.parse(text) as {
      method?: unknown;
      subscription?: ExchangeSubscription;
      id?: number;
      request?: PostRequest;
    };
    switch (message.method) {
      case 'ping':
        send(socket, { channel: 'pong' });
        break;
      case 'subscribe':
      case 'unsubscribe': {
        const subscription = normalised(message.subscription, this.#exchange);
        if (subscription.coin !== undefined && !this.#exchange.hasCoin(String(subscription.coin))) socket.close();
        else if (message.method === 'subscribe') await this.#subscribe(socket, subscription);
        else this.#unsubscribe(socket, subscription);
        break;
      }
      case 'post':
        await this.#post(socket, message.id, message.request);
        break;
      default:
        throw new UnreadableRequest();
    }
  }

  async #subscribe(socket: WebSocket, subscription: ExchangeSubscription): Promise<void> {
    const topic = topicOf(subscription);
    const topics = this.#topics.get(socket);
    if (topics === undefined) return;
    if (topics.has(topic)) return sendError(socket, `Already subscribed: ${JSON.stringify(subscription)}`);
    if (topics.size >= SUBSCRIPTIONS_MAX) return sendError(socket, 'Cannot subscribe to more than 1000 channels.');
    topics.add(topic);
    const subscribers = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, subscribers.add(socket));
    if (isDerived(subscription)) {
      const coin = String(subscription.coin);
      const derived = this.#derived.get(coin) ?? new Map();
      this.#derived.set(coin, derived.set(topic, subscription));
    }
    send(socket, { channel: 'subscriptionResponse', data: { method: 'subscribe', subscription } });
    const snapshot = await this.#exchange.snapshot(subscription);
    if (snapshot !== undefined) send(socket, { channel: subscription.type, data: snapshot });
  }

  #unsubscribe(socket: WebSocket, subscription: ExchangeSubscription): void {
    const topic = topicOf(subscription);
    if (!this.#topics.get(socket)?.delete(topic)) {
      sendError(socket, `Already unsubscribed: ${JSON.stringify(subscription)}`);
      return;
    }
    this.#leave(socket, topic);
    send(socket, { channel: 'subscriptionResponse', data: { method: 'unsubscribe', subscription } });
  }

  async #post(socket: WebSocket, id: number | undefined, request: PostRequest | undefined): Promise<void> {
    if (request?.type !== 'info') throw new UnreadableRequest();
    const data = await this.#exchange.info(request.payload);
    const payload = { type: request.payload?.type, data };
    send(socket, { channel: 'post', data: { id, response: { type: 'info', payload } } });
  }

  #forget(socket: WebSocket): void {
    for (const topic of this.#topics.get(socket) ?? []) this.#leave(socket, topic);
    this.#topics.delete(socket);
  }

  #leave(socket: WebSocket, topic: string): void {
    const subscribers = this.#subscribers.get(topic);
    subscribers?.delete(socket);
    if (subscribers?.size !== 0) return;
    this.#subscribers.delete(topic);
    for (const derived of this.#derived.values()) derived.delete(topic);
    this.#candleStarts.delete(topic);
  }

  #send(topic: string, frame: unknown): void {
    const subscribers = this.#subscribers.get(topic);
    if (subscribers === undefined) return;
    const text = JSON.stringify(frame);
    for (const socket of subscribers) {
      if (socket.bufferedAmount > BUFFERED_BYTES_MAX) socket.terminate();
      else socket.send(text);
    }
  }

  #sendDerived(topic: string, subscription: ExchangeSubscription): void {
    this.#derive(topic, subscription).then(
      (all) => {
        for (const data of all) this.#send(topic, { channel: subscription.type, data });
      },
      (error: Error) => this.#send(topic, { channel: 'error', data: error.message }),
    );
  }

  /** The current state; of candles all since the last one sent, because pushed trades may belong to a candle that is over. */
  async #derive(topic: string, subscription: ExchangeSubscription): Promise<readonly unknown[]> {
    const startTime = this.#candleStarts.get(topic);
    const now = await this.#exchange.snapshot(subscription);
    if (now === undefined) return [];
    if (subscription.type !== 'candle') return [now];
    const { t } = now as VenueCandle;
    this.#candleStarts.set(topic, t);
    if (startTime === undefined || startTime === t) return [now];
    const { coin, interval } = subscription;
    const req = { coin, interval, startTime, endTime: t - 1 };
    return [...((await this.#exchange.info({ type: 'candleSnapshot', req })) as VenueCandle[]), now];
  }
}

interface PostRequest {
  readonly type?: unknown;
  readonly payload?: { readonly type?: unknown };
}

/** @throws {UnreadableRequest} for an unknown type */
function normalised(
  subscription: ExchangeSubscription | undefined,
  { hasUsers }: Pick<Exchange, 'hasUsers'>,
): ExchangeSubscription {
  const type = subscription?.type;
  if (subscription === undefined || type === undefined) throw new UnreadableRequest();
  if (type === 'allMids') return { type };
  if (hasUsers && USER_CHANNELS.includes(type)) return { type, user: requireAddress(subscription.user) };
  const { coin, interval } = subscription;
  if (!COIN_CHANNELS.includes(type) || typeof coin !== 'string') throw new UnreadableRequest();
  if (type === 'candle') {
    if (!INTERVALS.includes(interval as Interval)) throw new UnreadableRequest();
    return { type, coin, interval };
  }
  if (type !== 'l2Book') return { type, coin };
  toAggregation(subscription);
  return { ...plain(type, coin), nSigFigs: subscription.nSigFigs ?? null, mantissa: subscription.mantissa ?? null };
}

/** @returns it in lower case @throws {UnreadableRequest} */
function requireAddress(value: unknown): string {
  const address = String(value).toLowerCase();
  if (!ADDRESS.test(address)) throw new UnreadableRequest();
  return address;
}

function subscriptionOf(type: string, coin: string | undefined, user: string | undefined): ExchangeSubscription {
  if (user !== undefined) return { type, user };
  return coin === undefined ? { type } : plain(type, coin);
}

/** The subscription to which a coin's plain frames go. */
function plain(type: string, coin: string): ExchangeSubscription {
  return type === 'l2Book' ? { type, coin, nSigFigs: null, mantissa: null, fast: false } : { type, coin };
}

const isDerived = (subscription: ExchangeSubscription): boolean =>
  subscription.type === 'candle' || (subscription.type === 'l2Book' && toAggregation(subscription) !== undefined);

const topicOf = (subscription: ExchangeSubscription): string => Object.values(subscription).join(' ');

const send = (socket: WebSocket, frame: unknown): void => socket.send(JSON.stringify(frame));
const sendError = (socket: WebSocket, text: string): void => send(socket, { channel: 'error', data: text });
const parseError = (socket: WebSocket, text: string): void =>
  sendError(socket, `Error parsing JSON into valid websocket request: ${text}`);
