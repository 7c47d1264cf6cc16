// The failure lab of an API key (docs/failure-lab.md): its profile as it is stored with the key, and its draws. A key without a profile
// has no lab.

/** Faults that a request may meet on its way, in the order in which one draw decides among them. */
export const LAB_FAULTS = [
  ...(['429', '500', '502', 'timeoutBefore', 'timeoutAfterEffect', 'dropSocket', 'duplicateAnswer'] as const),
] as const;
export type LabFault = (typeof LAB_FAULTS)[number];

/** The venue's refusals that a script may ask for: those with words that need no number but the asset. */
export const LAB_REFUSALS = [
  ...([
    'postOnlyAfterUpgrade',
    'halted',
    'invalidSize',
    'priceOffTick',
    'invalidPrice',
    'reduceOnlyWouldIncrease',
    'valueTooSmall',
  ] as const),
  ...(['nothingToMatch', 'noLiquidity', 'openInterestIncrease', 'tierLimit', 'insufficientMargin', 'tooManyOpenOrders'] as const),
] as const;
export type LabRefusal = (typeof LAB_REFUSALS)[number];

/** Ms: always the same, or log-normal around a median, now and then longer. */
export type Latency =
  | number
  | {
      readonly medianMs: number;
      /** Of the logarithm. */
      readonly sigma: number;
      readonly spikes?: { readonly probability: number; readonly ms: number };
    };

/** The fate of orders whose cloid begins with the prefix. */
export interface CloidScript {
  /** `0x` and hex digits, lower case. */
  readonly cloidPrefix: string;
  readonly refuse?: LabRefusal;
  /** The part of it that fills at once, percent at most. */
  readonly fillPercent?: number;
  /** It rests for so long before the market may fill it, ms. */
  readonly fillAfterMs?: number;
  /** It rests, and nothing ever fills it. */
  readonly neverFill?: boolean;
  /** The action has its effect, and no answer. */
  readonly loseAnswer?: boolean;
}

/** The profile is in force from `fromMs` for `forMs`, and again each `everyMs` where that is given. */
interface LabWindow {
  readonly fromMs: number;
  readonly forMs: number;
  readonly everyMs?: number;
}

export interface LabProfile {
  /** Names this setting of the profile: its draws are numbered from 1 on. */
  readonly run: string;
  readonly seed: number;
  /** `stream`: of each message of a WebSocket. */
  readonly latency?: {
    readonly submit?: Latency;
    readonly cancel?: Latency;
    readonly answer?: Latency;
    readonly stream?: Latency;
  };
  /** The market's data as the key sees it: it stands still, or is so late, ms. */
  readonly feed?: { readonly freeze?: true; readonly delay?: number };
  /** The venue's rule of nonces holds for the key's actions. */
  readonly nonces?: 'strict';
  /** Only post-only orders are taken, as in the minutes after an upgrade of the venue. */
  readonly postOnly?: true;
  /** Probabilities. */
  readonly faults?: { readonly [Fault in LabFault | 'partialFill']?: number };
  /** How long a request without an answer is held before its connection is closed, ms. */
  readonly timeoutMs: number;
  /** The first that an order's cloid begins with counts. */
  readonly scripts?: readonly CloidScript[];
  /** Absent: always. */
  readonly schedule?: readonly LabWindow[];
}

// Numbers that look random and are the same again for the same seed: what is drawn by them can be played again.

/** A number in [0, 1), always the same for the same arguments (the finalizer of MurmurHash3). @param index from 0 on */
export function uniform(seed: number, index: number): number {
  let bits = Math.imul(seed ^ Math.floor(seed / 2 ** 32), 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca77);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

// The draws of a failure lab: pure functions of its seed and of the request's number, so that the same requests meet the same again.

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
