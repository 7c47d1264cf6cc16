// The page's one WebSocket. Channels are subscribed here once and stay subscribed through every break: each private one
// continues after the last entry that was heard whole, and none misses or repeats a message.
import { signal } from '@preact/signals';
import { type AfterClose, afterClose, heardUpTo, isRepeated } from '../domain/stream.ts';
import { accessToken, renewSession } from './browserSession.ts';

const PROTOCOL = 'perpx.v1';
const PING_MS = 30_000;

export interface StreamMessage {
  readonly channel: string;
  // biome-ignore lint/suspicious/noExplicitAny: each channel has a shape of its own; who subscribes knows it
  readonly data: any;
  readonly seq?: number;
  readonly more?: boolean;
}

export interface ChannelWish {
  readonly subscription: { readonly type: string } & Readonly<Record<string, unknown>>;
  /** The channel of its messages, where it is not the subscription's type. */
  readonly channel?: string;
  /** True for a message of this subscription; needed where several share a channel. */
  readonly isMine?: (message: StreamMessage) => boolean;
  /** Entries are continued after this one; undefined for states and market data, which begin with what is now. */
  readonly fromSeq?: number | undefined;
  /** Market data is given up when the client is too slow for it. */
  readonly isMarket?: boolean;
  readonly onMessage: (message: StreamMessage) => void;
  /** The missed entries are gone: read the list again, and subscribe again with its `seq`. */
  readonly onGap?: () => void;
}

interface Channel extends ChannelWish {
  heard: number | undefined;
}

/** How the page stands to the server. */
export type Connection = 'connecting' | 'open' | 'waiting' | 'expired' | 'loggedOut';

export class StreamSocket {
  /** For the light in the shell. */
  readonly connection = signal<Connection>('connecting');
  /** When the last private message came, by this machine's clock, ms; before the first one, when the socket was open. */
  readonly heardAtMs = signal(0);
  /** True when book and trades were given up because they came too fast. */
  readonly isWithoutMarket = signal(false);
  readonly #address: string;
  readonly #channels = new Set<Channel>();
  /** Accounts that subscriptions have named. A message about such an account is not for a subscription without an account. */
  readonly #named = new Set<unknown>();
  #socket: WebSocket | undefined;
  #attempt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pings: ReturnType<typeof setInterval> | undefined;
  #isStopped = false;

  /** @param address `ws://…/v1/exchanges/perpx/ws` */
  constructor(address: string) {
    this.#address = address;
  }

  /** Connects with the token of the session; without one it waits for `start` to be called again. */
  start(): void {
    const token = accessToken.value;
    clearTimeout(this.#timer);
    this.#isStopped = false;
    if (token === undefined) {
      this.connection.value = 'loggedOut';
      return;
    }
    this.connection.value = 'connecting';
    const socket = new WebSocket(this.#address, [PROTOCOL, `bearer.${token}`]);
    this.#socket = socket;
    socket.onopen = () => {
      this.#attempt = 0;
      this.connection.value = 'open';
      // A server that never says anything is silent from here on.
      if (this.heardAtMs.value === 0) this.heardAtMs.value = Date.now();
      for (const channel of this.#channels) this.#subscribe(channel);
      this.#pings = setInterval(() => this.#send({ method: 'ping' }), PING_MS);
    };
    socket.onmessage = ({ data }) => this.#onMessage(JSON.parse(data));
    socket.onclose = ({ code }) => this.#onClose(socket, code);
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#pings);
    this.#socket?.close();
    this.#socket = undefined;
    this.#channels.clear();
  }

  /** Subscribes for as long as the returned function has not been called. */
  subscribe(wish: ChannelWish): () => void {
    const channel: Channel = { ...wish, heard: wish.fromSeq };
    this.#channels.add(channel);
    const { user } = wish.subscription;
    if (user !== undefined) this.#named.add(user);
    if (this.connection.value === 'open') this.#subscribe(channel);
    return () => {
      this.#channels.delete(channel);
      this.#send({ method: 'unsubscribe', subscription: channel.subscription });
    };
  }

  /** Takes book and trades up again. */
  resumeMarket(): void {
    this.isWithoutMarket.value = false;
    for (const channel of this.#channels) if (channel.isMarket) this.#subscribe(channel);
  }

  #subscribe({ subscription, heard, isMarket }: Channel): void {
    if (isMarket && this.isWithoutMarket.value) return;
    this.#send({ method: 'subscribe', subscription: heard === undefined ? subscription : { ...subscription, fromSeq: heard } });
  }

  #send(frame: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #onMessage(message: StreamMessage): void {
    if (message.channel === 'error') {
      this.#onRefusal(String(message.data));
      return;
    }
    const { seq, more } = message;
    if (seq !== undefined) this.heardAtMs.value = Date.now();
    for (const channel of this.#channels) {
      if ((channel.channel ?? channel.subscription.type) !== message.channel) continue;
      if (channel.isMine?.(message) === false || this.#isOfOther(channel, message)) continue;
      if (seq !== undefined && channel.fromSeq !== undefined) {
        if (isRepeated(channel.heard, { seq })) continue;
        channel.heard = heardUpTo(channel.heard, { seq, more });
      }
      channel.onMessage(message);
    }
  }

  /** The message was sent before the server knew that another account was chosen. */
  #isOfOther({ subscription }: Channel, { data }: StreamMessage): boolean {
    const about: unknown = data?.user;
    if (about === undefined) return false;
    return subscription['user'] === undefined ? this.#named.has(about) : subscription['user'] !== about;
  }

  /** A subscription whose missed entries are gone is refused, with the subscription as it was sent. */
  #onRefusal(text: string): void {
    // The number of a subscription that is there now: a subscription that begins again has another number.
    for (const channel of [...this.#channels]) {
      const { subscription, heard, onGap } = channel;
      if (heard === undefined || onGap === undefined) continue;
      if (text.startsWith(`Invalid subscription ${JSON.stringify({ ...subscription, fromSeq: heard })}`)) {
        this.#channels.delete(channel);
        onGap();
      }
    }
  }

  #onClose(socket: WebSocket, code: number): void {
    clearInterval(this.#pings);
    if (this.#isStopped || socket !== this.#socket) return;
    const next = afterClose(code, { attempt: this.#attempt, random: Math.random() });
    this.#attempt += 1;
    void this.#goOn(next);
  }

  async #goOn(next: AfterClose): Promise<void> {
    switch (next.type) {
      case 'expired':
        this.connection.value = 'expired';
        return;
      case 'refreshSession':
        this.connection.value = 'connecting';
        if (await renewSession(accessToken.value).catch(() => true)) this.#startIn(1_000);
        else this.connection.value = 'loggedOut';
        return;
      case 'resumeWithoutMarket':
        this.isWithoutMarket.value = true;
        this.#startIn(next.waitMs);
        return;
      case 'resume':
        this.#startIn(next.waitMs);
    }
  }

  #startIn(waitMs: number): void {
    this.connection.value = 'waiting';
    this.#timer = setTimeout(() => this.start(), waitMs);
  }
}
