// Waits that end: `withTimeout` fails, and `waitAtMost` goes on without the result. `makeOnce` and `sharedWork` let all callers wait for
// one piece of work. `PendingAnswers` gives a late answer to the next caller. In a `SerialQueue` each turn ends
// before the next one begins. The client of Redis (ioredis) holds a command back
// for as long as its connection is away. That is right for work that must be done, and wrong while a request waits for an
// answer.
import { setTimeout as sleep } from 'node:timers/promises';
import { RetryableError } from './errors.ts';

/** Waits, but not beyond the end of the signal. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal }).catch(() => undefined);

/**
 * Waits for `work`, but not longer than `ms`. The work itself goes on. An answer that has arrived counts: a process that its
 * machine let sleep finds the answer and the end of the time at once, and the event loop would run the timer first.
 * @throws {RetryableError} that names `what` when the time is over
 */
export async function withTimeout<T>(ms: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => setImmediate(() => reject(new RetryableError(`${what} took more than ${ms} ms`))), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for the work, but no longer than `ms`: for a stop that does its best and then goes on. Unfinished work goes on by itself. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeUp = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, timeUp]).finally(() => clearTimeout(timer));
}

/** Looks again and again, at least once. @returns whether it was so by `untilMs`, a time of `performance.now()` */
export async function comesTrue(
  isSo: () => boolean | Promise<boolean>,
  { untilMs, everyMs }: { readonly untilMs: number; readonly everyMs: number },
): Promise<boolean> {
  while (!(await isSo())) {
    if (performance.now() > untilMs) return false;
    await sleep(everyMs);
  }
  return true;
}

/** Makes something for the first caller and gives it to all callers. After a failure the next caller has it made again. */
export function makeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

/** All callers with one key share the work that is under way. @param underWay of one kind of work, by key @param begin without work under way */
export function sharedWork<Key, T>(underWay: Map<Key, Promise<T>>, key: Key, begin: () => Promise<T>): Promise<T> {
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const begun = begin().finally(() => underWay.delete(key));
  underWay.set(key, begun);
  return begun;
}

/**
 * Questions to a store that may stay without an answer for as long as one of its nodes is away: each is given some time, and is not
 * asked a second time while the first is under way. What comes late is there for who asks next.
 */
export class PendingAnswers<Key, Answer> {
  readonly #withinMs: number;
  readonly #underWay = new Map<Key, Promise<Answer>>();

  constructor(withinMs: number) {
    this.#withinMs = withinMs;
  }

  /**
   * @param ask made once for the key while it is under way
   * @returns undefined when there is no answer in time, or the question has failed
   */
  async answer(key: Key, ask: () => Promise<Answer>): Promise<Answer | undefined> {
    return withTimeout(this.#withinMs, 'Redis', sharedWork(this.#underWay, key, ask)).catch(() => undefined);
  }
}

/** A queue for work that takes much memory. */
export class SerialQueue {
  #last: Promise<void> = Promise.resolve();

  /** Resolves when all earlier turns have ended, with a function that ends this one. */
  async take(): Promise<() => void> {
    const before = this.#last;
    let end = (): void => undefined;
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    await before;
    return end;
  }
}
