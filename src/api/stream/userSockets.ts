// The sockets of each user on this node, as far as they share bounds: the pace of messages, what they have subscribed to,
// and the memory of what is unsent or half received.
import { Pace } from './limits/pace.ts';
import { UserSubscriptions } from './limits/userSubscriptions.ts';
import type { Session } from './session.ts';

interface UserSockets {
  readonly pace: Pace;
  readonly subscriptions: UserSubscriptions;
  readonly sessions: Set<Session>;
}

export class SocketsOfUsers {
  readonly #bytesMax: number;
  readonly #users = new Map<string, UserSockets>();

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
  sharedOf(userId: string): Pick<UserSockets, 'pace' | 'subscriptions'> {
    return this.#of(userId);
  }

  add(userId: string, session: Session): void {
    this.#of(userId).sessions.add(session);
  }

  remove(userId: string, session: Session): void {
    this.#users.get(userId)?.sessions.delete(session);
  }

  /** A user's sockets. */
  sessionsOf(userId: string): Iterable<Session> {
    return this.#users.get(userId)?.sessions ?? [];
  }

  /** Closes the fullest sockets of users at whose sockets too much waits, and forgets users without sockets. */
  sweep(nowMs: number): void {
    for (const [userId, { pace, sessions }] of this.#users) {
      if (sessions.size === 0 && pace.isOver(nowMs)) this.#users.delete(userId);
      else this.#bound(sessions);
    }
  }

  #bound(sessions: ReadonlySet<Session>): void {
    let bytes = 0;
    for (const session of sessions) bytes += session.waitingBytes;
    if (bytes <= this.#bytesMax) return;
    const fullestFirst = [...sessions].sort((a, b) => b.waitingBytes - a.waitingBytes);
    for (const session of fullestFirst) {
      if (bytes <= this.#bytesMax) return;
      bytes -= session.waitingBytes;
      session.cutOff();
    }
  }

  #of(userId: string): UserSockets {
    let user = this.#users.get(userId);
    if (user === undefined) {
      user = { pace: new Pace(), subscriptions: new UserSubscriptions(), sessions: new Set() };
      this.#users.set(userId, user);
    }
    return user;
  }
}
