// The sockets of each user on this node, as far as they share bounds: the pace of messages, what they have subscribed to,
// and the memory of what is unsent or half received. All users have a bound of that memory together: past it each may hold
// less, so that those give way who hold most.

import { getOrMake } from '../../shared/domain/groups.ts';
import type { Logger } from '../../shared/logger.ts';
import type { TokenClaims } from '../access/accessTokens.ts';
import type { KeyRecord } from '../access/keyRecord.ts';
import { createSeldomLog, type SeldomLog } from '../access/limits/seldomLog.ts';
import type { TokenOwners } from '../access/tokenOwners.ts';
import { closeCodes } from './channel/channel.ts';
import { MessageRate, UserSubscriptions } from './limits.ts';
import type { Session } from './session.ts';

/** What may wait at the sockets of all users, as often as at those of one. */
export const ALL_USERS = 16;

/** What is bounded here. */
export type Bounded = Pick<Session, 'waitingBytes' | 'cutOff'>;

interface UserSockets<Socket> {
  readonly pace: MessageRate;
  readonly subscriptions: UserSubscriptions;
  readonly sessions: Set<Socket>;
}

export class SocketsOfUsers<Socket extends Bounded = Session> {
  readonly #bytesMax: number;
  readonly #users = new Map<string, UserSockets<Socket>>();

  /** @param options.bytesMax what may wait at all sockets of one user, bytes */
  constructor(options: { bytesMax: number }) {
    this.#bytesMax = options.bytesMax;
  }

  /** Bytes that wait at all sockets. */
  get waitingBytes(): number {
    let bytes = 0;
    for (const { sessions } of this.#users.values()) for (const session of sessions) bytes += session.waitingBytes;
    return bytes;
  }

  /**
   * What the user's sockets share. The minute goes on when the user's last socket closes, so that a new connection begins no
   * new minute.
   */
  sharedOf(userId: string): Pick<UserSockets<Socket>, 'pace' | 'subscriptions'> {
    return this.#of(userId);
  }

  add(userId: string, session: Socket): void {
    this.#of(userId).sessions.add(session);
  }

  remove(userId: string, session: Socket): void {
    this.#users.get(userId)?.sessions.delete(session);
  }

  /** A user's sockets. */
  sessionsOf(userId: string): Iterable<Socket> {
    return this.#users.get(userId)?.sessions ?? [];
  }

  /** Closes the fullest sockets of users at whose sockets too much waits, and forgets users without sockets. */
  sweep(nowMs: number): void {
    for (const [userId, { pace, sessions }] of this.#users) {
      if (sessions.size === 0 && pace.isOver(nowMs)) this.#users.delete(userId);
    }
    const allMax = ALL_USERS * this.#bytesMax;
    for (let max = this.#bytesMax; this.#boundEach(max) > allMax; max /= 2);
  }

  /** @param max what may wait at the sockets of each user @returns what waits at those of all, bytes */
  #boundEach(max: number): number {
    let all = 0;
    for (const { sessions } of this.#users.values()) all += boundOne(sessions, max);
    return all;
  }

  #of(userId: string): UserSockets<Socket> {
    return getOrMake(this.#users, userId, () => ({
      pace: new MessageRate(),
      subscriptions: new UserSubscriptions(),
      sessions: new Set(),
    }));
  }
}

/** @returns what waits then; a socket that was cut off is gone a moment later */
function boundOne(sessions: ReadonlySet<Bounded>, max: number): number {
  let bytes = 0;
  for (const session of sessions) bytes += session.waitingBytes;
  if (bytes <= max) return bytes;
  const fullestFirst = [...sessions].sort((a, b) => b.waitingBytes - a.waitingBytes);
  for (const session of fullestFirst) {
    if (bytes <= max) break;
    bytes -= session.waitingBytes;
    session.cutOff();
  }
  return bytes;
}

type Watched = Pick<Session, 'key' | 'close'>;

/**
 * The sockets that were opened with an access token. One lives as long as its session: a browser's token is over in minutes,
 * and its cookie gives the next. Of a session without a cookie the token is all there is, so the socket ends with it.
 */
export class TokenSockets {
  readonly #owners: Pick<TokenOwners, 'findCached' | 'lookUp' | 'outlivesToken'>;
  readonly #seldom: SeldomLog;
  readonly #tokens = new Map<Watched, TokenClaims>();
  readonly #asking = new Set<Watched>();

  constructor({ owners, log }: { owners: Pick<TokenOwners, 'findCached' | 'lookUp' | 'outlivesToken'>; log: Logger }) {
    this.#owners = owners;
    this.#seldom = createSeldomLog(log);
  }

  add(session: Watched, token: TokenClaims): void {
    this.#tokens.set(session, token);
  }

  remove(session: Watched): void {
    this.#tokens.delete(session);
  }

  has(session: Watched): boolean {
    return this.#tokens.has(session);
  }

  /** Closes those whose session is over, and gives the others what their user has now. Costs a look into a map each. */
  look(nowMs: number): void {
    for (const [session, token] of this.#tokens) {
      const known = this.#owners.findCached(token);
      if (known === undefined) this.#ask(session, token);
      else if (nowMs >= token.expiresAtMs && !this.#owners.outlivesToken(token)) session.close(closeCodes.revoked);
      else this.#judge(session, known.record);
    }
  }

  /** While the store is away sockets go on, and it is asked again. */
  #ask(session: Watched, token: TokenClaims): void {
    if (this.#asking.has(session)) return;
    this.#asking.add(session);
    this.#owners
      .lookUp(token)
      .then(
        (record) => this.#judge(session, record),
        (error: unknown) => this.#seldom.warn('tokens', { err: error }, 'sessions of sockets could not be looked up'),
      )
      .finally(() => this.#asking.delete(session));
  }

  #judge(session: Watched, record: KeyRecord | undefined): void {
    if (record === undefined) session.close(closeCodes.revoked);
    else session.key = record;
  }
}
