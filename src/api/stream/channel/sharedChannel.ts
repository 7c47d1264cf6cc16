// A channel that says the same to all its hearers: one source for each subscription on this node, opened by the first
// hearer and closed by the last, and each message made once.
import { type Channel, type Hearer, identityOf, type Opened, type Subscription } from './channel.ts';

/** What feeds one subscription. */
export interface Source {
  /** What a new hearer gets first; none when there is nothing to say yet. */
  snapshot(): readonly Buffer[];
  close(): void;
}

/** All who hear one subscription. */
export interface Audience {
  /** To all, and not to be lost. */
  send(message: Buffer): void;
  /** To all; those who are slow get only the newest. */
  latest(message: Buffer): void;
  /** What a slow hearer waits for is the last of its kind, and not to be lost. */
  seal(): void;
}

export interface SharedChannel<S extends Subscription> {
  readonly type: S['type'];
  /** @throws {RequestError} when the subscription cannot be read */
  readonly read: (sent: object) => S;
  /** @throws {RequestError} when it cannot be heard */
  readonly open: (subscription: S, audience: Audience) => Source | Promise<Source>;
}

/** A source with its hearers, from the moment it is asked for. */
interface Topic {
  readonly hearers: Set<Hearer>;
  source: Source | Promise<Source>;
  /** Hearers, started or not. */
  uses: number;
}

export function sharedChannel<S extends Subscription>({ type, read, open }: SharedChannel<S>): Channel<S> {
  const topics = new Map<string, Topic>();

  const openTopic = (identity: string, subscription: S): Topic => {
    const hearers = new Set<Hearer>();
    const source = open(subscription, {
      send: (message) => {
        for (const hearer of hearers) hearer.send(message);
      },
      latest: (message) => {
        for (const hearer of hearers) hearer.latest(message);
      },
      seal: () => {
        for (const hearer of hearers) hearer.seal();
      },
    });
    const topic: Topic = { hearers, source, uses: 0 };
    topics.set(identity, topic);
    return topic;
  };

  const toOpened = (source: Source, { topic, leave }: { topic: Topic; leave: () => void }, hearer: Hearer): Opened => ({
    start: () => {
      for (const message of source.snapshot()) hearer.latest(message);
      topic.hearers.add(hearer);
    },
    close: () => {
      topic.hearers.delete(hearer);
      leave();
    },
  });

  return {
    type,
    read,
    open(subscription, hearer) {
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
      if (!(source instanceof Promise)) return toOpened(source, { topic, leave: () => leave(source) }, hearer);
      return source.then(
        (ready) => {
          topic.source = ready;
          return toOpened(ready, { topic, leave: () => leave(ready) }, hearer);
        },
        (error: unknown) => {
          leave();
          throw error;
        },
      );
    },
  };
}
