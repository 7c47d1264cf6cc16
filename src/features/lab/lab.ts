// Runs requests of keys that have a failure lab (docs/failure-lab.md): draws what each meets, has the account write it down, and holds
// requests and answers back. What a lab may hold here is bounded: requests of one user, and of all.

import type { OwnersCommand } from '../../actors/core/messages/command.ts';
import type { CommandOutcome } from '../../actors/core/messages/commandOutcome.ts';
import type { LabNote } from '../../actors/core/messages/labNote.ts';
import type { AnswerOf, Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { Shares } from '../../api/access/limits/shares.ts';
import type { AccountGateway, SendOptions } from '../../api/accounts/accountGateway.ts';
import { answerLost, outcomeUnknown, refusal, storeUnavailable } from '../../api/accounts/commandErrors.ts';
import {
  askAccount,
  type Call,
  type ClientConnection,
  type FailureLab,
  sendOptionsOf,
  type UnderLab,
} from '../../api/accounts/services.ts';
import { labRefusal, WithheldAnswer } from '../../api/http/answers.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { unreachable } from '../../shared/domain/assert.ts';
import { isInForce, LATENCY_MS_MAX, type LabProfile } from '../../shared/domain/labProfile.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import { RequestError } from '../../shared/errors.ts';
import { labDrawsKey } from '../../shared/redis/keys.ts';
import type { Redis } from '../../shared/redis/redis.ts';
import { submitted } from '../../shared/redis/submitScript.ts';
import { inLab, planRequest } from './labPlan.ts';
import { nonceRefusal } from './nonces.ts';
import { PastMarkets } from './pastMarkets.ts';

/** Requests under a lab that one user, and all together, may have at a node at a time: each may be held for some seconds. */
export const LAB_REQUESTS_EACH_MAX = 32;
const LAB_REQUESTS_MAX = 512;
/** From this status on it is not the request that was wrong. */
const SERVICE_FAILS_FROM = 500;
/** How long the number of a profile's last draw outlives it, ms. */
const DRAWS_KEPT_MS = 30 * DAY_MS;

/** How long after its time the outcome of an action is asked for, ms: an owner that died has a successor by then. */
const ASK_FOR_MS = 15_000;
/** Between two questions, ms. */
const AGAIN_MS = 20;
/** Between two looks at the clock until then, ms: a test may set it ahead (adr 0022). */
const LOOK_EVERY_MS = 200;

interface LabParts {
  readonly redis: Redis;
  /** Which looks deeper into a book that an order would go through. */
  readonly gateway: AccountGateway;
  readonly market: LiveMarket;
  readonly now: () => number;
}

/** What was drawn for a request, and how far its account knows it. */
interface Drawing {
  readonly profile: LabProfile;
  /** Completed when the request becomes a command. */
  note: LabNote;
  /** The account has it. */
  isNoted: boolean;
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
   * @throws {DrawnRefusal} a refusal that was drawn; {NoAnswer}; {RequestError} 429 when too many wait, 503 when the draw cannot be
   *   counted, in both of which nothing was done; what `answer` throws
   */
  async run<T>(call: Call, { profile, on, closing }: UnderLab, answer: (call: Call) => Promise<T>): Promise<T> {
    if (!isInForce(profile, call.receivedAtMs)) return answer(call);
    const { userId, keyId: key } = call.caller;
    if (this.#places.take(userId) !== undefined) throw refusal(submitted.mailboxFull);
    try {
      const number = await this.#nextNumber(profile.run, on);
      const request = planRequest(profile, { key, on, number, atMs: call.receivedAtMs });
      const drawn: Drawing = { profile, note: request.note, isNoted: false };
      const seen = this.#past.seen({ profile, userId, nowMs: call.receivedAtMs });
      if (request.endsBefore) return await this.#endBefore(call, drawn, closing);
      const useNonce = this.#useNonce(profile, call.receivedAtMs);
      const isAnsweredTwice = drawn.note.fault === 'duplicateAnswer';
      const lab = { seen, isAnsweredTwice, useNonce, send: this.#send.bind(this, drawn) };
      const data = await answer({ ...call, lab }).catch(async (error: unknown) => {
        // A refusal is an answer like any other; what the service could not do has no effect that an answer could hide.
        if (error instanceof RequestError && error.status < SERVICE_FAILS_FROM) await this.#endAfter(call, drawn, closing);
        throw error;
      });
      await this.#endAfter(call, drawn, closing);
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

  /** The command of an action, to the account and back. */
  async #send(drawn: Drawing, call: Call, command: OwnersCommand, options: SendOptions): Promise<Outcome> {
    const sent = inLab(drawn, command);
    drawn.note = sent.note;
    drawn.isNoted = true;
    const outcome = await this.#parts.gateway.send(call.caller.accountId, { type: 'inLab', ...sent }, options);
    return outcome.type === 'delayed' ? await delayedOutcome(call, this.#parts, outcome) : outcome;
  }

  #useNonce({ nonces, run }: LabProfile, nowMs: number): NonNullable<Call['lab']>['useNonce'] {
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

  async #endBefore(call: Call, drawn: Drawing, closing: ClientConnection): Promise<never> {
    await this.#note(call, drawn.note);
    await meetFault(drawn, closing);
    throw new Error('a request ends before its effect by a fault');
  }

  async #endAfter(call: Call, drawn: Drawing, closing: ClientConnection): Promise<void> {
    const { fault, answerMs = 0 } = drawn.note;
    if (!drawn.isNoted && (fault !== undefined || answerMs > 0)) await this.#note(call, drawn.note);
    await meetFault(drawn, closing);
  }

  async #note(call: Call, note: LabNote): Promise<void> {
    await this.#parts.gateway.send(call.caller.accountId, { type: 'noteLab', note }, sendOptionsOf(call));
  }
}

/** Holds the answer back as drawn. @throws {RequestError} a drawn refusal, {WithheldAnswer} where there is to be no answer */
async function meetFault({ note, profile }: Drawing, closing: ClientConnection): Promise<void> {
  const { fault, answerMs = 0 } = note;
  switch (fault) {
    case '429':
    case '500':
    case '502':
      await wait(answerMs, closing);
      throw labRefusal(fault);
    case 'timeoutBefore':
    case 'timeoutAfterEffect':
      await wait(profile.timeoutMs, closing);
      throw new WithheldAnswer({ closes: false });
    case 'dropSocket':
      throw new WithheldAnswer({ closes: true });
    case 'duplicateAnswer':
    case undefined:
      return wait(answerMs, closing);
    default:
      return unreachable(fault);
  }
}

/** Waits, but not for a client that has gone. */
function wait(ms: number, closing: ClientConnection): Promise<void> {
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

type Delayed = Extract<CommandOutcome, { type: 'delayed' }>;

/**
 * The outcome of an action that waits in the account for its latency. The account decides it at its time whether or not anybody asks; the
 * node asks from then on, and says that the outcome is unknown where it cannot be told.
 * @throws {RequestError} 504
 */
async function delayedOutcome(
  call: Call,
  { gateway, now }: Pick<LabParts, 'gateway' | 'now'>,
  { number, dueMs }: Delayed,
): Promise<Outcome> {
  while (now() < dueMs) await pauseFor(Math.min(dueMs - now(), LOOK_EVERY_MS));
  const query = { kind: 'delayedAction', number } as const;
  // In real time: a clock that was set ahead leaves as long for the answer.
  const untilMs = performance.now() + ASK_FOR_MS;
  do {
    const found = await foundOf(() => askAccount(call, { gateway }, query));
    if (found === 'gone') throw answerLost();
    if (found !== 'waiting') return found;
    await pauseFor(AGAIN_MS);
  } while (performance.now() < untilMs);
  throw outcomeUnknown(Math.max(dueMs + ASK_FOR_MS, now()));
}

/** A question that is not answered is asked again: it says nothing about the action. */
async function foundOf(ask: () => Promise<AnswerOf<'delayedAction'>>): Promise<CommandOutcome | 'waiting' | 'gone'> {
  try {
    return (await ask()).found;
  } catch (error) {
    if (error instanceof RequestError) return 'waiting';
    throw error;
  }
}

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
