// The one place where questions about accounts go. An account that is asked about while nothing happens to it is answered
// here, from a view of it, by the function that its owner would use and with this node's own market. All else goes to the
// owner as a command. A view answers only when its version is true at a moment after the question came (versionReader.ts),
// so a client reads its own writes on any node.

import type { AccountCommand, AccountQuery } from '../../../actors/core/messages/command.ts';
import type { FollowedEntry } from '../../../actors/core/messages/envelope.ts';
import type { Outcome, QueryAnswer } from '../../../actors/core/messages/queryAnswer.ts';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { Logger } from '../../../shared/logger.ts';
import { inSpan, type Span } from '../../../shared/tracing/tracing.ts';
import { type AccountGateway, type Answered, type AskOptions, answeredIn } from '../accountGateway.ts';
import { AccountView, bytesOfRows, type NoAnswer, type StateQuery, type ViewRules } from './accountView.ts';
import { FollowedViews, RepeatedQuestions } from './followedViews.ts';
import { SeenMarket } from './seenMarket.ts';
import type { VersionNow, VersionReader } from './versionReader.ts';
import { ViewCache } from './viewCache.ts';

const VIEW_QUESTION = { type: 'query', query: { kind: 'accountView', follows: true } } as const satisfies AccountCommand;

/**
 * Why no view answered: there is none, its account has changed, its owner has told others of an entry that the view has not got,
 * Redis did not say, or the view itself says no.
 */
export type Miss = 'none' | 'changed' | 'behind' | 'unchecked' | NoAnswer;

export interface AccountViewsParts {
  /** Puts commands into the accounts' mailboxes. */
  readonly gateway: Pick<AccountGateway, 'send'>;
  readonly versions: Pick<VersionReader, 'read'>;
  readonly rules: ViewRules;
  readonly market: LiveMarket;
  readonly config: { readonly VIEWS_MAX_BYTES: number };
  readonly log: Pick<Logger, 'error'>;
  /** The exchange's clock. */
  readonly now: () => number;
  /** Monotonic, ms. */
  readonly clock?: () => number;
}

/** What was read of an account's past. */
export interface PastRead<Data> {
  readonly data: Data;
  /** Rows in it. */
  readonly rows: number;
  /** Of the account's answers that it took. */
  readonly seqs: readonly number[];
}

export class AccountViews implements Pick<AccountGateway, 'ask'> {
  readonly #parts: AccountViewsParts;
  readonly #clock: () => number;
  readonly #market: SeenMarket;
  readonly #cache: ViewCache;
  readonly #repeated = new RepeatedQuestions();
  readonly #followed: FollowedViews;
  readonly #misses = new Map<Miss, number>();
  #hits = 0;
  #followedHits = 0;
  #fetches = 0;

  constructor(parts: AccountViewsParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? (() => performance.now());
    this.#market = new SeenMarket(parts.market);
    this.#cache = new ViewCache(parts.config.VIEWS_MAX_BYTES, (view) => this.#repeated.onDropped(view.account.id, view));
    this.#followed = new FollowedViews({ cache: this.#cache, repeated: this.#repeated, log: parts.log });
  }

