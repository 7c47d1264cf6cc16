// Completes the commit that an owner had prepared and, as this Redis has it, not made true. It may have been answered: a replica that
// has taken over had perhaps what was prepared, and not the commit. So it comes before anything that the shard's next owner reads.
import type { FormatSource } from '../../../shared/domain/formats.ts';
import { LeaseLost, RetryableError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { CommitCalls } from '../commit/commitCalls.ts';
import { Journal } from '../history/journal.ts';
import type { Lease } from '../ownership/lease.ts';
import { type Prepared, readPrepared } from './preparedForm.ts';

/**
 * @throws {LeaseLost} when the shard has another owner by now
 * @throws {RetryableError} when it is not known what became of it, or too few replicas have it
 * @throws {NewerFormat} when a newer build has prepared it
 */
export async function completePrepared(deps: {
  redis: Redis;
  calls: CommitCalls;
  lease: Lease;
  formats: FormatSource;
  log: Logger;
}): Promise<void> {
  const { redis, calls, lease, formats, log } = deps;
  const { shard, token } = lease;
  const [number, text] = await redis.hmget(shardKeys.prepared(shard), 'n', 'part');
  if (!number || !text) return;
  const { end } = await new Journal({ redis, shard, token }).read(Number(number), 1);
  // A build that prepares nothing has had the shard since.
  if (end >= Number(number)) return;
  const held = { shard, format: formats.current, changed: [] };
  const part = { ...takenOver(readPrepared(text), lease), commands: 0, chars: text.length, held };
  const [kind, said = ''] = await calls.send(shard, part);
  if (kind === 'fenced') throw new LeaseLost(`Shard ${shard} has another owner.`);
  if (kind === 'unleased' || kind === 'error') throw new RetryableError(`What shard ${shard} has prepared: ${kind} ${said}`);
  log.warn({ shard, commit: Number(number), became: kind }, 'a commit that its owner had prepared is dealt with');
}

/** Under the new owner's lease. Whether it may come too late the script knows: not where it may have been answered in another life of Redis. */
function takenOver({ keys, args }: Prepared, { token, epoch, idCounter }: Lease): Prepared {
  const [, number = 0, , ids = 0, ...rest] = args;
  return { keys, args: [token, number, epoch, Math.max(Number(ids), idCounter), ...rest] };
}
