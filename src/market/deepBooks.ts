// Reads the aggregated books that are wanted (trading-rules 3.5): the leader asks for them by REST, weight 2 each, because the venue's subscriptions
// are used up by the feeds of its coins. Which is next, `DeepTurns` says.
import type { Logger } from '../shared/logger.ts';
import type { Redis } from '../shared/redis/redis.ts';
import { type DeepWant, readDeepWants } from '../shared/venue/deepWants.ts';
import type { AskVenue } from '../shared/venue/venueQuestions.ts';
import { type BookAggregation, COARSEST_DIGITS, deepened } from './domain/aggregateBook.ts';
import type { BookChange, DeepChange, FeedLevel } from './domain/feed.ts';
import { readBook } from './domain/venueFrame.ts';

/** How often it is looked what is wanted, ms; a node waits 500 ms at most. */
const LOOK_MS = 100;
const TIMEOUT_MS = 3000;
/** One in this many failures is logged. */
const LOG_EVERY = 20;

interface DeepBooksParts {
  readonly log: Logger;
  readonly redis: Redis;
  readonly ask: AskVenue;
  /** By Redis's clock. */
  readonly realNow: () => number;
  readonly onChange: (change: DeepChange) => void;
}

export class DeepBooks {
  readonly #parts: DeepBooksParts;
  readonly #turns = new DeepTurns();
  readonly #abort = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;

