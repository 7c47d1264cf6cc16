// Loads the accounts of a shard into memory: first those with waiting commands, then all live ones in slices, later
// those that come back after a rest. While MongoDB is away only the accounts that need it are delayed.
import { NewerFormat } from '../../shared/domain/formats.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Account } from '../domain/account/account.ts';
import type { RecoveredShard } from '../ownership/recovery.ts';

/** Accounts loaded at once: enough for MongoDB's batches, little enough that others are not kept waiting. */
const SLICE = 200;
const RETRY_MS = 250;
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
  /** These wanted accounts are in memory now, or in quarantine. */
  readonly onBatch: (accountIds: readonly string[]) => void;
  readonly onAllLoaded: () => void;
  /** A newer build has to read an account; nothing is loaded any more. */
  readonly onNewer: (error: NewerFormat) => void;
}

export class ResidentLoader {
  readonly #parts: ResidentLoaderParts;
  readonly #wanted = new Set<string>();
  readonly #live: string[];
  #isLoading = false;
  #isStopped = false;
  #areAllLoaded = false;

  constructor(parts: ResidentLoaderParts) {
    this.#parts = parts;
    this.#live = [...parts.recovered.liveAccounts];
  }

  start(): void {
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Loads the account before those without waiting commands; `onBatch` reports it. */
  want(accountId: string): void {
    this.#wanted.add(accountId);
    this.#next();
  }

  /** Deferred, so that all accounts that are wanted in one turn are loaded together. */
  #next(): void {
    if (this.#isLoading || this.#isStopped) return;
    this.#isLoading = true;
    setImmediate(() => {
      this.#loadSlice().then(
        (isDone) => {
          this.#isLoading = false;
          if (!isDone) this.#next();
        },
        (error: unknown) => {
          if (error instanceof NewerFormat) return this.#parts.onNewer(error);
          this.#parts.log.warn({ err: error }, 'accounts cannot be loaded yet, trying again');
          setTimeout(() => {
            this.#isLoading = false;
            this.#next();
          }, RETRY_MS);
        },
      );
    });
  }

  /** @returns true when there is nothing left to load */
  async #loadSlice(): Promise<boolean> {
    const wanted = [...this.#wanted].slice(0, SLICE);
    const slice = wanted.length > 0 ? wanted : this.#live.slice(-SLICE);
    if (slice.length > 0) await this.#load(slice.filter((accountId) => !this.#parts.isHere(accountId)));
    if (this.#isStopped) return true;
    if (wanted.length > 0) {
      for (const accountId of wanted) this.#wanted.delete(accountId);
      this.#parts.onBatch(wanted);
    } else this.#live.length -= slice.length;
    if (this.#live.length === 0 && !this.#areAllLoaded) {
      this.#areAllLoaded = true;
      this.#parts.onAllLoaded();
    }
    return this.#wanted.size === 0 && this.#live.length === 0;
  }

  async #load(accountIds: readonly string[]): Promise<void> {
    if (accountIds.length === 0) return;
    const { recovered, onLoaded, onBroken } = this.#parts;
    const accounts = await recovered.load(accountIds);
    if (this.#isStopped) return;
    for (const accountId of accountIds) {
      const account = accounts.get(accountId);
      if (account !== undefined) onLoaded(account);
      else onBroken(accountId, notLoaded(recovered.broken.get(accountId)));
    }
  }
}
