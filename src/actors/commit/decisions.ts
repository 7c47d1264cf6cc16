// Runs the rules over the accounts of one shard: a command, a market change or a due time becomes events, the events an
// entry of the open draft, and the entry the account's new state. All of it is synchronous and speculative until the draft
// is committed; when it is not, all of it is thrown away. One account's fault stops that account and no other.

import type { BookChange, ContextChange, TradesChange } from '../../market/domain/feed.ts';
import type { ShardIds } from '../../shared/domain/ids.ts';
import type { Logger } from '../../shared/logger.ts';
import { shardKeys } from '../../shared/redis/keys.ts';
import { hasSeen } from '../domain/account/account.ts';
import { recordEntry } from '../domain/fold/recordEntry.ts';
import type { EntryCause } from '../domain/messages/entry.ts';
import type { CommandEnvelope, Reply } from '../domain/messages/envelope.ts';
import type { Outcome } from '../domain/messages/outcome.ts';
import { earliestTimeMs, type ShardCommand } from '../domain/messages/shardCommand.ts';
import { ConcernedAccounts, type ConcernedAccountsParts } from '../marketWatch/affectedAccounts.ts';
import type { Resident } from '../residents/residents.ts';
import type { ActorMetrics } from './actorMetrics.ts';
import type { CommitDraft } from './commitDraft.ts';
import type { DueTimes } from './dueTimes.ts';
import type { WaitingCommand } from './mailbox.ts';
import { recall, rememberedText } from './rememberedOutcome.ts';
import type { Rules } from './rules.ts';
import { withStateHash } from './stateHash.ts';
import { withTail } from './tailAnswers.ts';

export interface DecisionsParts extends ConcernedAccountsParts {
  readonly shard: number;
  readonly ids: ShardIds;
  readonly due: DueTimes;
  /** Account id -> reason. */
  readonly quarantined: Map<string, string>;
  readonly idempotencyTtlMs: number;
  readonly metrics: ActorMetrics;
  readonly now: () => number;
  readonly log: Logger;
}

export class Decisions {
  readonly #parts: DecisionsParts;
  readonly #concerned: ConcernedAccounts;
  /** Streams' entry ids of commands that must not be run again: two owners have died with them at the head. */
  readonly #condemned: ReadonlySet<string>;
  /** Accounts that may hold something in a delisted coin. */
  #unasked: string[] = [];
  /** The newest mark of each coin that somebody concerned has not seen. */
  readonly #unseenMarks = new Map<string, ContextChange>();

  constructor(parts: DecisionsParts, condemned: ReadonlySet<string>) {
    this.#parts = parts;
    this.#concerned = new ConcernedAccounts(parts);
    this.#condemned = condemned;
  }

