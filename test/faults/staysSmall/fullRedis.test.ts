import { expect } from 'chai';
import { shardKeys } from '../../../src/shared/redis/keys.ts';
import { type Load, QUIET_BREATHS_MS, SHARDS } from '../../support/faults/faultStack.ts';
import { scenario } from '../../support/faults/seeds.ts';
import { type RemoteFaults, remoteFaults } from '../../support/faults/sharedFaults.ts';
import { until } from '../../support/until.ts';

const FULL = '503 store_unavailable';

describe('a Redis that has used up its memory', function () {
  this.timeout(600_000);
  let remote: RemoteFaults;

  remoteFaults.use((shared) => {
    remote = shared;
  });

  const ofShards = <Value>(ask: (shard: number) => Promise<Value>): Promise<Value[]> =>
    Promise.all(Array.from({ length: SHARDS }, (_, shard) => ask(shard)));
  const refused = (load: Load): number => load.troubles()[FULL] ?? 0;

  scenario(
    'orders are refused in words; a pod that starts takes its shards and cuts their journals; then all goes on',
    async (seed) => {
      const { stack } = remote.faults;
      const load = await remote.faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
      const setMemory = (bytes: number) => stack.redis.config('SET', 'maxmemory', String(bytes));
      const tokens = () => ofShards((shard) => stack.redis.get(shardKeys.lease(shard)));
      const before = await tokens();
      await setMemory(1);
      try {
        await until(() => refused(load) > 3);
        await stack.kill('actors-0');
        await stack.restart('actors-0');
        await until(async () => (await tokens()).every((token, shard) => token !== null && token !== before[shard]));
        await stack.waitHealthy();
        const since = refused(load);
        await until(() => refused(load) > since + 3);
        // The journal is cut up to the entries that MongoDB has, though the market goes on filling orders that rest.
        const reached = await ofShards(async (shard) => Number(await stack.redis.hget(shardKeys.head(shard), 'n')));
        const isCut = async (shard: number): Promise<boolean> => {
          const [[first] = []] = await stack.redis.xrange(shardKeys.journal(shard), '-', '+', 'COUNT', 1);
          return first === undefined || Number.parseInt(first, 10) > (reached[shard] ?? 0);
        };
        await until(async () => (await ofShards(isCut)).every(Boolean));
      } finally {
        await setMemory(0);
      }
      await load.verdict();
      for (const told of Object.keys(load.refusals())) expect(told).to.equal(FULL);
    },
  );
});