  constructor(parts: DeepBooksParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timer = setTimeout(() => {
      this.#look()
        .catch((error: unknown) => this.#onFailure(error))
        .finally(() => {
          if (!this.#abort.signal.aborted) this.start();
        });
    }, LOOK_MS);
  }

  stop(): void {
    this.#abort.abort();
    clearTimeout(this.#timer);
  }

  async #look(): Promise<void> {
    const { redis, realNow, onChange } = this.#parts;
    this.#turns.want(await readDeepWants(redis, realNow()));
    for (;;) {
      const question = this.#abort.signal.aborted ? undefined : this.#turns.next(performance.now());
      if (question === undefined) return;
      const book = await this.#ask(question);
      const change = book === undefined ? this.#turns.onNone() : this.#turns.onBook(book);
      if (change !== undefined) onChange(change);
    }
  }

  /** @returns undefined for a coin without a book, and at the end */
  async #ask(question: DeepQuestion): Promise<BookChange | undefined> {
    const { signal } = this.#abort;
    const answer = await this.#parts.ask({ type: 'l2Book', ...question }, { timeoutMs: TIMEOUT_MS, signal, isPatient: true });
    return answer === null || signal.aborted ? undefined : readBook(answer);
  }

  #onFailure(error: unknown): void {
    this.#turns.onNone();
    if (this.#abort.signal.aborted) return;
    this.#failures += 1;
    if (this.#failures % LOG_EVERY === 1)
      this.#parts.log.warn({ err: error, failures: this.#failures }, 'an aggregated book could not be read, trying again');
  }
}

/** Questions: two a second, 240 of weight a minute, and as many at once after a pause. A round is not interrupted. */
const QUESTION_MS = 500;
const AT_ONCE_MAX = 8;
/** A book is read again after a second for each question of its last round and this, ms: well below the age at which orders are refused. */
const PAUSE_MS = 2000;
const FINEST = 5;
/** After so many rounds of held books, while somebody else waits, one is for who waits ... */
const HELD_IN_A_ROW = 3;
/** ... unless a held book was asked for longer ago than this, ms. Nor is more read of held books then than is held. */
const HELD_MS_MAX = 8000;

interface DeepQuestion {
  readonly coin: string;
  readonly nSigFigs: BookAggregation['nSigFigs'];
}

/** A coin's book that is read at the moment. */
interface Round {
  readonly coin: string;
  /** How much is to be found in it on each side. */
  readonly coins: number;
  nSigFigs: number;
  /** Venue's time of the first book; undefined before. */
  timeMs?: number;
  bids: readonly FeedLevel[];
  asks: readonly FeedLevel[];
}

interface Kept {
  readonly askedAtMs: number;
  /** Of the last round. */
  readonly questions: number;
  /** Digits of the published book. */
  readonly digits: number;
}

interface Due {
  readonly coin: string;
  readonly owner: string;
  readonly askedAtMs: number;
}

type Kind = DeepWant['kind'];

/**
 * Which aggregated book the leader asks for next (trading-rules 3.5), with time as an input. Books that are held go before
 * books that are asked for, and within each the owners take turns: a user who asks for many coins delays neither a holder's
 * book nor a user who asks for one. A coin's book is read in a round: with the finest prices first, then with coarser ones
 * until there is as much as is wanted. Coarser prices stand beyond the finer ones, so a wish for more leaves the book as fine
 * as it is for all others.
 */
export class DeepTurns {
  readonly #kept = new Map<string, Kept>();
  /** Kind and owner -> when the last round of its turn began. */
  readonly #servedAtMs = new Map<string, number>();
  #wants: ReadonlyMap<string, readonly DeepWant[]> = new Map();
  #round: Round | undefined;
  #allowance = AT_ONCE_MAX;
  #refilledAtMs: number | undefined;
  #heldInARow = 0;

  /** Replaces what is wanted; the books of other coins are forgotten. */
  want(wants: ReadonlyMap<string, readonly DeepWant[]>): void {
    this.#wants = wants;
    for (const coin of this.#kept.keys()) if (!wants.has(coin)) this.#kept.delete(coin);
    const owners = new Set([...wants.values()].flatMap((all) => all.map(turnOf)));
    for (const turn of this.#servedAtMs.keys()) if (!owners.has(turn)) this.#servedAtMs.delete(turn);
  }

  /** The next question, which counts as asked now; undefined while none is due, or the allowance is used up. */
  next(nowMs: number): DeepQuestion | undefined {
    this.#allowance = Math.min(AT_ONCE_MAX, this.#allowance + (nowMs - (this.#refilledAtMs ?? nowMs)) / QUESTION_MS);
    this.#refilledAtMs = nowMs;
    this.#round ??= this.#allowance < 1 ? undefined : this.#begin(nowMs);
    if (this.#round === undefined) return undefined;
    this.#allowance -= 1;
    const { coin, nSigFigs } = this.#round;
    return { coin, nSigFigs: nSigFigs as DeepQuestion['nSigFigs'] };
  }

  /**
   * The answer to the last question.
   * @returns the coin's whole aggregated book, where it goes as deep as the one before or as deep as is wanted
   */
  onBook(book: BookChange): DeepChange | undefined {
    const round = this.#round;
    const kept = round && this.#kept.get(round.coin);
    if (round === undefined || kept === undefined) return this.onNone();
    const { coin, nSigFigs: digits } = round;
    round.timeMs = Math.min(book.timeMs, round.timeMs ?? book.timeMs);
    round.bids = deepened(round.bids, book.bids, 'bid');
    round.asks = deepened(round.asks, book.asks, 'ask');
    const isWhole = digits === COARSEST_DIGITS || Math.min(sumOf(round.bids), sumOf(round.asks)) >= round.coins;
    if (isWhole) this.#round = undefined;
    else round.nSigFigs -= 1;
    const isDeeper = isWhole || digits <= kept.digits;
    this.#kept.set(coin, { ...kept, questions: FINEST - digits + 1, ...(isDeeper && { digits }) });
    return isDeeper ? { type: 'deep', coin, timeMs: round.timeMs, digits, bids: round.bids, asks: round.asks } : undefined;
  }

  /** There was no answer: the round is over. */
  onNone(): undefined {
    this.#round = undefined;
  }

  #begin(nowMs: number): Round | undefined {
    const [held, asked] = [this.#dueOf('held', nowMs), this.#dueOf('asked', nowMs)];
    const isLate = held.some(({ askedAtMs }) => askedAtMs !== NEVER_MS && nowMs - askedAtMs > HELD_MS_MAX);
    const isOthersTurn = asked.length > 0 && this.#heldInARow >= HELD_IN_A_ROW && !isLate;
    const kind: Kind = held.length > 0 && !isOthersTurn ? 'held' : 'asked';
    const chosen = this.#firstOf(kind, kind === 'held' ? held : asked);
    if (chosen === undefined) return undefined;
    const { coin, owner } = chosen;
    this.#heldInARow = kind === 'held' && asked.length > 0 ? this.#heldInARow + 1 : 0;
    this.#servedAtMs.set(turnOf({ kind, owner }), nowMs);
    this.#kept.set(coin, { questions: 1, digits: FINEST, ...this.#kept.get(coin), askedAtMs: nowMs });
    const counted = this.#wantsOf(coin).filter((want) => !isLate || want.kind === 'held');
    return { coin, coins: Math.max(0, ...counted.map(({ coins }) => coins)), nSigFigs: FINEST, bids: [], asks: [] };
  }

  #wantsOf(coin: string): readonly DeepWant[] {
    return this.#wants.get(coin) ?? [];
  }

  /** Of the owner that was served longest ago the coin that was asked for longest ago. */
  #firstOf(kind: Kind, due: readonly Due[]): Due | undefined {
    const served = ({ owner }: Due): number => this.#servedAtMs.get(turnOf({ kind, owner })) ?? NEVER_MS;
    return due.reduce<Due | undefined>((first, each) => {
      if (first === undefined || served(each) < served(first)) return each;
      return served(each) === served(first) && each.askedAtMs < first.askedAtMs ? each : first;
    }, undefined);
  }

  /** Coins to be read again. A coin that is held is so in the turn of its holder alone. */
  #dueOf(kind: Kind, nowMs: number): Due[] {
    const wanted = [...this.#wants].flatMap(([coin, wants]) => {
      const isHeld = wants.some((want) => want.kind === 'held');
      if (isHeld !== (kind === 'held')) return [];
      return [{ coin, owners: new Set(wants.filter((want) => want.kind === kind).map(({ owner }) => owner)) }];
    });
    const counts = new Map<string, number>();
    for (const { owners } of wanted) for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    const fewest = (owners: ReadonlySet<string>): string =>
      [...owners].reduce((best, owner) => ((counts.get(owner) ?? 0) < (counts.get(best) ?? 0) ? owner : best));
    return wanted.flatMap(({ coin, owners }) => {
      const { askedAtMs, questions } = this.#kept.get(coin) ?? { askedAtMs: NEVER_MS, questions: 1 };
      return nowMs - askedAtMs >= PAUSE_MS + questions * 1000 ? [{ coin, owner: fewest(owners), askedAtMs }] : [];
    });
  }
}

const NEVER_MS = Number.NEGATIVE_INFINITY;

const turnOf = ({ kind, owner }: Pick<DeepWant, 'kind' | 'owner'>): string => `${kind} ${owner}`;

const sumOf = (levels: readonly FeedLevel[]): number => levels.reduce((sum, [, size]) => sum + Number(size), 0);
