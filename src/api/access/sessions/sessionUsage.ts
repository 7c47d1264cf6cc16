// Records when each session was last used, in memory, and writes the times to MongoDB once a minute, because a write
// at every request would cost too much. What a killed node had not written is lost: a session may then end by idleness
// a minute early.
import type { Logger } from '../../../shared/logger.ts';
import type { SessionStore } from '../../../shared/mongo/sessionStore.ts';

const FLUSH_EVERY_MS = 60_000;
/** Sessions noted; past it uses are not noted until the next flush. */
const NOTES_MAX = 100_000;

export class SessionUsage {
  readonly #sessions: Pick<SessionStore, 'noteUses'>;
  readonly #log: Logger;
  #notes = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: { sessions: Pick<SessionStore, 'noteUses'>; log: Logger }) {
    this.#sessions = options.sessions;
    this.#log = options.log;
  }

  start(): void {
    this.#timer = setInterval(() => void this.flush(), FLUSH_EVERY_MS);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.flush();
  }

  note(sessionId: string, timeMs: number): void {
    if (this.#notes.size < NOTES_MAX || this.#notes.has(sessionId)) this.#notes.set(sessionId, timeMs);
  }

  /** A use that is not written yet, ms. */
  lastUse(sessionId: string): number | undefined {
    return this.#notes.get(sessionId);
  }

  /** The times stay here while MongoDB is away. */
  async flush(): Promise<void> {
    if (this.#notes.size === 0) return;
    const notes = this.#notes;
    this.#notes = new Map();
    try {
      await this.#sessions.noteUses(notes);
    } catch (error) {
      for (const [sessionId, timeMs] of notes) {
        if (!this.#notes.has(sessionId)) this.note(sessionId, timeMs);
      }
      this.#log.warn({ err: error, sessions: notes.size }, 'last uses of sessions could not be noted');
    }
  }
}
