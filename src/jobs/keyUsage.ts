// Moves the time of each API key's last use from Redis to MongoDB. API nodes write it to a Redis hash, because a
// MongoDB write at every request would cost too much. Run twice, the job loses no time and moves none backwards.

import type { RepeatableJob } from '../shared/deployment/job.ts';
import { collections } from '../shared/mongo/mongo.ts';
import { apiKeyKeys } from '../shared/redis/keys.ts';
import { Script } from '../shared/redis/script.ts';

/** Times that one bulk write moves. */
const SLICE = 500;

/**
 * Removes a time from the hash, unless a newer one has replaced it since it was read.
 * KEYS[1] the hash. ARGV pairs of field, value as read. Answers the number of times removed.
 * Atomic, because a time written between the comparison and the deletion would be lost.
 */
const forget = new Script(
  'forgetKeyUsage',
  `
local forgotten = 0
for i = 1, #ARGV, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) == ARGV[i + 1] then
    forgotten = forgotten + redis.call('HDEL', KEYS[1], ARGV[i])
  end
end
return forgotten`,
);

export const keyUsage: RepeatableJob = {
  name: 'key-usage',
  everyMs: 15_000,
  async run({ redis, mongo }) {
    const notes = Object.entries(await redis.hgetall(apiKeyKeys.used)).filter(([, usedMs]) =>
      Number.isSafeInteger(Number(usedMs)),
    );
    for (let from = 0; from < notes.length; from += SLICE) {
      const slice = notes.slice(from, from + SLICE);
      await mongo.db.collection<{ _id: string; lastUsedAt: Date }>(collections.apiKeys).bulkWrite(
        slice.map(([keyId, usedMs]) => ({
          updateOne: { filter: { _id: keyId }, update: { $max: { lastUsedAt: new Date(Number(usedMs)) } } },
        })),
        { ordered: false },
      );
      await forget.run(redis, [apiKeyKeys.used], slice.flat());
    }
  },
};
