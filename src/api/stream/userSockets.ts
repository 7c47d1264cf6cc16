// The sockets of each user on this node, as far as they share bounds: the pace of messages, what they have subscribed to,
// and the memory of what is unsent or half received. All users have a bound of that memory together: past it each may hold
// less, so that those give way who hold most.
import { Pace } from './limits/pace.ts';
import { UserSubscriptions } from './limits/userSubscriptions.ts';
import type { Session } from './session.ts';

/** What may wait at the sockets of all users, as often as at those of one. */
export const ALL_USERS = 16;

/** What is bounded here. */
export type Bounded = Pick<Session, 'waitingBytes' | 'cutOff'>;

interface UserSockets<Socket> {
  readonly pace: Pace;
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
    let user = this.#users.get(userId);
    if (user === undefined) {
      user = { pace: new Pace(), subscriptions: new UserSubscriptions(), sessions: new Set() };
      this.#users.set(userId, user);
    }
    return user;
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
