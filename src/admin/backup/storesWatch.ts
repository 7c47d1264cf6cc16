// Ends a backup or a restore when a store goes away in its middle. A connection that is opened anew would let it go on, on a store
// that may have lost its last moments; and while Redis is away a command would wait for ever.

import { Refused } from '../../operators/operatorParts.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import type { Redis } from '../../shared/redis/redis.ts';

/**
 * @param what what to do then, a sentence
 * @returns what the work gives
 * @throws {Refused} when a store went away meanwhile; the work must not be relied on then
 */
export async function whileStoresAreThere<Result>(
  { redis, mongo }: { redis: Redis; mongo: MongoConnection },
  what: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const { client } = mongo.db;
  let onAway: (store: string) => void = () => undefined;
  const away = new Promise<never>((_, reject) => {
    onAway = (store) => reject(new Refused(`${store} went away in the middle. ${what}`));
  });
  away.catch(() => undefined); // it may be too late for the work, which is done then
  const [ofRedis, ofMongo] = [() => onAway('Redis'), () => onAway('MongoDB')];
  for (const event of ['close', '-node']) redis.on(event, ofRedis);
  client.on('connectionPoolCleared', ofMongo);
  try {
    return await Promise.race([work(), away]);
  } finally {
    for (const event of ['close', '-node']) redis.off(event, ofRedis);
    client.off('connectionPoolCleared', ofMongo);
  }
}
