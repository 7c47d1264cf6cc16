// The neighbour: asks for its state at fixed times, whatever the answers take. A question that waits does not keep the next one back.
import { setTimeout as pause } from 'node:timers/promises';
import type { Stack } from '../../test/support/stack.ts';
import { quantile, round } from './load.ts';

const ASK_EVERY_MS = 100;

export interface Asked {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly longestMs: number;
  readonly questions: number;
  readonly byStatus: Readonly<Record<string, number>>;
}

export async function askQuietly(stack: Stack, keys: readonly string[], seconds: number): Promise<Asked> {
  const latenciesMs: number[] = [];
  const byStatus: Record<string, number> = {};
  const asked: Promise<void>[] = [];
  const beganAtMs = performance.now();
  for (let n = 0; n * ASK_EVERY_MS < seconds * 1000; n++) {
    await pause(Math.max(0, beganAtMs + n * ASK_EVERY_MS - performance.now()));
    const key = keys[n % keys.length] as string;
    const sentAtMs = performance.now();
    const ask = async (): Promise<void> => {
      const { status } = await stack.info(key, { type: 'clearinghouseState' });
      latenciesMs.push(performance.now() - sentAtMs);
      byStatus[status] = (byStatus[status] ?? 0) + 1;
    };
    asked.push(ask());
  }
  await Promise.all(asked);
  const sorted = Float64Array.from(latenciesMs).sort();
  return {
    p50Ms: round(quantile(sorted, 0.5), 2),
    p99Ms: round(quantile(sorted, 0.99), 2),
    longestMs: round(sorted.at(-1) ?? 0, 2),
    questions: sorted.length,
    byStatus,
  };
}
