// A turn of a webhook: each account is a lane, and each lane is sent in order, a message after the other. A turn ends after a number of
// messages, so an endpoint has no more of them in a second, after some seconds, so what is changed of the endpoint counts by then, and after
// a try that has failed or was slow: a receiver that hangs holds its place for the tries that are under way, and the rest waits among those
// that hang as well. No lane is always the first: a busy account keeps none waiting for good.

import { Webhook } from 'standardwebhooks';
import type { DeploymentSecrets } from '../../../shared/access/secrets.ts';
import { AlertDeliveries, type AlertDeliveryDocument } from '../store/alertDeliveries.ts';
import type { AlertEndpointDocument, ToWebhook } from '../store/alertEndpoint.ts';
import { AlertEndpoints } from '../store/alertEndpoints.ts';
import { type SecretNote, webhookSecret } from '../store/webhook.ts';
import { sendWebhook } from './sendWebhook.ts';
import { noteTry, OPERATOR_PAUSE_MS, type TurnParts } from './turnParts.ts';
import { fromAny } from './turns.ts';

/** Deliveries of one turn; an endpoint has a turn a second at most. */
const SENDS_PER_TURN = 20;
/** Lanes of an endpoint that are tried at the same time: one account that is not taken does not hold up another. */
const LANES_AT_ONCE = 4;

/** A try that takes longer, ms, is slow; a turn that has lasted longer begins no other. */
const SLOW_MS = 5000;

/** What a turn has left to send and until when, and whether a try of it has failed or was slow. */
interface Budget {
  left: number;
  readonly untilMs: number;
  hasHung: boolean;
}

export async function deliverLanes(parts: TurnParts, endpoint: AlertEndpointDocument & ToWebhook): Promise<void> {
  const [endpoints, deliveries] = [new AlertEndpoints(parts.mongo), new AlertDeliveries(parts.mongo)];
  const { _id, turn } = endpoint;
  const { realNow } = parts;
  const signers = await secretsInForce(parts.secrets, endpoint, realNow());
  if (signers === undefined) {
    parts.log.error({ endpoint: _id }, 'webhooks cannot be signed: this process has another DEPLOYMENT_SECRET than the API');
    return endpoints.endTurn(_id, { turn, turnAt: new Date(realNow() + OPERATOR_PAUSE_MS) });
  }
  const lanes = fromAny(await deliveries.lanes(_id));
  const budget: Budget = { left: SENDS_PER_TURN, untilMs: realNow() + SLOW_MS, hasHung: false };
  const dues: number[] = [];
  const work = async (): Promise<void> => {
    for (let lane = lanes.shift(); lane !== undefined; lane = lanes.shift()) {
      const dueMs = await deliverLane({ ...parts, endpoint, signers, deliveries }, lane, budget);
      if (dueMs !== undefined) dues.push(dueMs);
    }
  };
  await Promise.all(Array.from({ length: LANES_AT_ONCE }, work));
  await endpoints.endTurn(_id, { turn, turnAt: dues.length === 0 ? null : new Date(Math.min(...dues)) });
  if (budget.left < SENDS_PER_TURN) await endpoints.noteFailing(endpoint, budget.hasHung ? new Date(realNow()) : undefined);
}

interface LaneParts extends TurnParts {
  readonly endpoint: AlertEndpointDocument & ToWebhook;
  readonly signers: readonly string[];
  readonly deliveries: AlertDeliveries;
}

/** @returns when the lane has something to try; undefined = nothing waits in it */
async function deliverLane(parts: LaneParts, lane: string, budget: Budget): Promise<number | undefined> {
  const { endpoint, deliveries, realNow } = parts;
  for (;;) {
    const head = await deliveries.head(endpoint._id, lane);
    if (head === null) return undefined;
    const dueMs = head.dueAt.getTime();
    if (dueMs > realNow() || realNow() > budget.untilMs || budget.left === 0) return dueMs;
    budget.left -= 1;
    if (await tryOnce(parts, head)) continue;
    budget.left = 0;
    budget.hasHung = true;
  }
}

/** @returns whether it has arrived, and soon */
async function tryOnce(parts: LaneParts, delivery: AlertDeliveryDocument): Promise<boolean> {
  const { endpoint, signers, network, realNow } = parts;
  const beganMs = realNow();
  const headers = signedHeaders(delivery, signers, beganMs);
  const outcome = await sendWebhook({ url: endpoint.url, headers, body: delivery.body }, network);
  const tookMs = realNow() - beganMs;
  await noteTry(parts, { endpoint, sent: [delivery] }, outcome);
  return outcome.isDelivered && tookMs <= SLOW_MS;
}

// The headers of a message in the form of Standard Webhooks: an id that stays in every try, the time of the try, and a signature by each
// secret that is in force.

/** The secrets that sign for an endpoint, the newest first; undefined = this process has another deployment secret. */
async function secretsInForce(
  secrets: Pick<DeploymentSecrets, 'keyFor'>,
  { _id, secret, secretBefore }: AlertEndpointDocument & ToWebhook,
  nowMs: number,
): Promise<readonly string[] | undefined> {
  const isBefore = secretBefore !== undefined && secretBefore.until.getTime() > nowMs;
  const notes: SecretNote[] = [secret, ...(isBefore ? [secretBefore] : [])];
  const made = await Promise.all(notes.map(({ version }) => webhookSecret(secrets, _id, version)));
  return made.every(({ note }, i) => note.digest === notes[i]?.digest) ? made.map((one) => one.secret) : undefined;
}

/** @param nowMs of the try: a receiver refuses a time that is minutes away from its own */
function signedHeaders(
  { message, body }: Pick<AlertDeliveryDocument, 'message' | 'body'>,
  secrets: readonly string[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const at = new Date(nowMs);
  return {
    'content-type': 'application/json',
    'user-agent': 'paper-perps-exchange-alerts/1',
    'webhook-id': message,
    'webhook-timestamp': String(Math.floor(nowMs / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(message, at, body)).join(' '),
  };
}
