// The archive as judge: everything that is stored of an account is what its archived entries come to, without a hole.
import { expect } from 'chai';
import type { OperatorParts } from '../../../src/operators/acts/operatorParts.ts';
import { verifyPast } from '../../../src/operators/archive/verifyAccount.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectRedis } from '../../../src/shared/redis/redis.ts';
import type { Stack } from '../stack.ts';

const ASKED_MAX = 10;

/**
 * @param options.mayBreak the account's life may have breaks: Redis has lost entries
 * @throws {Differs} that names the first difference
 */
export async function checkArchive(
  { redisUrl, mongo }: Stack,
  accountId: string,
  { shards, mayBreak = false }: { shards: number; mayBreak?: boolean },
): Promise<void> {
  const redis = connectRedis({ url: redisUrl, name: 'judge', log: createLogger({ level: 'silent', role: 'test' }) });
  const billing = { config: { SHARDS: shards } } as OperatorParts['billing'];
  try {
    const named = { accountId, shard: shardOf(accountId, shards), user: undefined };
    let verified = await verifyPast({ redis, mongo, billing }, named);
    if (mayBreak) return;
    // An owner that has no time for a question on a busy machine is asked again.
    for (let asked = 1; asked < ASKED_MAX && verified.notes.length > 0; asked++) {
      verified = await verifyPast({ redis, mongo, billing }, named);
    }
    expect(verified).to.include({ first: 1, folded: verified.last });
    expect(verified.notes).to.deep.equal([]);
  } finally {
    redis.disconnect();
  }
}
