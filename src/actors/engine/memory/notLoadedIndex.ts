// Accounts that a shard's owner could not load, each with the reason, for operators: `{sNN}:notloaded`. It is the owner's own
// word: it names the owner's token, and counts as long as that is the lease's. A heartbeat names only some of them.
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import { OWNER_FIELD } from '../../core/messages/quarantineRecord.ts';
import type { Lease } from '../ownership/lease.ts';

const REASON_MAX = 300;

/** The shard, as the index of its accounts that are not loaded sees it. */
interface NotLoadedContext {
  readonly pod: { readonly redis: Redis; readonly log: Logger };
  readonly lease: Pick<Lease, 'shard' | 'token'>;
}

const noteScript = new Script(
  'noteNotLoaded',
  `
-- Notes that an account could not be loaded, or is loaded after all.
-- KEYS  lease, index.
-- ARGV  token, account, reason ('' = it is loaded).
-- Answers 1 noted, 0 the shard is not the caller's.
-- Atomic because the words of one owner must not stand beside those of another.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if redis.call('HGET', KEYS[2], '${OWNER_FIELD}') ~= ARGV[1] then redis.call('DEL', KEYS[2]) end
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[2], '${OWNER_FIELD}', ARGV[1], ARGV[2], ARGV[3])
else
  redis.call('HDEL', KEYS[2], ARGV[2])
  if redis.call('HLEN', KEYS[2]) <= 1 then redis.call('DEL', KEYS[2]) end
end
return 1
`,
  { whenFull: 'runs' },
);

export class NotLoadedIndex {
  readonly #shard: NotLoadedContext;

  constructor(shard: NotLoadedContext) {
    this.#shard = shard;
  }

  /** @param reason undefined = the account is loaded after all */
  note(accountId: string, reason: string | undefined): void {
    const { redis, log } = this.#shard.pod;
    const { shard, token } = this.#shard.lease;
    const args = [token, accountId, (reason ?? '').slice(0, REASON_MAX)];
    noteScript.run(redis, [shardKeys.lease(shard), shardKeys.notLoaded(shard)], args).catch((error: unknown) => {
      log.warn({ shard, account: accountId, err: error }, 'operators may not find an account that is not loaded');
    });
  }
}
