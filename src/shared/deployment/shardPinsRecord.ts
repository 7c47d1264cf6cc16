// The record of moved shards in both stores. MongoDB has the one that counts, for Redis may be new; Redis has the copy that pods read with
// each heartbeat. Each pod that starts raises the copy to the record, and each heartbeat to what the pod has read before.

import { NO_PINS, type ShardPins, writePins } from '../domain/shards.ts';
import type { Logger } from '../logger.ts';
import { collections, durable, isFirst, type MongoConnection } from '../mongo/mongo.ts';
import { podKeys } from '../redis/keys.ts';
import type { Redis } from '../redis/redis.ts';
import { Script } from '../redis/script.ts';

const RECORD_ID = 'shardPins';

/** The record as it is stored, without the number of its form, which `schema` has. */
interface PinsDocument extends Omit<ShardPins, 'version'> {
  readonly _id: typeof RECORD_ID;
  readonly schema: 1;
}

/**
 * A Lua function for scripts that have the record among their keys: writes it unless the one there is as new. What is no record, because
 * an operator has changed it by hand, is older than any: it is never kept, and never put back.
 */
export const RAISE_PINS_LUA = `
local function numberOf(text)
  local number, json = string.match(text, '^(%d+) (.*)$')
  local isJson, record = pcall(cjson.decode, json or '')
  if not isJson or type(record) ~= 'table' or type(record.version) ~= 'number' then return 0 end
  if record.version > 1 then return tonumber(number) end
  if record.number ~= tonumber(number) or type(record.pins) ~= 'table' then return 0 end
  for _, pin in pairs(record.pins) do
    if type(pin) ~= 'table' or type(pin.shard) ~= 'number' or type(pin.node) ~= 'string' then return 0 end
  end
  return record.number
end
local function raisePins(key, record)
  local there = redis.call('GET', key) or ''
  if numberOf(record) <= numberOf(there) then return there end
  redis.call('SET', key, record)
  return record
end
`;

const raiseScript = new Script(
  'raiseShardPins',
  `
-- Brings the record of moved shards up to the given one.
-- KEYS  record of moved shards.
-- ARGV  record.
-- Answers the record as it is now.
-- Atomic because two writers may come at once: the newer record stays.
${RAISE_PINS_LUA}
return raisePins(KEYS[1], ARGV[1])
`,
  { whenFull: 'runs' },
);

export async function raiseRedisPins(redis: Redis, record: ShardPins): Promise<void> {
  if (record.number > 0) await raiseScript.run(redis, [podKeys.pins], [writePins(record)]);
}

/** @throws Error when a newer build has written it */
export async function readMongoPins(mongo: MongoConnection): Promise<ShardPins> {
  const found = await documentsOf(mongo).findOne({ _id: RECORD_ID });
  if (found === null) return NO_PINS;
  if (found.schema !== 1) throw new Error(`A newer build has written which shards are moved (schema ${found.schema}).`);
  return { version: 1, number: found.number, pins: found.pins };
}

/**
 * @param read what MongoDB had when the record was made
 * @returns false when another one was written meanwhile: nothing is done then
 */
export async function replaceMongoPins(mongo: MongoConnection, { number, pins }: ShardPins, read: ShardPins): Promise<boolean> {
  const document: PinsDocument = { _id: RECORD_ID, schema: 1, number, pins };
  const documents = documentsOf(mongo);
  if (read.number > 0) return (await documents.replaceOne({ _id: RECORD_ID, number: read.number }, document)).matchedCount === 1;
  return isFirst(documents.insertOne(document));
}

/** Gives Redis what it may have lost. Never rejects: without MongoDB the shards go as Redis and the other pods know. */
export async function restorePins({ redis, mongo, log }: { redis: Redis; mongo: MongoConnection; log: Logger }): Promise<void> {
  try {
    await raiseRedisPins(redis, await readMongoPins(mongo));
  } catch (error) {
    log.warn({ err: error }, 'which shards are moved is not looked up in MongoDB');
  }
}

const documentsOf = (mongo: MongoConnection) => mongo.db.collection<PinsDocument>(collections.settings, durable);
