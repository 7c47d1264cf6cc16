// Notices a connection to Redis that has died without a word: its packets are dropped and neither side is told. A
// connection on which nothing was heard for a second is asked for an answer; one that stays silent is destroyed, and
// ioredis opens another, subscribes again and resends what was not answered. So no command and no subscriber waits
// longer than a few seconds for a dead connection.
import type { Redis } from 'ioredis';

/** How often a connection is looked at, ms. */
const LOOK_EVERY_MS = 1000;
/** A connection that has brought nothing for so many looks is dead: it is opened anew within 5 s. */
const SILENT_LOOKS_MAX = 4;
/** The same for a connection that waits in Redis (`BZPOPMIN` of BullMQ, 10 s at most) and is answered only after that. */
export const BLOCKING_LOOKS_MAX = 15;

/**
 * Watches the connection for its whole life, over every reconnect. Time is counted in looks, in which this process has
 * run and could read: after a sleep of its own no connection counts as silent.
 */
export function watchConnection(redis: Redis, silentLooksMax = SILENT_LOOKS_MAX): void {
  let watched: Redis['stream'] | undefined;
  let heardBytes = 0;
  let silentLooks = 0;
  let isAsked = false;

  const look = (): void => {
    const { stream } = redis;
    // Between two connections there is none yet.
    if (stream === undefined || stream.destroyed) return;
    if (stream !== watched || stream.bytesRead !== heardBytes) {
      if (stream !== watched) isAsked = false; // what was asked on the one before may never be answered
      watched = stream;
      heardBytes = stream.bytesRead;
      silentLooks = 0;
      return;
    }
    silentLooks += 1;
    if (silentLooks >= silentLooksMax) {
      stream.destroy(new Error(`Redis was silent for ${(silentLooks * LOOK_EVERY_MS) / 1000} s`));
    } else if (!isAsked) ask();
  };

  /** Any answer will do, a refusal too: it brings bytes. */
  const ask = (): void => {
    // During the greeting, which a Redis that is still loading prolongs, only such commands are sent at once.
    const asking = redis.status === 'ready' ? redis.ping() : redis.status === 'connect' ? redis.client('ID') : undefined;
    if (asking === undefined) return;
    isAsked = true;
    const done = (): void => {
      isAsked = false;
    };
    asking.then(done, done);
  };

  const timer = setInterval(look, LOOK_EVERY_MS).unref();
  redis.once('end', () => clearInterval(timer));
}
