// Runs an action dry: the action's own code translates it and its outcome, and only its command goes another way, to the account as a
// question. So nothing is done, no Idempotency-Key is remembered, and the answer has the words of the real one.

import type { AccountCommand, TriedCommand } from '../../actors/core/messages/command.ts';
import type { DryRunView } from '../../actors/core/messages/commandOutcome.ts';
import { assert } from '../../shared/domain/assert.ts';
import type { AccountGateway } from '../accounts/accountGateway.ts';
import { type ActionAnswer, type ActionContext, refusal } from './actionType.ts';
import { toEffect } from './dryRunAnswer.ts';

/** The commands that a question can carry. */
const TRIED: { readonly [Type in TriedCommand['type']]: true } = {
  placeOrders: true,
  cancelOrders: true,
  modifyOrders: true,
  updateLeverage: true,
  updateIsolatedMargin: true,
  topUpIsolatedMargin: true,
};

/** Actions that can be run dry: each becomes one of these commands. */
export const DRY_RUN_TYPES: ReadonlySet<string> = new Set([
  ...['order', 'modify', 'batchModify', 'cancel', 'cancelByCloid'],
  ...['updateLeverage', 'updateIsolatedMargin', 'topUpIsolatedOnlyMargin'],
]);

export const dryRunRefusal = (type: string): ActionAnswer =>
  refusal(`Action ${type} has no dry run. These have one: ${[...DRY_RUN_TYPES].join(', ')}.`);

/** No failure lab has a part in it: it only asks. @throws {RequestError} as the action's `run` does */
export async function runDry(
  run: (context: ActionContext) => Promise<ActionAnswer> | ActionAnswer,
  context: ActionContext,
): Promise<ActionAnswer> {
  const { services } = context;
  let seen: (DryRunView & { readonly seq: number }) | undefined;
  const gateway: AccountGateway = {
    send: async (accountId, command, { idempotency: _, ...options }) => {
      assert(isTried(command), `${command.type} cannot be run dry`);
      const query = { type: 'query', query: { kind: 'dryRun', command } } as const;
      const outcome = await services.gateway.send(accountId, query, options);
      assert(outcome.type === 'answer' && outcome.answer.kind === 'dryRun', 'a dry run is answered by one');
      seen = { ...outcome.answer.dryRun, seq: outcome.seq };
      return seen.outcome;
    },
  };
  const { lab: _none, ...call } = context.call;
  const answer = await run({ ...context, call, services: { ...services, gateway } });
  return { status: 'ok', response: { type: 'dryRun', data: { answer, effect: seen ? toEffect(seen) : null } } };
}

const isTried = (command: AccountCommand): command is TriedCommand => Object.hasOwn(TRIED, command.type);
