// Opens a recovered shard and finds poison commands: a command that kills its owner would kill every later one. Only an
// owner that has begun a command is counted against it. The first owner runs at full speed and counts nothing; what is
// at the heads of the mailboxes when it dies is possible poison. Later owners count themselves before they run one
// (`PossiblePoison`). An owner that dies while it loads accounts is counted against none. An owner that recovers again under
// its own lease has not died: it keeps the counts that it found at its take.
import { randomBytes } from 'node:crypto';
import type { Logger } from '../../../shared/logger.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import { Retrying } from '../../../shared/retrying.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { MailboxCommand } from '../commit/mailbox.ts';
import type { CommandRunner } from '../decisions/commandRunner.ts';
import type { Lease } from '../ownership/lease.ts';

/** A command that this many owners have died of is poison: the next one parks it. */
export const OWNERS_DIED_MAX = 2;

/** Account id -> the command at the head of its stream. */
type Heads = ReadonlyMap<string, { readonly id: string }>;
/** Heads that may be poison, each with the number of owners that have died of it. */
type Counted = [accountId: string, id: string, ownersDied: number][];

export interface OpenedHeads {
  /** Commits go on after this one; -1: the lease is lost. */
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
 * @param options.found what this owner found at its take, when it recovers again; undefined = it has just taken the shard
 */
export async function openShard(
  redis: Redis,
  lease: Lease,
  options: { commitNumber: number; idCounter: number; heads: Heads; found?: ReadonlyMap<string, number> | undefined },
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
async function possiblePoisonAmong(redis: Redis, { shard, isClean, hasWorked }: Lease, heads: Heads): Promise<Counted> {
  if (isClean) return [];
  const known = await redis.hgetall(shardKeys.poisonCommands(shard));
  return [...heads].map(([accountId, { id }]) => {
    const [knownId, knownCount] = (known[accountId] ?? '').split(' ');
    if (knownId === id) return [accountId, id, Number(knownCount)];
    return [accountId, id, hasWorked ? 1 : 0];
  });
}

/** What an owner found at its take stays at its head until it is consumed; what came since is under no suspicion. */
function stillWaiting(found: ReadonlyMap<string, number>, heads: Heads): Counted {
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

const openScript = new Script(
  'openShard',
  `
-- Raises the head to what recovery found and notes the commands at the heads of the mailboxes: should this owner die, the
-- next one knows which commands it had before it. No view of an account that was given away before is true any more.
-- KEYS  lease, head, poison commands, versions.
-- ARGV  token, commit number, id counter, name of the owner for versions; then per head: account id, '<stream id> <count>'.
-- Answers the commit number to go on from, -1 when the lease is not the caller's.
-- Atomic because only the owner may write, and no commit may come between.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
local head = redis.call('HMGET', KEYS[2], 'n', 'ids')
local number = math.max(tonumber(head[1] or '0'), tonumber(ARGV[2]))
local ids = math.max(tonumber(head[2] or '0'), tonumber(ARGV[3]))
redis.call('HSET', KEYS[2], 'n', string.format('%.0f', number), 'ids', string.format('%.0f', ids))
redis.call('DEL', KEYS[3])
redis.call('UNLINK', KEYS[4])
redis.call('HSET', KEYS[4], '_owner', ARGV[4])
for i = 5, #ARGV, 2 do redis.call('HSET', KEYS[3], ARGV[i], ARGV[i + 1]) end
return number
`,
  { whenFull: 'runs' },
);

const noteWorkScript = new Script(
  'noteWork',
  `
-- Notes in the head that this owner has loaded all its accounts. Until then it may die of loading, and no command is to blame.
-- KEYS  lease, head.
-- ARGV  token, the token's epoch.
-- Answers 1 noted, 0 the shard is not the caller's.
-- Atomic because only the owner may say so of its epoch.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], 'work', ARGV[2])
return 1
`,
  { whenFull: 'runs' },
);

const beginCommandScript = new Script(
  'beginCommand',
  `
-- Counts an owner against a possible poison command before that owner runs it. Once its commit is there the command is at no head.
-- KEYS  lease, poison commands.
-- ARGV  token, account id, '<stream id> <owners that have begun it>'.
-- Answers 1 counted, 0 the shard is not the caller's.
-- Atomic because only the owner may begin a command.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[2], ARGV[2], ARGV[3])
return 1
`,
  { whenFull: 'runs' },
);

/** Pause after a failed count, ms. */
const RETRYING = new Retrying('possible_poison', { firstMs: 250 });

/** The shard, as its possible poison sees it. */
interface PoisonContext {
  readonly pod: { readonly redis: Redis; readonly log: Logger };
  readonly lease: Lease;
  /** Stream id -> owners that have died of it. */
  readonly opened: { readonly possiblePoison: ReadonlyMap<string, number> };
  readonly commits: { readonly draft: CommitDraft };
  readonly decisions: { readonly commands: Pick<CommandRunner, 'run'> };
  readonly events: { readonly onWork: () => void };
}

interface QueuedCommand {
  readonly accountId: string;
  readonly command: MailboxCommand;
  readonly storedText: string | null | undefined;
}

/**
 * Runs the commands that an earlier owner may have died of: one after the other, each counted in Redis before it begins,
 * and none begun before the commit of the last one is answered. So the owner that a command kills is counted against
 * this command and no other. Everything else runs at full speed meanwhile.
 */
export class PossiblePoison {
  readonly #shard: PoisonContext;
  readonly #begin: typeof beginPossiblePoison;
  /** By account: a mailbox has one head. */
  readonly #queue = new Map<string, QueuedCommand>();
  #current: QueuedCommand | undefined;
  #isStopped = false;

  /** @param begin counts this owner against a command; replaced by tests that answer for Redis */
  constructor(shard: PoisonContext, begin = beginPossiblePoison) {
    this.#shard = shard;
    this.#begin = begin;
  }

  /** True while a command of the account waits for its turn: its mailbox is not read meanwhile. */
  has(accountId: string): boolean {
    return this.#queue.has(accountId) || this.#current?.accountId === accountId;
  }

  /** @returns true when the command may be poison: it is run later, and those behind it after its commit */
  takes(accountId: string, command: MailboxCommand, storedText?: string | null): boolean {
    const ownersDied = this.#shard.opened.possiblePoison.get(command.id);
    // A command that so many owners have died of is not run: it needs no count.
    if (ownersDied === undefined || ownersDied >= OWNERS_DIED_MAX) return false;
    this.#queue.set(accountId, { accountId, command, storedText });
    this.#next();
    return true;
  }

  /** A commit that has consumed commands of the account is answered. */
  onCommitted(accountId: string): void {
    if (accountId !== this.#current?.accountId) return;
    this.#current = undefined;
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
  }

  #next(): void {
    const [waiting] = this.#queue.values();
    if (this.#current !== undefined || waiting === undefined) return;
    this.#queue.delete(waiting.accountId);
    this.#current = waiting;
    this.#run(waiting);
  }

  #run(waiting: QueuedCommand): void {
    const { pod, lease, opened, commits, decisions, events } = this.#shard;
    const { accountId, command, storedText } = waiting;
    const { id } = command;
    const again = (): void => {
      setTimeout(() => {
        if (!this.#isStopped) this.#run(waiting);
      }, RETRYING.nextMs());
    };
    const ownersBegun = (opened.possiblePoison.get(id) ?? 0) + 1;
    this.#begin(pod.redis, lease, { accountId, id, ownersBegun }).then(
      (isCounted) => {
        if (this.#isStopped) return;
        // An owner whose lease is lost is stopped by its next heartbeat.
        if (!isCounted) return again();
        decisions.commands.run(accountId, command, commits.draft, storedText);
        events.onWork();
      },
      (error: unknown) => {
        pod.log.warn({ shard: lease.shard, err: error }, 'a possible poison command cannot be counted yet, trying again');
        again();
      },
    );
  }
}
