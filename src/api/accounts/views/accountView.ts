// An account as of one entry, at an API node that answers questions about it, and the memory that it takes. When the owner tells the node
// of the next entry, the view goes on to that. When its version is not the newest one, the view is dropped.
import type { Account } from '../../../actors/core/account/account.ts';
import { readSnapshot } from '../../../actors/core/account/accountCodec.ts';
import { VIEW_LIFE_MS, type ViewSource } from '../../../actors/core/messages/accountFigures.ts';
import type { AccountQuery } from '../../../actors/core/messages/command.ts';
import type { AccountEntry } from '../../../actors/core/messages/entry.ts';
import type { FollowedEntry } from '../../../actors/core/messages/envelope.ts';
import type { QueryAnswer } from '../../../actors/core/messages/queryAnswer.ts';
import type { Rules } from '../../../actors/core/rules.ts';
import { stateHashOf } from '../../../shared/stateHash.ts';
import type { Seen, SeenMarket } from './seenMarket.ts';
import type { Version } from './versionReader.ts';

/** Questions that the state alone answers, with the market and the time. A dry run is a decision: its owner makes those. */
export type StateQuery = Exclude<AccountQuery, { kind: 'history' | 'entries' | 'accountView' | 'dryRun' }>;

/** Why a view does not answer: something is due, it is old, the market is, or only the account's owner can tell. */
export type NoAnswer = 'due' | 'aged' | 'market' | 'owner';

/** Answers that are given again for as long as the market is the same, of one view: more coins than a page shows at once. */
const ANSWERS_MAX = 16;

/** The rules by which a view folds and answers. */
export type ViewRules = Pick<Rules, 'applyEntry' | 'answerQuery'>;

interface Remembered {
  readonly answer: QueryAnswer;
  readonly seen: Seen;
}

export class AccountView implements Version {
  readonly token: string;
  /** Questions that it has answered. */
  hits = 0;
  /** Entries that it has followed. */
  folded = 0;
  #account: Account;
  #accountBytes: number;
  #nextDueMs: number | null;
  readonly #agedAt: number;
  readonly #rules: ViewRules;
  readonly #answers = new Map<string, Remembered>();
  #stateHash: string | undefined;

  /** @param takenAt monotonic, ms @throws as `readSnapshot` */
  constructor({ token, nextDueMs, state }: ViewSource, takenAt: number, rules: ViewRules) {
    this.#rules = rules;
    this.#account = readSnapshot(state);
    this.token = token;
    this.#accountBytes = bytesOfView(this.#account);
    this.#nextDueMs = nextDueMs;
    this.#agedAt = takenAt + VIEW_LIFE_MS / 2;
  }

  get account(): Account {
    return this.#account;
  }

  get seq(): number {
    return this.#account.seq;
  }

  /** Of the account and the answers made of it. Without what is kept beside it. */
  get bytes(): number {
    return this.#accountBytes + bytesOfAnswers(this.#answers.size);
  }

  /** Names the state, as the account's owner does. */
  get stateHash(): string {
    this.#stateHash ??= stateHashOf(this.#account);
    return this.#stateHash;
  }

  is({ token, seq }: Version): boolean {
    return seq === this.seq && token === this.token;
  }

