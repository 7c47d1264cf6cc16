// Waiting for a condition, with an end.
import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted } from './refusal.mjs';

/**
 * Asks until the answer is not undefined.
 * @template T
 * @param {() => Promise<T | undefined> | T | undefined} ask
 * @param {{ withinMs: number, everyMs?: number, signal: AbortSignal }} options
 * @returns {Promise<T | undefined>} undefined: not within the time
 * @throws {Interrupted}
 */
export async function waitFor(ask, { withinMs, everyMs = 100, signal }) {
  const giveUpAtMs = Date.now() + withinMs;
  for (;;) {
    if (signal.aborted) throw new Interrupted();
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > giveUpAtMs) return undefined;
    await sleep(everyMs);
  }
}
