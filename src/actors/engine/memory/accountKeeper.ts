// Keeps the accounts in memory in Redis too (redisSnapshots.ts): each soon after it was loaded, and again whenever MongoDB gets
// a snapshot of it. What leaves memory is removed. It goes on while MongoDB is away, and says at each round that Redis has
// all that it had answered: on that a new owner relies.
import type { FormatSource } from '../../../shared/domain/formats.ts';
import { LeaseLost } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { StoredSnapshot } from '../journal/snapshots.ts';
import { type RedisSnapshot, type RedisSnapshots, writeRedisSnapshot } from '../ownership/redisSnapshots.ts';
import { EachSecond } from '../turns/workSchedule.ts';
import type { Residents } from './residents.ts';

/** Accounts looked at in one round, and text of their snapshots that is made before the accounts get a turn. */
const ACCOUNTS_PER_ROUND = 500;
const TEXT_PER_TURN = 32 * 1024;
/** Compressed snapshots in one script call: Redis serves no other call meanwhile. */
const BYTES_PER_CALL = 512 * 1024;
const ACCOUNTS_PER_CALL = 100;
/** Each compression under way takes a quarter of a megabyte. */
const COMPRESSED_AT_ONCE = 8;

export interface AccountKeeperParts {
  readonly kept: RedisSnapshots;
  readonly residents: Residents;
  readonly formats: FormatSource;
  readonly shard: number;
  /** Part of each second before the shard's round, 0 to 1. */
  readonly share: number;
  readonly log: Logger;
  /** Resolves when the next piece of work may be done. */
  readonly nextTurn: () => Promise<void>;
  /** The shard has another owner, or Redis has lost something; nothing is kept any more. */
  readonly onEnd: (error: LeaseLost) => void;
}

export class AccountKeeper {
  readonly #parts: AccountKeeperParts;
  /** Accounts of which Redis has a snapshot. */
  #known: Set<string> | undefined;
  /** Accounts for which there was no room. */
  readonly #leftOut = new Set<string>();
  #isProven = false;
  #isAtWork = false;
  #isStopped = false;
  #rounds: EachSecond | undefined;

  constructor(parts: AccountKeeperParts) {
    this.#parts = parts;
  }

  /** True when Redis alone proves the shard. */
  get isProven(): boolean {
    return this.#isProven;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#work();
    this.#rounds = new EachSecond(this.#parts.share, () => this.#work());
  }

  stop(): void {
    this.#isStopped = true;
    this.#rounds?.stop();
  }

  /**
   * To be called before MongoDB gets these snapshots, for then the journal may be cut behind them.
   * @throws as `RedisSnapshots.keep`
   */
  async keep(snapshots: readonly StoredSnapshot[]): Promise<void> {
    let part: RedisSnapshot[] = [];
    let bytes = 0;
    for (let i = 0; i < snapshots.length; i += COMPRESSED_AT_ONCE) {
      const values = await Promise.all(snapshots.slice(i, i + COMPRESSED_AT_ONCE).map((snapshot) => this.#compress(snapshot)));
      part.push(...values);
      for (const { value } of values) bytes += value.length;
      const isLast = i + COMPRESSED_AT_ONCE >= snapshots.length;
      if (!isLast && bytes < BYTES_PER_CALL && part.length < ACCOUNTS_PER_CALL) continue;
      await this.#sendOfNow(part);
      [part, bytes] = [[], 0];
    }
  }

  async #compress({ accountId, seq, text }: StoredSnapshot): Promise<RedisSnapshot> {
    return { accountId, seq, value: await writeRedisSnapshot({ seq, text }, this.#parts.formats.current) };
  }

  /** One of before an account was halted and came back may miss what an operator has done to it. */
  async #sendOfNow(snapshots: readonly RedisSnapshot[]): Promise<void> {
    const { residents } = this.#parts;
    const isOfNow = ({ accountId, seq }: RedisSnapshot) =>
      seq >= (residents.get(accountId)?.admittedSeq ?? Number.POSITIVE_INFINITY);
    const outdated = snapshots.filter((snapshot) => !isOfNow(snapshot)).map(({ accountId }) => accountId);
    await this.#send(outdated, snapshots.filter(isOfNow));
  }

  /** Rounds until nothing is left to do, unless they are under way. */
  #work(): void {
    if (this.#isAtWork || this.#isStopped) return;
    this.#isAtWork = true;
    const { log, shard, onEnd } = this.#parts;
    this.#keepAll()
      .catch((error: unknown) => {
        if (this.#isStopped) return;
        if (error instanceof LeaseLost) onEnd(error);
        else log.warn({ shard, err: error }, 'snapshots cannot be kept in Redis yet, trying again');
      })
      .finally(() => {
        this.#isAtWork = false;
      });
  }

  async #keepAll(): Promise<void> {
    for (let isBehind = true; isBehind && !this.#isStopped; ) isBehind = await this.#round();
  }

  /** @returns true when there is more to do at once */
  async #round(): Promise<boolean> {
    const { kept, residents } = this.#parts;
    this.#known ??= new Set(await kept.accounts());
    const known = this.#known;
    const gone = [...known].filter((accountId) => !residents.has(accountId)).slice(0, ACCOUNTS_PER_ROUND);
    await this.#send(gone, []);
    if (gone.length > 0) this.#leftOut.clear();
    const missing = residents.ids.filter((accountId) => !known.has(accountId) && !this.#leftOut.has(accountId));
    const looked = missing.slice(0, ACCOUNTS_PER_ROUND);
    while (looked.length > 0 && !this.#isStopped) {
      await this.keep(this.#take(looked));
      await this.#parts.nextTurn();
    }
    return missing.length > ACCOUNTS_PER_ROUND || gone.length === ACCOUNTS_PER_ROUND;
  }

  /** Snapshots of the first of these accounts, as many as one turn may make. An account that is just being changed has none now. */
  #take(accountIds: string[]): StoredSnapshot[] {
    const snapshots = [];
    for (let text = 0; text < TEXT_PER_TURN; ) {
      const accountId = accountIds.shift();
      if (accountId === undefined) break;
      const snapshot = this.#parts.residents.snapshotOf(accountId);
      if (snapshot === undefined) continue;
      snapshots.push({ accountId, ...snapshot });
      text += snapshot.text.length;
    }
    return snapshots;
  }

  async #send(removed: readonly string[], snapshots: readonly RedisSnapshot[]): Promise<void> {
    const { kept, residents, log, shard } = this.#parts;
    const leftOut = await kept.keep(residents.committed, removed, snapshots);
    this.#isProven = true;
    for (const accountId of removed) this.#known?.delete(accountId);
    for (const { accountId } of snapshots) this.#known?.add(accountId);
    if (leftOut.length > 0 && this.#leftOut.size === 0)
      log.warn(
        { shard, accounts: leftOut.length },
        'more accounts are in memory than Redis keeps: while MongoDB is away they cannot come back',
      );
    for (const accountId of leftOut) {
      this.#known?.delete(accountId);
      this.#leftOut.add(accountId);
    }
  }
}
