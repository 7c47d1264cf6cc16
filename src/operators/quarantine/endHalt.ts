// Asks the owner of an account to bring it back as an operator wants it, and finds out by a question whether it is alive.
import { setTimeout as pause } from 'node:timers/promises';
import { type Wish, writeWish } from '../../actors/core/messages/quarantineRecord.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import { sendToAccount } from '../accounts/sendToAccount.ts';
import { type OperatorParts, Refused } from '../operatorParts.ts';
import { type HaltedAccount, haltedAccounts } from './haltedAccounts.ts';

/** An owner looks for wishes once a second; a take of its shard comes in between at worst. */
const TAKEN_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 250;
/** How often the account is asked before it counts as halted still: reading it takes a moment. */
const QUESTIONS_MAX = 10;
const ASK_EVERY_MS = 1000;

/** Resolves when the account answers. @throws {Refused} when no owner takes the wish up, or the account stays halted */
export async function endHalt(
  parts: OperatorParts,
  { accountId, shard }: Pick<HaltedAccount, 'accountId' | 'shard'>,
  wish: Wish,
): Promise<void> {
  const { redis } = parts;
  const key = shardKeys.wishes(shard);
  await redis.hset(key, accountId, writeWish(wish));
  for (let waitedMs = 0; (await redis.hexists(key, accountId)) === 1; waitedMs += LOOK_EVERY_MS) {
    if (waitedMs >= TAKEN_WITHIN_MS) {
      await redis.hdel(key, accountId);
      throw new Refused(`No owner of shard ${shard} took it up: does a pod of this build run? Nothing was done.`);
    }
    await pause(LOOK_EVERY_MS);
  }
  for (let questions = 0; questions < QUESTIONS_MAX; questions++) {
    const { reply } = await sendToAccount(parts, accountId, { type: 'query', query: { kind: 'accountState' } });
    if (reply !== undefined && 'outcome' in reply) return;
    await pause(ASK_EVERY_MS);
  }
  const still = (await haltedAccounts(parts)).find((one) => one.accountId === accountId);
  throw new Refused(`It is halted still: ${still?.reason ?? 'it does not answer'}`);
}
