// The shape of an action file: the action's name, the schema of its `action` object, and how it runs. One file per
// action holds the request, its translation to a command, and the translation of the outcome back to the venue's
// answer.
import type { Static, TSchema } from '@sinclair/typebox';
import { checkCount } from '../../actors/core/checks/checkAction.ts';
import type { OwnersCommand } from '../../actors/core/messages/command.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import { type Call, type Services, sendOptionsOf } from '../accounts/services.ts';

/** The venue's answer to an action, whole. */
export type ActionAnswer =
  | { readonly status: 'ok'; readonly response: { readonly type: string; readonly data?: unknown } }
  | { readonly status: 'err'; readonly response: string };

/** An action on its way: who sent it and until when it may run. */
export interface ActionContext {
  readonly call: Call;
  readonly services: Services;
  /** The client's `expiresAfter`, ms since the epoch. */
  readonly expiresAfterMs: number | undefined;
}

/** An action costs what the elements of its list cost, or what one order costs. */
export type ActionPrice = 'one' | 'orders' | 'cancels' | 'modifies';

export interface ActionType<T extends TSchema = TSchema> {
  readonly type: string;
  readonly price: ActionPrice;
  /** The sentence about it in the published contract. */
  readonly about: string;
  readonly schema: T;
  /** The schema as it is published, where the one that reads is more lenient in form. */
  readonly published?: TSchema;
  /** What is answered when the action is not refused as a whole. */
  readonly answers: TSchema;
  /** An action that is answered with 200. */
  readonly example: Static<T>;
  run(action: Static<T>, context: ActionContext): Promise<ActionAnswer> | ActionAnswer;
}

/** Keeps the schema's type at hand in `run`. */
export function actionType<T extends TSchema>(action: ActionType<T>): ActionType<T> {
  return action;
}

/** The whole action is refused; nothing of it happened. */
export const refusal = (text: string): ActionAnswer => ({ status: 'err', response: text });

/** What most actions answer when they succeed. */
export const DONE: ActionAnswer = { status: 'ok', response: { type: 'default' } };

/** The refusal of a batch that is empty or too long, before it reaches the account's mailbox. */
export function batchRefusal(elements: readonly unknown[]): ActionAnswer | undefined {
  const text = checkCount(elements.length);
  return text === undefined ? undefined : refusal(text);
}

/** Sends a command to the caller's account under the request's Idempotency-Key, if it has one. */
export function sendCommand(context: ActionContext, command: OwnersCommand): Promise<Outcome> {
  const { call, services, expiresAfterMs } = context;
  const { idempotencyKey, bodyDigest, lab } = call;
  const sent = expiresAfterMs === undefined ? command : { ...command, expiresAfterMs };
  const plain = sendOptionsOf(call);
  const options =
    idempotencyKey === undefined || bodyDigest === undefined
      ? plain
      : { ...plain, idempotency: { key: idempotencyKey, bodyDigest } };
  if (lab === undefined) return services.gateway.send(call.caller.accountId, sent, options);
  return lab.send(call, sent, options);
}
