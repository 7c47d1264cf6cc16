// Loads accounts from one place, in slices and one slice at a time, until all are loaded. Those with waiting commands come
// first.
import { NewerFormat } from '../../../shared/domain/formats.ts';

/** Accounts loaded at once: enough for MongoDB's batches, little enough that others are not kept waiting. */
const SLICE = 200;
const RETRY_MS = 250;

export interface SliceLoaderParts {
  /** A slice that throws is tried again after a pause. @param options.areWanted they have waiting commands */
  readonly load: (accountIds: readonly string[], options: { areWanted: boolean }) => Promise<void>;
  readonly onFailed: (error: unknown) => void;
  /** A newer build has to read an account; nothing is loaded any more. */
  readonly onNewer: (error: NewerFormat) => void;
}

export class SliceLoader {
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
          }, RETRY_MS);
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
