// Loads the accounts of a shard into memory: first those with waiting commands, then all live ones, later those that come
// back after a rest. Each comes from Redis if that keeps it, else from MongoDB. While MongoDB is away only those that need it
// are delayed; one at rest, which nothing can have happened to, is answered so meanwhile.
import { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { Retrying } from '../../../shared/retrying.ts';
import type { Account } from '../../core/account/account.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { WaitingAccounts } from '../commit/mailbox.ts';
import type { RecoveredShard } from '../ownership/recovery.ts';
import type { AccountsInMemory } from './accountsInMemory.ts';
import type { NotLoadedIndex } from './notLoadedIndex.ts';

/** How the reason of an account begins that could not be folded. */
const NOT_LOADED = 'cannot be loaded';

/** The reason for the halt of an account that could not be loaded. */
const notLoaded = (why = 'no reason given'): string => `${NOT_LOADED}: ${why}`;

/** True for a halt that the next owner does not inherit: it may read what this one could not. */
export const isLoadFailure = (reason: string): boolean => reason.startsWith(NOT_LOADED);

/** The shard, as the loading of its accounts sees it. */
interface LoaderContext {
  readonly pod: { readonly log: Logger };
  readonly opened: { readonly recovered: RecoveredShard; readonly waiting: Pick<WaitingAccounts, 'add'> };
  readonly accounts: Pick<AccountsInMemory, 'isHere' | 'admit'>;
  readonly commits: { readonly draft: CommitDraft };
  readonly decisions: { readonly recorder: { halt(accountId: string, reason: string, draft: CommitDraft): void } };
  readonly notLoadedIndex: NotLoadedIndex;
  readonly events: {
    readonly onWork: () => void;
    readonly onAllLoaded: () => void;
    /** A newer build has to read an account; nothing is loaded any more. */
    readonly onEnd: (error: NewerFormat) => void;
  };
}

export class ResidentLoader {
  readonly #shard: LoaderContext;
  readonly #fromRedis: SliceLoader;
  readonly #fromMongo: SliceLoader;
  /** Live accounts that are not in memory yet. */
  readonly #liveLeft: Set<string>;
  #isMongoAway = false;
  #isStarted = false;
  #isStopped = false;

  constructor(shard: LoaderContext) {
    const { pod, opened, events } = shard;
    const { log } = pod;
    const { onEnd: onNewer } = events;
    this.#shard = shard;
    this.#liveLeft = new Set(opened.recovered.liveAccounts);
    this.#fromRedis = new SliceLoader({
      ...{ onNewer, load: (accountIds, options) => this.#loadFromRedis(accountIds, options) },
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

  async #loadFromRedis(accountIds: readonly string[], { areWanted }: { areWanted: boolean }): Promise<void> {
    const { opened, accounts } = this.#shard;
    const kept = await opened.recovered.loadFromRedis(accountIds.filter((accountId) => !accounts.isHere(accountId)));
    if (this.#isStopped) return;
    for (const account of kept.values()) if (!accounts.isHere(account.id)) this.#admit(account);
    for (const accountId of accountIds) if (!accounts.isHere(accountId)) this.#fromMongo.add(accountId, { isWanted: areWanted });
    this.#report(
      accountIds.filter((accountId) => accounts.isHere(accountId) || this.isAway(accountId)),
      { areWanted },
    );
  }

  async #load(accountIds: readonly string[], { areWanted }: { areWanted: boolean }): Promise<void> {
    const { opened, accounts } = this.#shard;
    const missing = accountIds.filter((accountId) => !accounts.isHere(accountId));
    const loaded = missing.length === 0 ? new Map<string, Account>() : await opened.recovered.load(missing);
    if (this.#isStopped) return;
    for (const accountId of missing) {
      const account = loaded.get(accountId);
      if (accounts.isHere(accountId)) continue;
      if (account !== undefined) this.#admit(account);
      else this.halt(accountId);
    }
    if (missing.length > 0) this.#isMongoAway = false;
    this.#report(accountIds, { areWanted });
  }

  #admit(account: Account): void {
    const { opened, accounts, commits } = this.#shard;
    accounts.admit(account, opened.recovered.tailOf(account.id), commits.draft);
  }

  /** Halts an account whose own data cannot be folded, as long as this owner has the shard. */
  halt(accountId: string): void {
    const { opened, decisions, commits, notLoadedIndex } = this.#shard;
    const reason = notLoaded(opened.recovered.broken.get(accountId));
    decisions.recorder.halt(accountId, reason, commits.draft);
    notLoadedIndex.note(accountId, reason);
  }

  #onMongoAway(error: unknown): void {
    this.#shard.pod.log.warn({ err: error }, 'accounts cannot be loaded yet, trying again');
    this.#isMongoAway = true;
    this.#onBatch([...this.#fromMongo.wanted].filter((accountId) => this.isAway(accountId)));
  }

  #report(accountIds: readonly string[], { areWanted }: { areWanted: boolean }): void {
    if (areWanted) this.#onBatch(accountIds);
    this.#lookWhetherAll(accountIds);
  }

  /** These wanted accounts are in memory now, or in quarantine, or away. */
  #onBatch(accountIds: readonly string[]): void {
    const { opened, events } = this.#shard;
    for (const accountId of accountIds) opened.waiting.add(accountId);
    events.onWork();
  }

  #lookWhetherAll(loaded: readonly string[] = []): void {
    const { accounts, events } = this.#shard;
    if (!this.#isStarted || this.#isStopped) return;
    for (const accountId of loaded) if (accounts.isHere(accountId)) this.#liveLeft.delete(accountId);
    if (this.#liveLeft.size > 0) return;
    this.#isStarted = false;
    events.onAllLoaded();
  }
}

