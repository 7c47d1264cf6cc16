// The command of an action under the failure lab of its key, to the account and back.
import type { OwnersCommand } from '../../actors/core/messages/command.ts';
import type { Outcome } from '../../actors/core/messages/queryAnswer.ts';
import type { SendOptions } from '../accounts/accountGateway.ts';
import type { Call, Services } from '../accounts/services.ts';
import { inLab } from '../domain/labPlan.ts';
import { delayedOutcome } from './delayedOutcome.ts';
import type { LabCall } from './labCall.ts';

/** @throws {RequestError} as the gateway does, and 504 for an action whose outcome cannot be told at its time */
export async function sendInLab(
  call: Call,
  services: Pick<Services, 'gateway' | 'now'>,
  { lab, command, options }: { readonly lab: LabCall; readonly command: OwnersCommand; readonly options: SendOptions },
): Promise<Outcome> {
  const sent = inLab(lab, command);
  lab.note = sent.note;
  lab.isNoted = true;
  const outcome = await services.gateway.send(call.caller.accountId, { type: 'inLab', ...sent }, options);
  return outcome.type === 'delayed' ? await delayedOutcome(call, services, outcome) : outcome;
}
