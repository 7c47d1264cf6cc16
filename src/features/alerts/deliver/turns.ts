// Who has its turn when. Mails, chats, and webhooks that have taken nothing yet, or whose last turn has failed or was slow, have places of
// their own: a mail server that is away, or a thousand receivers that hang, hold up each other and no webhook that answers. A user has a
// number of places in all processes together, each a lease in MongoDB, and an endpoint is always at the same one: so it has one turn at a
// time, and about one a second.

import { randomInt } from 'node:crypto';
import type { Logger } from '../../../shared/logger.ts';
import type { Leases } from '../../../shared/mongo/leases.ts';
import { waitAtMost } from '../../../shared/waiting.ts';
import type { DueEndpoint } from '../store/alertEndpoints.ts';

/**
 * Turns at the same time, by kind. `ofProcess`: turns that have a place of a process. `aside`: turns that go on beside them because they
 * have lasted (`TurnPlaces`). `ofUser`: turns of one user in all processes together. The endpoints of a user share them, also an endpoint
 * that takes the place of a removed one: a hundred receivers of one user hold two places.
 */
const PLACES = {
  webhooks: { ofProcess: 100, aside: 200, ofUser: 2 },
  failing: { ofProcess: 50, aside: 50, ofUser: 2 },
  mail: { ofProcess: 8, aside: 0, ofUser: 1 },
  telegram: { ofProcess: 8, aside: 0, ofUser: 1 },
} as const;
/** A turn that lasts longer gives its place to the next, ms. */
const PLACE_MS = 1000;
/** What a process that has died had under way is taken over after this, ms; a turn that lasts says so often that it does. */
const TAKEN_OVER_MS = 15_000;
const PROLONGED_EVERY_MS = 5000;
/** A place has its turns that far apart at least, ms, in whichever processes. */
const TURN_EVERY_MS = 900;

type Kind = keyof typeof PLACES;
const KINDS = Object.keys(PLACES) as Kind[];

interface TurnsParts {
  readonly leases: Leases;
  readonly log: Logger;
  readonly realNow: () => number;
  readonly turn: (endpoint: string) => Promise<void>;
}

/** The turns that a process gives. */
export class Turns {
  readonly #parts: TurnsParts;
  readonly #places = new Map(
    KINDS.map((kind) => [kind, new TurnPlaces({ places: PLACES[kind].ofProcess, aside: PLACES[kind].aside, placeMs: PLACE_MS })]),
  );
  /** By the name of a user's place: its turns, which wait for a place of the process or run. */
  readonly #underWay = new Map<string, Promise<void>>();
  #isStopping = false;

  constructor(parts: TurnsParts) {
    this.#parts = parts;
  }

  /** Gives each endpoint a turn, unless its user's place has turns that wait or run. */
  give(due: readonly DueEndpoint[]): void {
    for (const [name, { kind, endpoints }] of byPlace(due)) {
      if (this.#isStopping || this.#underWay.has(name)) continue;
      const turns = this.#places.get(kind)?.run(() => this.#run(name, endpoints)) ?? Promise.resolve();
      this.#underWay.set(
        name,
        turns.finally(() => this.#underWay.delete(name)),
      );
    }
  }

  /** Resolves when no turn runs any more, or after that time. */
  async stop(msMax: number): Promise<void> {
    this.#isStopping = true;
    await waitAtMost(msMax, Promise.all(this.#underWay.values()));
  }

  /** One after the other. Never throws: a place is free again after it. */
  async #run(name: string, endpoints: readonly string[]): Promise<void> {
    const { leases, log, realNow } = this.#parts;
    const guarded = (work: Promise<unknown>, endpoint?: string): Promise<unknown> =>
      work.catch((error: Error) => log.warn(failedLine({ place: name, endpoint }, error), 'alerts wait'));
    const beganMs = realNow();
    if (this.#isStopping || !(await guarded(leases.take(name, TAKEN_OVER_MS)))) return;
    const prolonging = setInterval(() => void guarded(leases.take(name, TAKEN_OVER_MS)), PROLONGED_EVERY_MS);
    for (const endpoint of endpoints) if (!this.#isStopping) await guarded(this.#parts.turn(endpoint), endpoint);
    clearInterval(prolonging);
    await guarded(leases.free(name, beganMs + TURN_EVERY_MS));
  }
}

const kindOf = ({ channel, isFailing }: DueEndpoint): Kind => {
  if (channel !== 'webhook') return channel;
  return isFailing ? 'failing' : 'webhooks';
};

/** By the name of its lease: a place of a user, and which of its endpoints are due. */
function byPlace(
  due: readonly DueEndpoint[],
): ReadonlyMap<string, { readonly kind: Kind; readonly endpoints: readonly string[] }> {
  const places = new Map<string, { kind: Kind; endpoints: string[] }>();
  for (const one of due) {
    const kind = kindOf(one);
    const name = `alerts:${kind}:${one.userId}:${one.number % PLACES[kind].ofUser}`;
    const place = places.get(name) ?? { kind, endpoints: [] };
    place.endpoints.push(one.id);
    places.set(name, place);
  }
  return places;
}

/** Ids alone: an error of MongoDB has whole documents in it, and so messages of users. */
export function failedLine(
  what: { readonly work?: string; readonly place?: string; readonly endpoint?: string | undefined },
  error: Error,
): object {
  const { code } = error as { code?: unknown };
  return { ...what, error: error.name, ...((typeof code === 'number' || typeof code === 'string') && { code }) };
}

// The places of turns in a process. A turn that lasts gives its place to the next one and goes on beside it, so those that answer do not
// wait until those that hang are over. How many may go on like that is bounded: then turns wait again.

interface PlaceBounds {
  /** Turns that have a place. */
  readonly places: number;
  /** Turns that have given theirs away. */
  readonly aside: number;
  /** A turn gives its place away after this, ms. */
  readonly placeMs: number;
}

export class TurnPlaces {
  readonly #bounds: PlaceBounds;
  /** Turns without a place, the first that came first. */
  readonly #waiting: (() => void)[] = [];
  /** Turns that have lasted and still have their place, those first that have lasted longest. */
  readonly #lasting = new Set<symbol>();
  readonly #aside = new Set<symbol>();
  #placed = 0;

  constructor(bounds: PlaceBounds) {
    this.#bounds = bounds;
  }

  /** Runs the turn when there is a place for it. */
  async run(turn: () => Promise<void>): Promise<void> {
    if (this.#placed < this.#bounds.places) this.#placed += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const self = Symbol();
    const timer = setTimeout(() => {
      this.#lasting.add(self);
      this.#stepAside();
    }, this.#bounds.placeMs);
    try {
      await turn();
    } finally {
      clearTimeout(timer);
      this.#lasting.delete(self);
      if (this.#aside.delete(self)) this.#stepAside();
      else this.#giveOn();
    }
  }

  #stepAside(): void {
    const [first] = this.#lasting;
    if (first === undefined || this.#aside.size >= this.#bounds.aside) return;
    this.#lasting.delete(first);
    this.#aside.add(first);
    this.#giveOn();
  }

  /** The place goes to the turn that has waited longest. */
  #giveOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#placed -= 1;
    else next();
  }
}

// Where there is room for some of the accounts of a user only, none is the first for good: a busy one keeps no other waiting.

/** The same in the same round, begun at any of them. */
export function fromAny(accounts: readonly string[]): string[] {
  const first = accounts.length === 0 ? 0 : randomInt(accounts.length);
  return [...accounts.slice(first), ...accounts.slice(0, first)];
}