  /**
   * Consumes one command of an account that is in memory or in quarantine.
   * @param storedText what Redis remembers for the command's Idempotency-Key
   */
  runCommand(accountId: string, command: WaitingCommand, draft: CommitDraft, storedText?: string | null): void {
    const { id, text, envelope } = command;
    draft.consume(accountId, id);
    if (envelope === undefined) {
      draft.park(accountId, text, 'unreadable', this.#parts.now());
      return;
    }
    const reply = this.#answer(accountId, command, envelope, draft, storedText);
    if (reply !== undefined) draft.reply(envelope, reply);
  }

  /** What a book or trades do to the accounts that they concern. The market view includes them already. */
  runMarket(change: BookChange | TradesChange, draft: CommitDraft): void {
    const asset = this.#parts.market.assetOf(change.coin)?.id;
    if (asset === undefined) return;
    for (const accountId of this.#concerned.byChange(asset, change)) this.#show(accountId, change, draft);
  }

  /** A coin has a new mark. Accounts for which the draft has no room see it, or a newer one, by `runMarks`. */
  onMark(change: ContextChange, draft: CommitDraft): void {
    this.#unseenMarks.set(change.coin, change);
    if (!draft.isFull) this.#runMark(change, draft);
  }

  /** Shows every coin's newest mark: what came while the shard was loading, or while the view was loaded anew. */
  onAllMarks(draft: CommitDraft): void {
    for (const asset of this.#concerned.markedAssets) {
      const change = this.#parts.market.contextOf(asset);
      if (change !== undefined) this.onMark(change, draft);
    }
  }

  /** Shows the marks that accounts have not seen for want of room. */
  runMarks(draft: CommitDraft): void {
    for (const change of this.#unseenMarks.values()) {
      if (draft.isFull) return;
      this.#runMark(change, draft);
    }
  }

  /** The mark counts as seen when everybody whom it concerns has seen it. */
  #runMark(change: ContextChange, draft: CommitDraft): void {
    const asset = this.#parts.market.assetOf(change.coin)?.id;
    if (asset !== undefined) {
      for (const accountId of this.#concerned.endangeredByMark(asset)) {
        if (draft.isFull) return;
        this.#show(accountId, change, draft);
        this.#concerned.onMarkSeen(accountId);
      }
      for (const accountId of this.#concerned.byMark(asset)) {
        if (draft.isFull) return;
        this.#show(accountId, change, draft);
      }
    }
    this.#unseenMarks.delete(change.coin);
  }

  #show(accountId: string, change: BookChange | TradesChange | ContextChange, draft: CommitDraft): void {
    const { residents, rules, quarantined } = this.#parts;
    const resident = residents.get(accountId);
    if (resident === undefined || quarantined.has(accountId)) return;
    this.#guarded(resident, draft, `${change.type} of ${change.coin}`, (timeMs) => {
      const events = rules.decideMarket(resident.account, change, this.#context(timeMs, draft));
      if (events.length > 0) this.#apply(resident, draft, { timeMs, events });
    });
  }

  /** Every account is to be asked what it holds in coins that the venue has taken off its list. */
  onListings(): void {
    this.#unasked = this.#parts.residents.ids;
  }

  /** Settles delisted coins, account by account as far as the draft has room. */
  runListings(draft: CommitDraft): void {
    const { residents, rules, quarantined } = this.#parts;
    while (!draft.isFull) {
      const accountId = this.#unasked.pop();
      if (accountId === undefined) return;
      const resident = residents.get(accountId);
      if (resident === undefined || quarantined.has(accountId)) continue;
      this.#guarded(resident, draft, 'delisting', (timeMs) => {
        const events = rules.settleDelisted(resident.account, this.#context(timeMs, draft));
        if (events.length > 0) this.#apply(resident, draft, { timeMs, events });
      });
    }
  }

  /** Lets every account act whose time has come. */
  runDue(draft: CommitDraft): void {
    const { due, now, residents, rules, quarantined } = this.#parts;
    for (let accountId = due.takeDue(now()); accountId !== undefined; accountId = due.takeDue(now())) {
      const resident = residents.get(accountId);
      if (resident === undefined || quarantined.has(accountId)) continue;
      this.#guarded(resident, draft, 'wake-up', (timeMs) => {
        const events = rules.decideDue(resident.account, this.#context(timeMs, draft));
        if (events.length > 0) this.#apply(resident, draft, { timeMs, events });
      });
      if (draft.isFull) return;
    }
  }

  /**
   * Lets one account do what a job asks of all. An account that is not in memory holds nothing that a job could concern.
   * @returns true when it has changed
   */
  runShardCommand(accountId: string, command: ShardCommand, draft: CommitDraft): boolean {
    const { residents, rules, quarantined, risk, metrics } = this.#parts;
    const resident = residents.get(accountId);
    if (resident === undefined || quarantined.has(accountId)) return false;
    const isWatched = this.#unseenMarks.size > 0 || risk.isWatched(accountId);
    let isChanged = false;
    this.#guarded(resident, draft, command.type, (nowMs) => {
      const timeMs = Math.max(nowMs, earliestTimeMs(command));
      const events = rules.decideShardCommand(resident.account, command, this.#context(timeMs, draft));
      if (events.length === 0) return;
      this.#apply(resident, draft, { timeMs, events });
      isChanged = true;
    });
    if (isChanged && command.type === 'scanLiquidation' && !isWatched) metrics.onMissedLiquidation();
    return isChanged;
  }

  /** Halts an account whose state can no longer be trusted. Its commands are answered 503 until an operator acts. */
  quarantine(accountId: string, draft: CommitDraft, reason: string): void {
    this.halt(accountId, reason);
    draft.quarantine(accountId, reason);
  }

  /** Halts an account as long as this owner has the shard: its commands are answered 503, and the next owner tries again. */
  halt(accountId: string, reason: string): void {
    const { quarantined, residents, due, risk, metrics } = this.#parts;
    metrics.onFault('quarantined');
    risk.remove(accountId);
    quarantined.set(accountId, reason);
    residents.drop(accountId);
    due.set(accountId, undefined);
  }

  /** The first thing that is true of the command decides; undefined when it was consumed, and answered, before. */
  #answer(
    accountId: string,
    command: WaitingCommand,
    envelope: CommandEnvelope,
    draft: CommitDraft,
    storedText: string | null | undefined,
  ): Reply | undefined {
    const { now, quarantined, residents } = this.#parts;
    const resident = residents.get(accountId);
    if (quarantined.has(accountId) || resident === undefined) return { failure: 'quarantined' };
    if (envelope.command.type !== 'query' && hasSeen(resident.account, envelope.id)) return undefined;
    const { deadlineMs } = envelope;
    if (deadlineMs !== undefined) {
      if (now() > deadlineMs) return { failure: 'expired' };
      draft.limitTo(deadlineMs);
    }
    resident.lastUsedMs = now();

    const remembered = this.#remembered(accountId, envelope, draft, storedText);
    if (remembered !== undefined) return remembered;
    if (this.#condemned.has(command.id)) {
      return this.#park(resident, command, envelope, draft, 'two owners died with it at the head');
    }
    return this.#decide(resident, command, envelope, draft);
  }

  #decide(
    resident: Resident,
    command: WaitingCommand,
    envelope: CommandEnvelope,
    draft: CommitDraft,
    { isSecond }: { readonly isSecond: boolean } = { isSecond: false },
  ): Reply {
    const { rules, log } = this.#parts;
    const accountId = resident.account.id;
    const timeMs = this.#timeFor(resident);
    let decision: ReturnType<Rules['decide']>;
    try {
      decision = rules.decide(resident.account, envelope.command, this.#context(timeMs, draft));
    } catch (error) {
      log.error({ err: error, accountId, requestId: envelope.requestId, type: envelope.command.type }, 'command parked');
      return this.#park(resident, command, envelope, draft, String(error));
    }
    const { events, requests, outcome } = decision;
    const isQuery = envelope.command.type === 'query';
    if (outcome.type === 'unknownAccount' || (isQuery && events.length === 0)) return this.#answered(resident, envelope, outcome);
    const cause: EntryCause = isQuery ? { timeMs, events } : { timeMs, command: envelope.id, requests, events };
    const isApplied = this.#guarded(resident, draft, envelope.command.type, () => this.#apply(resident, draft, cause));
    if (!isApplied) return { failure: 'quarantined' };
    // What was due is an entry of its own: the answer is of the account after it, and names its number.
    if (isQuery && !isSecond) return this.#decide(resident, command, envelope, draft, { isSecond: true });
    this.#remember(accountId, envelope, outcome, draft);
    return this.#answered(resident, envelope, outcome);
  }

  /** A question is completed with what only the shard knows. */
  #answered({ account, tail }: Resident, { command }: CommandEnvelope, outcome: Outcome): Reply {
    if (command.type !== 'query') return { outcome };
    const answered = withTail(outcome, command.query, tail);
    return { outcome: command.stateHash ? withStateHash(answered, account) : answered };
  }

  /** Into the dead letters, nothing done; its id is remembered like that of any command, so a resent one stays dead. */
  #park(resident: Resident, command: WaitingCommand, envelope: CommandEnvelope, draft: CommitDraft, reason: string): Reply {
    const timeMs = this.#timeFor(resident);
    this.#parts.metrics.onFault('parked');
    draft.park(resident.account.id, command.text, reason, timeMs);
    if (resident.account.seq > 0 && envelope.command.type !== 'query') {
      const cause: EntryCause = { timeMs, command: envelope.id, events: [] };
      this.#guarded(resident, draft, 'parked command', () => this.#apply(resident, draft, cause));
    }
    return { failure: 'parked' };
  }

  /** The fold comes first: an entry that cannot be folded is never journaled. */
  #apply(resident: Resident, draft: CommitDraft, cause: EntryCause): void {
    const { index, triggers, risk, due, rules, residents, market } = this.#parts;
    const { entry, account } = recordEntry(resident.account, cause, market);
    resident.account = account;
    residents.onEntry(resident, draft.journal(entry), draft);
    index.update(resident.account, entry.events);
    triggers.update(resident.account, entry.events);
    if (entry.events.length > 0) risk.touch(resident.account);
    due.set(resident.account.id, rules.nextDueMs(resident.account));
  }

  /** @returns false when the work threw and the account is now in quarantine */
  #guarded(resident: Resident, draft: CommitDraft, what: string, work: (timeMs: number) => void): boolean {
    try {
      work(this.#timeFor(resident));
      return true;
    } catch (error) {
      const accountId = resident.account.id;
      this.#parts.log.error({ err: error, accountId, what }, 'account quarantined');
      this.quarantine(accountId, draft, `${what}: ${String(error)}`);
      return false;
    }
  }

  #remembered(
    accountId: string,
    { idempotency }: CommandEnvelope,
    draft: CommitDraft,
    stored: string | null | undefined,
  ): Reply | undefined {
    if (idempotency === undefined) return undefined;
    const text = draft.remembered(shardKeys.idempotency(this.#parts.shard, accountId, idempotency.key)) ?? stored;
    if (text === undefined || text === null) return undefined;
    const outcome = recall(text, idempotency.bodyDigest);
    return outcome === undefined ? { failure: 'keyReused' } : { outcome };
  }

  #remember(accountId: string, { idempotency }: CommandEnvelope, outcome: Outcome, draft: CommitDraft): void {
    if (idempotency === undefined) return;
    const { shard, idempotencyTtlMs } = this.#parts;
    const key = shardKeys.idempotency(shard, accountId, idempotency.key);
    draft.remember(key, rememberedText(idempotency.bodyDigest, outcome, draft.format), idempotencyTtlMs);
  }

  /** An account's time never runs backwards, whatever clock its owner has. */
  #timeFor(resident: Resident): number {
    return Math.max(this.#parts.now(), resident.account.timeMs);
  }

  #context(nowMs: number, { format }: CommitDraft): Parameters<Rules['decide']>[2] {
    const { market, ids } = this.#parts;
    return { nowMs, market, ids, format };
  }
}
