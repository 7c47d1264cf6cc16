// One turn of an endpoint: what is due is sent, lane by lane, each lane in order and no delivery before the one ahead of it has arrived or
// is a dead letter. A turn ends after a number of deliveries, so an endpoint has no more of them in a second. Only one turn of an endpoint
// runs at a time; what a process that dies has sent and not noted is sent again.
import type { DeploymentSecrets } from '../../shared/access/deploymentSecrets.ts';
import { AlertDeliveries, type AlertDeliveryDocument } from '../../shared/alerts/alertDeliveries.ts';
import { type AlertEndpointDocument, AlertEndpoints } from '../../shared/alerts/alertEndpoints.ts';
import type { Logger } from '../../shared/logger.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';
import { nextTryMs } from '../domain/trySchedule.ts';
import { sendWebhook, type WebhookNetwork } from './sendWebhook.ts';
import { secretsInForce, signedHeaders } from './signedHeaders.ts';

/** Deliveries of one turn; an endpoint has a turn a second at most. */
const SENDS_PER_TURN = 20;
/** Lanes of an endpoint that are tried at the same time: one account that is not taken does not hold up another. */
const LANES_AT_ONCE = 4;
/** A turn that finds another deployment secret is repeated after this, ms. */
const SECRET_PAUSE_MS = 60_000;

export interface TurnParts {
  readonly mongo: MongoConnection;
  readonly log: Logger;
  readonly realNow: () => number;
  readonly secrets: Pick<DeploymentSecrets, 'keyFor'>;
  readonly network: WebhookNetwork;
  /** A try is over. */
  readonly onTry: (outcome: 'delivered' | 'failed' | 'dead') => void;
}

/** What a turn has left to send. */
interface Budget {
  left: number;
}

/** Repeatable: what was noted as delivered is not sent again. */
export async function deliverTurn(parts: TurnParts, endpointId: string): Promise<void> {
  const [endpoints, deliveries] = [new AlertEndpoints(parts.mongo), new AlertDeliveries(parts.mongo)];
  const endpoint = await endpoints.find(endpointId);
  if (endpoint === null) return deliveries.removeOf(endpointId);
  if (endpoint.state !== 'active') return;
  const { turn } = endpoint;
  const secrets = await secretsInForce(parts.secrets, endpoint, parts.realNow());
  if (secrets === undefined) {
    parts.log.error(
      { endpoint: endpointId },
      'webhooks cannot be signed: this process has another DEPLOYMENT_SECRET than the API',
    );
    return endpoints.endTurn(endpointId, { turn, turnAt: new Date(parts.realNow() + SECRET_PAUSE_MS) });
  }
  const lanes = await deliveries.lanes(endpointId);
  const budget: Budget = { left: SENDS_PER_TURN };
  const dues: number[] = [];
  const work = async (): Promise<void> => {
    for (let lane = lanes.pop(); lane !== undefined; lane = lanes.pop()) {
      const dueMs = await deliverLane({ ...parts, endpoint, secrets, deliveries, endpoints }, lane, budget);
      if (dueMs !== undefined) dues.push(dueMs);
    }
  };
  await Promise.all(Array.from({ length: LANES_AT_ONCE }, work));
  const turnAt = dues.length === 0 ? null : new Date(Math.min(...dues));
  await endpoints.endTurn(endpointId, { turn, turnAt });
}

interface LaneParts extends Omit<TurnParts, 'secrets'> {
  readonly endpoint: AlertEndpointDocument;
  readonly secrets: readonly string[];
  readonly deliveries: AlertDeliveries;
  readonly endpoints: AlertEndpoints;
}

/** @returns when the lane has something to try; undefined = nothing waits in it */
async function deliverLane(parts: LaneParts, lane: string, budget: Budget): Promise<number | undefined> {
  const { endpoint, deliveries, realNow } = parts;
  for (;;) {
    const head = await deliveries.head(endpoint._id, lane);
    if (head === null) return undefined;
    const dueMs = head.dueAt.getTime();
    if (dueMs > realNow() || budget.left === 0) return dueMs;
    budget.left -= 1;
    if ((await tryOnce(parts, head)) === 'paused') budget.left = 0;
  }
}

async function tryOnce(parts: LaneParts, delivery: AlertDeliveryDocument): Promise<'paused' | undefined> {
  const { endpoint, secrets, network, deliveries, endpoints, realNow, onTry, log } = parts;
  const { body } = delivery;
  const headers = signedHeaders(delivery, secrets, realNow());
  const { isDelivered, result } = await sendWebhook({ url: endpoint.url, headers, body }, network);
  const nowMs = realNow();
  const at = new Date(nowMs);
  if (isDelivered) {
    await deliveries.tried(delivery, { at, state: 'delivered', result, dueAt: at });
    await endpoints.noteSuccess(endpoint._id, at);
    onTry('delivered');
    return undefined;
  }
  const nextMs = nextTryMs(delivery.tries + 1, nowMs);
  const [state, dueAt] = nextMs === undefined ? (['dead', at] as const) : (['waiting', new Date(nextMs)] as const);
  await deliveries.tried(delivery, { at, state, result, dueAt });
  onTry(state === 'dead' ? 'dead' : 'failed');
  if (state !== 'dead') return undefined;
  await deliveries.cutDead(endpoint._id);
  const isPaused = await endpoints.pauseFailing(endpoint._id, delivery.firstTriedAt ?? at);
  if (!isPaused) return undefined;
  log.info({ endpoint: endpoint._id }, 'an endpoint that nothing has reached for a day is paused');
  return 'paused';
}
