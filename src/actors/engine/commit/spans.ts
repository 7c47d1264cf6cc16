// A traced command at its owner: from its mailbox through the rules to the commit that makes it true and answers it, and on to MongoDB.

import { readTraceparent, type Span, type Tracing } from '../../../shared/tracing/tracing.ts';
import type { CommandEnvelope } from '../../core/messages/envelope.ts';
import type { MailboxCommand } from './mailbox.ts';

/** What a commit leaves of a traced command that is in the journal now: where what becomes of its entry belongs. */
interface EntryTrace {
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
  readonly #traced: Traced[] = [];
  #committedMs = 0;

  add(span: Span, isJournaled: boolean): void {
    this.#traced.push({ span, isJournaled });
  }

  /** The commit is sent. */
  onSent(shard: number, commit: number): void {
    for (const traced of this.#traced) {
      traced.commit = traced.span.child('commit', { kind: 'client', fields: { store: 'redis', shard, commit } });
    }
  }

  /** The commit is true. */
  onCommitted(): void {
    this.#committedMs = performance.now();
    this.#end();
  }

  /** The traced commands with entries in the journal, once the commit is true. */
  get entryTraces(): EntryTrace[] {
    const committedMs = this.#committedMs;
    return this.#traced.filter(({ isJournaled }) => isJournaled).map(({ span: { place } }) => ({ place, committedMs }));
  }

  /** What was decided is void. */
  onRefused(error: string): void {
    this.#end(error);
  }

  #end(error?: string): void {
    for (const { span, commit } of this.#traced) {
      commit?.end({ error });
      span.end({ error });
    }
  }
}

/** Where a command is run. */
interface Place {
  readonly shard: number;
  readonly accountId: string;
}

/** A command's span, and the part of it in which the rules decide. */
interface DecidingSpan {
  readonly command: Span;
  readonly decide: Span;
}

/** Begins when the command is run; its time in the mailbox is told then. Undefined for one that is not traced. */
export function beginCommand(
  tracing: Tracing,
  { readAtMs }: MailboxCommand,
  { trace, requestId, command: { type, ...rest } }: CommandEnvelope,
  { shard, accountId }: Place,
): DecidingSpan | undefined {
  const startMs = readAtMs ?? performance.now();
  const kind = 'query' in rest ? rest.query.kind : type;
  const fields = { requestId, accountId, shard, command: kind };
  const command = tracing.follow(trace, 'actor', { kind: 'consumer', fields, startMs });
  if (command === undefined) return undefined;
  command.child('mailbox', { startMs }).end();
  return { command, decide: command.child('decide') };
}

/** What log lines call a command: its request, and its trace where it has one. */
export function namesOf({ requestId, trace }: CommandEnvelope): { readonly requestId: string; readonly traceId?: string } {
  const traceId = readTraceparent(trace)?.traceId;
  return traceId === undefined ? { requestId } : { requestId, traceId };
}

/** Commits that are remembered, the oldest go first: some 200 bytes each. */
const COMMITS_MAX = 1000;

/**
 * The traced commands whose entries are in a shard's journal and not yet in MongoDB, by their commits. The owner remembers
 * only so many, and no trace is stored: where the next owner writes an entry its trace ends with the commit.
 */
export class HistorySpans {
  readonly #tracing: Pick<Tracing, 'follow'>;
  readonly #shard: number;
  readonly #byCommit = new Map<number, readonly EntryTrace[]>();

  constructor(tracing: Pick<Tracing, 'follow'>, shard: number) {
    this.#tracing = tracing;
    this.#shard = shard;
  }

  /** @param commit number in the journal */
  onCommitted(commit: number, traces: readonly EntryTrace[]): void {
    if (traces.length === 0) return;
    this.#byCommit.set(commit, traces);
    const [oldest] = this.#byCommit.keys();
    if (this.#byCommit.size > COMMITS_MAX && oldest !== undefined) this.#byCommit.delete(oldest);
  }

  /**
   * MongoDB has all entries up to a commit.
   * @param begunMs when the writing of the last of them was begun, by `performance.now()`
   */
  onWritten(upTo: number, begunMs: number): void {
    for (const [commit, traces] of this.#byCommit) {
      if (commit > upTo) return;
      this.#byCommit.delete(commit);
      for (const { place, committedMs } of traces) this.#tell(commit, place, { committedMs, begunMs });
    }
  }

  /** The time in the journal, and within it that of the write. */
  #tell(commit: number, place: string, { committedMs, begunMs }: { committedMs: number; begunMs: number }): void {
    const fields = { shard: this.#shard, commit };
    const span = this.#tracing.follow(place, 'history', { kind: 'consumer', fields, startMs: committedMs });
    const startMs = Math.max(begunMs, committedMs);
    span?.child('mongodb write', { kind: 'client', fields: { store: 'mongodb', commit }, startMs }).end();
    span?.end();
  }
}
