// All sockets of this node. It takes over the connections that the request pipeline has admitted, and closes those
// whose key is revoked, over or limited otherwise, whose session has ended, or whose trial is over, within a second of it.

import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { graceMsOf } from '../../shared/access/subscription.ts';
import { groupedBy } from '../../shared/domain/groups.ts';
import { RequestError } from '../../shared/errors.ts';
import { withTimeout } from '../../shared/waiting.ts';
import type { TokenClaims } from '../access/accessTokens.ts';
import { requestsPerMinute } from '../access/budget.ts';
import { isExpired } from '../access/callerChecks.ts';
import type { Credentials } from '../access/credentials.ts';
import { hasScope, isAllowedFrom, isOver, type KeyRecord } from '../access/keyRecord.ts';
import { createSeldomLog, type SeldomLog } from '../access/limits/seldomLog.ts';
import { requestIds } from '../access/requestContext.ts';
import type { UserCache } from '../access/userChanges.ts';
import { toRequestError } from '../http/answers.ts';
import { STREAM_PROTOCOL } from '../http/browser.ts';
import { requireHandshake, type Upgrades } from '../http/upgrades.ts';
import type { CountedCall } from '../trading/answering.ts';
import { closeCodes, type PricedChannel } from './channel/channel.ts';
import { endNotice, noticeFromMs } from './channels/notification.ts';
import { SocketHeartbeat } from './heartbeat.ts';
import { SILENCE_MS_MAX, streamLimits } from './limits.ts';
import { createPost, type PostParts } from './post.ts';
import { Session, type SessionParts } from './session.ts';
import type { SocketSlots } from './socketSlots.ts';
import { SocketsOfUsers, TokenSockets } from './userSockets.ts';

/** How often sockets are checked, ms: the end of a trial and a revoked key count within a second. */
const SWEEP_EVERY_MS = 250;
/** Parts in which a message may come. */
const FRAGMENTS_MAX = 1024;
/** How long a stop waits for posts in flight, ms: longer than a command's deadline. */
const DRAIN_MS_MAX = 6000;

export interface StreamParts extends Pick<PostParts, 'now' | 'services' | 'admission' | 'held' | 'tracing'> {
  readonly credentials: Credentials;
  readonly channels: ReadonlyMap<string, PricedChannel>;
  readonly upgrades: Upgrades;
  readonly places: SocketSlots;
}

