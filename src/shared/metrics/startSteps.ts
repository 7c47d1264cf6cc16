// The start of a process, step by step. A step that takes long waits for a store: MongoDB, Redis, or the one node of its cluster that
// has the keys. It goes on by itself when that is back. Until then the log and /ready say what is waited for.
import type { Logger } from '../logger.ts';
import { type Readiness, toReadiness } from './readiness.ts';

/** A step that has taken so long waits for a store, ms. */
const LONG_MS = 5000;
/** It is said again so often, ms. */
const SAY_EVERY_MS = 30_000;

export interface StartStep {
  /** As the subject of a sentence. */
  readonly name: string;
  /** Hash tags of the keys without which it does not end. */
  readonly tags: readonly string[];
}

export class StartSteps {
  readonly #log: Logger;
  readonly #isStopping: () => boolean;
  #waiting: string | undefined;

  constructor(log: Logger, isStopping: () => boolean) {
    this.#log = log;
    this.#isStopping = isStopping;
  }

  /** For /ready, until the roles tell themselves. */
  readonly readiness = (): Promise<Readiness> => Promise.resolve(toReadiness([this.#waiting ?? 'The process starts']));

  /** Resolves with the work. What breaks because the process has been asked to stop is no failure: it never resolves. */
  async run<Result>({ name, tags }: StartStep, work: () => Promise<Result>): Promise<Result> {
    const sentence = `${name} waits for MongoDB or Redis: on a cluster, for the node of ${tags.join(' or ')}`;
    const say = (): void => {
      this.#waiting = sentence;
      this.#log.warn(sentence);
    };
    let saying = setTimeout(() => {
      say();
      saying = setInterval(say, SAY_EVERY_MS);
    }, LONG_MS);
    try {
      return await work();
    } catch (error) {
      if (!this.#isStopping()) throw error;
      return await new Promise(() => undefined);
    } finally {
      clearInterval(saying);
      if (this.#waiting !== undefined) this.#log.info(`${name} waits no more`);
      this.#waiting = undefined;
    }
  }
}
