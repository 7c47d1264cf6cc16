// What a channel is. Adding one: a file in channels/ that makes a `Channel` and its contract, a line in channels.ts and
// one in channelContracts.ts. The session
// (session.ts) does the rest: it finds the channel by the subscription's type, tells the client that it is subscribed,
// refuses a second subscription of the same identity, and closes what is open when the socket ends.
//
// The order of things: `read` judges the client's JSON; `open` prepares and sends nothing; the session sends the
// `subscriptionResponse`; `start` sends the snapshot and lets what happens from then on through; `close` ends it. A socket
// that closes while `open` is still at work has its `close` called when it is done, without a `start`.
import type { Call } from '../../accounts/services.ts';
import type { CloseCode } from '../closeCodes.ts';

/**
 * What a client asked to hear, as it is said back: known fields as they were sent (addresses in lower case), defaults added,
 * unknown fields dropped.
 */
export interface Subscription {
  readonly type: string;
}

export interface Channel<S extends Subscription = Subscription> {
  readonly type: S['type'];
  /** @throws {RequestError} when the subscription cannot be read; the client is told that it is invalid */
  read(sent: object): S;
  /** @throws {RequestError} when it cannot be heard here; the client is told that it is invalid */
  open(subscription: S, subscriber: Subscriber): OpenSubscription | Promise<OpenSubscription>;
}

export interface OpenSubscription {
  /** Of private channels: the account's sequence number after which everything is told; said beside the response. */
  readonly seq?: number;
  /** Called once, right after the client was told that it is subscribed. */
  start(): void;
  /** Ends the pushes. Called once, also when `start` was not. */
  close(): void;
}

/** One subscription of one socket, as a channel sees it. Messages are made once (message.ts) and given to many. */
export interface Subscriber {
  /** Who listens, for parts that answer calls: `subscriber.call().caller.accountId` is the account. */
  call(): Call;
  /** Sends what must not be lost. A client that does not read is closed at the bound of its buffer. */
  send(message: Buffer): void;
  /**
   * Sends what a newer message of this subscription makes worthless: where the client is slow the latest alone waits. A
   * `send` takes the place of what waits.
   */
  latest(message: Buffer): void;
  /** What waits of `latest` was the last of its kind and must arrive: what comes next is of another (a new candle). */
  seal(): void;
  /**
   * Resolves when no other subscription of this socket has a past to send, with a function that ends the turn: what waits for
   * a client to read it is the past of one. Rejects when the subscription is over meanwhile.
   */
  waitForTurn(): Promise<() => void>;
  /** True while much that was sent has not been read: who has more to say, and may wait, waits. */
  isSlow(): boolean;
  /** Closes the socket: what it was told so far stands, and nothing can follow it. */
  close(why: CloseCode): void;
}

/** Fields that say how to listen and not to what: two subscriptions that differ in them alone are one. */
const DELIVERY_FIELDS: ReadonlySet<string> = new Set(['fromSeq', 'stateHash']);

/** What makes two subscriptions of a socket the same: all fields but those that are empty, in any order. */
export function identityOf(subscription: Subscription): string {
  const fields = Object.entries(subscription).filter(
    ([name, value]) => !DELIVERY_FIELDS.has(name) && value !== null && value !== '' && value !== false && value !== undefined,
  );
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
