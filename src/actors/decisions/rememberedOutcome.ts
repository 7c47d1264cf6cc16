// The record of an Idempotency-Key: the digest of the body that came with it, and the outcome as it was answered, sealed, in
// one text, so that it is written with the commit. The submit script compares the digest and gives the API node the rest.
// Before generation 3 the outcome is in clear, under a name that has the key in it.
import type { Format } from '../../shared/domain/formats.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { answerPlace, readRememberedAnswer, sealAnswer } from '../../shared/rememberedAnswer.ts';
import type { WaitingCommand } from '../commit/mailbox.ts';
import type { CommandEnvelope } from '../domain/messages/envelope.ts';
import { readOutcome, writeOutcome } from '../domain/messages/envelopeForm.ts';
import type { Outcome } from '../domain/messages/outcome.ts';

/** What came with a command, and whose command it is. */
export interface Keyed {
  readonly shard: number;
  readonly accountId: string;
  readonly idempotency: NonNullable<CommandEnvelope['idempotency']>;
}

/** Where the outcome may be remembered: here, and as older builds do it. */
export function placesOf({ shard, accountId, idempotency: { key } }: Keyed): readonly [place: string, older: string] {
  return [shardKeys.answer(shard, answerPlace(accountId, key).name), shardKeys.idempotency(shard, accountId, key)];
}

/** The record, and its key. */
export function toRemember(keyed: Keyed, outcome: Outcome, format: Format): { readonly key: string; readonly value: string } {
  const { shard, accountId, idempotency } = keyed;
  const { key, bodyDigest } = idempotency;
  const text = writeOutcome(outcome, format);
  if (format < 3) return { key: shardKeys.idempotency(shard, accountId, key), value: `${bodyDigest} ${text}` };
  const { name, seal } = answerPlace(accountId, key);
  return { key: shardKeys.answer(shard, name), value: `${bodyDigest} ${sealAnswer(text, seal, { isCompressed: true })}` };
}

/** @returns the outcome; undefined when another body came with the key */
export function recall(text: string, { accountId, idempotency: { key, bodyDigest } }: Keyed): Outcome | undefined {
  const gap = text.indexOf(' ');
  if (text.slice(0, gap) !== bodyDigest) return undefined;
  return readOutcome(readRememberedAnswer(text.slice(gap + 1), accountId, key));
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
      const [place, older] = placesOf({ shard, accountId, idempotency: envelope.idempotency });
      asked.push(Promise.all([redis.get(place), redis.get(older)]).then(([value, olderValue]) => [id, value ?? olderValue]));
    }
  }
  return new Map(await Promise.all(asked));
}
