// What operators want of accounts (`bin/admin quarantine lift|drop`, `account rebuild`). The owner finds it in Redis at its sweeps,
// takes it out before it begins, so that an account which kills its owner does so once, and reads the account anew.
// Until that account is there its commands are answered 503, as before.
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import type { Account } from '../../core/account/account.ts';
import { readWish, type Wish } from '../../core/messages/quarantineRecord.ts';
import type { Commits } from '../commit/commits.ts';
import type { WaitingAccounts } from '../commit/mailbox.ts';
import type { AccountsInMemory } from '../memory/accountsInMemory.ts';
import type { NotLoadedIndex } from '../memory/notLoadedIndex.ts';
import type { ResidentLoader } from '../memory/residentLoader.ts';
import type { Lease } from '../ownership/lease.ts';
import type { RecoveredShard } from '../ownership/recovery.ts';

/** The shard, as the wishes of operators see it. */
interface WishesContext {
  readonly pod: { readonly redis: Redis; readonly log: Logger };
  readonly lease: Pick<Lease, 'shard' | 'token'>;
  readonly opened: {
    readonly recovered: Pick<RecoveredShard, 'reload' | 'tailOf'>;
    readonly waiting: Pick<WaitingAccounts, 'add'>;
  };
  readonly accounts: Pick<AccountsInMemory, 'quarantined' | 'halt' | 'readmit'>;
  readonly commits: Pick<Commits, 'draft' | 'isChanging'>;
  readonly loader: Pick<ResidentLoader, 'halt'>;
  readonly notLoadedIndex: Pick<NotLoadedIndex, 'note'>;
  readonly events: { readonly onWork: () => void };
}

export class OperatorWishes {
  readonly #shard: WishesContext;
  #isAtWork = false;
  #isStopped = false;

  constructor(shard: WishesContext) {
    this.#shard = shard;
  }

  /** Looks for wishes and carries them out, one at a time. */
  look(): void {
    if (this.#isAtWork || this.#isStopped) return;
    this.#isAtWork = true;
    const { pod, lease } = this.#shard;
    this.#carryOut()
      .catch((error: unknown) => pod.log.warn({ shard: lease.shard, err: error }, 'an operator’s wish cannot be carried out'))
      .finally(() => (this.#isAtWork = false));
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #carryOut(): Promise<void> {
    const { pod, lease, accounts, commits } = this.#shard;
    const { redis } = pod;
    const { shard, token } = lease;
    const key = shardKeys.wishes(shard);
    for (const [accountId, text] of Object.entries(await redis.hgetall(key))) {
      const wish = readWish(text);
      // While an entry of the account is on its way to the journal the wish waits for the next sweep.
      if (this.#isStopped || commits.isChanging(accountId)) continue;
      if (wish.want === 'rebuild' && !accounts.quarantined.has(accountId)) {
        const asOf = wish.asOf === undefined ? 'its newest entry' : `entry ${wish.asOf}`;
        accounts.halt(accountId, `an operator has it rebuilt as of ${asOf}`, commits.draft);
        continue;
      }
      if ((await takeWishScript.run(redis, [shardKeys.lease(shard), key], [token, accountId])) !== 1) continue;
      if (accounts.quarantined.has(accountId)) await this.#reload(accountId, wish);
      if (this.#isStopped) return;
    }
  }

  async #reload(accountId: string, wish: Wish): Promise<void> {
    const { pod, lease, opened, loader } = this.#shard;
    pod.log.info({ shard: lease.shard, account: accountId, ...wish }, 'an operator wants a halted account back');
    const account = await opened.recovered.reload(accountId, wish);
    if (this.#isStopped) return;
    if (account === undefined) loader.halt(accountId);
    else this.#onLifted(account);
  }

  #onLifted(account: Account): void {
    const { pod, lease, opened, accounts, commits, notLoadedIndex, events } = this.#shard;
    const { id, seq } = account;
    accounts.readmit(account, opened.recovered.tailOf(id), commits.draft);
    notLoadedIndex.note(id, undefined);
    opened.waiting.add(id);
    pod.log.info({ shard: lease.shard, account: id, seq }, 'a halted account is back');
    events.onWork();
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
