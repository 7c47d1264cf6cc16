// Sessions: what a login begins and what every access token made from it belongs to, by the claim `sid`. A session
// that is not here has ended, and all of its tokens with it. It carries its user's token generation: raising that one
// number in the user's document ends every other session at once, whatever becomes of the documents here.
import type { Collection } from 'mongodb';
import { makeOnce } from '../waiting.ts';
import { collections, durable, type MongoConnection } from './mongo.ts';

export interface SessionDocument {
  /** `ses_…`. No secret: a token that names it is signed. */
  readonly _id: string;
  readonly userId: string;
  /** The user's `tokenGeneration` at the login, or when the session was kept while the others were ended. */
  readonly generation: number;
  /** When the user logged in. */
  readonly createdAt: Date;
  /** When it last gave an access token: it lives no longer than the newest of them. */
  readonly refreshedAt: Date;
  /** The last use, up to a minute old. */
  readonly usedAt: Date;
  /** Network address of the login or of the last refresh. */
  readonly address: string;
  /** The name that the client gave itself then, shortened; empty when it gave none. */
  readonly agent: string;
  /** When a second factor was last checked in this session. */
  readonly secondFactorAt?: Date;
  /** When an operator last confirmed the password in this session. */
  readonly operatorConfirmedAt?: Date;
  /** Of a session that a browser keeps in a cookie. */
  readonly cookie?: SessionCookie;
  readonly schema: 1;
}

/** The proof of a session's cookie: the value of the cookie names the session and a number, and is signed with the salt. */
export interface SessionCookie {
  readonly salt: string;
  /** The newest value's; each refresh makes the next. */
  readonly number: number;
  /** When the newest value was made. */
  readonly rotatedAt: Date;
}

/** Where a session is used from. */
export type SessionOrigin = Pick<SessionDocument, 'address' | 'agent'>;

/** Fields that a refresh writes. */
export type Refreshed = SessionOrigin & Pick<SessionDocument, 'generation' | 'refreshedAt' | 'usedAt'>;

/** Sessions of one user; one more ends the one that was used longest ago. */
export const SESSIONS_MAX = 20;

/** Updates in one write. */
const SLICE = 500;

export class SessionStore {
  readonly #sessions: Collection<SessionDocument>;
  readonly #ensureIndexes: () => Promise<unknown>;

