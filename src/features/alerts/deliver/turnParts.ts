// The parts of a turn of deliveries, whichever channel its endpoint has, and the consequences of a try.
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import type { Logger } from '../../../shared/logger.ts';
import type { Mailer } from '../../../shared/mailer.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';
import type { AlertChannel } from '../rules/alertKinds.ts';
import { AlertDeliveries, type AlertDeliveryDocument, type NotedTry } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import type { WebhookNetwork } from './sendWebhook.ts';
import type { TelegramBot } from './telegram.ts';
import { nextTryMs, type TryResult } from './tryResult.ts';

export interface TurnParts {
  readonly mongo: MongoConnection;
  readonly log: Logger;
  readonly realNow: () => number;
  readonly secrets: Pick<DeploymentSecrets, 'keyFor'>;
  readonly network: WebhookNetwork;
  readonly mailer: Mailer;
  /** Where users see their alerts; a mail names it. */
  readonly publicUrl: string;
  /** Absent: this process has no TELEGRAM_TOKEN. */
  readonly bot?: TelegramBot | undefined;
  /** A try is over. */
  readonly onTry: (outcome: TryOutcome, channel: AlertChannel) => void;
}

type TryOutcome = 'delivered' | 'failed' | 'dead';

/** A turn that cannot send is repeated after this, ms: the operator has to change something. */
export const OPERATOR_PAUSE_MS = 60_000;

// What follows from a try: what was sent is noted as delivered, or is tried again later, or is a dead letter after its last try. An
// endpoint that nothing has reached for so long is paused.

/** @param sent together, in their order */
export async function noteTry(
  parts: Pick<TurnParts, 'mongo' | 'log' | 'realNow' | 'onTry'>,
  { endpoint, sent }: { readonly endpoint: AlertEndpointDocument; readonly sent: readonly AlertDeliveryDocument[] },
  { isDelivered, result, notBeforeMs = 0 }: TryResult,
): Promise<void> {
  const [endpoints, deliveries] = [new AlertEndpoints(parts.mongo), new AlertDeliveries(parts.mongo)];
  const nowMs = parts.realNow();
  const at = new Date(nowMs);
  const noted = sent.map((delivery): NotedTry => {
    const nextMs = isDelivered ? nowMs : nextTryMs(delivery.tries + 1, nowMs);
    const state = isDelivered ? 'delivered' : nextMs === undefined ? 'dead' : 'waiting';
    return { delivery, at, state, result, dueAt: new Date(Math.max(nextMs ?? nowMs, notBeforeMs)) };
  });
  await deliveries.tried(noted);
  for (const { state } of noted) parts.onTry(state === 'waiting' ? 'failed' : state, endpoint.channel);
  if (isDelivered) return endpoints.noteSuccess(endpoint._id, at);
  const dead = noted.find(({ state }) => state === 'dead');
  if (dead === undefined) return;
  await deliveries.cutDead(endpoint._id);
  if (!(await endpoints.pauseFailing(endpoint._id, dead.delivery.firstTriedAt ?? at))) return;
  parts.log.info({ endpoint: endpoint._id }, 'an endpoint that nothing has reached for a day is paused');
}
