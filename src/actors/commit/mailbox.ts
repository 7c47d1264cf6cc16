// Reads the command streams of a shard. Reading takes nothing out: a command leaves its stream only in the commit
// that makes its effect true.

import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { CommandEnvelope } from '../domain/messages/envelope.ts';
import { readEnvelope } from '../domain/messages/envelopeForm.ts';

/** Commands of one account read at once: each may be an action of a thousand orders, some 150 kB. */
const READ_PER_ACCOUNT_MAX = 16;

/** A command in its stream. `envelope` is undefined when the entry cannot be read; it is parked then. */
export interface WaitingCommand {
  /** Id of the stream's entry. */
  readonly id: string;
  readonly text: string;
  readonly envelope: CommandEnvelope | undefined;
}

/**
 * The oldest waiting commands of many accounts, in one pipeline; an account without any has an empty list.
 * @throws {NewerFormat} when a newer build has written one
 */
export async function readMailboxes(
  redis: Redis,
  shard: number,
  accountIds: readonly string[],
  { perAccount = READ_PER_ACCOUNT_MAX }: { perAccount?: number } = {},
): Promise<Map<string, WaitingCommand[]>> {
  const streams = await Promise.all(
    accountIds.map((accountId) => redis.xrange(shardKeys.commands(shard, accountId), '-', '+', 'COUNT', perAccount)),
  );
  return new Map(
    accountIds.map((accountId, i) => [accountId, (streams[i] ?? []).map(([id, fields]) => waitingCommand(id, fields[1] ?? ''))]),
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
    return { id, text, envelope: readEnvelope(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { id, text, envelope: undefined };
    throw error;
  }
}