  /**
   * For the metrics: questions answered here and not, those among them that a view answered which has followed its account, entries
   * that were followed, views that were fetched, those there are, and their bytes.
   */
  get figures() {
    const { size, bytes, evicted } = this.#cache;
    const { folded } = this.#followed;
    const [hits, followedHits] = [this.#hits, this.#followedHits];
    return { hits, followedHits, misses: this.#misses, folded, fetches: this.#fetches, size, bytes, evicted };
  }

  /** An entry of an account that this node has asked to follow. */
  onFollowed(followed: FollowedEntry): void {
    this.#followed.onEntry(followed);
  }

  /** A command to the account goes through this node. */
  onCommand(accountId: string): void {
    this.#repeated.onCommand(accountId);
  }

  /** @throws as the gateway does */
  async ask<K extends Kind>(
    accountId: string,
    query: Extract<AccountQuery, { kind: K }>,
    options: AskOptions,
  ): Promise<Answered<K>> {
    const { trace, requestId } = options;
    if (trace === undefined) return answeredIn(await this.#answerOf(accountId, query, options), query.kind);
    const fields = { accountId, requestId, command: query.kind };
    const asked = (span: Span | undefined) => this.#answerOf(accountId, query, { ...options, trace: span });
    return answeredIn(await inSpan(trace, { name: 'question', fields }, asked), query.kind);
  }

  async #answerOf(accountId: string, query: AccountQuery, options: AskOptions): Promise<Outcome> {
    if (!isStateQuery(query)) return this.#askOwner(accountId, query, options);
    const found = await this.#find(accountId);
    let miss: Miss;
    if (typeof found === 'string') miss = found;
    else {
      const outcome = this.#answer(found, query, options);
      if (typeof outcome !== 'string') {
        this.#onHit(found);
        return outcome;
      }
      miss = outcome;
    }
    this.#onMiss(miss);
    const fetched = this.#mayFetch(accountId, miss) ? await this.#fetch(accountId, options) : undefined;
    const outcome = fetched && this.#answer(fetched, query, options);
    return outcome === undefined || typeof outcome === 'string' ? this.#askOwner(accountId, query, options) : outcome;
  }

  /**
   * Reads an account's past, or gives what was read when it was asked for last, if the account has not changed since.
   * @param keyOf what is read, of the account as the view has it
   * @param read rows that come with answers to `seqs`
   * @returns the view that it is kept with, if any
   * @throws as the gateway does, and whatever `read` throws
   */
  async past<Data>(
    accountId: string,
    keyOf: (view: AccountView) => string,
    { read, ...options }: AskOptions & { readonly read: () => Promise<PastRead<Data>> },
  ): Promise<{ readonly data: Data; readonly view?: AccountView }> {
    const found = await this.#find(accountId);
    let view: AccountView | undefined;
    if (typeof found !== 'string') view = found;
    else if (this.#mayFetch(accountId, found)) view = await this.#fetch(accountId, options);
    const kept = view && this.#cache.kept(view, keyOf(view));
    if (view !== undefined && kept !== undefined) {
      this.#onHit(view);
      return { data: kept.data as Data, view };
    }
    this.#onMiss(typeof found === 'string' ? found : 'owner');
    const { data, rows, seqs } = await read();
    if (view !== undefined && seqs.length > 0 && seqs.every((seq) => seq === view.seq)) {
      this.#cache.keep(view, keyOf(view), { data, bytes: bytesOfRows(rows) });
    }
    return { data };
  }

  /** The account's view, if it was true at a moment after this call. */
  async #find(accountId: string): Promise<AccountView | Miss> {
    const view = this.#cache.use(accountId);
    if (view === undefined) return 'none';
    const { seq } = view;
    const version = await this.#parts.versions.read(accountId);
    if (version === 'unknown') return 'unchecked';
    // Redis has sent the entry before the version, on another connection: this turn may not have read it yet.
    if (isBehind(this.#cache.use(accountId), version)) await new Promise((resolve) => setImmediate(resolve));
    const current = this.#cache.use(accountId);
    if (current !== undefined && version !== 'none' && current.is(version)) {
      return current.whyNot({ nowMs: this.#parts.now(), atMs: this.#clock() }) ?? current;
    }
    if (current === view && view.seq === seq) {
      this.#cache.drop(accountId);
      this.#repeated.onDropped(accountId, view);
    }
    return isBehind(current, version) ? 'behind' : 'changed';
  }

  #answer(view: AccountView, query: StateQuery, { withHash }: AskOptions): Outcome | NoAnswer {
    const nowMs = this.#parts.now();
    const answer = view.whyNot({ nowMs, atMs: this.#clock() }) ?? view.answer(query, this.#market, nowMs);
    this.#cache.onAnswered(view);
    if (typeof answer === 'string') return answer;
    // Of an order that has ended only the owner knows whether MongoDB has its rows.
    if (answer.kind === 'orderStatus' && answer.found === 'notHere') return 'owner';
    return { type: 'answer', answer, seq: view.seq, ...(withHash && { stateHash: view.stateHash }) };
  }

  /** Asks the account's owner, through its mailbox. */
  async #askOwner(accountId: string, query: AccountQuery, { withHash, ...options }: AskOptions): Promise<Outcome> {
    const question = { type: 'query', query, ...(withHash && { stateHash: withHash }) } as const;
    const outcome = await this.#parts.gateway.send(accountId, question, options);
    if (outcome.type === 'answer' && isAsked(outcome.answer)) this.#repeated.onAnswer(accountId, outcome.seq);
    return outcome;
  }

  /** A view that is true and only old is replaced, so that an account that is only watched counts as used. */
  #mayFetch(accountId: string, miss: Miss): boolean {
    if (this.#followed.isAwaited(accountId)) return false;
    return (
      miss === 'aged' || ((miss === 'none' || miss === 'changed' || miss === 'behind') && this.#repeated.isRepeated(accountId))
    );
  }

  /** Undefined when the account is not given away. */
  async #fetch(accountId: string, { requestId, trace, opensEmpty }: AskOptions): Promise<AccountView | undefined> {
    this.#followed.expect(accountId);
    this.#fetches += 1;
    let held: AccountView | undefined;
    try {
      const options = { requestId, trace, ...(opensEmpty && { opensEmpty }) };
      const outcome = await this.#parts.gateway.send(accountId, VIEW_QUESTION, options);
      const { answer, seq } = answeredIn(outcome, 'accountView');
      const { view: given } = answer;
      const view = given && new AccountView(given, this.#clock(), this.#parts.rules);
      if (view !== undefined && this.#cache.put(accountId, view)) held = view;
      else this.#repeated.onRefused(accountId, seq);
      return view;
    } finally {
      this.#followed.arrived(accountId, held);
    }
  }

  #onHit(view: AccountView): void {
    view.hits += 1;
    this.#hits += 1;
    if (view.folded > 0) this.#followedHits += 1;
  }

  #onMiss(miss: Miss): void {
    this.#misses.set(miss, (this.#misses.get(miss) ?? 0) + 1);
  }
}

/** Answers that tell how often the account is looked at: entries and dry runs are asked of the owner in any case. */
const isAsked = ({ kind }: QueryAnswer): boolean => kind !== 'entries' && kind !== 'dryRun';

type Kind = AccountQuery['kind'];

/** True when the account has gone on under the view's owner. */
const isBehind = (view: AccountView | undefined, version: VersionNow): boolean =>
  typeof version !== 'string' && view?.token === version.token && view.seq < version.seq;

const isStateQuery = (query: AccountQuery): query is StateQuery =>
  query.kind !== 'history' && query.kind !== 'entries' && query.kind !== 'accountView' && query.kind !== 'dryRun';