  /** Undefined while it may answer, if its version is true. @param at the exchange's clock, and a monotonic one */
  whyNot({ nowMs, atMs }: { readonly nowMs: number; readonly atMs: number }): NoAnswer | undefined {
    if (this.#nextDueMs !== null && nowMs >= this.#nextDueMs) return 'due';
    return atMs >= this.#agedAt ? 'aged' : undefined;
  }

  /**
   * Goes on to the account's next entry, by the fold of its owner.
   * @returns whether answers and rows of before stay right; undefined when the entry is not the next one of this view
   * @throws when the entry cannot be folded: the view is of no use then
   */
  follow({ token, nextDueMs, entry }: FollowedEntry): { readonly isSame: boolean } | undefined {
    if (token !== this.token || entry.seq !== this.seq + 1) return undefined;
    this.#account = this.#rules.applyEntry(this.#account, entry);
    this.#accountBytes = bytesOfView(this.#account);
    this.#nextDueMs = nextDueMs;
    this.#stateHash = undefined;
    this.folded += 1;
    const isSame = isUnseen(entry);
    if (!isSame) this.#answers.clear();
    return { isSame };
  }

  /** The answer that the account's owner would give. */
  answer(query: StateQuery, market: SeenMarket, nowMs: number): QueryAnswer | NoAnswer {
    const key = keyOf(query);
    if (key === undefined) return this.#computed(query, market, nowMs)?.answer ?? 'market';
    const known = this.#answers.get(key);
    if (known !== undefined && market.isAsSeen(known.seen)) {
      return market.isFresh(known.seen, nowMs) ? at(nowMs, known.answer) : 'market';
    }
    const computed = this.#computed(query, market, nowMs);
    if (computed === undefined) return 'market';
    this.#remember(key, computed);
    return computed.answer;
  }

  #computed(query: StateQuery, market: SeenMarket, nowMs: number): Remembered | undefined {
    const { result: answer, seen } = market.watch(() => this.#rules.answerQuery(this.#account, query, { market, nowMs }));
    return market.isFresh(seen, nowMs) ? { answer, seen } : undefined;
  }

  #remember(key: string, remembered: Remembered): void {
    if (!this.#answers.has(key) && this.#answers.size >= ANSWERS_MAX) {
      const [oldest] = this.#answers.keys();
      if (oldest !== undefined) this.#answers.delete(oldest);
    }
    this.#answers.set(key, remembered);
  }
}

/** True when no remembered answer and no row tells of the entry: what an account may take of a book again shows in neither. */
const isUnseen = ({ events, requests = 0 }: AccountEntry): boolean =>
  requests === 0 && events.every(({ type }) => type === 'consumptionSet');

/** Undefined for a question whose answer is not given again: it depends on the time, or is as quickly made. */
function keyOf(query: StateQuery): string | undefined {
  switch (query.kind) {
    case 'accountState':
    case 'openOrders':
    case 'summary':
      return query.kind;
    case 'assetData':
      return `${query.kind} ${query.asset}`;
    default:
      return undefined;
  }
}

const at = (nowMs: number, answer: QueryAnswer): QueryAnswer =>
  answer.kind === 'accountState' ? { ...answer, state: { ...answer.state, timeMs: nowMs } } : answer;

// What a view holds in memory, as `bench/viewMemory.ts` measures it: the account's state with what the rules remember of it and
// the answers made of it.

/** A flat account that has never traded, with its place among the views. */
const BASE = 8000;
/** A position with its valuation and its part of the answers. */
const POSITION = 3200;
/** An order on the book or beside it, with its text in two answers. */
const ORDER = 1300;
/** An entry of any other map: leverage of a coin, paid funding, a level taken from, a command id, a day's volume. */
const ENTRY = 500;

/** Bytes of a view of the account. */
function bytesOfView(account: Account): number {
  const { positions, orders, triggers, twaps, leverage, funding, commandIds, consumption, totals } = account;
  let entries = twaps.size + leverage.size + funding.size + commandIds.size + consumption.size + totals.dailyVolumes.length;
  for (const { bid, ask } of consumption.values()) entries += bid.size + ask.size;
  return BASE + POSITION * positions.size + ORDER * (orders.size + triggers.size) + ENTRY * entries;
}

/** An answer that is given again, with what was read of the market for it. The usual ones are in the figures above. */
const ANSWER = 900;
const USUAL_ANSWERS = 3;

/** Bytes of so many remembered answers. */
const bytesOfAnswers = (answers: number): number => ANSWER * Math.max(0, answers - USUAL_ANSWERS);

/** A row of an account's past that is kept, with its text in an answer. */
const ROW = 900;

/** Bytes of rows that are kept beside a view. */
export const bytesOfRows = (rows: number): number => ENTRY + ROW * rows;
