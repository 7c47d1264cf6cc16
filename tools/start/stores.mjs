// Redis and MongoDB, side by side.
import { startMongo } from './mongo.mjs';
import { startRedis } from './redis.mjs';

/**
 * Waits for both even when one fails, so that nothing starts any more once the stop has begun.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {(service: import('./service.mjs').Service) => void} onService
 * @param {AbortSignal} signal
 * @returns {Promise<[{ url: string, how: string, port?: number }, { url: string, how: string }]>}
 */
export async function startStores(data, onService, signal) {
  const [redis, mongo] = [startRedis(data, onService, signal), startMongo(data, onService, signal)];
  await Promise.allSettled([redis, mongo]);
  return [await redis, await mongo];
}

/**
 * For who waits for both itself: their addresses, as soon as they are known.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {(service: import('./service.mjs').Service) => void} onService
 * @param {AbortSignal} signal
 * @returns {Promise<{ redisUrl: string, redisPort: number | undefined, mongoUrl: string, mongo: Promise<unknown> }>} `mongo` is there
 *   when MongoDB answers
 */
export async function beginStores(data, onService, signal) {
  /** @type {(url: string) => void} */
  let tell = () => undefined;
  const told = new Promise((/** @type {(url: string) => void} */ resolve) => {
    tell = resolve;
  });
  const redis = startRedis(data, onService, signal);
  const mongo = startMongo(data, onService, signal, tell);
  const address = Promise.race([told, mongo.then(({ url }) => url)]);
  await Promise.allSettled([redis, address]);
  const { url: redisUrl, port: redisPort } = await redis;
  return { redisUrl, redisPort, mongoUrl: await address, mongo };
}
