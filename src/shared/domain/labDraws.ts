// The draws of a failure lab: pure functions of its seed and of the request's number, so that the same requests meet the same again.

import { LAB_FAULTS, type LabFault, type LabProfile, type Latency, uniform } from './labProfile.ts';

/** Longest latency that is drawn, ms: whatever the profile's numbers, a request waits no longer. */
export const LATENCY_MS_MAX = 10_000;

/** What is drawn for a request. A number stands for one thing for ever: a new one gets the next. */
const WHAT = { fault: 0, dropBefore: 1, submit: 2, cancel: 3, answer: 4, partialFill: 5, fillPercent: 6, stream: 7 } as const;

/** What is numbered apart, in the same way. */
const ON = { exchange: 0, info: 1, stream: 2 } as const;

/** One request among those that a profile draws for, or one message of a socket. */
export interface Drawn {
  readonly seed: number;
  readonly on: keyof typeof ON;
  /** From 1 on, for each of the two apart; of messages, for each socket. */
  readonly number: number;
}

/** A number in [0, 1). @param index of one among several draws of a kind */
export function drawOf({ seed, on, number }: Drawn, what: keyof typeof WHAT, index = 0): number {
  return uniform(bits(bits(bits(seed, ON[on]), number), WHAT[what]), index);
}

const bits = (seed: number, index: number): number => uniform(seed, index) * 2 ** 32;

/** The fault that the draw falls on: each has as much of [0, 1) as its probability, in their order. */
export function faultOf(draw: number, faults: LabProfile['faults'] = {}): LabFault | undefined {
  let upTo = 0;
  for (const fault of LAB_FAULTS) {
    upTo += faults[fault] ?? 0;
    if (draw < upTo) return fault;
  }
  return undefined;
}

/** How long it takes, whole ms; 0 = at once. */
export function latencyOf(latency: Latency | undefined, drawn: Drawn, what: 'submit' | 'cancel' | 'answer' | 'stream'): number {
  if (latency === undefined) return 0;
  if (typeof latency === 'number') return Math.min(LATENCY_MS_MAX, Math.round(latency));
  const { medianMs, sigma, spikes } = latency;
  const normal = Math.sqrt(-2 * Math.log(1 - drawOf(drawn, what, 0))) * Math.cos(2 * Math.PI * drawOf(drawn, what, 1));
  const isSpike = spikes !== undefined && drawOf(drawn, what, 2) < spikes.probability;
  const ms = medianMs * Math.exp(sigma * normal) + (isSpike ? spikes.ms : 0);
  return Math.round(Math.min(LATENCY_MS_MAX, ms));
}

/** Whether the profile is in force. */
export const isInForce = (profile: Pick<LabProfile, 'schedule'>, nowMs: number): boolean =>
  windowStart(profile, nowMs) !== undefined;

/** When the window began that is in force, ms: of several the one that began first; 0 without a schedule. */
export function windowStart({ schedule }: Pick<LabProfile, 'schedule'>, nowMs: number): number | undefined {
  if (schedule === undefined) return 0;
  let first: number | undefined;
  for (const { fromMs, forMs, everyMs } of schedule) {
    const sinceMs = nowMs - fromMs;
    const intoMs = everyMs === undefined ? sinceMs : sinceMs % everyMs;
    if (sinceMs >= 0 && intoMs < forMs && (first === undefined || nowMs - intoMs < first)) first = nowMs - intoMs;
  }
  return first;
}
