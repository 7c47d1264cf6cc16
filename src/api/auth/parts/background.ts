// Work that no answer waits for, and the mails that leave this way.

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from '../../../shared/logger.ts';
import type { Mail, Mailer } from '../../../shared/mailer.ts';
import { Retrying } from '../../../shared/retrying.ts';
import { withTimeout } from '../../../shared/waiting.ts';
import { createSeldomLog, type SeldomLog } from '../../access/limits/seldomLog.ts';

// Runs work that an answer does not wait for, so that neither its time nor its text reveals what the work found: whether an
// address is known, whether a mail server answers. The work is bounded. Work of a node that is killed is lost.

const RUNNING_MAX = 8;
/** Pieces of work that may wait. */
const WAITING_MAX = 1000;
const ATTEMPTS = 3;
const RETRYING = new Retrying('background', { firstMs: 5000 });
/** How long a stop waits for running work, ms. */
const STOP_MS_MAX = 3000;

interface Work {
  /** Names the work in the log when it fails. */
  readonly name: string;
  readonly requestId: string;
  /** May be run again when it throws. */
  readonly run: () => Promise<void>;
}

export class Background {
  readonly #log: Logger;
  readonly #waiting: Work[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stop = new AbortController();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Pieces of work that run or wait. */
  get load(): number {
    return this.#running.size + this.#waiting.length;
  }

  /** @returns false when too much work waits already: this work will not run */
  start(work: Work): boolean {
    if (this.#waiting.length >= WAITING_MAX || this.#stop.signal.aborted) return false;
    this.#waiting.push(work);
    this.#next();
    return true;
  }

  /** Begins no more work; resolves when the running work has ended or its time is over. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const left = this.#waiting.splice(0).length;
    if (left > 0) this.#log.warn({ left }, 'work in the background is left undone');
    await withTimeout(STOP_MS_MAX, 'work in the background', Promise.all(this.#running)).catch((error: unknown) =>
      this.#log.warn({ err: error }, 'work in the background is left undone'),
    );
  }

  #next(): void {
    if (this.#running.size >= RUNNING_MAX) return;
    const work = this.#waiting.shift();
    if (work === undefined) return;
    const running = this.#try(work).finally(() => {
      this.#running.delete(running);
      this.#next();
    });
    this.#running.add(running);
  }

  async #try({ name, requestId, run }: Work): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run();
      } catch (error) {
        const isLast = attempt === ATTEMPTS || this.#stop.signal.aborted;
        this.#log[isLast ? 'error' : 'warn']({ requestId, work: name, attempt, err: error }, 'work in the background failed');
        if (isLast) return;
      }
      // A stop ends the pause; the attempt after it is the last.
      await pause(RETRYING.nextMs(), undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }
}

// Mails on their way out: a queue of their own, so that a mail server which is slow or away holds up nothing but other mails. A
// few are sent at once, a bounded number waits, each gets three attempts. Work of a node that is killed is lost.

/** Notices are refused while more mails than this wait: the rest of the queue is for links, which their users wait for. */
const WAITING_MAX_FOR_NOTICES = 500;

export class OutgoingMails {
  readonly #log: SeldomLog;
  readonly #mailer: Mailer;
  readonly #queue: Background;

  constructor({ log, mailer }: { log: Logger; mailer: Mailer }) {
    this.#log = createSeldomLog(log);
    this.#mailer = mailer;
    this.#queue = new Background(log);
  }

  /** Mails that are being sent or wait. */
  get load(): number {
    return this.#queue.load;
  }

  /** Begins to send; a mail that finds no place in the queue is lost, and the log says so once a minute. */
  send(mail: Mail, { name, requestId }: { name: string; requestId: string }): void {
    const isTaken = this.#queue.start({ name, requestId, run: () => this.#mailer(mail) });
    if (!isTaken) this.#log.error(name, { requestId, mail: name }, 'a mail is lost, for too many wait');
  }

  /** As `send`, for a mail that its user does not wait for. */
  sendNotice(mail: Mail, about: { name: string; requestId: string }): void {
    if (this.#queue.load <= WAITING_MAX_FOR_NOTICES) this.send(mail, about);
    else
      this.#log.error(about.name, { requestId: about.requestId, mail: about.name }, 'a notice is lost, for too many mails wait');
  }

  /** Begins no more mails; resolves when the running ones have ended or their time is over. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }
}
