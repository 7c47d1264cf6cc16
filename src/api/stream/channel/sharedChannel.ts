// A channel that says the same to all its subscribers: one source for each subscription on this node, opened by the first
// subscriber and closed by the last, and each message made once.
import { type Channel, identityOf, type OpenSubscription, type Subscriber, type Subscription } from './channel.ts';

/** What feeds one subscription. */
export interface Source {
  /** What a new subscriber gets first; none when there is nothing to say yet. */
  snapshot(): readonly Buffer[];
  close(): void;
}

/** All who hear one subscription. */
export interface Broadcast {
  /** To all, and not to be lost. */
  send(message: Buffer): void;
  /** To all; those who are slow get only the newest. */
  latest(message: Buffer): void;
  /** What a slow subscriber waits for is the last of its kind, and not to be lost. */
  seal(): void;
}

export interface SharedChannel<S extends Subscription> {
  readonly type: S['type'];
  /** @throws {RequestError} when the subscription cannot be read */
  readonly read: (sent: object) => S;
  /** @throws {RequestError} when it cannot be heard */
  readonly open: (subscription: S, broadcast: Broadcast) => Source | Promise<Source>;
}

/** A source with its subscribers, from the moment it is asked for. */
interface Topic {
  readonly subscribers: Set<Subscriber>;
  source: Source | Promise<Source>;
  /** Subscribers, started or not. */
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
