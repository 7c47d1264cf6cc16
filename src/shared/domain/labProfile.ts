// The failure lab of an API key as it is stored with the key: what its requests meet on purpose (docs/failure-lab.md). A key without
// one has none of it.

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
