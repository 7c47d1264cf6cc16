// The unsent messages of a socket, with a bound. For a client that reads slower than the market moves, only the
// latest state of each subscription waits. Messages that must not be lost wait in order; past the bound the socket is
// closed.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type Channel, type CloseCode, closeCodes } from './channel/channel.ts';
import { type LabOfSocket, LateFeed, LateStream } from './lateSends.ts';

/** With this much unsent a client counts as slow, and states wait for it to catch up, bytes. */
const SLOW_BYTES = 65_536;

export class Outbox {
  readonly #socket: WebSocket;
  readonly #connection: Duplex;
  readonly #bytesMax: number;
  readonly #close: (why: CloseCode) => void;
  /** States that wait, by subscription, in the order in which they were first put off. */
  readonly #waiting = new Map<object, Buffer>();
  #sentMs: number;
  readonly #now: () => number;

  /**
   * @param options.connection what the socket writes to; frames are written to it beside the socket's own, which are whole, too
   * @param options.bytesMax bound of what is unsent
   */
  constructor(options: {
    socket: WebSocket;
    connection: Duplex;
    bytesMax: number;
    now: () => number;
    close: (why: CloseCode) => void;
  }) {
    this.#socket = options.socket;
    this.#connection = options.connection;
    this.#bytesMax = options.bytesMax;
    this.#close = options.close;
    this.#now = options.now;
    this.#sentMs = options.now();
    options.connection.on('drain', this.#flush);
  }

  /** When something was last sent, ms since the epoch. */
  get sentMs(): number {
    return this.#sentMs;
  }

  /** What the client has not read yet, bytes. */
  get unsentBytes(): number {
    return this.#connection.writableLength;
  }

  /** True while the client has much to read. */
  get isSlow(): boolean {
    return this.#connection.writableLength > SLOW_BYTES;
  }

  /** Sends in order; at the bound the socket is closed instead. */
  send(message: Buffer): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    if (this.#connection.writableLength > this.#bytesMax) {
      this.#close(closeCodes.slow);
      return;
    }
    this.#sentMs = this.#now();
    if (this.#connection.writableCorked === 0) {
      // Messages of one turn of the event loop go out together.
      this.#connection.cork();
      process.nextTick(this.#uncork);
    }
    this.#connection.write(message);
  }

  /** Sends at once, or keeps the message waiting until the client reads or a newer state of the subscription replaces it. */
  latest(subscription: object, message: Buffer): void {
    if (this.isSlow) this.#waiting.set(subscription, message);
    else this.send(message);
  }

  /** Makes a waiting state final: it is sent in its order and no longer replaced. */
  seal(subscription: object): void {
    const message = this.#waiting.get(subscription);
    if (message === undefined) return;
    this.#waiting.delete(subscription);
    this.send(message);
  }

  /** Drops the waiting state of a subscription. */
  forget(subscription: object): void {
    this.#waiting.delete(subscription);
  }

  readonly #uncork = (): void => this.#connection.uncork();

  readonly #flush = (): void => {
    for (const [subscription, message] of this.#waiting) {
      if (this.isSlow) return;
      this.#waiting.delete(subscription);
      this.send(message);
    }
  };
}

/** What the subscriptions of a channel send with. */
interface SubscriptionSends {
  /** Sends a message that must not be lost; a state that waits is forgotten. */
  send(subscription: object, message: Buffer): void;
  latest(subscription: object, message: Buffer): void;
  seal(subscription: object): void;
  /** The subscription is over. */
  forget(subscription: object): void;
}

/**
 * Where the messages of a socket go: to its outbox, and where its key has a failure lab through that; the market's messages through
 * the lab's feed before.
 */
export class SocketSends {
  readonly #outbox: Outbox;
  readonly #stream: LateStream;
  readonly #feed: LateFeed;
  readonly #own: SubscriptionSends;

  constructor(outbox: Outbox, lab: LabOfSocket) {
    this.#outbox = outbox;
    const stream = new LateStream(outbox, lab);
    this.#stream = stream;
    this.#feed = new LateFeed(stream, lab);
    this.#own = {
      send: (subscription, message) => {
        stream.forget(subscription);
        stream.send(message);
      },
      latest: (subscription, message) => stream.latest(subscription, message),
      seal: (subscription) => stream.seal(subscription),
      forget: (subscription) => stream.forget(subscription),
    };
  }

  /** True while the client has much to read. */
  get isSlow(): boolean {
    return this.#outbox.isSlow;
  }

  /** When something was last sent, ms since the epoch. */
  get sentMs(): number {
    return this.#outbox.sentMs;
  }

  /** What the client has not read, and what the lab holds back, bytes. */
  get unsentBytes(): number {
    return this.#outbox.unsentBytes + this.#stream.bytes + this.#feed.bytes;
  }

  send(message: Buffer): void {
    this.#stream.send(message);
  }

  sendsOf({ isMarket }: Pick<Channel, 'isMarket'>): SubscriptionSends {
    return isMarket === true ? this.#feed : this.#own;
  }

  /** Sends what the lab holds back: the socket is about to be closed. */
  flush(): void {
    this.#feed.flush();
    this.#stream.flush();
  }

  /** The socket is gone. */
  end(): void {
    this.#feed.end();
    this.#stream.end();
  }
}
