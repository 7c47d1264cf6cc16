// The dead letters of all shards: commands that were parked because a rule threw, two owners died of them, or they could
// not be read. A letter is named `<shard>:<id in the shard's stream>`.

import type { CommandEnvelope } from '../../actors/domain/messages/envelope.ts';
import { readEnvelope } from '../../actors/domain/messages/envelopeForm.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import { type AdminParts, Refused, UsageError } from '../adminCommand.ts';

export interface DeadLetter {
  readonly name: string;
  readonly shard: number;
  /** Id in the shard's stream. */
  readonly id: string;
  readonly accountId: string;
  readonly reason: string;
  readonly parkedMs: number;
  readonly text: string;
  /** Undefined when this build cannot read the command. */
  readonly envelope: CommandEnvelope | undefined;
}

type Parts = Pick<AdminParts, 'redis' | 'billing'>;

/** The newest letters first. @param count of each shard, at most */
export async function readDeadLetters({ redis, billing }: Parts, count: number): Promise<DeadLetter[]> {
  const shards = Array.from({ length: billing.config.SHARDS }, (_, shard) => shard);
  const found = await Promise.all(
    shards.map(async (shard) => {
      const letters = await redis.xrevrange(shardKeys.dead(shard), '+', '-', 'COUNT', count);
      return letters.map(([id, fields]) => toLetter(shard, id, fields));
    }),
  );
  return found.flat().sort((a, b) => b.parkedMs - a.parkedMs);
}

/** @throws {Refused} when there is no such letter, {UsageError} when the name is none */
export async function requireDeadLetter({ redis, billing }: Parts, name: string | undefined): Promise<DeadLetter> {
  const [, shardText, id] = /^(\d{1,2}):(\d+-\d+)$/.exec(name ?? '') ?? [];
  const shard = Number(shardText);
  if (id === undefined || shard >= billing.config.SHARDS) {
    throw new UsageError('Which dead letter? <shard>:<id>, as dead-letters list shows it.');
  }
  const [found] = await redis.xrange(shardKeys.dead(shard), id, id);
  if (found === undefined) throw new Refused(`There is no dead letter ${name} (any more).`);
  return toLetter(shard, ...found);
}

function toLetter(shard: number, id: string, fields: readonly string[]): DeadLetter {
  const field = (name: string): string => fields[fields.indexOf(name) + 1] ?? '';
  const text = field('command');
  const parkedMs = Number(field('t'));
  return {
    ...{ name: `${shard}:${id}`, shard, id, accountId: field('account'), reason: field('reason'), parkedMs, text },
    envelope: readable(text),
  };
}

function readable(text: string): CommandEnvelope | undefined {
  try {
    return readEnvelope(text);
  } catch {
    return undefined; // shown as text
  }
}
