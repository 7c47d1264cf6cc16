// What an account tells of itself for answers about all accounts of a user.
import type { ForkOrigin } from '../command.ts';

export interface SubAccountView {
  readonly number: number;
  readonly name: string;
  readonly createdAtMs: number;
  /** Of one that begins as a fork. */
  readonly fork?: ForkOrigin | undefined;
}

/** How a fork began. */
export interface ForkView extends ForkOrigin {
  readonly timeMs: number;
  readonly usd: string;
}

/** All transfers with one other account, sums of USD over the life of both. */
export interface TransfersView {
  /** Id of the other one. */
  readonly account: string;
  readonly sentUsd: string;
  readonly receivedUsd: string;
  /** Sent, and not known to be received. */
  readonly underWay: readonly { readonly number: number; readonly usd: string; readonly sentAtMs: number }[];
}
