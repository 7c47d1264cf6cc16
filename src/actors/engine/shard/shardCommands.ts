// The shard's own mailbox: commands of jobs for every account. A command is applied account by account, some in each
// turn, and leaves its stream with the commit of the last ones. When the owner dies in the middle, the next one
// begins again; accounts do nothing twice. Trading goes on between the slices.

import { NewerFormat } from '../../../shared/domain/formats.ts';
import type { Logger } from '../../../shared/logger.ts';
import { SHARD_MAILBOX, shardKeys } from '../../../shared/redis/keys.ts';
import type { Redis } from '../../../shared/redis/redis.ts';
import { Retrying } from '../../../shared/retrying.ts';
import type { Span, Tracing } from '../../../shared/tracing/tracing.ts';
import { readShardCommand, type SentShardCommand, type ShardCommand } from '../../core/messages/shardCommand.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { Decisions } from '../decisions/decisions.ts';
import type { Lease } from '../ownership/lease.ts';

/** Accounts handled in one turn of the event loop: most are not affected and cost a microsecond. */
const LOOKED_AT_MAX = 1000;
/** Accounts changed in one turn: about a hundred microseconds each, commands wait as long. */
const CHANGED_MAX = 50;
const RETRYING = new Retrying('shard_mailbox', { firstMs: 250 });

/** The shard, as the commands of jobs see it. */
interface JobsContext {
  readonly pod: {
    readonly redis: Redis;
    readonly log: Logger;
    readonly now: () => number;
    readonly tracing: Pick<Tracing, 'follow'>;
  };
  readonly lease: Pick<Lease, 'shard'>;
  /** Every account in memory; who holds nothing and rests is none of them. */
  readonly accounts: { readonly residents: { readonly ids: readonly string[] } };
  readonly decisions: { readonly scheduled: Pick<Decisions['scheduled'], 'runShardCommand'> };
  readonly events: {
    /** There is work for the next turn. */
    readonly onWork: () => void;
    /** The command was written by a newer build. */
    readonly onEnd: (error: NewerFormat) => void;
  };
}

/** A command under way. `next` is the index of the first account that has not had it. */
interface Running {
  readonly id: string;
  readonly command: ShardCommand;
  readonly span: Span | undefined;
  readonly accountIds: readonly string[];
  /** By `performance.now()`. */
  readonly startedAt: number;
  next: number;
  changed: number;
}

export class ShardCommands {
  readonly #shard: JobsContext;
  #running: Running | undefined;
  #isReading = false;
  /** The head of the mailbox as it was read, or nothing in it; `command` is undefined when it cannot be read. */
  #read:
    | {
        readonly head: { readonly id: string; readonly text: string; readonly command: SentShardCommand | undefined } | undefined;
      }
    | undefined;

  constructor(shard: JobsContext) {
    this.#shard = shard;
  }

  /** True while a command of jobs is there to be begun, or under way. */
  hasWork = false;

  /** The mailbox may have a command; to be called again for the next one. */
  want(): void {
    if (this.#isReading || this.#read !== undefined || this.#running !== undefined) return;
    this.#isReading = true;
    const { pod, lease, events } = this.#shard;
    this.#readHead().then(
      (head) => {
        this.#isReading = false;
        this.#read = { head };
        this.hasWork = true;
        events.onWork();
      },
      (error: unknown) => {
        if (error instanceof NewerFormat) return events.onEnd(error);
        pod.log.warn({ shard: lease.shard, err: error }, 'shard mailbox cannot be read, trying again');
        setTimeout(() => {
          this.#isReading = false;
          this.want();
        }, RETRYING.nextMs());
      },
    );
  }

  async #readHead(): Promise<{ id: string; text: string; command: SentShardCommand | undefined } | undefined> {
    const { pod, lease } = this.#shard;
    const [entry] = await pod.redis.xrange(shardKeys.commands(lease.shard, SHARD_MAILBOX), '-', '+', 'COUNT', 1);
    if (entry === undefined) return undefined;
    const [id, [, text = '']] = entry;
    return { id, text, command: readShardCommand(text) };
  }

  /**
   * Does a part of the command under way, into this draft. To be called only when every account is in memory.
   * @returns true when the next part can follow in the next turn
   */
  work(draft: CommitDraft): boolean {
    this.#begin(draft);
    const running = this.#running;
    this.hasWork = running !== undefined;
    if (running === undefined || draft.isFull) return false;
    const { accountIds, command } = running;
    const { scheduled } = this.#shard.decisions;
    const end = Math.min(accountIds.length, running.next + LOOKED_AT_MAX);
    const changedMax = running.changed + CHANGED_MAX;
    while (running.next < end && running.changed < changedMax && !draft.isFull) {
      if (scheduled.runShardCommand(accountIds[running.next] as string, command, draft)) running.changed += 1;
      running.next += 1;
    }
    if (running.next < accountIds.length) return true;
    this.#end(running, draft);
    return false;
  }

  #begin(draft: CommitDraft): void {
    if (this.#read === undefined) return;
    const { head } = this.#read;
    this.#read = undefined;
    if (head === undefined) {
      draft.consume(SHARD_MAILBOX);
      return;
    }
    const { id, text, command } = head;
    const { pod, lease, accounts } = this.#shard;
    if (command === undefined) {
      draft.consume(SHARD_MAILBOX, id);
      draft.seldom.park(SHARD_MAILBOX, text, 'unreadable', pod.now());
      return;
    }
    const fields = { shard: lease.shard, command: command.type };
    const span = pod.tracing.follow(command.trace, 'shard command', { kind: 'consumer', fields });
    this.#running = { id, command, span, accountIds: accounts.residents.ids, startedAt: performance.now(), next: 0, changed: 0 };
  }

  #end({ id, command, span, accountIds, startedAt, changed }: Running, draft: CommitDraft): void {
    this.#running = undefined;
    this.hasWork = false;
    draft.consume(SHARD_MAILBOX, id);
    if (span !== undefined) draft.addSpan(span, false);
    const { log } = this.#shard.pod;
    const tookMs = Math.round(performance.now() - startedAt);
    const done = { shard: this.#shard.lease.shard, command: command.type, accounts: accountIds.length, changed, tookMs };
    if (changed > 0) log.info(done, 'shard command applied');
    else log.debug(done, 'shard command applied');
  }
}
