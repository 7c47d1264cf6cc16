// The traced commands in a shard's next commit: each has the commit as a part, and ends with it.
import type { Span } from '../../../shared/tracing/tracing.ts';

/** What a commit leaves of a traced command that is in the journal now: where what becomes of its entry belongs. */
export interface Journaled {
  readonly place: string;
  /** By `performance.now()`. */
  readonly committedMs: number;
}

interface Traced {
  readonly span: Span;
  /** The command has made an entry. */
  readonly isJournaled: boolean;
  commit?: Span;
}

export class DraftSpans {
  #traced: Traced[] | undefined;
  #committedMs = 0;

  add(span: Span, isJournaled: boolean): void {
    this.#traced ??= [];
    this.#traced.push({ span, isJournaled });
  }

  /** The commit is sent. */
  onSent(shard: number, commit: number): void {
    for (const traced of this.#traced ?? []) {
      traced.commit = traced.span.child('commit', { kind: 'client', fields: { store: 'redis', shard, commit } });
    }
  }

  /** The commit is true. */
  onCommitted(): void {
    this.#committedMs = performance.now();
    this.#end();
  }

  /** The traced commands with entries in the journal, once the commit is true. */
  get journaled(): Journaled[] {
    const committedMs = this.#committedMs;
    return (this.#traced ?? []).filter(({ isJournaled }) => isJournaled).map(({ span: { place } }) => ({ place, committedMs }));
  }

  /** What was decided is void. */
  onRefused(error: string): void {
    this.#end(error);
  }

  #end(error?: string): void {
    for (const { span, commit } of this.#traced ?? []) {
      commit?.end({ error });
      span.end({ error });
    }
  }
}