  constructor(mongo: MongoConnection) {
    this.#sessions = mongo.db.collection<SessionDocument>(collections.sessions, durable);
    this.#ensureIndexes = makeOnce(() =>
      this.#sessions.createIndexes([{ key: { userId: 1 } }, { key: { createdAt: 1 } }, { key: { usedAt: 1 } }]),
    );
  }

  /**
   * Adds a session. Past SESSIONS_MAX the user's least used ones end.
   * @returns whether others have ended
   */
  async begin(session: SessionDocument): Promise<boolean> {
    await this.#ensureIndexes();
    await this.#sessions.insertOne(session);
    const others = (await this.listOf(session.userId)).filter(({ _id }) => _id !== session._id);
    const surplus = others.toSorted((a, b) => b.usedAt.getTime() - a.usedAt.getTime()).slice(SESSIONS_MAX - 1);
    if (surplus.length === 0) return false;
    await this.#sessions.deleteMany({ _id: { $in: surplus.map(({ _id }) => _id) } });
    return true;
  }

  /** All that a user has, also those that are over by time or by their generation; oldest first. */
  async listOf(userId: string): Promise<SessionDocument[]> {
    const sessions = await this.#sessions.find({ userId }).toArray();
    return sessions.sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  find(userId: string, sessionId: string): Promise<SessionDocument | null> {
    return this.#sessions.findOne({ _id: sessionId, userId });
  }

  /** For who shows no more than the id: a cookie. */
  findById(sessionId: string): Promise<SessionDocument | null> {
    return this.#sessions.findOne({ _id: sessionId });
  }

  /**
   * Notes a refresh of a session as it was read.
   * @param refreshed.generation its user's, as it was read with the session
   * @returns the session as it is now, or null when it has ended meanwhile
   */
  refresh({ _id, userId, generation: before }: SessionDocument, refreshed: Refreshed): Promise<SessionDocument | null> {
    return this.#sessions.findOneAndUpdate({ _id, userId, generation: before }, { $set: refreshed }, { returnDocument: 'after' });
  }

  /**
   * Notes a refresh by the newest value of the session's cookie, which makes the next value.
   * @returns the session as it is now, or null when another refresh was first, or it has ended meanwhile
   */
  rotate({ _id, userId, generation, cookie }: SessionDocument, refreshed: Refreshed): Promise<SessionDocument | null> {
    const next = { ...refreshed, 'cookie.rotatedAt': refreshed.refreshedAt };
    return this.#sessions.findOneAndUpdate(
      { _id, userId, generation, 'cookie.number': cookie?.number ?? 0 },
      { $set: next, $inc: { 'cookie.number': 1 } },
      { returnDocument: 'after' },
    );
  }

  /** Ends a session whose cookie has the number as it was read. @returns false when it has another by now, or has ended */
  async endAsRead({ _id, userId, cookie }: SessionDocument): Promise<boolean> {
    return (await this.#sessions.deleteOne({ _id, userId, 'cookie.number': cookie?.number ?? 0 })).deletedCount === 1;
  }

  /** Notes that a second factor was checked in the session. */
  async noteSecondFactor(sessionId: string, at: Date): Promise<void> {
    await this.#sessions.updateOne({ _id: sessionId }, { $set: { secondFactorAt: at } });
  }

  /** Notes that an operator has confirmed the password in the session. */
  async noteConfirmed(sessionId: string, at: Date): Promise<void> {
    await this.#sessions.updateOne({ _id: sessionId }, { $set: { operatorConfirmedAt: at } });
  }

  /** Notes last uses; one that is older than what is known changes nothing. */
  async noteUses(uses: ReadonlyMap<string, number>): Promise<void> {
    const updates = [...uses].map(([_id, timeMs]) => {
      const usedAt = new Date(timeMs);
      return { updateOne: { filter: { _id, usedAt: { $lt: usedAt } }, update: { $set: { usedAt } } } };
    });
    for (let from = 0; from < updates.length; from += SLICE) {
      await this.#sessions.bulkWrite(updates.slice(from, from + SLICE), { ordered: false });
    }
  }

  /** Ends one session of a user. @returns false when there is none of this id */
  async end(userId: string, sessionId: string): Promise<boolean> {
    return (await this.#sessions.deleteOne({ _id: sessionId, userId })).deletedCount === 1;
  }

  /**
   * Takes one session along to a generation that the user's document has reached already, and removes what that has ended.
   * @param keptId the session that goes on; undefined = none does
   * @returns how many were removed
   */
  async keepOnly(userId: string, keptId: string | undefined, generation: number): Promise<number> {
    const isOlder = { $lt: generation };
    if (keptId !== undefined) {
      await this.#sessions.updateOne({ _id: keptId, userId, generation: isOlder }, { $set: { generation } });
    }
    return (await this.#sessions.deleteMany({ userId, generation: isOlder })).deletedCount;
  }

  /** Removes sessions of logins before a time, and those not used since another. */
  async removeOver({ createdBefore, usedBefore }: { createdBefore: Date; usedBefore: Date }): Promise<number> {
    await this.#ensureIndexes();
    const over = { $or: [{ createdAt: { $lt: createdBefore } }, { usedAt: { $lt: usedBefore } }] };
    return (await this.#sessions.deleteMany(over)).deletedCount;
  }

  /** Removes all sessions of these users. */
  async removeAllOf(userIds: readonly string[]): Promise<void> {
    if (userIds.length > 0) await this.#sessions.deleteMany({ userId: { $in: [...userIds] } });
  }
}
