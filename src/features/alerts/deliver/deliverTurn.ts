// One turn of an endpoint: what is due is sent by the channel of the endpoint, and no delivery of an account before the one ahead of it
// has arrived or is a dead letter. Only one turn of an endpoint runs at a time; what a process that dies has sent and not noted is sent
// again.

import { unreachable } from '../../../shared/domain/assert.ts';
import { AlertDeliveries } from '../store/alertDeliveries.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import { greetChat } from './bindChats.ts';
import { deliverLanes } from './deliverLanes.ts';
import { deliverTogether } from './deliverTogether.ts';
import { mailChannel } from './mailChannel.ts';
import { telegramChannel } from './telegramChannel.ts';
import type { TurnParts } from './turnParts.ts';

/** Repeatable: what was noted as delivered is not sent again. */
export async function deliverTurn(parts: TurnParts, endpointId: string): Promise<void> {
  const endpoint = await new AlertEndpoints(parts.mongo).find(endpointId);
  if (endpoint === null) return new AlertDeliveries(parts.mongo).removeOf(endpointId);
  if (endpoint.state !== 'active') return;
  switch (endpoint.channel) {
    case 'webhook':
      return deliverLanes(parts, endpoint);
    case 'mail':
      return deliverTogether(parts, endpoint, mailChannel(parts));
    case 'telegram':
      await greetChat(parts.mongo, endpoint);
      return deliverTogether(parts, endpoint, telegramChannel(parts, endpoint));
    default:
      return unreachable(endpoint);
  }
}
