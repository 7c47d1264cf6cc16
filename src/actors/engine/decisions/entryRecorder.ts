// Makes the rules' decision for one account an entry of the open draft and the account's new state. All of it is
// synchronous and speculative until the draft is committed; when that fails, all of it is discarded. One account's
// fault halts that account and no other.

import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { ShardIds } from '../../../shared/domain/shards.ts';
import type { Logger } from '../../../shared/logger.ts';
import { stateHashOf } from '../../../shared/stateHash.ts';
import type { Account } from '../../core/account/account.ts';
import type { Decided } from '../../core/fold/draft.ts';
import type { EntryCause } from '../../core/messages/entry.ts';
import { writeQuarantineRecord } from '../../core/messages/quarantineRecord.ts';
import type { Rules } from '../../core/rules.ts';
import type { ActorMetrics } from '../actorMetrics.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import type { AccountsInMemory } from '../memory/accountsInMemory.ts';
import type { Resident } from '../memory/residents.ts';

type RuleContext = Parameters<Rules['decide']>[2];

export interface EntryRecorderParts {
  readonly rules: Pick<Rules, 'recordEntry'>;
  readonly market: LiveMarket;
  readonly ids: ShardIds;
  /** Whether actions beyond the address limit are refused. */
  readonly addressLimit: boolean;
  readonly accounts: AccountsInMemory;
  readonly metrics: ActorMetrics;
  readonly now: () => number;
  readonly log: Logger;
  /** A clock for what an account takes that acts by itself, microseconds, and who is told. */
  readonly micros: () => number;
  readonly onCharged: (accountId: string, micros: number) => void;
}

/** What an account does without a command of its own. */
interface Action {
  /** For the log. */
  readonly what: string;
  /** It happens no earlier than this. */
  readonly notBeforeMs?: number;
  readonly decide: (account: Account, context: RuleContext) => Decided;
}

export class EntryRecorder {
  readonly #parts: EntryRecorderParts;

  constructor(parts: EntryRecorderParts) {
    this.#parts = parts;
  }

  /**
   * Lets an account act. One that is not in memory, or in quarantine, does nothing.
   * @returns true when it has changed
   */
  act(accountId: string, draft: CommitDraft, { what, notBeforeMs = 0, decide }: Action): boolean {
    const { accounts, micros, onCharged } = this.#parts;
    const resident = accounts.find(accountId);
    if (resident === undefined) return false;
    const began = micros();
    let isChanged = false;
    this.guard(resident, draft, what, (nowMs) => {
      const timeMs = Math.max(nowMs, notBeforeMs);
      const { events } = decide(resident.account, this.context(timeMs, draft, notBeforeMs));
      if (events.length === 0) return;
      this.apply(resident, draft, { timeMs, events });
      isChanged = true;
    });
    onCharged(accountId, micros() - began);
    return isChanged;
  }

  /** The fold comes first: an entry that cannot be folded is never journaled. */
  apply(resident: Resident, draft: CommitDraft, cause: EntryCause): void {
    const { accounts, market, metrics, rules } = this.#parts;
    const { entry, account } = rules.recordEntry(resident.account, cause, market);
    resident.account = account;
    metrics.onEvents(entry.events);
    accounts.onEntry(resident, entry, draft);
  }

  /** @returns false when the work threw and the account is now in quarantine */
  guard(resident: Resident, draft: CommitDraft, what: string, work: (timeMs: number) => void): boolean {
    try {
      work(this.timeFor(resident));
      return true;
    } catch (error) {
      const accountId = resident.account.id;
      this.#parts.log.error({ err: error, accountId, what }, 'account quarantined');
      this.#quarantine(resident, draft, `${what}: ${String(error)}`);
      return false;
    }
  }

  /** Halts an account as long as this owner has the shard: its commands are answered 503, and the next owner tries again. */
  halt(accountId: string, reason: string, draft: CommitDraft): void {
    this.#parts.metrics.onFault('quarantined');
    this.#parts.accounts.halt(accountId, reason, draft);
  }

  /** An account's time never runs backwards, whatever clock its owner has. */
  timeFor(resident: Resident): number {
    return Math.max(this.#parts.now(), resident.account.timeMs);
  }

  /** @param notBeforeMs what is decided happens no earlier, whatever the clock says */
  context(nowMs: number, { format }: CommitDraft, notBeforeMs = 0): RuleContext {
    const { market, ids, now, addressLimit } = this.#parts;
    return { nowMs, clockMs: Math.max(now(), notBeforeMs), market, ids, format, addressLimit, stateHashOf };
  }

  /** Halts an account whose state can no longer be trusted. Its commands are answered 503 until an operator acts. */
  #quarantine({ account: { id, seq } }: Resident, draft: CommitDraft, reason: string): void {
    this.halt(id, reason, draft);
    draft.seldom.quarantine(id, writeQuarantineRecord({ reason, atMs: this.#parts.now(), seq }));
  }
}
