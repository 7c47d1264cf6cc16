// What is remembered for an Idempotency-Key: the digest of the body that came with it, and the outcome as it was answered, in
// one text, so that it is written with the commit and read without a parse.
import type { Outcome } from '../domain/messages/outcome.ts';

export const rememberedText = (bodyDigest: string, outcome: Outcome): string => `${bodyDigest} ${JSON.stringify(outcome)}`;

/** @returns the outcome; undefined when another body came with the key */
export function recall(text: string, bodyDigest: string): Outcome | undefined {
  const gap = text.indexOf(' ');
  return text.slice(0, gap) === bodyDigest ? (JSON.parse(text.slice(gap + 1)) as Outcome) : undefined;
}
