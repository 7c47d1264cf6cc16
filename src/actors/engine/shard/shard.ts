// One shard owned by this pod, from the lease to its end: recovering first, then running. Any failure ends the
// ownership, and the next one starts over.

import { NewerFormat } from '../../../shared/domain/formats.ts';
import { LateCommit, LeaseLost } from '../../../shared/errors.ts';
import { shardKeys } from '../../../shared/redis/keys.ts';
import type { Account } from '../../core/account/account.ts';
import type { ShardStatus } from '../../core/messages/podStatus.ts';
import type { WakeupListener } from '../commit/mailbox.ts';
import { type Lease, releaseLease } from '../ownership/lease.ts';
import { RecoveringShard, type ShardParts } from './recoveringShard.ts';
import { RunningShard } from './runningShard.ts';

export class Shard implements WakeupListener {
  readonly lease: Lease;
  readonly #parts: ShardParts;
  readonly #onEnded: (shard: Shard, error: Error) => void;
  #state: RecoveringShard | RunningShard;
  #isEnded = false;
  /** Stream ids of commands that came too late under this lease. */
  readonly #expired = new Set<string>();
  /** Stream id -> owners that have died of it, of the commands that waited at the take. */
  #possiblePoison: ReadonlyMap<string, number> = new Map();
  /** Redis alone has come to prove the shard under this lease. */
  #isProven = false;

  /** @param onEnded the ownership has ended by itself; the lease may still be there to release */
  constructor(parts: ShardParts, lease: Lease, onEnded: (shard: Shard, error: Error) => void) {
    this.#parts = parts;
    this.lease = lease;
    this.#onEnded = onEnded;
    this.#state = new RecoveringShard(parts, lease, this.#listen);
    parts.commitCalls.prepared.forget(lease.shard);
  }

  get shard(): number {
    return this.lease.shard;
  }

  get status(): ShardStatus {
    const { recovered, ...status } = this.#state.status;
    const isHeldUp = this.#parts.commitCalls.prepared.unconfirmedMs(this.shard) !== undefined;
    return { shard: this.shard, token: this.lease.token, recovered: recovered && this.isLeased && !isHeldUp, ...status };
  }

  /** False while the lease may have run out: nothing is decided then, until it is renewed or lost. */
  get isLeased(): boolean {
    return this.lease.term.isRunning;
  }

  /** When the next thing of an account is due, infinity = nothing is; undefined while work is under way (runningShard.ts). */
  get nextDueMs(): number | undefined {
    return this.#state instanceof RunningShard ? this.#state.nextDueMs : undefined;
  }

  /** States of the accounts in memory; none before it works. */
  get accounts(): readonly Account[] {
    return this.#state instanceof RunningShard ? this.#state.accounts : [];
  }

  /** The clock was set ahead. */
  onClock(): void {
    if (this.#state instanceof RunningShard) this.#state.onClock();
  }

  /** The shard as it is now, for what operators watch of it. */
  get state(): RecoveringShard | RunningShard {
    return this.#state;
  }

  readonly #listen = (): Promise<void> => this.#parts.wakeups.listen(shardKeys.wakeup(this.shard), this);

  /** Recovers and goes to work; resolves when commands are being answered or the ownership has ended. */
  async start(): Promise<void> {
    if (this.#state instanceof RunningShard) return;
    try {
      const opened = await this.#state.recover();
      if (opened === undefined || this.#isEnded) return;
      this.#possiblePoison = opened.possiblePoison;
      const running = new RunningShard(this.#parts, this.lease, opened, (error) => this.#onVoid(error));
      this.#state = running;
      running.start();
    } catch (error) {
      const { log } = this.#parts;
      const isExpected = error instanceof LeaseLost || error instanceof NewerFormat;
      if (!isExpected) log.error({ shard: this.shard, err: error }, 'shard cannot go to work');
      this.#end(error as Error);
    }
  }

  /** The lease goes on after its term had ended: what waited for that is done. */
  onRegained(): void {
    if (this.#state instanceof RunningShard) this.#state.onRegained();
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

  /** What was decided since the last commit is void. After a late commit the shard goes on from there under the same lease. */
  #onVoid(error: Error): void {
    if (!(error instanceof LateCommit)) {
      this.#end(error);
      return;
    }
    if (this.#isEnded) return;
    const { log } = this.#parts;
    const { commandIds, message } = error;
    log.warn(
      { shard: this.shard, commands: commandIds.size, reason: message },
      'commands expire, recovering under the same lease',
    );
    for (const id of commandIds) this.#expired.add(id);
    const former = this.#state;
    this.#isProven ||= former instanceof RunningShard && former.isProven;
    this.#state = new RecoveringShard(this.#parts, this.lease, this.#listen, {
      expired: this.#expired,
      possiblePoison: this.#possiblePoison,
      isProven: this.#isProven,
    });
    former
      .stop()
      .then(() => this.start())
      .catch((failure: unknown) => this.#end(failure instanceof Error ? failure : new Error(String(failure))));
  }

  #end(error: Error): void {
    if (this.#isEnded) return;
    this.abandon();
    this.#onEnded(this, error);
  }
}
