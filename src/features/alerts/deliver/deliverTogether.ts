// A turn of an endpoint that a person reads: what is due goes out as one mail or one message of a chat, and the next one follows after a
// pause. So a bot that trades all day does not fill an inbox, and what comes within a pause is read together. Within it each account is in
// order, as a webhook's messages are.
import { AlertDeliveries, type AlertDeliveryDocument } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import { noteTry } from './noteTry.ts';
import type { TryResult } from './tryResult.ts';
import { OPERATOR_PAUSE_MS, type TurnParts } from './turnParts.ts';
import { fromAny } from './turns.ts';

/** How a channel takes several deliveries as one message. */
export interface Together {
  /** Alerts of one message. */
  readonly max: number;
  /** Between what has arrived and the next message, ms. */
  readonly pauseMs: number;
  /** Nothing may be sent before this, ms. */
  readonly notBeforeMs?: number;
  /** Never throws, but for `ChannelOff`. @param bodies of deliveries, in their order */
  readonly send: (endpoint: AlertEndpointDocument, bodies: readonly string[]) => Promise<TryResult>;
}

/** The operator has to do something before anything can be sent: it counts as no try. */
export class ChannelOff extends Error {
  override name = 'ChannelOff';
}

export async function deliverTogether(parts: TurnParts, endpoint: AlertEndpointDocument, channel: Together): Promise<void> {
  const { _id, turn, lastSuccessAt } = endpoint;
  const endpoints = new AlertEndpoints(parts.mongo);
  const endTurn = (atMs: number | undefined): Promise<void> =>
    endpoints.endTurn(_id, { turn, turnAt: atMs === undefined ? null : new Date(atMs) });
  const nowMs = parts.realNow();
  const restMs = Math.max(channel.notBeforeMs ?? 0, lastSuccessAt === undefined ? 0 : lastSuccessAt.getTime() + channel.pauseMs);
  if (restMs > nowMs) return endTurn(restMs);
  const { due, nextMs } = await gather(new AlertDeliveries(parts.mongo), { endpoint, max: channel.max, nowMs });
  if (due.length === 0) return endTurn(nextMs);
  try {
    const bodies = due.map(({ body }) => body);
    const outcome = await channel.send(endpoint, bodies);
    await noteTry(parts, { endpoint, sent: due }, outcome);
    await endpoints.noteFailing(endpoint, outcome.isDelivered ? undefined : new Date(parts.realNow()));
  } catch (error) {
    if (!(error instanceof ChannelOff)) throw error;
    parts.log.error({ endpoint: _id, channel: endpoint.channel }, error.message);
    return endTurn(parts.realNow() + OPERATOR_PAUSE_MS);
  }
  // The next turn looks at what is left.
  return endTurn(parts.realNow());
}

/** What is due of each account, a fair part of each where it is too much. */
async function gather(
  deliveries: AlertDeliveries,
  { endpoint, max, nowMs }: { readonly endpoint: AlertEndpointDocument; readonly max: number; readonly nowMs: number },
): Promise<{ readonly due: readonly AlertDeliveryDocument[]; readonly nextMs: number | undefined }> {
  const lanes = fromAny(await deliveries.lanes(endpoint._id));
  const share = Math.max(1, Math.floor(max / Math.max(1, lanes.length)));
  const due: AlertDeliveryDocument[] = [];
  const later: number[] = [];
  for (const lane of lanes) {
    if (due.length + share > max) break;
    for (const delivery of await deliveries.heads(endpoint._id, lane, share)) {
      const dueMs = delivery.dueAt.getTime();
      if (dueMs > nowMs) {
        later.push(dueMs);
        break;
      }
      due.push(delivery);
    }
  }
  return { due, nextMs: later.length === 0 ? undefined : Math.min(...later) };
}
