// The accounts of a shard that are in memory or in quarantine, with all indexes that find them: the prices of their
// orders and triggers, their wake prices, their due times. One account is added and removed as a whole.
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { FormatSource } from '../../../shared/domain/formats.ts';
import { IndexedHeap, type InHeap } from '../../../shared/domain/indexedHeap.ts';
import type { Account } from '../../core/account/account.ts';
import { liquidationWaits } from '../../core/liquidation/checkLiquidation.ts';
import type { AccountEntry, JournaledEntry } from '../../core/messages/entry.ts';
import type { Rules } from '../../core/rules.ts';
import type { CommitDraft } from '../commit/commitDraft.ts';
import { RiskIndex, TriggerIndex } from '../index/markIndex.ts';
import { OrderIndex } from '../index/orderIndex.ts';
import { TransfersUnderWay, WhatIfsUnderWay } from '../index/undelivered.ts';
import { type Resident, Residents } from './residents.ts';
import { Versions } from './versions.ts';

interface AccountsInMemoryParts {
  /** Owner of versions, as `openShard` has named it. */
  readonly versionsOwner: string;
  readonly rules: Rules;
  readonly market: LiveMarket;
  readonly formats: FormatSource;
  /** The live set as it was found. */
  readonly live: ReadonlySet<string>;
  /** Number of the newest commit. */
  readonly committed: number;
  /** Account id -> reason, of accounts that are in quarantine already. */
  readonly quarantined: ReadonlyMap<string, string>;
  /** Accounts that an earlier owner could not load. */
  readonly notLoaded: ReadonlySet<string>;
}

export class AccountsInMemory {
  readonly residents: Residents;
  readonly index = new OrderIndex();
  readonly triggers = new TriggerIndex();
  readonly risk = new RiskIndex();
  readonly due = new DueTimes();
  readonly transfers = new TransfersUnderWay();
  readonly whatIfs = new WhatIfsUnderWay();
  readonly versions: Versions;
  /** Account id -> reason. */
  readonly quarantined: Map<string, string>;
  readonly #parts: AccountsInMemoryParts;
  /** Accounts that an earlier owner could not load, and this one has not loaded yet. */
  readonly #triedAgain: Set<string>;

  constructor(parts: AccountsInMemoryParts) {
    this.#parts = parts;
    this.residents = new Residents(parts);
    this.versions = new Versions(parts);
    this.quarantined = new Map(parts.quarantined);
    this.#triedAgain = new Set(parts.notLoaded);
  }

  /** An account that is in memory and not in quarantine. */
  find(accountId: string): Resident | undefined {
    return this.quarantined.has(accountId) ? undefined : this.residents.get(accountId);
  }

  isHere(accountId: string): boolean {
    return this.residents.has(accountId) || this.quarantined.has(accountId);
  }

  /** How many accounts are below a maintenance margin and wait for a mark or a book. */
  countInDanger(nowMs: number): number {
    const { market } = this.#parts;
    let count = 0;
    for (const accountId of this.risk.watched) {
      const resident = this.find(accountId);
      if (resident && liquidationWaits(resident.account, { market, nowMs })) count += 1;
    }
    return count;
  }

  /** @param tail entries of the account in the journal, already folded into it */
  admit(account: Account, tail: readonly JournaledEntry[], draft: CommitDraft): void {
    const { rules, market } = this.#parts;
    const resident = this.residents.admit(account, tail, performance.now());
    this.index.add(account);
    this.triggers.add(account);
    this.risk.set(account.id, rules.wakePrices(account, market));
    this.due.set(account.id, rules.nextDueMs(account));
    this.#noteTransfers(resident);
    this.residents.releaseIfAtRest(resident, draft);
    if (this.#triedAgain.delete(account.id)) draft.seldom.endQuarantine(account.id);
  }

  /** Ends a halt: the account, read anew, is in memory again. */
  readmit(account: Account, tail: readonly JournaledEntry[], draft: CommitDraft): void {
    this.quarantined.delete(account.id);
    this.versions.refuse(account.id);
    draft.seldom.endQuarantine(account.id);
    this.admit(account, tail, draft);
  }

  /** The account has got a new state by the events of an entry, which the draft journals. */
  onEntry(resident: Resident, entry: AccountEntry, draft: CommitDraft): void {
    const { account } = resident;
    const { events } = entry;
    const text = this.residents.onEntry(resident, entry, draft);
    this.index.update(account, events);
    this.triggers.update(account, events);
    if (events.length > 0) this.risk.touch(account);
    this.due.set(account.id, this.#parts.rules.nextDueMs(account));
    if (account.transfers || account.mirrors) this.#noteTransfers(resident);
    this.versions.onEntry(account, text, draft);
  }

  #noteTransfers({ account, lastCommit }: Resident): void {
    this.transfers.set(account, lastCommit, performance.now());
    this.whatIfs.set(account, lastCommit);
  }

  /** Takes an account out of all that could make it act. */
  halt(accountId: string, reason: string, draft: CommitDraft): void {
    this.quarantined.set(accountId, reason);
    this.#remove(accountId, draft);
  }

  /** Removes the accounts that were idle for so long, unless they are in use, or an API node answers for them. */
  dropIdle(
    { idleMs, nowAt }: { readonly idleMs: number; readonly nowAt: number },
    isInUse: (accountId: string) => boolean,
    draft: CommitDraft,
  ): void {
    for (const { account } of this.residents.idleSince(nowAt - idleMs)) {
      if (!isInUse(account.id) && !this.versions.isInUse(account.id, nowAt)) this.#remove(account.id, draft);
    }
  }

  #remove(accountId: string, draft: CommitDraft): void {
    const account = this.residents.get(accountId)?.account;
    if (account !== undefined) {
      this.index.remove(account);
      this.triggers.remove(account);
    }
    this.risk.remove(accountId);
    this.due.set(accountId, undefined);
    this.transfers.remove(accountId);
    this.whatIfs.remove(accountId);
    this.residents.drop(accountId);
    this.versions.end(accountId, draft);
  }
}

// The earliest due time of every account in memory, so that planned actions happen without a command. It only mirrors
// the accounts' state: after a crash it is filled again from there, and nothing due is lost.

interface Due extends InHeap {
  readonly accountId: string;
  dueMs: number;
}

export class DueTimes {
  readonly #heap = new IndexedHeap<Due>((a, b) => a.dueMs < b.dueMs);
  readonly #byAccount = new Map<string, Due>();

  /** Accounts with a due time. */
  get size(): number {
    return this.#heap.size;
  }

  /** Earliest due time of all, or undefined. */
  get nextMs(): number | undefined {
    return this.#heap.first?.dueMs;
  }

  set(accountId: string, dueMs: number | undefined): void {
    const known = this.#byAccount.get(accountId);
    if (known?.dueMs === dueMs) return;
    if (dueMs === undefined) {
      if (known !== undefined) this.#remove(known);
    } else if (known === undefined) {
      const due: Due = { accountId, dueMs, at: 0 };
      this.#byAccount.set(accountId, due);
      this.#heap.add(due);
    } else {
      known.dueMs = dueMs;
      this.#heap.settle(known);
    }
  }

  /** Takes out an account that is due, earliest first; undefined when none is. */
  takeDue(nowMs: number): string | undefined {
    const { first } = this.#heap;
    if (first === undefined || first.dueMs > nowMs) return undefined;
    this.#remove(first);
    return first.accountId;
  }

  #remove(due: Due): void {
    this.#byAccount.delete(due.accountId);
    this.#heap.remove(due);
  }
}