/** Accounts loaded at once: enough for MongoDB's batches, little enough that others are not kept waiting. */
const SLICE = 200;
const RETRYING = new Retrying('accounts', { firstMs: 250 });

interface SliceLoaderParts {
  /** A slice that throws is tried again after a pause. @param options.areWanted they have waiting commands */
  readonly load: (accountIds: readonly string[], options: { areWanted: boolean }) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** A newer build has to read an account; nothing is loaded any more. */
  readonly onNewer: (error: NewerFormat) => void;
}

/**
 * Loads accounts from one place, in slices and one slice at a time, until all are loaded. Those with waiting commands come
 * first.
 */
class SliceLoader {
  readonly #parts: SliceLoaderParts;
  readonly #wanted = new Set<string>();
  readonly #others = new Set<string>();
  #isLoading = false;
  #isStopped = false;

  constructor(parts: SliceLoaderParts) {
    this.#parts = parts;
  }

  /** Accounts with waiting commands that are not loaded yet. */
  get wanted(): ReadonlySet<string> {
    return this.#wanted;
  }

  add(accountId: string, { isWanted }: { isWanted: boolean }): void {
    if (isWanted) this.#wanted.add(accountId);
    else this.#others.add(accountId);
    this.#next();
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Deferred, so that all accounts that are wanted in one turn are loaded together. */
  #next(): void {
    if (this.#isLoading || this.#isStopped || this.#wanted.size + this.#others.size === 0) return;
    this.#isLoading = true;
    setImmediate(() => {
      this.#loadSlice().then(
        () => {
          this.#isLoading = false;
          this.#next();
        },
        (error: unknown) => {
          if (this.#isStopped) return;
          if (error instanceof NewerFormat) return this.#parts.onNewer(error);
          this.#parts.onFailed(error);
          setTimeout(() => {
            this.#isLoading = false;
            this.#next();
          }, RETRYING.nextMs());
        },
      );
    });
  }

  async #loadSlice(): Promise<void> {
    const waiting = this.#wanted.size > 0 ? this.#wanted : this.#others;
    const slice = [...waiting].slice(0, SLICE);
    await this.#parts.load(slice, { areWanted: waiting === this.#wanted });
    for (const accountId of slice) waiting.delete(accountId);
  }
}
