// Whether an access token is still valid, and who its owner is and has paid for now, from memory. The token itself says only what
// was true when it was issued; its session may have ended, and its owner may have set a new password or paid since.
import { RequestError } from '../../shared/errors.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SessionDocument, SessionStore } from '../../shared/mongo/sessionStore.ts';
import type { User, UserStore } from '../../shared/mongo/userStore.ts';
import { withTimeout } from '../../shared/waiting.ts';
import { endMs, isTokenInForce, type SessionLifeConfig, type TokenClaims, type TokenOwnerState } from './accessTokens.ts';
import { type KeyRecord, ownerRecord } from './keyRecord.ts';
import type { SessionUsage } from './lastUses.ts';
import { createSeldomLog, type SeldomLog } from './limits/seldomLog.ts';
import { ChangesSeen, type UserCache } from './userChanges.ts';

/** An owner in memory is read again after this, ms, in case a change message was lost. */
const KEPT_MS = 60_000;
/** While the store is away, an owner in memory stays in use and is not asked for again for this long, ms. */
const ASK_AGAIN_MS = 1000;
/** How long the store may take, ms. */
const LOOK_UP_MS_MAX = 1500;
/** Owners in memory; past it the oldest are dropped and looked up again. */
const OWNERS_MAX = 100_000;
/** Ended sessions remembered of one owner; past it they are looked up again. */
const ENDED_MAX = 100;

interface Owner extends TokenOwnerState {
  readonly record: KeyRecord;
  readonly sessions: ReadonlyMap<string, LiveSession>;
  /** Sessions that were looked for and are not there any more. */
  readonly ended: Set<string>;
}

interface LiveSession {
  readonly hasCookie: boolean;
  readonly generation: number;
  readonly createdAtMs: number;
  readonly usedAtMs: number;
}

/** What a look-up found: a stale owner is what was known before the store went away. */
interface Found {
  readonly owner: Owner | undefined;
  readonly isStale: boolean;
}

export interface TokenOwnersParts {
  readonly config: SessionLifeConfig;
  readonly users: Pick<UserStore, 'findById'>;
  readonly sessions: Pick<SessionStore, 'listOf'>;
  readonly sessionUsage: SessionUsage;
  readonly log: Logger;
  readonly now: () => number;
}

export class TokenOwners implements UserCache {
  readonly #parts: TokenOwnersParts;
  readonly #log: SeldomLog;
  readonly #known = new Map<string, { readonly owner: Owner; readonly askAgainAtMs: number }>();
  readonly #looking = new Map<string, Promise<Found>>();
  readonly #changes = new ChangesSeen();

  constructor(parts: TokenOwnersParts) {
    this.#parts = parts;
    this.#log = createSeldomLog(parts.log);
  }

