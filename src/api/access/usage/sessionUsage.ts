// When each session was last used: written to MongoDB once a minute. Where a killed node had not written it, a session may
// end by idleness a minute early.
import type { Logger } from '../../../shared/logger.ts';
import type { SessionStore } from '../../../shared/mongo/sessionStore.ts';
import { LastUses } from './lastUses.ts';

const EVERY_MS = 60_000;

export class SessionUsage extends LastUses {
  constructor({ sessions, log }: { sessions: Pick<SessionStore, 'noteUses'>; log: Logger }) {
    super({ everyMs: EVERY_MS, what: 'sessions', log, write: (notes) => sessions.noteUses(notes) });
  }
}
