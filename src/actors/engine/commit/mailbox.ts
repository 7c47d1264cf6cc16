// Commands that wait in Redis: their streams, the wake-ups that tell of them, and the accounts of a shard that have some. Reading takes
// nothing out: a command leaves its stream only in the commit that makes its effect true.

import { openSubscriptions } from '../../../shared/redis/channels.ts';
import { SHARD_MAILBOX, shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Script } from '../../../shared/redis/script.ts';
import type { ChannelSubscriptions } from '../../../shared/redis/subscriptions.ts';
import { type CommandEnvelope, readEnvelope } from '../../core/messages/envelope.ts';

/** Commands of one account read at once: each may be an action of a thousand orders, some 150 kB. */
const READ_PER_ACCOUNT_MAX = 16;
/** Commands of all accounts read at once, bytes; the last mailbox may go beyond it by what it holds. */
const READ_BYTES_MAX = 2_000_000;

type StreamEntry = readonly [id: string, fields: readonly string[]];

/** A command in its stream. `envelope` is undefined when the entry cannot be read; it is parked then. */
export interface MailboxCommand {
  /** Id of the stream's entry. */
  readonly id: string;
  readonly text: string;
  readonly envelope: CommandEnvelope | undefined;
  /** When it was read, by `performance.now()`, where it is traced. */
  readonly readAtMs?: number;
}

/**
 * The oldest waiting commands of many accounts; an account without any has an empty list. When they are many bytes the last of
 * the accounts are missing: they are to be read next.
 * @throws {NewerFormat} when a newer build has written one
 */
export async function readMailboxes(
  redis: Redis,
  shard: number,
  accountIds: readonly string[],
  { perAccount = READ_PER_ACCOUNT_MAX }: { perAccount?: number } = {},
): Promise<Map<string, MailboxCommand[]>> {
  if (accountIds.length === 0) return new Map();
  const keys = accountIds.map((accountId) => shardKeys.commands(shard, accountId));
  const streams = (await readMailboxesScript.run(redis, keys, [perAccount, READ_BYTES_MAX])) as (readonly StreamEntry[])[];
  return new Map(
    streams.map((entries, i) => [accountIds[i] as string, entries.map(([id, fields]) => waitingCommand(id, fields[1] ?? ''))]),
  );
}

/** The commands in a wake-up: each the head of an account's stream that was empty before. @throws as `readMailboxes` */
function readWakeup(message: string): { accountId: string; command: MailboxCommand }[] {
  const lines = message.split('\n');
  const rings: { accountId: string; command: MailboxCommand }[] = [];
  for (let i = 0; i + 2 < lines.length; i += 3) {
    rings.push({ accountId: lines[i] as string, command: waitingCommand(lines[i + 1] as string, lines[i + 2] as string) });
  }
  return rings;
}

function waitingCommand(id: string, text: string): MailboxCommand {
  try {
    const envelope = readEnvelope(text);
    return envelope.trace === undefined ? { id, text, envelope } : { id, text, envelope, readAtMs: performance.now() };
  } catch (error) {
    if (error instanceof SyntaxError) return { id, text, envelope: undefined };
    throw error;
  }
}

const readMailboxesScript = new Script(
  'readMailboxes',
  `
-- Reads the oldest commands of mailboxes, one mailbox after the other, until they are enough bytes.
-- KEYS  mailboxes.
-- ARGV  commands of each at most, bytes after which no further mailbox is read.
-- Answers the entries of each mailbox, in the order of the keys; those that were not read are missing at the end.
-- A script because only where the commands lie is known how long they are.
local answer, bytes = {}, 0
for i = 1, #KEYS do
  if bytes >= tonumber(ARGV[2]) then break end
  answer[i] = redis.call('XRANGE', KEYS[i], '-', '+', 'COUNT', ARGV[1])
  for _, entry in ipairs(answer[i]) do bytes = bytes + #entry[2][2] end
end
return answer
`,
  { whenFull: 'runs' },
);

export interface WakeupListener {
  onWakeup(message: string): void;
  /** The connection was away: wake-ups may have been missed. */
  onMissedWakeups(): void;
}

/**
 * The pod's wake-ups: one connection that receives the messages about commands waiting in its shards and about free shards. A
 * wake-up may be lost, so every listener also looks by itself at intervals, and after a reconnect it is told to look at once.
 */
export class Wakeups {
  readonly #subscriptions: ChannelSubscriptions;
  readonly #listeners = new Map<string, WakeupListener>();

  /** @param subscriber of a `Subscriber`; not closed here */
  constructor(subscriber: Redis) {
    this.#subscriptions = openSubscriptions(subscriber, {
      onMessage: (channel, message) => this.#listeners.get(channel)?.onWakeup(message),
      onBack: (channels) => {
        for (const channel of channels) this.#listeners.get(channel)?.onMissedWakeups();
      },
    });
  }

  async listen(channel: string, listener: WakeupListener): Promise<void> {
    this.#listeners.set(channel, listener);
    await this.#subscriptions.subscribe(channel);
  }

  /** Stops listening at once; the subscription ends when Redis is connected. */
  async unlisten(channel: string, listener: WakeupListener): Promise<void> {
    if (this.#listeners.get(channel) !== listener) return;
    this.#listeners.delete(channel);
    await this.#subscriptions.unsubscribe(channel);
  }

  async stop(): Promise<void> {
    this.#listeners.clear();
    await this.#subscriptions.stop();
  }
}

/**
 * The accounts of a shard that may have waiting commands, as wake-ups, the pending set and commits report them. It fills while
 * the shard is recovering, and the running shard empties it. An account is in it once, however often it is reported.
 */
export class WaitingAccounts {
  readonly #ready = new Set<string>();
  /** Accounts that were reported while they were busy. */
  readonly #postponed = new Set<string>();
  /** Commands from wake-ups, by account: the heads of their streams. */
  readonly #heads = new Map<string, MailboxCommand>();

  /** True when no account is ready. */
  get isEmpty(): boolean {
    return this.#ready.size === 0;
  }

  onBell(message: string): void {
    for (const { accountId, command } of readWakeup(message)) {
      if (accountId !== SHARD_MAILBOX) this.#heads.set(accountId, command);
      this.#ready.add(accountId);
    }
  }

  add(accountId: string): void {
    this.#ready.add(accountId);
  }

  /** Takes accounts out while there is room, in the order in which they were named; those that are added meanwhile, too. */
  *take(hasRoom: () => boolean): Iterable<string> {
    for (const accountId of this.#ready) {
      if (!hasRoom()) return;
      this.#ready.delete(accountId);
      yield accountId;
    }
  }

  /** Keeps the account until `resume` names it. */
  postpone(accountId: string): void {
    this.#postponed.add(accountId);
  }

  /** The account is free again: it is ready if it was reported meanwhile. */
  resume(accountId: string): void {
    if (this.#postponed.delete(accountId)) this.#ready.add(accountId);
  }

  /** The account's command from a wake-up, given once. */
  takeHead(accountId: string): MailboxCommand | undefined {
    const head = this.#heads.get(accountId);
    this.#heads.delete(accountId);
    return head;
  }

  /** Wake-ups may have been missed: their commands need not be the heads any more. */
  forgetHeads(): void {
    this.#heads.clear();
  }
}
