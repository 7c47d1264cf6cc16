// The composition root of the operators' commands: `bin/admin`, or `node dist/admin.js` with the variables of any
// role. It opens the stores, runs one command and prints the result, as lines or, with --json, as JSON.

import { type OperatorParts, Refused, UsageError } from './operators/acts/operatorParts.ts';
import { findCommand, runCommand, USAGE } from './operators/commands.ts';
import { createBilling } from './shared/billing/billing.ts';
import { readConfig } from './shared/config/config.ts';
import { requireReleased } from './shared/deployment/joinDeployment.ts';
import { createLogger } from './shared/logger.ts';
import { connectMongo } from './shared/mongo/mongo.ts';
import { connectRedis } from './shared/redis/redis.ts';

/** How long Redis may take to answer at all, ms. An operator at a terminal wants to know soon that Redis is away. */
const CONNECT_MS_MAX = 5000;

async function main(): Promise<void> {
  const asked = process.argv.slice(2);
  const words = asked.filter((word) => word !== '--json');
  if (words.length === 0 || words.includes('--help')) {
    process.stdout.write(USAGE);
    return;
  }
  const config = readConfig(process.env);
  const log = createLogger({ level: 'silent', role: 'admin' });
  const redis = connectRedis({ url: config.REDIS_URL, name: 'admin', log });
  const mongo = connectMongo({ url: config.MONGO_URL, database: config.MONGO_DATABASE, timeoutMs: config.MONGO_TIMEOUT_MS });
  try {
    if (findCommand(words).needsNoStores !== true) {
      await answers(redis);
      await requireReleased({ redis, mongo });
    }
    // Every build reads the first generation, and what operators send needs nothing newer.
    const billing = createBilling({ config, log, now: Date.now, redis, mongo, formats: { current: 1, recorded: 1 } });
    const { data, lines, isBad } = await runCommand(words, { billing, redis, mongo });
    process.stdout.write(asked.includes('--json') ? `${JSON.stringify(data, null, 2)}\n` : `${lines.join('\n')}\n`);
    if (isBad === true) process.exitCode = 1;
  } finally {
    redis.disconnect();
    await mongo.close();
  }
}

/** @throws {Refused} when Redis does not */
async function answers(redis: OperatorParts['redis']): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Refused('Redis does not answer: does the exchange run?')), CONNECT_MS_MAX);
  });
  await Promise.race([redis.ping(), late]).finally(() => clearTimeout(timer));
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
