// Runs requests of keys that have a failure lab (docs/failure-lab.md): draws what each meets, has the account write it down, and holds
// requests and answers back. What a lab may hold here is bounded: requests of one user, and of all.

import type { LabNote } from '../../actors/core/messages/labNote.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { unreachable } from '../../shared/domain/assert.ts';
import { isInForce, LATENCY_MS_MAX } from '../../shared/domain/labDraws.ts';
import type { LabProfile } from '../../shared/domain/labProfile.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { RequestError } from '../../shared/errors.ts';
import { labDrawsKey } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { submitted } from '../../shared/redis/submitScript.ts';
import { Shares } from '../access/limits/shares.ts';
import type { AccountGateway } from '../accounts/accountGateway.ts';
import { refusal, storeUnavailable } from '../accounts/commandErrors.ts';
import { type Call, type FailureLab, sendOptionsOf } from '../accounts/services.ts';
import { planRequest } from '../domain/labPlan.ts';
import { labRefusal, NoAnswer } from '../http/answers.ts';
import { PastMarkets } from './feed/pastMarkets.ts';
import type { Closing, LabCall, UnderLab } from './labCall.ts';
import { nonceRefusal } from './nonces.ts';

/** Requests under a lab that one user, and all together, may have at a node at a time: each may be held for some seconds. */
export const LAB_REQUESTS_EACH_MAX = 32;
const LAB_REQUESTS_MAX = 512;
/** From this status on it is not the request that was wrong. */
const SERVICE_FAILS_FROM = 500;
/** How long the number of a profile's last draw outlives it, ms. */
const DRAWS_KEPT_MS = 30 * DAY_MS;

export interface LabParts {
  readonly redis: Redis;
  readonly gateway: AccountGateway;
  readonly market: LiveMarket;
  readonly now: () => number;
}

export class Lab implements FailureLab {
  readonly #parts: LabParts;
  readonly #past: PastMarkets;
  readonly #places = new Shares({ each: LAB_REQUESTS_EACH_MAX, all: LAB_REQUESTS_MAX });

  constructor(parts: LabParts) {
    this.#parts = parts;
    this.#past = new PastMarkets(parts.market, { now: parts.now, lateMaxMs: LATENCY_MS_MAX });
  }

  /**
   * Answers a request as its profile wants it.
   * @throws {LabFault} a refusal that was drawn; {NoAnswer}; {RequestError} 429 when too many wait, 503 when the draw cannot be
   *   counted, in both of which nothing was done; what `answer` throws
   */
  async run<T>(call: Call, { profile, on, closing }: UnderLab, answer: (call: Call) => Promise<T>): Promise<T> {
    if (!isInForce(profile, call.receivedAtMs)) return answer(call);
    const { userId, keyId: key } = call.caller;
    if (this.#places.take(userId) !== undefined) throw refusal(submitted.mailboxFull);
    try {
      const number = await this.#nextNumber(profile.run, on);
      const request = planRequest(profile, { key, on, number, atMs: call.receivedAtMs });
      const seen = this.#past.seen({ profile, userId, nowMs: call.receivedAtMs });
      const lab: LabCall = { ...request, isNoted: false, seen, useNonce: this.#useNonce(profile, call.receivedAtMs) };
      if (request.endsBefore) return await this.#endBefore(call, lab, closing);
      const data = await answer({ ...call, lab }).catch(async (error: unknown) => {
        // A refusal is an answer like any other; what the service could not do has no effect that an answer could hide.
        if (error instanceof RequestError && error.status < SERVICE_FAILS_FROM) await this.#endAfter(call, lab, closing);
        throw error;
      });
      await this.#endAfter(call, lab, closing);
      return data;
    } finally {
      this.#places.give(userId);
    }
  }

  stop(): void {
    this.#past.stop();
  }

  /** Requests that are under way. */
  get held(): number {
    return this.#places.total;
  }

  #useNonce({ nonces, run }: LabProfile, nowMs: number): LabCall['useNonce'] {
    return nonces && ((nonce) => nonceRefusal(this.#parts.redis, { nonce, run, nowMs }));
  }

  async #nextNumber(run: string, on: LabNote['on']): Promise<number> {
    const key = labDrawsKey(run);
    const replies = await this.#parts.redis
      .multi()
      .hincrby(key, on, 1)
      .pexpire(key, DRAWS_KEPT_MS)
      .exec()
      .catch(() => undefined);
    // A store that is full or read only refuses the one command and answers the call all the same.
    const number = replies?.[0]?.[1];
    if (typeof number !== 'number') throw storeUnavailable();
    return number;
  }

  async #endBefore(call: Call, { note, profile }: LabCall, closing: Closing): Promise<never> {
    await this.#note(call, note);
    const { fault, answerMs = 0 } = note;
    switch (fault) {
      case '429':
      case '500':
      case '502':
        await wait(answerMs, closing);
        throw labRefusal(fault);
      case 'timeoutBefore':
        await wait(profile.timeoutMs, closing);
        throw new NoAnswer({ closes: false });
      default:
        throw new NoAnswer({ closes: true });
    }
  }

  async #endAfter(call: Call, { note, profile, isNoted }: LabCall, closing: Closing): Promise<void> {
    const { fault, answerMs = 0 } = note;
    if (!isNoted && (fault !== undefined || answerMs > 0)) await this.#note(call, note);
    switch (fault) {
      case 'timeoutAfterEffect':
        await wait(profile.timeoutMs, closing);
        throw new NoAnswer({ closes: false });
      case 'dropSocket':
        throw new NoAnswer({ closes: true });
      case 'duplicateAnswer':
      case undefined:
        return wait(answerMs, closing);
      case '429':
      case '500':
      case '502':
      case 'timeoutBefore':
        throw new Error(`${fault} comes before the effect`);
      default:
        return unreachable(fault);
    }
  }

  async #note(call: Call, note: LabNote): Promise<void> {
    await this.#parts.gateway.send(call.caller.accountId, { type: 'noteLab', note }, sendOptionsOf(call));
  }
}

/** Waits, but not for a client that has gone. */
function wait(ms: number, closing: Closing): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      closing.off('close', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    closing.once('close', end);
  });
}
