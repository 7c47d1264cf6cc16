// TWAPs as the exchange tells them, in full words, with how far each has come.

import { MINUTE_MS } from '../units.ts';

/** `TwapState`, as far as the page reads it. */
export interface WireTwapState {
  readonly coin: string;
  readonly side: 'B' | 'A';
  readonly sz: string;
  readonly executedSz: string;
  readonly executedNtl: string;
  readonly minutes: number;
  readonly reduceOnly: boolean;
  readonly randomize: boolean;
  /** ms since the epoch */
  readonly timestamp: number;
  readonly trigger: { readonly px: string; readonly above: boolean } | null;
  readonly stopPx: string | null;
}

/** A row of `twapHistory`. `time` is in seconds. */
export interface WireTwapChange {
  readonly twapId: number;
  readonly time: number;
  readonly state: WireTwapState;
  readonly status: { readonly status: string; readonly description?: string };
}

export interface Twap {
  readonly twapId: number;
  readonly coin: string;
  readonly side: 'buy' | 'sell';
  /** Coins. */
  readonly size: string;
  readonly executed: string;
  /** USD. */
  readonly executedUsd: string;
  readonly minutes: number;
  readonly reduceOnly: boolean;
  readonly randomize: boolean;
  readonly startedMs: number;
  readonly trigger: string | null;
  readonly stopPrice: string | null;
}

export const readTwap = (twapId: number, state: WireTwapState): Twap => ({
  twapId,
  coin: state.coin,
  side: state.side === 'B' ? 'buy' : 'sell',
  size: state.sz,
  executed: state.executedSz,
  executedUsd: state.executedNtl,
  minutes: state.minutes,
  reduceOnly: state.reduceOnly,
  randomize: state.randomize,
  startedMs: state.timestamp,
  trigger: state.trigger && `mark ${state.trigger.above ? 'above' : 'below'} ${state.trigger.px}`,
  stopPrice: state.stopPx,
});

/** A TWAP with its newest change. */
export interface TwapPast extends Twap {
  readonly status: string;
  /** The failure, where there was one. */
  readonly error: string | undefined;
  readonly changedMs: number;
}

/** Each TWAP once, at its newest change. @param changes newest first */
export function newestChanges(changes: readonly WireTwapChange[]): readonly TwapPast[] {
  const seen = new Map<number, TwapPast>();
  for (const { twapId, time, state, status } of changes) {
    if (seen.has(twapId)) continue;
    seen.set(twapId, {
      ...readTwap(twapId, state),
      status: status.status,
      error: status.description,
      changedMs: time * 1_000,
    });
  }
  return [...seen.values()];
}

/** Filled part of its size, 0 to 1. A computed number. */
export const doneShare = ({ size, executed }: Twap): number => (Number(size) > 0 ? Number(executed) / Number(size) : 0);

/** ms until its last slice, by its own time; not below 0. */
export const leftMs = ({ startedMs, minutes }: Twap, nowMs: number): number =>
  Math.max(0, startedMs + minutes * MINUTE_MS - nowMs);
