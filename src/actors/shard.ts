// One shard owned by this pod, from the lease to its end: recovering first, then running. Any failure ends the
// ownership, and the next one starts over.
import { NewerFormat } from '../shared/domain/formats.ts';
import { LeaseLost } from '../shared/errors.ts';
import { shardKeys } from '../shared/redis/keys.ts';
import type { WakeupListener } from './commit/wakeups.ts';
import type { ShardStatus } from './domain/messages/podStatus.ts';
import { type Lease, releaseLease } from './ownership/lease.ts';
import { RecoveringShard } from './shard/recoveringShard.ts';
import { RunningShard } from './shard/runningShard.ts';
import type { ShardParts } from './shard/shardParts.ts';

export class Shard implements WakeupListener {
  readonly lease: Lease;
  readonly #parts: ShardParts;
  readonly #onEnded: (shard: Shard, error: Error) => void;
  #state: RecoveringShard | RunningShard;
  #isEnded = false;

  /** @param onEnded the ownership has ended by itself; the lease may still be there to release */
  constructor(parts: ShardParts, lease: Lease, onEnded: (shard: Shard, error: Error) => void) {
    this.#parts = parts;
    this.lease = lease;
    this.#onEnded = onEnded;
    this.#state = new RecoveringShard(parts, lease, () => parts.wakeups.listen(shardKeys.wakeup(lease.shard), this));
  }

  get shard(): number {
    return this.lease.shard;
  }

  get status(): ShardStatus {
    return { shard: this.shard, token: this.lease.token, ...this.#state.status };
  }

  get historyStatus(): { readonly lagMs: number; readonly mongoDown: boolean } {
    return this.#state.historyStatus;
  }

  /** Recovers and goes to work; resolves when commands are being answered or the ownership has ended. */
  async start(): Promise<void> {
    if (this.#state instanceof RunningShard) return;
    try {
      const opened = await this.#state.recover();
      if (opened === undefined || this.#isEnded) return;
      const running = new RunningShard(this.#parts, this.lease, opened, (error) => this.#end(error));
      this.#state = running;
      running.start();
    } catch (error) {
      const { log } = this.#parts;
      const isExpected = error instanceof LeaseLost || error instanceof NewerFormat;
      if (!isExpected) log.error({ shard: this.shard, err: error }, 'shard cannot go to work');
      this.#end(error as Error);
    }
  }

  /** Ends the ownership without another write: the lease is lost. */
  abandon(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const { wakeups, log } = this.#parts;
    const leftOver = [this.#state.stop(), wakeups.unlisten(shardKeys.wakeup(this.shard), this)];
    Promise.all(leftOver).catch((error: unknown) => log.warn({ shard: this.shard, err: error }, 'shard did not end in order'));
  }

  /** Finishes the commit in flight and gives the shard back. What was decided after it is decided again by the next owner. */
  async release(): Promise<void> {
    const { redis, log } = this.#parts;
    if (this.#state instanceof RunningShard) await this.#state.finish();
    this.abandon();
    await releaseLease(redis, this.lease);
    log.info({ shard: this.shard }, 'shard released');
  }

  onWakeup(message: string): void {
    try {
      this.#state.onWakeup(message);
    } catch (error) {
      if (!(error instanceof NewerFormat)) throw error;
      this.#end(error);
    }
  }

  onMissedWakeups(): void {
    this.#state.onMissedWakeups();
  }

  #end(error: Error): void {
    if (this.#isEnded) return;
    this.abandon();
    this.#onEnded(this, error);
  }
}
