// One round: bots and readers on a living fleet, the faults of the round's seed, the end of all faults, and then the verdict of the
// second bookkeeping over all answers.

import type { Load } from '../../test/support/faults/faultStack.ts';
import { Random } from '../../test/support/faults/seeds.ts';
import type { Fleet } from './fleet.ts';
import { Logs } from './logs.ts';
import { type Scheduled, scheduleOf } from './schedule.ts';
import { Watched } from './watched.ts';

/** Longest pauses of the bots, ms; each round draws as many as it has bots. */
const BREATHS_MS = [0, 40, 80, 150, 300];
const BOTS_MIN = 2;
const BOTS_MAX = 4;

/** A fleet that is healthy later than this after its faults have ended is stuck, ms. A machine of two cores starts eight processes in it. */
const HEALTHY_WITHIN_MS = 90_000;

export interface RoundResult {
  readonly seed: number;
  readonly schedule: readonly Scheduled[];
  /** The results of the bots' operations. */
  readonly told: { readonly sent: number; readonly acknowledged: number; readonly refused: number; readonly unknown: number };
  /** Answers of the readers that were held against what was known. */
  readonly judged: number;
  readonly healthyAfterMs: number;
  readonly failure?: Error;
  readonly load?: Load;
}

/** Never rejects: the result names the failure. */
export async function runRound(fleet: Fleet, seed: number): Promise<RoundResult> {
  const random = new Random(seed);
  const schedule = scheduleOf(random, fleet.targets);
  const breathsMs = Array.from({ length: random.whole(BOTS_MIN, BOTS_MAX) }, () => random.pick(BREATHS_MS));
  const logs = new Logs(fleet.faults.stack);
  let load: Load | undefined;
  let watched: Watched | undefined;
  let [healthyAfterMs, judged] = [Number.NaN, 0];
  let failure: Error | undefined;
  try {
    load = await fleet.faults.load(random.whole(1, 2 ** 31), { breathsMs });
    watched = await Watched.start(fleet.faults.stack, random);
    await Promise.all(schedule.map(({ atMs, fault }) => after(atMs).then(() => fleet.inflict(fault))));
    fleet.heal();
    const healedAt = performance.now();
    await fleet.faults.stack.waitHealthy();
    healthyAfterMs = performance.now() - healedAt;
    if (healthyAfterMs > HEALTHY_WITHIN_MS) throw new Error(`healthy only after ${Math.round(healthyAfterMs)} ms`);
    await load.progress(5);
    const { violations, ...read } = await watched.stop();
    judged = read.judged;
    if (violations.length > 0) throw new Error(`answers older than what was known:\n${violations.slice(0, 5).join('\n')}`);
    await fleet.settleJournals();
    await load.verdict();
    const unexpected = logs.unexpected();
    if (unexpected.length > 0) throw new Error(`logged:\n${unexpected.slice(0, 10).join('\n')}`);
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
  } finally {
    await watched?.stop();
  }
  return {
    ...{ seed, schedule, told: countOf(load), judged, healthyAfterMs },
    ...(failure && { failure }),
    ...(load && { load }),
  };
}

function countOf(load: Load | undefined): RoundResult['told'] {
  const all = load?.bots.flatMap(({ operations }) => operations.map(({ told }) => told.type)) ?? [];
  const count = (type: string): number => all.filter((told) => told === type).length;
  return { sent: all.length, acknowledged: count('acknowledged'), refused: count('undone'), unknown: count('unknown') };
}

const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
