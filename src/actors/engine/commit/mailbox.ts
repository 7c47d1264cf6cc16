// Reads the command streams of a shard. Reading takes nothing out: a command leaves its stream only in the commit
// that makes its effect true.

import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import type { CommandEnvelope } from '../../core/messages/envelope.ts';
import { readEnvelope } from '../../core/messages/envelopeForm.ts';
import { readMailboxesScript } from './readMailboxesScript.ts';

/** Commands of one account read at once: each may be an action of a thousand orders, some 150 kB. */
const READ_PER_ACCOUNT_MAX = 16;
/** Commands of all accounts read at once, bytes; the last mailbox may go beyond it by what it holds. */
const READ_BYTES_MAX = 2_000_000;

type StreamEntry = readonly [id: string, fields: readonly string[]];

/** A command in its stream. `envelope` is undefined when the entry cannot be read; it is parked then. */
export interface WaitingCommand {
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
): Promise<Map<string, WaitingCommand[]>> {
  if (accountIds.length === 0) return new Map();
  const keys = accountIds.map((accountId) => shardKeys.commands(shard, accountId));
  const streams = (await readMailboxesScript.run(redis, keys, [perAccount, READ_BYTES_MAX])) as (readonly StreamEntry[])[];
  return new Map(
    streams.map((entries, i) => [accountIds[i] as string, entries.map(([id, fields]) => waitingCommand(id, fields[1] ?? ''))]),
  );
}

/** The commands in a wake-up: each the head of an account's stream that was empty before. @throws as `readMailboxes` */
export function readWakeup(message: string): { accountId: string; command: WaitingCommand }[] {
  const lines = message.split('\n');
  const rings: { accountId: string; command: WaitingCommand }[] = [];
  for (let i = 0; i + 2 < lines.length; i += 3) {
    rings.push({ accountId: lines[i] as string, command: waitingCommand(lines[i + 1] as string, lines[i + 2] as string) });
  }
  return rings;
}

function waitingCommand(id: string, text: string): WaitingCommand {
  try {
    const envelope = readEnvelope(text);
    return envelope.trace === undefined ? { id, text, envelope } : { id, text, envelope, readAtMs: performance.now() };
  } catch (error) {
    if (error instanceof SyntaxError) return { id, text, envelope: undefined };
    throw error;
  }
}
