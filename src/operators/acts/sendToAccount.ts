// Puts one command of an operator into an account's mailbox and waits for its owner's answer: the same way that every
// command goes, so the answer proves that the account is alive.
import { randomBytes } from 'node:crypto';
import type { AccountCommand } from '../../actors/core/messages/command.ts';
import {
  type CommandEnvelope,
  operatorsIncarnation,
  type Reply,
  readReplies,
  writeEnvelope,
} from '../../actors/core/messages/envelope.ts';
import { redisTimeMs } from '../../shared/deployment/liveProcesses.ts';
import { shardOf } from '../../shared/domain/shards.ts';
import { openSubscriptions } from '../../shared/redis/channels.ts';
import { repliesChannel, shardKeys } from '../../shared/redis/keys.ts';
import { Script } from '../../shared/redis/script.ts';
import type { OperatorParts } from './operatorParts.ts';

/** A reply that is whole. */
type WholeReply = Exclude<Reply, { readonly isKept: true }>;

/** How long a command may wait to be begun, ms. */
const DEADLINE_MS = 10_000;
/** How long its answer is waited for, ms: the commit that answers it may come a little after the deadline. */
const ANSWER_MS_MAX = DEADLINE_MS + 3000;

/** How long it is remembered that a dead letter was put back: a call that is sent again comes within seconds. */
const REMEMBERED_S = 60;

export const sendScript = new Script(
  'sendToAccount',
  `
-- Puts a command at the end of an account's mailbox, and takes the dead letter that it was made of away.
-- KEYS  pending set, sequence counter, mailbox, dead letters, bytes of mailboxes, where the letter was put.
-- ARGV  account id, envelope, id of the dead letter ('' = none), a name of this call.
-- Answers its id in the mailbox, nothing when there is no such dead letter (any more).
-- Atomic because a command that is in a stream must be in the pending set too, and a dead letter must come back once. The
-- owner finds it at its next sweep. The same call may come twice when its connection breaks: the second answers as the first.
if ARGV[3] ~= '' and redis.call('XDEL', KEYS[4], ARGV[3]) == 0 then
  local id, call = string.match(redis.call('GET', KEYS[6]) or '', '^(%S+) (.+)$')
  return call == ARGV[4] and id
end
redis.call('SADD', KEYS[1], ARGV[1])
local id = redis.call('XADD', KEYS[3], string.format('%.0f-0', redis.call('INCR', KEYS[2])), 'c', ARGV[2])
redis.call('HINCRBY', KEYS[5], ARGV[1], #ARGV[2])
redis.call('HINCRBY', KEYS[5], '_all', #ARGV[2])
if ARGV[3] ~= '' then redis.call('SET', KEYS[6], id .. ' ' .. ARGV[4], 'EX', ${REMEMBERED_S}) end
return id
`,
);

export interface Sent {
  /** False when the dead letter was not there: nothing was sent. */
  readonly isSent: boolean;
  /** Undefined when no answer came in time. */
  readonly reply: WholeReply | undefined;
  /** The command as it was put into the mailbox: its id there, and its bytes. */
  readonly waiting: { readonly id: string; readonly bytes: number };
}

/** @param options.deadLetter the command leaves the dead letters with the same step */
export async function sendToAccount(
  { redis, billing }: Pick<OperatorParts, 'redis' | 'billing'>,
  accountId: string,
  command: AccountCommand,
  options: { idempotency?: CommandEnvelope['idempotency']; deadLetter?: string } = {},
): Promise<Sent> {
  const { idempotency, deadLetter = '' } = options;
  const shard = shardOf(accountId, billing.config.SHARDS);
  const nowMs = await redisTimeMs(redis);
  const incarnation = operatorsIncarnation(randomBytes(8).toString('hex'));
  const envelope: CommandEnvelope = {
    id: { incarnation, counter: 1 },
    replyTo: incarnation,
    requestId: incarnation,
    // By the clock that all processes share.
    deadlineMs: nowMs + DEADLINE_MS,
    ...(idempotency && { idempotency }),
    command,
  };
  const listener = redis.duplicate();
  try {
    const reply = await answered(redis, listener, { shard, incarnation });
    const keys = [
      ...[shardKeys.pending(shard), shardKeys.sequence(shard)],
      ...[shardKeys.commands(shard, accountId), shardKeys.dead(shard), shardKeys.mailboxBytes(shard)],
      shardKeys.requeued(shard, deadLetter),
    ];
    // Every build reads the first generation.
    const text = writeEnvelope(envelope, 1);
    const id = (await sendScript.run(redis, keys, [accountId, text, deadLetter, incarnation])) as string | null;
    const waiting = { id: id ?? '', bytes: Buffer.byteLength(text) };
    return { isSent: id !== null, reply: id === null ? undefined : await reply(), waiting };
  } finally {
    listener.disconnect();
  }
}

/** Listens first. @returns what waits for the answer; undefined when none comes in time */
async function answered(
  redis: OperatorParts['redis'],
  listener: OperatorParts['redis'],
  { shard, incarnation }: { shard: number; incarnation: string },
): Promise<() => Promise<WholeReply | undefined>> {
  let resolve: (reply: Reply | undefined) => void = () => undefined;
  const reply = new Promise<Reply | undefined>((done) => (resolve = done));
  /** A long reply lies under a key of its own. */
  const whole = async (said: Reply | undefined): Promise<WholeReply | undefined> => {
    if (said === undefined || !('isKept' in said)) return said;
    const text = await redis.get(shardKeys.reply(shard, incarnation, 1));
    const [[, , kept] = []] = text === null ? [] : readReplies(text);
    return kept === undefined || 'isKept' in kept ? undefined : kept;
  };
  const subscriptions = openSubscriptions(listener, {
    onMessage: (_channel, text) => {
      for (const [to, , said] of readReplies(text)) if (to === incarnation) resolve(said);
    },
  });
  await subscriptions.subscribe(repliesChannel(incarnation, listener.isCluster ? shard : undefined));
  return () => {
    const timer = setTimeout(() => resolve(undefined), ANSWER_MS_MAX);
    return reply.then((said) => whole(said)).finally(() => clearTimeout(timer));
  };
}

/** What became of a command, in words. */
export function sentenceOfReply(reply: WholeReply | undefined): string {
  if (reply === undefined) return 'No answer came in time.';
  if ('failure' in reply) return `Its owner did not do it: ${reply.failure}.`;
  return `Its owner answered: ${JSON.stringify(reply.outcome).slice(0, 500)}`;
}
