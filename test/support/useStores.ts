// The two stores of a test that needs both.
import { type Store, startMongo, startRedis } from './stores.ts';

/**
 * To be called in a `describe`: a Redis, and a MongoDB that keeps nothing, start before its first test. They stop after its own `after`
 * hooks, so the parts that the test has made meet their stores until their end.
 */
export function useStores(): { readonly redis: Store; readonly mongo: Store } {
  const stores = {} as { redis: Store; mongo: Store };
  before(async function () {
    Object.assign(stores, { redis: await startRedis(), mongo: await startMongo({ memory: true }) });
    this.test?.parent?.afterAll(() => Promise.all([stores.redis.stop(), stores.mongo.stop()]));
  });
  return stores;
}
