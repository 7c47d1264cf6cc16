// Loads the accounts of a shard into memory: first those with waiting commands, then all live ones, later those that come
// back after a rest. Each comes from Redis if that keeps it, else from MongoDB. While MongoDB is away only those that need it
// are delayed; one at rest, which nothing can have happened to, is answered so meanwhile.
import type { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Account } from '../../core/account/account.ts';
import type { RecoveredShard } from '../ownership/recovery.ts';
import { SliceLoader } from './sliceLoader.ts';

/** How the reason of an account begins that could not be folded. */
const NOT_LOADED = 'cannot be loaded';

/** The reason for the halt of an account that could not be loaded. */
export const notLoaded = (why = 'no reason given'): string => `${NOT_LOADED}: ${why}`;

/** True for a halt that the next owner does not inherit: it may read what this one could not. */
export const isLoadFailure = (reason: string): boolean => reason.startsWith(NOT_LOADED);

export interface ResidentLoaderParts {
  readonly log: Logger;
  readonly recovered: RecoveredShard;
  readonly isHere: (accountId: string) => boolean;
  readonly onLoaded: (account: Account) => void;
  /** The account's own data cannot be folded. */
  readonly onBroken: (accountId: string, reason: string) => void;
  /** These wanted accounts are in memory now, or in quarantine, or away. */
  readonly onBatch: (accountIds: readonly string[]) => void;
  readonly onAllLoaded: () => void;
  /** A newer build has to read an account; nothing is loaded any more. */
  readonly onNewer: (error: NewerFormat) => void;
}

export class ResidentLoader {
  readonly #parts: ResidentLoaderParts;
  readonly #fromRedis: SliceLoader;
  readonly #fromMongo: SliceLoader;
  /** Live accounts that are not in memory yet. */
  readonly #liveLeft: Set<string>;
  #isMongoAway = false;
  #isStarted = false;
  #isStopped = false;

  constructor(parts: ResidentLoaderParts) {
    const { log, onNewer } = parts;
    this.#parts = parts;
    this.#liveLeft = new Set(parts.recovered.liveAccounts);
    this.#fromRedis = new SliceLoader({
      ...{ onNewer, load: (accountIds, options) => this.#loadKept(accountIds, options) },
      onFailed: (error) => log.warn({ err: error }, 'accounts cannot be loaded yet, trying again'),
    });
    this.#fromMongo = new SliceLoader({
      ...{ onNewer, load: (accountIds, options) => this.#load(accountIds, options) },
      onFailed: (error) => this.#onMongoAway(error),
    });
  }

  /** Loads all that must be in memory. */
  start(): void {
    this.#isStarted = true;
    for (const accountId of this.#liveLeft) this.#fromRedis.add(accountId, { isWanted: false });
    setImmediate(() => this.#lookWhetherAll());
  }

  stop(): void {
    this.#isStopped = true;
    this.#fromRedis.stop();
    this.#fromMongo.stop();
  }

  /** Loads the account before those without waiting commands; `onBatch` reports it. */
  want(accountId: string): void {
    this.#fromRedis.add(accountId, { isWanted: true });
  }

  /**
   * True for an account that only MongoDB has, while MongoDB is away. It is at rest: no command of it can have been done since
   * the shard was taken, or just before.
   */
  isAway(accountId: string): boolean {
    return this.#isMongoAway && this.#fromMongo.wanted.has(accountId) && !this.#liveLeft.has(accountId);
  }

  async #loadKept(accountIds: readonly string[], { areWanted }: { areWanted: boolean }): Promise<void> {
    const { recovered, isHere, onLoaded } = this.#parts;
    const kept = await recovered.loadKept(accountIds.filter((accountId) => !isHere(accountId)));
    if (this.#isStopped) return;
    for (const account of kept.values()) if (!isHere(account.id)) onLoaded(account);
    for (const accountId of accountIds) if (!isHere(accountId)) this.#fromMongo.add(accountId, { isWanted: areWanted });
    this.#report(
      accountIds.filter((accountId) => isHere(accountId) || this.isAway(accountId)),
      { areWanted },
    );
  }

  async #load(accountIds: readonly string[], { areWanted }: { areWanted: boolean }): Promise<void> {
    const { recovered, isHere, onLoaded, onBroken } = this.#parts;
    const missing = accountIds.filter((accountId) => !isHere(accountId));
    const accounts = missing.length === 0 ? new Map<string, Account>() : await recovered.load(missing);
    if (this.#isStopped) return;
    for (const accountId of missing) {
      const account = accounts.get(accountId);
      if (isHere(accountId)) continue;
      if (account !== undefined) onLoaded(account);
      else onBroken(accountId, notLoaded(recovered.broken.get(accountId)));
    }
    if (missing.length > 0) this.#isMongoAway = false;
    this.#report(accountIds, { areWanted });
  }

  #onMongoAway(error: unknown): void {
    const { log, onBatch } = this.#parts;
    log.warn({ err: error }, 'accounts cannot be loaded yet, trying again');
    this.#isMongoAway = true;
    onBatch([...this.#fromMongo.wanted].filter((accountId) => this.isAway(accountId)));
  }

  #report(accountIds: readonly string[], { areWanted }: { areWanted: boolean }): void {
    if (areWanted) this.#parts.onBatch(accountIds);
    this.#lookWhetherAll(accountIds);
  }

  #lookWhetherAll(loaded: readonly string[] = []): void {
    const { isHere, onAllLoaded } = this.#parts;
    if (!this.#isStarted || this.#isStopped) return;
    for (const accountId of loaded) if (isHere(accountId)) this.#liveLeft.delete(accountId);
    if (this.#liveLeft.size > 0) return;
    this.#isStarted = false;
    onAllLoaded();
  }
}
