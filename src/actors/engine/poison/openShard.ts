// Opens a recovered shard and finds poison commands: a command that kills its owner would kill every later one. Only an
// owner that has begun a command is counted against it. The first owner runs at full speed and counts nothing; what is
// at the heads of the mailboxes when it dies is possible poison. Later owners count themselves before they run one
// (possiblePoison.ts). An owner that dies while it loads accounts is counted against none. An owner that recovers again under
// its own lease has not died: it keeps the counts that it found at its take.
import { randomBytes } from 'node:crypto';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { Lease } from '../ownership/lease.ts';
import { beginCommandScript } from './beginCommandScript.ts';
import { noteWorkScript } from './noteWorkScript.ts';
import { openScript } from './openScript.ts';

/** A command that this many owners have died of is poison: the next one parks it. */
export const OWNERS_DIED_MAX = 2;

export interface OpenedHeads {
  /** The commit number to continue from; -1: the lease is lost. */
  readonly commitNumber: number;
  /** Stream id -> owners that have died of it, of the commands that are counted before they are run, or parked. */
  readonly possiblePoison: ReadonlyMap<string, number>;
  /**
   * `<token>:<random>`, the owner of versions from here on. Not the token alone: who recovers under its own lease may have answered by
   * a commit that Redis has lost since, and gives the same numbers to other states.
   */
  readonly versionsOwner: string;
}

/**
 * Records the possible poison, and raises the head hash to what recovery found.
 * @param options.heads account id -> the command at the head of its stream
 * @param options.found what this owner found at its take, when it recovers again; undefined = it has just taken the shard
 */
export async function openShard(
  redis: Redis,
  lease: Lease,
  options: {
    commitNumber: number;
    idCounter: number;
    heads: ReadonlyMap<string, { readonly id: string }>;
    found?: ReadonlyMap<string, number> | undefined;
  },
): Promise<OpenedHeads> {
  const { shard, token } = lease;
  const { commitNumber, idCounter, heads, found } = options;
  const among = found ? stillWaiting(found, heads) : await possiblePoisonAmong(redis, lease, heads);
  const possiblePoison = new Map<string, number>();
  const noted: string[] = [];
  for (const [accountId, id, ownersDied] of among) {
    possiblePoison.set(id, ownersDied);
    noted.push(accountId, `${id} ${ownersDied}`);
  }
  const keys = [shardKeys.lease(shard), shardKeys.head(shard), shardKeys.poisonCommands(shard), shardKeys.versions(shard)];
  const versionsOwner = `${token}:${randomBytes(6).toString('hex')}`;
  const args = [token, commitNumber, idCounter, versionsOwner, ...noted];
  return { commitNumber: (await openScript.run(redis, keys, args)) as number, possiblePoison, versionsOwner };
}

/**
 * What was counted before stays counted. Of a command that is new at its head the last owner may have died at full speed, if it
 * had begun to work.
 */
async function possiblePoisonAmong(
  redis: Redis,
  { shard, isClean, hasWorked }: Lease,
  heads: ReadonlyMap<string, { readonly id: string }>,
): Promise<[accountId: string, id: string, ownersDied: number][]> {
  if (isClean) return [];
  const known = await redis.hgetall(shardKeys.poisonCommands(shard));
  return [...heads].map(([accountId, { id }]) => {
    const [knownId, knownCount] = (known[accountId] ?? '').split(' ');
    if (knownId === id) return [accountId, id, Number(knownCount)];
    return [accountId, id, hasWorked ? 1 : 0];
  });
}

/** What an owner found at its take stays at its head until it is consumed; what came since is under no suspicion. */
function stillWaiting(
  found: ReadonlyMap<string, number>,
  heads: ReadonlyMap<string, { readonly id: string }>,
): [accountId: string, id: string, ownersDied: number][] {
  return [...heads].flatMap(([accountId, { id }]) => {
    const ownersDied = found.get(id);
    return ownersDied === undefined ? [] : [[accountId, id, ownersDied]];
  });
}

/** Writes down that the shard has all its accounts, for its next owner. @returns false when the lease is lost */
export async function noteWork(redis: Redis, { shard, token, epoch }: Lease): Promise<boolean> {
  return (await noteWorkScript.run(redis, [shardKeys.lease(shard), shardKeys.head(shard)], [token, epoch])) === 1;
}

/** Counts this owner against a command. @returns false when the lease is lost, or ran out */
export async function beginPossiblePoison(
  redis: Redis,
  { shard, token }: Lease,
  command: { accountId: string; id: string; ownersBegun: number },
): Promise<boolean> {
  const { accountId, id, ownersBegun } = command;
  const keys = [shardKeys.lease(shard), shardKeys.poisonCommands(shard)];
  return (await beginCommandScript.run(redis, keys, [token, accountId, `${id} ${ownersBegun}`])) === 1;
}
