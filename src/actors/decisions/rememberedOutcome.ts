// The record of an Idempotency-Key: the digest of the body that came with it, and the outcome as it was answered, in
// one text, so that it is written with the commit and read without a parse.
import type { Format } from '../../shared/domain/formats.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import type { WaitingCommand } from '../commit/mailbox.ts';
import { readOutcome, writeOutcome } from '../domain/messages/envelopeForm.ts';
import type { Outcome } from '../domain/messages/outcome.ts';

export const rememberedText = (bodyDigest: string, outcome: Outcome, format: Format): string =>
  `${bodyDigest} ${writeOutcome(outcome, format)}`;

/** @returns the outcome; undefined when another body came with the key */
export function recall(text: string, bodyDigest: string): Outcome | undefined {
  const gap = text.indexOf(' ');
  return text.slice(0, gap) === bodyDigest ? readOutcome(text.slice(gap + 1)) : undefined;
}

/** The records of the commands' Idempotency-Keys, by the command's stream id. */
export async function readRemembered(
  redis: Redis,
  shard: number,
  mailboxes: ReadonlyMap<string, readonly WaitingCommand[]>,
): Promise<Map<string, string | null>> {
  const asked: Promise<[string, string | null]>[] = [];
  for (const [accountId, commands] of mailboxes) {
    for (const { id, envelope } of commands) {
      if (envelope?.idempotency === undefined) continue;
      const key = shardKeys.idempotency(shard, accountId, envelope.idempotency.key);
      asked.push(redis.get(key).then((value) => [id, value]));
    }
  }
  return new Map(await Promise.all(asked));
}
