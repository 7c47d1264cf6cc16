// A channel that sends the same to all its subscribers. Each subscription on this node has one source, which the
// first subscriber opens and the last one closes, and each message is made once.
import { RequestError } from '../../../shared/errors.ts';
import { payerOf } from '../../accounts/askVenue.ts';
import { identityOf, type OpenSubscription, type Serving, type Subscriber, type Subscription } from './channel.ts';

/** The source of one subscription's messages. */
export interface Source {
  /** The first messages of a new subscriber; none while there is no data. */
  snapshot(): readonly Buffer[];
  close(): void;
}

/** Sends to all subscribers of one subscription. */
export interface Broadcast {
  /** Sends to all a message that must not be lost. */
  send(message: Buffer): void;
  /** Sends to all a message that a newer one replaces; slow subscribers get only the newest. */
  latest(message: Buffer): void;
  /** Makes the waiting messages of slow subscribers final: they must not be replaced. */
  seal(): void;
  /** How often a state may be sent at most, ms; 0 = as often as it changes. */
  paceMs(): number;
  /** The subscribers (`payerOf`) on whom a question to the venue may be counted: each is the first one in turn. */
  payers(): readonly string[];
}

/** Opens the source of a subscription. @throws {RequestError} when it is not available */
export type OpenSource<S extends Subscription> = (subscription: S, broadcast: Broadcast) => Source | Promise<Source>;

/** Users who are tried as payers of one question: each costs a call to Redis when its part is used up. */
const PAYERS_MAX = 4;

/**
 * Subscriptions of one channel that a user has as fast as the market moves: one for each coin, and some. Of a user with more, those
 * that no other user has come as often as so many would come each second. There are hundreds of forms of each coin's book.
 */
const FAST_MAX = 300;

/** A source with its subscribers, from the moment of the first request. */
interface Topic {
  readonly subscribers: Set<Subscriber>;
  /** Uses by user, started or not. The next payer is the first one. */
  readonly users: Map<string, number>;
  source: Source | Promise<Source>;
  /** Number of subscribers, started or not. */
  uses: number;
}

export function sharedChannel<S extends Subscription>(openSource: OpenSource<S>): Serving<S> {
  const topics = new Map<string, Topic>();
  /** Topics by user. */
  const topicsOf = new Map<string, number>();

  const countTopic = (userId: string, by: 1 | -1): void => {
    const count = (topicsOf.get(userId) ?? 0) + by;
    if (count > 0) topicsOf.set(userId, count);
    else topicsOf.delete(userId);
  };

  const paceOf = (users: ReadonlyMap<string, number>): number => {
    let fewest = Number.POSITIVE_INFINITY;
    for (const user of users.keys()) {
      fewest = Math.min(fewest, topicsOf.get(user) ?? 0);
      if (fewest <= FAST_MAX) return 0;
    }
    return users.size === 0 ? 0 : (1000 * fewest) / FAST_MAX;
  };

  const openTopic = (identity: string, subscription: S, userId: string): Topic => {
    const subscribers = new Set<Subscriber>();
    const users = new Map([[userId, 0]]);
    const source = openSource(subscription, {
      send: (message) => {
        for (const subscriber of subscribers) subscriber.send(message);
      },
      latest: (message) => {
        for (const subscriber of subscribers) subscriber.latest(message);
      },
      seal: () => {
        for (const subscriber of subscribers) subscriber.seal();
      },
      paceMs: () => paceOf(users),
      payers: () => {
        const payers = [...users.keys()].slice(0, PAYERS_MAX);
        const [first] = payers;
        if (first !== undefined) moveToEnd(users, first);
        return payers;
      },
    });
    const topic: Topic = { subscribers, users, source, uses: 0 };
    topics.set(identity, topic);
    return topic;
  };

  const toOpened = (
    source: Source,
    { topic, leave }: { topic: Topic; leave: () => void },
    subscriber: Subscriber,
  ): OpenSubscription => ({
    start: () => {
      for (const message of source.snapshot()) subscriber.latest(message);
      topic.subscribers.add(subscriber);
    },
    close: () => {
      topic.subscribers.delete(subscriber);
      leave();
    },
  });

  const open: Serving<S>['open'] = (subscription, subscriber) => {
    const identity = identityOf(subscription);
    const userId = payerOf(subscriber.call().caller);
    const known = topics.get(identity);
    const topic = known ?? openTopic(identity, subscription, userId);
    topic.uses += 1;
    const uses = topic.users.get(userId) ?? 0;
    topic.users.set(userId, uses + 1);
    if (uses === 0) countTopic(userId, 1);
    const leave = (source?: Source): void => {
      topic.uses -= 1;
      const left = (topic.users.get(userId) ?? 0) - 1;
      if (left > 0) topic.users.set(userId, left);
      else if (topic.users.delete(userId)) countTopic(userId, -1);
      if (topic.uses > 0) return;
      if (topics.get(identity) === topic) topics.delete(identity);
      source?.close();
    };
    const { source } = topic;
    if (!(source instanceof Promise)) return toOpened(source, { topic, leave: () => leave(source) }, subscriber);
    return source.then(
      (ready) => {
        topic.source = ready;
        return toOpened(ready, { topic, leave: () => leave(ready) }, subscriber);
      },
      (error: unknown) => {
        if (topics.get(identity) === topic) topics.delete(identity);
        leave();
        // What was refused to the user who asked first, for using much, is no answer to others who came meanwhile.
        if (known !== undefined && isOwnLimit(error)) return open(subscription, subscriber);
        throw error;
      },
    );
  };
  return { isMarket: true, open };
}

const isOwnLimit = (error: unknown): boolean => error instanceof RequestError && error.status === 429;

function moveToEnd(users: Map<string, number>, user: string): void {
  const uses = users.get(user) ?? 0;
  users.delete(user);
  users.set(user, uses);
}
