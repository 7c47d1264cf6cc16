// Tells a chat that it is bound: a test, which is made in the first turn of the endpoint. That it is to be made was noted with the chat, and
// its id is made from the time of that: whatever dies in between, the chat is greeted, and by one delivery.
import { AlertDeliveries, deliveryId, TEST_LANE } from '../../../shared/alerts/alertDeliveries.ts';
import type { AlertEndpointDocument, ToTelegram } from '../../../shared/alerts/alertEndpoint.ts';
import { AlertEndpoints } from '../../../shared/alerts/alertEndpoints.ts';
import { testBody } from '../../../shared/domain/alerts/testBody.ts';
import type { MongoConnection } from '../../../shared/mongo/mongo.ts';

export async function greetChat(
  mongo: MongoConnection,
  { _id, userId, toGreet }: AlertEndpointDocument & ToTelegram,
): Promise<void> {
  if (toGreet === undefined) return;
  const greeting = {
    _id: deliveryId(_id, TEST_LANE, toGreet.getTime(), 'bound'),
    ...{ endpoint: _id, userId, lane: TEST_LANE, type: 'test' as const, body: testBody(_id, toGreet.toISOString()) },
  };
  await new AlertDeliveries(mongo).add([greeting], toGreet);
  await new AlertEndpoints(mongo).greeted(_id);
}
