// The commits of one shard, one after the other. Decisions go into the open draft; the draft is sent when the commit
// before it has been answered. A refused commit ends the ownership: all decisions on top of it are void.
import type { FormatSource } from '../../../shared/domain/formats.ts';
import type { ShardIds } from '../../../shared/domain/ids.ts';
import { waitAtMost } from '../../../shared/waitAtMost.ts';
import type { ActorMetrics } from './actorMetrics.ts';
import { CommitDraft } from './commitDraft.ts';
import type { Committer } from './committer.ts';

/** Longest that a release waits for the commit in flight, ms. */
const FINISH_WITHIN_MS = 4000;

export interface CommitsParts {
  readonly shard: number;
  readonly committer: Committer;
  readonly ids: ShardIds;
  /** The newest commit that is true: its number, and the tick position that it noted. */
  readonly last: { readonly number: number; readonly tick: string };
  readonly metrics: ActorMetrics;
  /** Real time, ms since the epoch. */
  readonly realNow: () => number;
  readonly formats: FormatSource;
  /** Every trade up to this position has been applied. */
  readonly tick: () => string;
  /** @param stillWaiting accounts of the draft whose streams hold more commands */
  readonly onCommitted: (draft: CommitDraft, stillWaiting: readonly string[]) => void;
  readonly onRefused: (error: Error) => void;
}

export class Commits {
  readonly #parts: CommitsParts;
  #draft: CommitDraft;
  #inFlight: CommitDraft | undefined;
  #committedTick: string;
  #isEnded = false;
  /** Called when the commit in flight is answered, or will never be. */
  #onDone: () => void = () => undefined;

  constructor(parts: CommitsParts) {
    this.#parts = parts;
    this.#draft = this.#newDraft(parts.last.number + 1);
    this.#committedTick = parts.last.tick;
  }

  /** The open draft, which takes current decisions. */
  get draft(): CommitDraft {
    return this.#draft;
  }

  /** True while something is decided that is not true yet. */
  get isUnderWay(): boolean {
    return this.#inFlight !== undefined || !this.#draft.isEmpty;
  }

  /** True while commands of the account are consumed by a commit that is not answered. */
  hasConsumed(accountId: string): boolean {
    return this.#draft.hasConsumed(accountId) || this.#inFlight?.hasConsumed(accountId) === true;
  }

  /** True while the account's state depends on a commit that is not answered. */
  isChanging(accountId: string): boolean {
    return this.#draft.changed.has(accountId) || this.#inFlight?.changed.has(accountId) === true;
  }

  /** Lets the tick position be committed even when nothing else is. */
  noteTick(): void {
    if (this.#parts.tick() !== this.#committedTick) this.#draft.touch();
  }

  /** Sends the open draft, unless it is empty or another is in flight. */
  send(): void {
    if (this.#inFlight !== undefined || this.#draft.isEmpty || this.#isEnded) return;
    const { committer, ids, realNow, onRefused, shard } = this.#parts;
    const draft = this.#draft;
    const tick = this.#parts.tick();
    this.#inFlight = draft;
    this.#draft = this.#newDraft(draft.number + 1);
    draft.spans.onSent(shard, draft.number);
    committer.commit(draft, { idCounter: ids.counter, tick, timeMs: realNow() }).then(
      (stillWaiting) => this.#onCommitted(draft, tick, stillWaiting),
      (error: Error) => {
        draft.spans.onRefused(error.name);
        onRefused(error);
      },
    );
  }

  /** Throws the open draft away and waits for the commit in flight, but not for ever. */
  async finish(): Promise<void> {
    if (this.#inFlight === undefined || this.#isEnded) return;
    this.#draft = this.#newDraft(this.#inFlight.number + 1);
    await waitAtMost(FINISH_WITHIN_MS, new Promise<void>((resolve) => (this.#onDone = resolve)));
  }

  /** All that one commit writes is of one generation. */
  #newDraft(number: number): CommitDraft {
    return new CommitDraft(number, this.#parts.formats.current);
  }

  /** Sends nothing from now on. */
  end(): void {
    this.#isEnded = true;
    this.#parts.committer.end();
    this.#onDone();
  }

  #onCommitted(draft: CommitDraft, tick: string, stillWaiting: readonly string[]): void {
    this.#committedTick = tick;
    this.#inFlight = undefined;
    this.#parts.metrics.onCommit(draft);
    draft.spans.onCommitted();
    this.#onDone();
    if (!this.#isEnded) this.#parts.onCommitted(draft, stillWaiting);
  }
}
