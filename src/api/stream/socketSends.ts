// Where the messages of a socket go: to its outbox, and where its key has a failure lab through that; the market's messages through
// the lab's feed before.
import { LateFeed } from '../lab/stream/lateFeed.ts';
import { type LabOfSocket, LateStream } from '../lab/stream/lateStream.ts';
import type { Channel } from './channel/channel.ts';
import type { Outbox } from './outbox.ts';

/** What the subscriptions of a channel send with. */
interface SubscriptionSends {
  /** Sends a message that must not be lost; a state that waits is forgotten. */
  send(subscription: object, message: Buffer): void;
  latest(subscription: object, message: Buffer): void;
  seal(subscription: object): void;
  /** The subscription is over. */
  forget(subscription: object): void;
}

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
