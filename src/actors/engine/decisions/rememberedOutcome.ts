// The record of an Idempotency-Key: the digest of the body that came with it, and the outcome as it was answered, sealed, in
// one text, so that it is written with the commit. The submit script compares the digest and gives the API node the rest.
import type { Format } from '../../../shared/domain/formats.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { answerPlace, openAnswer, sealAnswer } from '../../../shared/rememberedAnswer.ts';
import type { CommandEnvelope } from '../../core/messages/envelope.ts';
import { readOutcome, writeOutcome } from '../../core/messages/envelopeForm.ts';
import type { Outcome } from '../../core/messages/outcome.ts';
import type { WaitingCommand } from '../commit/mailbox.ts';

/** What came with a command, and whose command it is. */
export interface Keyed {
  readonly shard: number;
  readonly accountId: string;
  readonly idempotency: NonNullable<CommandEnvelope['idempotency']>;
}

/** Where the outcome is remembered. */
export const placeOf = ({ shard, accountId, idempotency: { key } }: Keyed): string =>
  shardKeys.answer(shard, answerPlace(accountId, key).name);

/** The record, and its key. */
export function toRemember(keyed: Keyed, outcome: Outcome, format: Format): { readonly key: string; readonly value: string } {
  const { shard, accountId, idempotency } = keyed;
  const { key, bodyDigest } = idempotency;
  const text = writeOutcome(outcome, format);
  const { name, seal } = answerPlace(accountId, key);
  return { key: shardKeys.answer(shard, name), value: `${bodyDigest} ${sealAnswer(text, seal)}` };
}

/** @returns the outcome; undefined when another body came with the key */
export function recall(text: string, { accountId, idempotency: { key, bodyDigest } }: Keyed): Outcome | undefined {
  const gap = text.indexOf(' ');
  if (text.slice(0, gap) !== bodyDigest) return undefined;
  return readOutcome(openAnswer(text.slice(gap + 1), answerPlace(accountId, key).seal));
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
      const place = placeOf({ shard, accountId, idempotency: envelope.idempotency });
      asked.push(redis.get(place).then((value) => [id, value]));
    }
  }
  return new Map(await Promise.all(asked));
}
