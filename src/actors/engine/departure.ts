// How a pod leaves. It tells the others and gives its shards to those that take them, a few at a time. While no other takes them it keeps
// them and serves them, until its process stops: then there is little time, and what no other takes goes at once.
import type { Logger } from '../../shared/logger.ts';
import { waitAtMost } from '../../shared/waitAtMost.ts';
import type { AblePods } from '../core/messages/podRanking.ts';
import type { HandOvers } from './handOvers.ts';

/** Longest a stop waits for the pod to leave, ms, and how much of it to give its shards away one after the other. */
const STOP_WITHIN_MS = 5000;
const IN_TURN_MS = 3500;

export interface DepartureParts {
  readonly log: Logger;
  readonly handOvers: HandOvers;
  /** Shards that the pod owns now. */
  readonly shards: () => readonly number[];
  /** Ends regular heartbeats, with the one under way. */
  readonly silence: () => Promise<void>;
  /** Says that this pod leaves, and answers with the others; undefined = Redis has not answered in time, or has never. */
  readonly listen: () => Promise<{ readonly able: AblePods; readonly isOld: boolean } | undefined>;
  /** Gives back what is left, at once, and takes this pod from the list. */
  readonly end: () => Promise<void>;
}

export class Departure {
  readonly #parts: DepartureParts;
  #gone: Promise<void> | undefined;
  #isAsked = false;
  /** By `performance.now()`; undefined = the process goes on. */
  #hurryUntilMs: number | undefined;

  constructor(parts: DepartureParts) {
    this.#parts = parts;
  }

  /** From now on the pod takes no shard. */
  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Resolves when the pod owns no shard; asked again, it is the same departure, or the next one after one that failed. */
  leave(): Promise<void> {
    this.#isAsked = true;
    this.#gone ??= this.#go().catch((error: unknown) => {
      this.#gone = undefined;
      throw error;
    });
    return this.#gone;
  }

  /** Leaves within seconds, in order or not. */
  async stop(): Promise<void> {
    this.#hurryUntilMs = performance.now() + IN_TURN_MS;
    const leaving = this.leave().catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'pod has not left in order');
    });
    await waitAtMost(STOP_WITHIN_MS, leaving);
  }

  async #go(): Promise<void> {
    const { handOvers, shards, silence, listen, end } = this.#parts;
    await silence();
    await handOvers.giveInTurn({ shards, able: async () => this.#takers(await listen()) });
    await end();
  }

  /** @returns undefined when the rest is to be given back at once */
  #takers(heard: { readonly able: AblePods; readonly isOld: boolean } | undefined): AblePods | undefined {
    if (this.#hurryUntilMs === undefined) return heard?.isOld === false ? heard.able : NOBODY;
    const isInTime = performance.now() < this.#hurryUntilMs;
    return isInTime && heard !== undefined && heard.able.trusted.length > 0 ? heard.able : undefined;
  }
}

const NOBODY: AblePods = { trusted: [], fresh: [], pins: [] };
