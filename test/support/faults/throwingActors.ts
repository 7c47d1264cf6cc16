// The role `actors` as a test composes it: the real one in a process of its own, with rules that fail for marked orders.
// `node --import tsx throwingActors.ts`.
import { Registry } from 'prom-client';
import { startActors } from '../../../src/actors/role.ts';
import { type Rules, tradingRules } from '../../../src/actors/rules.ts';
import { readConfig } from '../../../src/shared/config.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { connectMongo } from '../../../src/shared/mongo.ts';
import { connectRedis } from '../../../src/shared/redis.ts';
import { isMarked } from './markedOrder.ts';

const rules: Rules = {
  ...tradingRules,
  decide: (account, command, context) => {
    if (isMarked(command, 'decideThrows')) throw new Error('the rule fails');
    const decision = tradingRules.decide(account, command, context);
    // No account can fold the move of an order that is not there.
    return isMarked(command, 'foldThrows')
      ? { ...decision, events: [{ type: 'queueMoved', asset: 0, ahead: [[1, '1']] }] }
      : decision;
  },
};

const config = readConfig(process.env);
const log = createLogger({ level: config.LOG_LEVEL, role: 'actors' });
const connect = (name = 'connection') => connectRedis({ url: config.REDIS_URL, name: `${config.NODE_ID}:${name}`, log });
const redis = connect();
const mongo = connectMongo({ url: config.MONGO_URL, database: config.MONGO_DATABASE, timeoutMs: config.MONGO_TIMEOUT_MS });
const parts = { config, log, redis, subscriberFactory: connect, mongo, now: Date.now, registry: new Registry() };
await startActors(parts, rules);
