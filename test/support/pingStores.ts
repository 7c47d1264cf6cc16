// A process that asks both stores for a sign of life through the project's own connections, for tests of TLS: Node reads
// NODE_EXTRA_CA_CERTS at its start only. Prints what the stores answered, or the failure.

import { createLogger } from '../../src/shared/logger.ts';
import { connectMongo } from '../../src/shared/mongo/mongo.ts';
import { connectRedis } from '../../src/shared/redis/redis.ts';

const [redisUrl = '', mongoUrl = ''] = process.argv.slice(2);
const log = createLogger({ level: 'silent', role: 'test' });
const redis = connectRedis({ url: redisUrl, name: 'tls', log });
const mongo = connectMongo({ url: mongoUrl, database: 'test', timeoutMs: 20_000 });
const failed = new Promise<string>((resolve) => redis.once('error', (error: Error) => resolve(error.message)));
const pinged = await Promise.race([redis.ping(), failed]);
const found = await mongo.db.command({ ping: 1 }).then(
  ({ ok }) => `ok ${ok}`,
  (error: Error) => error.message,
);
process.stdout.write(`${JSON.stringify({ redis: pinged, mongo: found })}\n`, () => process.exit(0));
