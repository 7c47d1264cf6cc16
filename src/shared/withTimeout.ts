// A bound on waiting for a store. ioredis holds a command back for as long as its connection is away. That is right
// for work that must be done, and wrong while a request waits for an answer.
import { RetryableError } from './errors.ts';

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
