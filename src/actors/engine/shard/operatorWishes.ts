// What operators want of accounts (`bin/admin quarantine lift|drop`, `account rebuild`). The owner finds it in Redis at its sweeps,
// takes it out before it begins, so that an account which kills its owner does so once, and reads the account anew.
// Until that account is there its commands are answered 503, as before.
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import type { Account } from '../../core/account/account.ts';
import { readWish, type Wish } from '../../core/messages/quarantineRecord.ts';

interface OperatorWishesParts {
  readonly redis: Redis;
  readonly shard: number;
  readonly token: string;
  readonly log: Logger;
  readonly isHalted: (accountId: string) => boolean;
  /** True while an entry of the account is on its way to the journal: the wish waits for the next sweep. */
  readonly isChanging: (accountId: string) => boolean;
  /** @returns undefined when the account cannot be brought back */
  readonly reload: (accountId: string, wish: Wish) => Promise<Account | undefined>;
  /** Halts an account that is to be rebuilt, as long as this owner has the shard. */
  readonly halt: (accountId: string, reason: string) => void;
  readonly onLifted: (account: Account) => void;
  readonly onFailed: (accountId: string) => void;
}

export class OperatorWishes {
  readonly #parts: OperatorWishesParts;
  #isAtWork = false;
  #isStopped = false;

  constructor(parts: OperatorWishesParts) {
    this.#parts = parts;
  }

  /** Looks for wishes and carries them out, one at a time. */
  look(): void {
    if (this.#isAtWork || this.#isStopped) return;
    this.#isAtWork = true;
    const { log, shard } = this.#parts;
    this.#carryOut()
      .catch((error: unknown) => log.warn({ shard, err: error }, 'an operator’s wish cannot be carried out'))
      .finally(() => (this.#isAtWork = false));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #carryOut(): Promise<void> {
    const { redis, shard, token, log, isHalted, isChanging, reload, halt, onLifted, onFailed } = this.#parts;
    const key = shardKeys.wishes(shard);
    for (const [accountId, text] of Object.entries(await redis.hgetall(key))) {
      const wish = readWish(text);
      if (this.#isStopped || isChanging(accountId)) continue;
      if (wish.want === 'rebuild' && !isHalted(accountId)) {
        halt(
          accountId,
          `an operator has it rebuilt as of ${wish.asOf === undefined ? 'its newest entry' : `entry ${wish.asOf}`}`,
        );
        continue;
      }
      if ((await takeWishScript.run(redis, [shardKeys.lease(shard), key], [token, accountId])) !== 1) continue;
      if (!isHalted(accountId)) continue;
      log.info({ shard, account: accountId, ...wish }, 'an operator wants a halted account back');
      const account = await reload(accountId, wish);
      if (this.#isStopped) return;
      if (account === undefined) onFailed(accountId);
      else onLifted(account);
    }
  }
}

const takeWishScript = new Script(
  'takeWish',
  `
-- Takes a wish out before it is carried out.
-- KEYS  lease, wishes.
-- ARGV  token, account id.
-- Answers 1 taken, 0 the shard is not the caller's, or the operator has taken the wish back.
-- Atomic because a former owner must not take a wish that it will not carry out.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('HDEL', KEYS[2], ARGV[2])
`,
  { whenFull: 'runs' },
);
