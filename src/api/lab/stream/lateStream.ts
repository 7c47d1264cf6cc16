// What a socket sends, under the failure lab of its key: every message takes as long as was drawn for it, none overtakes another.
// A socket without a lab sends at once.

import { isInForce, latencyOf } from '../../../shared/domain/labDraws.ts';
import type { LabProfile } from '../../../shared/domain/labProfile.ts';
import { DelayLine } from './delayLine.ts';

/** Where messages go, by subscription where a newer one replaces them. */
export interface Sends {
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
