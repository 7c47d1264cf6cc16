// Opens a recovered shard and finds poison commands: a command that kills its owner would kill every later one. Each
// new owner records the commands at the heads of the mailboxes. The third owner parks a command with which two owners
// in a row have died.
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { WaitingCommand } from '../commit/mailbox.ts';
import type { Lease } from './lease.ts';
import { openScript } from './openScript.ts';

/** This many owners in a row may die with a command at the head; then it is poison. */
const OWNERS_DIED_MAX = 2;

/**
 * Records the commands at the heads of the mailboxes, and raises the head hash to what recovery found.
 * @param heads account id -> the command at the head of its stream
 * @returns the commit number to continue from (-1: the lease is lost) and the ids of poison commands, which must not run
 */
export async function openShard(
  redis: Redis,
  lease: Lease,
  options: { commitNumber: number; idCounter: number; heads: ReadonlyMap<string, WaitingCommand> },
): Promise<{ commitNumber: number; condemned: ReadonlySet<string> }> {
  const { shard, token, isClean } = lease;
  const { commitNumber, idCounter, heads } = options;
  const known = isClean ? {} : await redis.hgetall(shardKeys.poisonCommands(shard));
  const condemned = new Set<string>();
  const noted: string[] = [];
  for (const [accountId, { id }] of heads) {
    const [knownId, knownCount] = (known[accountId] ?? '').split(' ');
    const ownersDied = isClean ? 0 : (knownId === id ? Number(knownCount) : 0) + 1;
    noted.push(accountId, `${id} ${ownersDied}`);
    if (ownersDied >= OWNERS_DIED_MAX) condemned.add(id);
  }
  const keys = [shardKeys.lease(shard), shardKeys.head(shard), shardKeys.poisonCommands(shard)];
  const number = (await openScript.run(redis, keys, [token, commitNumber, idCounter, ...noted])) as number;
  return { commitNumber: number, condemned };
}
