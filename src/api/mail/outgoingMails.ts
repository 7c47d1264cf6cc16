// Mails on their way out: a queue of their own, so that a mail server which is slow or away holds up nothing but other
// mails. A few are sent at once, a bounded number waits, each gets three attempts. Work of a node that is killed is lost.
import type { Logger } from '../../shared/logger.ts';
import type { Mail, Mailer } from '../../shared/mailer.ts';
import { createSeldomLog, type SeldomLog } from '../access/limits/seldomLog.ts';
import { Background } from '../auth/background.ts';

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
