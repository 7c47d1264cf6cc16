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
  /** Of a what-if: how many commands of its source it has had. */
  readonly received?: number | undefined;
}

/** The what-ifs of an account. */
export interface MirrorsView {
  /** Number of the newest command that went to them. */
  readonly last: number;
  readonly to: readonly MirrorView[];
}

export interface MirrorView {
  readonly account: string;
  /** Number of the last command before it began. */
  readonly start: number;
  readonly through: number;
  /** Why it receives no more. */
  readonly ended?: 'lagging' | 'gone' | undefined;
}

/** How an imported account began. */
export interface ImportedView {
  readonly source: string;
  readonly scale: string;
  readonly seq: number;
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
