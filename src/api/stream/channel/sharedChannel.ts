// A channel that sends the same to all its subscribers. Each subscription on this node has one source, which the
// first subscriber opens and the last one closes, and each message is made once.
import { type Channel, identityOf, type OpenSubscription, type Subscriber, type Subscription } from './channel.ts';

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
}

export interface SharedChannel<S extends Subscription> {
  readonly type: S['type'];
  /** @throws {RequestError} when the subscription cannot be read */
  readonly read: (sent: object) => S;
  /** @throws {RequestError} when it is not available */
  readonly open: (subscription: S, broadcast: Broadcast) => Source | Promise<Source>;
}

/** A source with its subscribers, from the moment of the first request. */
interface Topic {
  readonly subscribers: Set<Subscriber>;
  source: Source | Promise<Source>;
  /** Number of subscribers, started or not. */
  uses: number;
}

export function sharedChannel<S extends Subscription>({ type, read, open }: SharedChannel<S>): Channel<S> {
  const topics = new Map<string, Topic>();

  const openTopic = (identity: string, subscription: S): Topic => {
    const subscribers = new Set<Subscriber>();
    const source = open(subscription, {
      send: (message) => {
        for (const subscriber of subscribers) subscriber.send(message);
      },
      latest: (message) => {
        for (const subscriber of subscribers) subscriber.latest(message);
      },
      seal: () => {
        for (const subscriber of subscribers) subscriber.seal();
      },
    });
    const topic: Topic = { subscribers: subscribers, source, uses: 0 };
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

  return {
    type,
    read,
    open(subscription, subscriber) {
      const identity = identityOf(subscription);
      const topic = topics.get(identity) ?? openTopic(identity, subscription);
      topic.uses += 1;
      const leave = (source?: Source): void => {
        topic.uses -= 1;
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
          leave();
          throw error;
        },
      );
    },
  };
}
