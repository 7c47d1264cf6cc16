// Whether a process has taken up its work, so that processes can be replaced one by one: each role says why it has not, in words for
// an operator. It is not /health, which tells of the whole service: a process is ready while others are not.
import type { Logger } from '../logger.ts';

/** Why a role has not taken up its work; none = it has. */
export type WhyNotReady = () => readonly string[] | Promise<readonly string[]>;

export interface Readiness {
  readonly status: 'ready' | 'not_ready';
  readonly reasons: readonly string[];
  /** Of a process that was asked to leave: whether others have what it owned. */
  readonly leaving?: 'underWay' | 'done';
}

/** Tells whether the process was asked to stop, or to leave. */
interface Asked {
  readonly isStopping: () => boolean;
  readonly leaving: () => Readiness['leaving'];
}

/** Ready when all roles of the process are, until it is asked to leave or to stop. */
export async function readinessOf(roles: readonly WhyNotReady[], asked: Asked): Promise<Readiness> {
  const leaving = asked.leaving();
  const isLeaving = leaving && { leaving };
  if (asked.isStopping()) return { ...toReadiness(['The process stops']), ...isLeaving };
  if (isLeaving) return { ...toReadiness(['The process leaves: it waits for its end']), ...isLeaving };
  return toReadiness((await Promise.all(roles.map((whyNotReady) => whyNotReady()))).flat());
}

export const toReadiness = (reasons: readonly string[]): Readiness => ({
  status: reasons.length === 0 ? 'ready' : 'not_ready',
  reasons,
});

// The start of a process, step by step. A step that takes long waits for a store: MongoDB, Redis, or the one node of its cluster that
// has the keys. It goes on by itself when that is back. Until then the log and /ready say what is waited for.

/** A step that has taken so long waits for a store, ms. */
const LONG_MS = 5000;
/** It is said again so often, ms. */
const SAY_EVERY_MS = 30_000;

interface StartStep {
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
