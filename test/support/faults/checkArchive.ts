// The archive as judge: everything that is stored of an account is what its archived entries come to, without a hole.
import { expect } from 'chai';
import type { AdminParts } from '../../../src/admin/adminCommand.ts';
import { verifyPast } from '../../../src/admin/archive/verifyPast.ts';
import { shardOf } from '../../../src/shared/domain/shardOf.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectRedis } from '../../../src/shared/redis/redis.ts';
import type { Stack } from '../stack.ts';

/** @throws {Differs} that names the first difference */
export async function checkArchive({ redisStore, mongo }: Stack, accountId: string, shards: number): Promise<void> {
  const redis = connectRedis({ url: redisStore.url, name: 'judge', log: createLogger({ level: 'silent', role: 'test' }) });
  const billing = { config: { SHARDS: shards } } as AdminParts['billing'];
  try {
    const named = { accountId, shard: shardOf(accountId, shards), user: undefined };
    const verified = await verifyPast({ redis, mongo, billing }, named);
    expect(verified).to.include({ first: 1, folded: verified.last });
    expect(verified.notes).to.deep.equal([]);
    expect(verified.rows).to.be.above(0);
  } finally {
    redis.disconnect();
  }
}