export class StreamServer implements UserCache {
  readonly #parts: StreamParts;
  readonly #sockets: WebSocketServer;
  readonly #sessions = new Set<Session>();
  readonly #tokens: TokenSockets;
  /** Sessions whose user may have changed since their key was last read. */
  readonly #stale = new Set<Session>();
  /** Number of each session's last read: an answer that comes after a later one is ignored. */
  readonly #reading = new WeakMap<Session, object>();
  readonly #common: Omit<SessionParts, 'socket' | 'connection' | 'key' | 'address' | 'userPace' | 'userSubscriptions'>;
  readonly #users: SocketsOfUsers;
  readonly #graceMs: number;
  readonly #heartbeat = new SocketHeartbeat();
  readonly #seldom: SeldomLog;
  #sweeping: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(parts: StreamParts) {
    const { now, services, admission, channels, held, tracing } = parts;
    const { config, log } = services;
    this.#parts = parts;
    this.#tokens = new TokenSockets({ owners: parts.credentials.tokenOwners, log });
    this.#graceMs = graceMsOf(config);
    this.#users = new SocketsOfUsers({ bytesMax: config.STREAM_BUFFER_BYTES_PER_USER });
    this.#sockets = new WebSocketServer({
      noServer: true,
      handleProtocols: (offers) => (offers.has(STREAM_PROTOCOL) ? STREAM_PROTOCOL : [...offers].slice(0, 1).join()),
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: config.BODY_LIMIT_BYTES,
      // Each costs memory beside its bytes.
      maxFragments: FRAGMENTS_MAX,
      maxBufferedChunks: FRAGMENTS_MAX,
    });
    const nextRequestId = requestIds();
    this.#seldom = createSeldomLog(log, now);
    const logs = { log, seldom: this.#seldom };
    this.#common = {
      channels,
      admission,
      now,
      bytesMax: config.STREAM_BUFFER_BYTES,
      limitsOf: ({ caller }) => streamLimits(caller.plan, config),
      toCall: ({ caller }): CountedCall => {
        const receivedAtMs = now();
        const limit = { used: 0, cap: requestsPerMinute(caller.plan, config), resetMs: receivedAtMs };
        return { caller, requestId: nextRequestId(), receivedAtMs, limit };
      },
      ownAccounts: services.ownAccounts,
      post: createPost({ now, services, admission, nextRequestId, held, logs, tracing }),
      toRequestError: (error) => toRequestError(error, logs, { requestId: nextRequestId() }),
    };
  }

  /** Sockets that are open. */
  get size(): number {
    return this.#sessions.size;
  }

  /** What is unsent or half received at all sockets, bytes. */
  get waitingBytes(): number {
    return this.#users.waitingBytes;
  }

  start(): void {
    this.#parts.credentials.addCache(this);
    this.#parts.places.start();
    this.#sweeping = setInterval(() => this.#sweep(), SWEEP_EVERY_MS);
  }

  /**
   * Makes a request's connection a socket of the key, or of the token.
   * @param address of the client, in its usual form
   * @throws {RequestError} 426 without a request to upgrade, 400 for one that breaks RFC 6455, 429 when the key has no free slot,
   *   503 during the stop
   */
  async accept(request: IncomingMessage, key: KeyRecord, address: string, token?: TokenClaims): Promise<void> {
    const { upgrades, places } = this.#parts;
    if (this.#isStopping) throw new RequestError(503, 'going_away', 'The server stops. Connect again.', { 'Retry-After': '1' });
    requireHandshake(request, upgrades);
    const { socketsMax } = this.#common.limitsOf(key);
    const place = await places.take(key.caller.keyId || key.caller.userId, socketsMax);
    if (place === undefined) {
      throw new RequestError(
        429,
        'too_many_connections',
        `More than ${socketsMax} WebSocket connections of one API key, or of a user’s tokens.`,
      );
    }
    const { connection, head } = upgrades.take(request);
    if (connection.destroyed || this.#isStopping) {
      connection.destroy();
      places.release(place);
      return;
    }
    connection.once('close', () => places.release(place));
    const { pace: userPace, subscriptions: userSubscriptions } = this.#users.sharedOf(key.caller.userId);
    this.#sockets.handleUpgrade(request, connection, head, (socket) => {
      this.#heartbeat.watch(socket, connection, this.#parts.now());
      const session = new Session({ ...this.#common, socket, connection, key, address, userPace, userSubscriptions });
      if (token !== undefined) this.#tokens.add(session, token);
      this.#add(session, socket);
    });
  }

  forget(userId: string): void {
    for (const session of this.#users.sessionsOf(userId)) this.#doubt(session);
  }

  async readNow(userId: string): Promise<void> {
    const sessions = [...this.#users.sessionsOf(userId)].filter((session) => !this.#tokens.has(session));
    for (const session of sessions) this.#stale.delete(session);
    await this.#readAllAgain(sessions);
  }

  onNotice(userId: string, text: string): void {
    for (const session of this.#users.sessionsOf(userId)) session.notify(text, text);
  }

  forgetAll(): void {
    for (const session of this.#sessions) this.#doubt(session);
  }

  /** Refuses new sockets, answers the posts in flight, closes all. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#sweeping);
    const drained = Promise.all([...this.#sessions].map((session) => session.drain()));
    await withTimeout(DRAIN_MS_MAX, 'closing sockets', drained).catch((error: unknown) =>
      this.#parts.services.log.warn({ err: error, left: this.#sessions.size }, 'sockets are cut off'),
    );
    for (const session of this.#sessions) session.terminate();
    this.#parts.places.stop();
  }

  #add(session: Session, socket: WebSocket): void {
    const { log } = this.#parts.services;
    const { keyId, userId } = session.key.caller;
    this.#sessions.add(session);
    this.#users.add(userId, session);
    // The key may have been revoked during admission.
    this.#doubt(session);
    log.debug({ keyId, open: this.size }, 'socket opened');
    socket.once('close', (code) => {
      this.#sessions.delete(session);
      this.#users.remove(userId, session);
      this.#stale.delete(session);
      this.#tokens.remove(session);
      log.debug({ keyId, code, open: this.size }, 'socket closed');
    });
  }

  /** Has its key read again. Those of tokens are looked at in each sweep. */
  #doubt(session: Session): void {
    if (!this.#tokens.has(session)) this.#stale.add(session);
  }

  #sweep(): void {
    const nowMs = this.#parts.now();
    this.#tokens.look(nowMs);
    this.#users.sweep(nowMs);
    this.#heartbeat.look(nowMs);
    for (const session of this.#sessions) {
      if (isOver(session.key, nowMs)) session.close(closeCodes.revoked);
      session.countBytes();
      if (nowMs >= noticeFromMs(session.key)) this.#onEndNear(session, nowMs);
      if (nowMs - session.sentMs > SILENCE_MS_MAX) session.close(closeCodes.idle);
    }
    const stale = [...this.#stale];
    this.#stale.clear();
    void this.#readAllAgain(stale);
  }

  /** Each key once. */
  async #readAllAgain(sessions: readonly Session[]): Promise<void> {
    const byKey = groupedBy(sessions, ({ key }) => key.caller.keyId);
    await Promise.all([...byKey.values()].map((ofKey) => this.#readAgain(ofKey)));
  }

  #onEndNear(session: Session, nowMs: number): void {
    const paidUntil = { ...session.key, graceMs: this.#graceMs };
    const notice = endNotice(paidUntil, nowMs);
    if (notice !== undefined) session.notify(notice, notice);
    if (isExpired(paidUntil, nowMs)) session.close(closeCodes.expired);
  }

  /** Sessions of one key. While the store is away they go on, and it is asked again. */
  async #readAgain(sessions: readonly Session[]): Promise<void> {
    const [first] = sessions;
    if (first === undefined) return;
    const reading = {};
    for (const session of sessions) this.#reading.set(session, reading);
    try {
      const key = await this.#parts.credentials.readAgain(first.key);
      for (const session of sessions) {
        if (this.#reading.get(session) !== reading) continue;
        if (key === undefined || !mayStay(session, key)) session.close(closeCodes.revoked);
        else session.key = key;
      }
    } catch (error) {
      this.#seldom.warn('keys', { err: error }, 'keys of sockets could not be read again');
      for (const session of sessions) if (this.#sessions.has(session)) this.#stale.add(session);
    }
  }
}

/**
 * Whether the key as it is now could still open the socket that it has opened. A key made anew has another text, and one that was
 * bound to another account would have other subscriptions.
 */
const mayStay = (session: Session, key: KeyRecord): boolean =>
  key.rotatedAtMs === session.key.rotatedAtMs &&
  isOfSameAccount(key, session.key) &&
  hasScope(key, 'read') &&
  isAllowedFrom(key, session.address);

const isOfSameAccount = (a: KeyRecord, b: KeyRecord): boolean =>
  a.caller.accountId === b.caller.accountId && a.caller.isBound === b.caller.isBound;
