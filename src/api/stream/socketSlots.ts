// Counts the sockets of each API key in Redis, so that all API nodes together keep the plan's number. A slot lasts
// some seconds and is renewed while its socket is open, so the slots of a node that died are soon free again. While
// Redis is away a node counts its own sockets.

import type { Logger } from '../../shared/logger.ts';
import { socketSlotsKey } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { Script } from '../../shared/redis/script.ts';
import { withTimeout } from '../../shared/waiting.ts';
import { createSeldomLog, type SeldomLog } from '../access/limits/seldomLog.ts';

/** How long a slot lasts without being renewed, ms. */
const SLOT_MS = 10_000;
const RENEW_EVERY_MS = 3000;
/** How long Redis may take, ms. */
const ANSWER_MS_MAX = 1000;

const takeScript = new Script(
  'takeSocketSlot',
  `
-- KEYS  the slots of one API key: sorted set, socket -> when its slot is free again, ms.
-- ARGV  socket, slots allowed, ms that a slot lasts.
-- Answers 1 when the socket has got a slot, 0 when all are taken.
-- Atomic, because two nodes that count the same slots would both give the last one away.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', KEYS[1], now + ARGV[3], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return 1
`,
);

const renewScript = new Script(
  'renewSocketSlots',
  `
-- KEYS  the slots of one API key.
-- ARGV  ms that a slot lasts, then the sockets of one node.
-- Atomic only so that the slots last as long as the key. Slots that Redis has lost are taken again.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
for i = 2, #ARGV do redis.call('ZADD', KEYS[1], now + ARGV[1], ARGV[i]) end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
`,
);

/** A socket's slot. */
export interface SocketSlot {
  readonly keyId: string;
  readonly socket: string;
}

export class SocketSlots {
  readonly #redis: Redis;
  readonly #log: Logger;
  readonly #seldom: SeldomLog;
  readonly #nodeId: string;
  readonly #own = new Map<string, Set<string>>();
  #count = 0;
  #renewing: NodeJS.Timeout | undefined;

  /** @param options.nodeId names this process among all */
  constructor(options: { redis: Redis; log: Logger; nodeId: string }) {
    this.#redis = options.redis;
    this.#log = options.log;
    this.#seldom = createSeldomLog(options.log);
    this.#nodeId = options.nodeId;
  }

  start(): void {
    this.#renewing = setInterval(() => this.#renew(), RENEW_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#renewing);
  }

  /**
   * Takes a slot for a new socket.
   * @param max sockets that the key may have
   * @returns undefined when it has them
   */
  async take(keyId: string, max: number): Promise<SocketSlot | undefined> {
    const own = this.#own.get(keyId) ?? new Set();
    if (own.size >= max) return undefined;
    this.#count += 1;
    const socket = `${this.#nodeId}:${this.#count}`;
    // Counted before Redis answers, so that sockets that come meanwhile see it.
    this.#own.set(keyId, own.add(socket));
    const slot = { keyId, socket };
    if (await this.#isGranted(slot, max)) return slot;
    this.#forget(slot);
    return undefined;
  }

  release(slot: SocketSlot): void {
    this.#forget(slot);
    this.#redis
      .zrem(socketSlotsKey(slot.keyId), slot.socket)
      .catch((error: Error) => this.#log.debug({ reason: error.message }, 'a socket’s slot is left to expire'));
  }

  async #isGranted({ keyId, socket }: SocketSlot, max: number): Promise<boolean> {
    if (this.#redis.status !== 'ready') return true;
    try {
      const answer = takeScript.run(this.#redis, [socketSlotsKey(keyId)], [socket, max, SLOT_MS]);
      return (await withTimeout(ANSWER_MS_MAX, 'counting sockets', answer)) === 1;
    } catch (error) {
      this.#seldom.warn('take', { err: error }, 'a socket is not counted');
      return true;
    }
  }

  #renew(): void {
    if (this.#redis.status !== 'ready') return;
    for (const [keyId, sockets] of this.#own) {
      renewScript
        .run(this.#redis, [socketSlotsKey(keyId)], [SLOT_MS, ...sockets])
        .catch((error: unknown) => this.#seldom.warn('renew', { err: error }, 'slots of sockets could not be renewed'));
    }
  }

  #forget({ keyId, socket }: SocketSlot): void {
    const own = this.#own.get(keyId);
    own?.delete(socket);
    if (own?.size === 0) this.#own.delete(keyId);
  }
}
