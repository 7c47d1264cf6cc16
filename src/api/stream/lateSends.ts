// What a socket sends under the failure lab of its key: late, and in its order. A socket without a lab sends at once.

import { isInForce, type LabProfile, latencyOf } from '../../shared/domain/labProfile.ts';

/** What waits in one line at most, bytes. */
export const LINE_BYTES_MAX = 1_048_576;
/** Of one thing that waits, beside its message. */
const ENTRY_BYTES = 200;

interface Waiting {
  readonly dueMs: number;
  readonly bytes: number;
  readonly give: () => void;
}

/** Holds messages for a time, in their order and within a bound of bytes: beyond it the oldest goes on before its time. */
export class DelayLine {
  /** Oldest first. */
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;
  #lastDueMs = 0;
  #timer: NodeJS.Timeout | undefined;

  get bytes(): number {
    return this.#bytes;
  }

  /** Gives it on when its time has come and all before it are gone: at once where nothing waits and nothing is to wait. */
  put(delayMs: number, bytes: number, give: () => void): void {
    if (delayMs === 0 && this.#waiting.size === 0) {
      give();
      return;
    }
    const one = { dueMs: Math.max(this.#lastDueMs, performance.now() + delayMs), bytes: bytes + ENTRY_BYTES, give };
    this.#lastDueMs = one.dueMs;
    this.#waiting.add(one);
    this.#bytes += one.bytes;
    this.#giveUntil(() => this.#bytes <= LINE_BYTES_MAX);
    this.#plan();
  }

  /** Gives all on now. */
  flush(): void {
    this.#giveUntil(() => false);
    this.#plan();
  }

  /** Drops what waits. */
  end(): void {
    this.#waiting.clear();
    this.#bytes = 0;
    this.#plan();
  }

  #giveUntil(isDone: (first: Waiting) => boolean): void {
    for (const first of this.#waiting) {
      if (isDone(first)) return;
      this.#waiting.delete(first);
      this.#bytes -= first.bytes;
      first.give();
    }
  }

  #plan(): void {
    const [first] = this.#waiting;
    if (first === undefined) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    } else this.#timer ??= setTimeout(this.#onTime, Math.max(0, Math.ceil(first.dueMs - performance.now())));
  }

  readonly #onTime = (): void => {
    this.#timer = undefined;
    const nowMs = performance.now();
    this.#giveUntil(({ dueMs }) => dueMs > nowMs);
    this.#plan();
  };
}

/** Where messages go, by subscription where a newer one replaces them. */
interface Sends {
  send(message: Buffer): void;
  latest(subscription: object, message: Buffer): void;
  seal(subscription: object): void;
  forget(subscription: object): void;
}

export interface LabOfSocket {
  /** Of the socket's key, as it is now. */
  readonly profile: () => LabProfile | undefined;
  readonly now: () => number;
}

/** All messages of a socket: each takes as long as was drawn for it, none overtakes another. */
export class LateStream implements Sends {
  readonly #to: Sends;
  readonly #lab: LabOfSocket;
  readonly #line = new DelayLine();
  /** Of the newest message that was drawn for. */
  #number = 0;

  constructor(to: Sends, lab: LabOfSocket) {
    this.#to = to;
    this.#lab = lab;
  }

  /** What waits, bytes. */
  get bytes(): number {
    return this.#line.bytes;
  }

  send(message: Buffer): void {
    if (this.#isOff) this.#to.send(message);
    else this.#line.put(this.#draw(), message.length, () => this.#to.send(message));
  }

  latest(subscription: object, message: Buffer): void {
    if (this.#isOff) this.#to.latest(subscription, message);
    else this.#line.put(this.#draw(), message.length, () => this.#to.latest(subscription, message));
  }

  seal(subscription: object): void {
    this.#line.put(0, 0, () => this.#to.seal(subscription));
  }

  forget(subscription: object): void {
    this.#line.put(0, 0, () => this.#to.forget(subscription));
  }

  /** Sends all that waits: the socket is about to be closed. */
  flush(): void {
    this.#line.flush();
  }

  /** The socket is gone. */
  end(): void {
    this.#line.end();
  }

  get #isOff(): boolean {
    return this.#line.bytes === 0 && this.#lab.profile()?.latency?.stream === undefined;
  }

  /** How long the next message takes, ms. */
  #draw(): number {
    const profile = this.#lab.profile();
    if (profile?.latency?.stream === undefined || !isInForce(profile, this.#lab.now())) return 0;
    this.#number += 1;
    return latencyOf(profile.latency.stream, { seed: profile.seed, on: 'stream', number: this.#number }, 'stream');
  }
}

/** How often it is looked whether the feed goes on, ms. */
const LOOK_MS = 100;

/**
 * The market's messages of a socket: late, or none while the feed stands still. Of states the newest comes once the feed goes on; trades of
 * meanwhile never come, as to a client that was away.
 */
export class LateFeed {
  readonly #to: Sends;
  readonly #lab: LabOfSocket;
  readonly #line = new DelayLine();
  /** The newest state of each subscription, while the feed stands still. */
  readonly #kept = new Map<object, Buffer>();
  /** Subscriptions that are over, of which messages may wait. */
  readonly #over = new WeakSet<object>();
  #looking: NodeJS.Timeout | undefined;

  constructor(to: Sends, lab: LabOfSocket) {
    this.#to = to;
    this.#lab = lab;
  }

  /** What waits, bytes; states that are kept are shared with other sockets. */
  get bytes(): number {
    return this.#line.bytes;
  }

  send(subscription: object, message: Buffer): void {
    if (this.#isFrozen()) this.#kept.delete(subscription);
    else
      this.#put(subscription, message.length, () => {
        this.#to.forget(subscription);
        this.#to.send(message);
      });
  }

  latest(subscription: object, message: Buffer): void {
    if (this.#isFrozen()) this.#keep(subscription, message);
    else this.#put(subscription, message.length, () => this.#to.latest(subscription, message));
  }

  /** A state that came while the feed stands still is kept, but not beside newer ones. */
  seal(subscription: object): void {
    if (!this.#isFrozen()) this.#put(subscription, 0, () => this.#to.seal(subscription));
  }

  /** The subscription is over. */
  forget(subscription: object): void {
    this.#over.add(subscription);
    this.#kept.delete(subscription);
    this.#to.forget(subscription);
  }

  flush(): void {
    this.#line.flush();
  }

  end(): void {
    this.#line.end();
    this.#kept.clear();
    clearInterval(this.#looking);
  }

  #put(subscription: object, bytes: number, give: () => void): void {
    const profile = this.#lab.profile();
    const delayMs = profile?.feed?.delay ?? 0;
    if (delayMs === 0 && this.#line.bytes === 0) give();
    else
      this.#line.put(profile !== undefined && isInForce(profile, this.#lab.now()) ? delayMs : 0, bytes, () => {
        if (!this.#over.has(subscription)) give();
      });
  }

  #isFrozen(): boolean {
    const profile = this.#lab.profile();
    return profile?.feed?.freeze === true && isInForce(profile, this.#lab.now());
  }

  #keep(subscription: object, message: Buffer): void {
    this.#kept.set(subscription, message);
    this.#looking ??= setInterval(this.#look, LOOK_MS);
  }

  readonly #look = (): void => {
    if (this.#kept.size > 0 && this.#isFrozen()) return;
    clearInterval(this.#looking);
    this.#looking = undefined;
    const kept = [...this.#kept];
    this.#kept.clear();
    for (const [subscription, message] of kept) this.latest(subscription, message);
  };
}
