// Removes deliveries after their time: what arrived, dead letters, and what waits for an endpoint that is gone. A look that has read an
// endpoint may write deliveries after the endpoint has been removed with all that it had.
import { AlertDeliveries } from '../../shared/alerts/alertDeliveries.ts';
import { AlertEndpoints } from '../../shared/alerts/alertEndpoints.ts';
import { DAY_MS } from '../../shared/domain/units.ts';
import type { MongoConnection } from '../../shared/mongo/mongo.ts';

/** Deliveries are kept for so long, to be looked at. */
const DELIVERED_KEPT_MS = 3 * DAY_MS;
const DEAD_KEPT_MS = 30 * DAY_MS;
/** Endpoints that are asked for at once. */
const STEP = 1000;

/** Repeatable. */
export async function removeOld(mongo: MongoConnection, nowMs: number): Promise<void> {
  const [deliveries, endpoints] = [new AlertDeliveries(mongo), new AlertEndpoints(mongo)];
  const [delivered, dead] = [new Date(nowMs - DELIVERED_KEPT_MS), new Date(nowMs - DEAD_KEPT_MS)];
  await deliveries.removeOld({ delivered, dead });
  const waitedFor = await deliveries.waitingFor();
  for (let from = 0; from < waitedFor.length; from += STEP)
    for (const gone of await endpoints.goneOf(waitedFor.slice(from, from + STEP))) await deliveries.removeOf(gone);
}
