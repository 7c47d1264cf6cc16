// The market's messages of a socket, under the failure lab of its key: late, or none while the feed stands still. Of states the
// newest comes once the feed goes on; trades of meanwhile never come, as to a client that was away.
import { isInForce } from '../../../shared/domain/labDraws.ts';
import { DelayLine } from './delayLine.ts';
import type { LabOfSocket, Sends } from './lateStream.ts';

/** How often it is looked whether the feed goes on, ms. */
const LOOK_MS = 100;

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
