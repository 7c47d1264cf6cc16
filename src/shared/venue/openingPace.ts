// When connections to the venue may be opened. The venue counts, of one address, new connections and messages in each minute, and a
// connection sends a message for each of its feeds. A socket that flaps would be past both within seconds; so an opening waits
// until the venue's limits have room for it and for all that it will send. One pace is shared by all connections of a process.

export interface OpeningLimits {
  /** New connections of an address in a minute, and messages that it sends. */
  readonly connections: number;
  readonly messages: number;
}

/** The venue's, without what pings need: a connection sends 15 in a minute, and there are a few. */
export const VENUE_LIMITS: OpeningLimits = { connections: 22, messages: 1850 };
/** Openings that are left for followed addresses: a connection each, with two feeds. */
export const MIRROR_LIMITS: OpeningLimits = { connections: 8, messages: 40 };
/** Of a server of one's own. */
export const NO_LIMITS: OpeningLimits = { connections: Number.POSITIVE_INFINITY, messages: Number.POSITIVE_INFINITY };

/** A minute, and as long as an opening may take until its messages leave. */
const WINDOW_MS = 70_000;
const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 15_000;

export class OpeningPace {
  /** Openings of the last minute and those that are planned, oldest first. */
  #openings: { readonly atMs: number; readonly messages: number }[] = [];
  readonly #limits: OpeningLimits;
  readonly #chance: () => number;

  /** @param chance from 0 to 1: connections that broke at once are not opened at once */
  constructor(limits: OpeningLimits, chance: () => number) {
    this.#limits = limits;
    this.#chance = chance;
  }

  /**
   * Plans an opening.
   * @param opening.failures of this connection in a row: the more, the longer it waits
   * @param opening.messages that it will send when it is open
   * @returns ms to wait from `nowMs` on
   */
  delayMs(nowMs: number, { failures, messages }: { failures: number; messages: number }): number {
    this.#openings = this.#openings.filter(({ atMs }) => atMs > nowMs - WINDOW_MS);
    const ceilingMs = failures === 0 ? 0 : Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** (failures - 1));
    const earliestMs = nowMs + Math.round(ceilingMs * (0.5 + this.#chance() / 2));
    const ends = this.#openings.map(({ atMs }) => atMs + WINDOW_MS);
    const atMs =
      [earliestMs, ...ends.filter((end) => end > earliestMs)].find((time) => this.#hasRoom(time, messages)) ?? earliestMs;
    this.#openings.push({ atMs, messages });
    this.#openings.sort((a, b) => a.atMs - b.atMs);
    return atMs - nowMs;
  }

  #hasRoom(timeMs: number, messages: number): boolean {
    const counted = this.#openings.filter(({ atMs }) => atMs > timeMs - WINDOW_MS);
    const sent = counted.reduce((sum, opening) => sum + opening.messages, 0);
    const { connections, messages: most } = this.#limits;
    return counted.length < connections && (counted.length === 0 || sent + messages <= most);
  }
}