  /**
   * What this node knows of a token without asking: costs a look into a map.
   * @returns undefined when the store has to be asked; a record of undefined: the token is no longer in force
   */
  findCached(claims: TokenClaims): { readonly record: KeyRecord | undefined } | undefined {
    const known = this.#known.get(claims.userId);
    if (known === undefined || this.#parts.now() >= known.askAgainAtMs || !isTold(claims, known.owner)) return undefined;
    return { record: this.#recordIfInForce(claims, known.owner) };
  }

  /** Whether the session of a token in memory gives further tokens without this one. */
  outlivesToken({ userId, sessionId }: TokenClaims): boolean {
    return this.#known.get(userId)?.owner.sessions.get(sessionId)?.hasCookie === true;
  }

  forget(userId: string): void {
    this.#changes.note(userId);
    this.#known.delete(userId);
  }

  forgetAll(): void {
    this.#changes.noteAll();
    this.#known.clear();
  }

  /**
   * The owner of a token that `findCached` does not know.
   * @returns undefined when the token is no longer in force
   * @throws {RequestError} 503 when the store is away and this node does not know the owner or the session
   */
  async lookUp(claims: TokenClaims): Promise<KeyRecord | undefined> {
    // A session is stored before its first token is given out: a look-up that begins after the request has to find it.
    const isShared = this.#looking.has(claims.userId);
    let found = await this.#load(claims.userId);
    if (isShared && !found.isStale && found.owner !== undefined && !isTold(claims, found.owner)) {
      found = await this.#load(claims.userId);
    }
    const { owner, isStale } = found;
    if (owner !== undefined && !isTold(claims, owner)) {
      if (isStale) throw cannotTell();
      remember(owner, claims.sessionId);
    }
    return this.#recordIfInForce(claims, owner);
  }

  /** Requests that need the same owner share one look-up. */
  #load(userId: string): Promise<Found> {
    let looking = this.#looking.get(userId);
    if (looking === undefined) {
      looking = this.#lookUp(userId, this.#known.get(userId)?.owner).finally(() => this.#looking.delete(userId));
      this.#looking.set(userId, looking);
    }
    return looking;
  }

  async #lookUp(userId: string, known: Owner | undefined): Promise<Found> {
    const { users, sessions, now } = this.#parts;
    const changesBefore = this.#changes.count;
    try {
      // The sessions before the user: they are taken along after its generation has risen, so none is ahead of this user.
      const ask = async () => ({ own: await sessions.listOf(userId), user: await users.findById(userId) });
      const { user, own } = await withTimeout(LOOK_UP_MS_MAX, 'looking the owner of a token up', ask());
      if (this.#changes.hasChanged(userId, changesBefore)) return this.#lookUp(userId, undefined);
      const owner = user === null ? undefined : toOwner(user, own);
      if (owner === undefined) this.#known.delete(userId);
      else this.#keep(userId, owner, now() + KEPT_MS);
      return { owner, isStale: false };
    } catch (error) {
      if (known === undefined || this.#changes.hasChanged(userId, changesBefore)) {
        this.#log.warn('look-up', { err: error }, 'an access token cannot be checked');
        throw cannotTell();
      }
      this.#log.warn(
        'stale',
        { err: error },
        'an access token is judged by what is known of its owner, for MongoDB does not answer',
      );
      this.#keep(userId, known, now() + ASK_AGAIN_MS);
      return { owner: known, isStale: true };
    }
  }

  #keep(userId: string, owner: Owner, askAgainAtMs: number): void {
    if (this.#known.size >= OWNERS_MAX && !this.#known.has(userId)) {
      const [first] = this.#known.keys();
      if (first !== undefined) this.#known.delete(first);
    }
    this.#known.set(userId, { owner, askAgainAtMs });
  }

  #recordIfInForce(claims: TokenClaims, owner: Owner | undefined): KeyRecord | undefined {
    const { sessionId } = claims;
    const session = owner?.sessions.get(sessionId);
    if (owner === undefined || session === undefined || !isTokenInForce(claims, owner, session)) return undefined;
    const { config, sessionUsage, now } = this.#parts;
    const nowMs = now();
    const usedAtMs = Math.max(session.usedAtMs, sessionUsage.lastUse(sessionId) ?? 0);
    if (nowMs >= endMs(config, { ...session, usedAtMs })) return undefined;
    sessionUsage.note(sessionId, nowMs);
    return owner.record;
  }
}

/** False for a token that was issued, for all that this node knows, after its owner was read. */
function isTold({ sessionId, generation }: TokenClaims, owner: Owner): boolean {
  if (generation > owner.generation) return false;
  return owner.sessions.has(sessionId) || owner.ended.has(sessionId);
}

function remember({ ended }: Owner, sessionId: string): void {
  if (ended.size >= ENDED_MAX) ended.clear();
  ended.add(sessionId);
}

const cannotTell = (): RequestError =>
  new RequestError(503, 'store_unavailable', 'Access tokens cannot be checked at the moment.', { 'Retry-After': '1' });

const toOwner = (user: User, sessions: readonly SessionDocument[]): Owner => {
  const { tokenGeneration: generation = 0, keptTokenId } = user;
  return {
    ...{ record: ownerRecord(user, ''), generation, keptTokenId },
    sessions: new Map(sessions.map((session) => [session._id, toLive(session)])),
    ended: new Set(),
  };
};

const toLive = ({ generation, createdAt, usedAt, cookie }: SessionDocument): LiveSession => ({
  ...{ hasCookie: cookie !== undefined, generation, createdAtMs: createdAt.getTime(), usedAtMs: usedAt.getTime() },
});
