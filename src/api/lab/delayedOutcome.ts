// The outcome of an action that waits in the account for its latency. The account decides it at its time whether or not anybody
// asks; the node asks from then on, and says that the outcome is unknown where it cannot be told.
import type { CommandOutcome } from '../../actors/core/messages/commandOutcome.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { assert } from '../../shared/domain/assert.ts';
import { RequestError } from '../../shared/errors.ts';
import { answerLost, outcomeUnknown } from '../accounts/commandErrors.ts';
import { type Call, type Services, sendOptionsOf } from '../accounts/services.ts';

/** How long after its time the outcome of an action is asked for, ms: an owner that died has a successor by then. */
const ASK_FOR_MS = 15_000;
/** Between two questions, ms. */
const AGAIN_MS = 20;
/** Between two looks at the clock until then, ms: a test may set it ahead (adr 0022). */
const LOOK_EVERY_MS = 200;

type Delayed = Extract<CommandOutcome, { type: 'delayed' }>;

/** @throws {RequestError} 504 */
export async function delayedOutcome(
  call: Call,
  { gateway, now }: Pick<Services, 'gateway' | 'now'>,
  { number, dueMs }: Delayed,
): Promise<Outcome> {
  while (now() < dueMs) await pause(Math.min(dueMs - now(), LOOK_EVERY_MS));
  const query = { type: 'query', query: { kind: 'delayedAction', number } } as const;
  // In real time: a clock that was set ahead leaves as long for the answer.
  const untilMs = performance.now() + ASK_FOR_MS;
  do {
    const found = await foundOf(() => gateway.send(call.caller.accountId, query, sendOptionsOf(call)));
    if (found === 'gone') throw answerLost();
    if (found !== 'waiting') return found;
    await pause(AGAIN_MS);
  } while (performance.now() < untilMs);
  throw outcomeUnknown(Math.max(dueMs + ASK_FOR_MS, now()));
}

/** A question that is not answered is asked again: it says nothing about the action. */
async function foundOf(ask: () => Promise<Outcome>): Promise<CommandOutcome | 'waiting' | 'gone'> {
  try {
    const outcome = await ask();
    assert(outcome.type === 'answer' && outcome.answer.kind === 'delayedAction', 'the question has an answer of its kind');
    return outcome.answer.found;
  } catch (error) {
    if (error instanceof RequestError) return 'waiting';
    throw error;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
