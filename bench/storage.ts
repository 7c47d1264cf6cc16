// The bytes that accounts and orders leave in the stores. An order takes bytes in its journal until the journal is trimmed, and in
// MongoDB for as long as history is kept. An account takes bytes in Redis while it is open, and in MongoDB while it rests.
// The bytes of MongoDB are the bytes of the documents as BSON, before compression and without indexes.
// `node --import tsx bench/storage.ts`
import { BSON } from 'mongodb';
import type { OrderRequest } from '../src/actors/core/messages/order.ts';
import { readJournalPosition } from '../src/actors/engine/journal/journalPosition.ts';
import { shardKeys } from '../src/shared/redis/keys.ts';
import type { Stack } from '../test/support/stack.ts';
import { until } from '../test/support/until.ts';
import { accountIds, type BenchGateway, openAccounts, startGateway } from './support/accounts.ts';
import { BENCH_COINS, registerAccounts, startExchange } from './support/exchange.ts';
import { round } from './support/load.ts';

const ACCOUNTS = 400;
const ORDERS_OF_EACH = 20;
const USERS = 50;
const SHARDS = Array.from({ length: 16 }, (_, shard) => shard);
const SENT_AT_ONCE = 64;
const [BTC] = BENCH_COINS;

type Bytes = Readonly<Record<string, number>>;

const stack = await startExchange();
const gateway = await startGateway(stack);
try {
  const before = await mongoBytes(stack);
  await registerAccounts(stack, USERS);
  const withUsers = await mongoBytes(stack);
  const ids = accountIds(ACCOUNTS);
  await openAccounts(gateway, ids, () => [bitcoin('buy')]);
  await untilWritten(stack);
  const opened = await mongoBytes(stack);
  const redisOfAccount = round((await redisBytes(stack)) / (ACCOUNTS + USERS), 0);
  await trade(gateway, ids);
  const journalOfOrder = await journalBytesOfEntry(stack);
  await untilWritten(stack);
  const mongoOfOrder = perUnit(await mongoBytes(stack), opened, ACCOUNTS * ORDERS_OF_EACH);
  const mongoOfAccount = perUnit(opened, withUsers, ACCOUNTS);
  console.log(
    JSON.stringify({
      storage: {
        filledOrder: { journal: journalOfOrder, mongo: mongoOfOrder },
        accountWithAPosition: { redis: redisOfAccount, mongo: mongoOfAccount },
        user: { mongo: perUnit(withUsers, before, USERS) },
      },
    }),
  );
} finally {
  await gateway.stop();
  await stack.stop();
}

function bitcoin(side: 'buy' | 'sell'): OrderRequest {
  const limitPrice = side === 'buy' ? BTC.ask : BTC.bid;
  return { asset: BTC.asset, side, limitPrice, size: BTC.size, reduceOnly: false, type: { kind: 'limit', timeInForce: 'ioc' } };
}

/** Each account buys and sells in turn, one order a command. */
async function trade({ send }: BenchGateway, ids: readonly string[]): Promise<void> {
  const waiting = [...ids];
  const tradeNext = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      for (let n = 0; n < ORDERS_OF_EACH; n++) {
        const orders = [bitcoin(n % 2 === 0 ? 'buy' : 'sell')];
        const outcome = await send(id, { type: 'placeOrders', orders, grouping: 'na' }, { requestId: 'bench' });
        if (outcome.type !== 'orders' || outcome.orders[0]?.type !== 'filled') throw new Error(JSON.stringify(outcome));
      }
    }
  };
  await Promise.all(Array.from({ length: SENT_AT_ONCE }, tradeNext));
}

/** All commits of all shards are in MongoDB. */
async function untilWritten({ mongo, redis }: Stack): Promise<void> {
  const heads = await Promise.all(SHARDS.map(async (shard) => Number(await redis.hget(shardKeys.head(shard), 'n'))));
  await until(async () => {
    const positions = await Promise.all(SHARDS.map((shard) => readJournalPosition(mongo, shard)));
    return positions.every((position, shard) => (position?.commit ?? 0) >= (heads[shard] ?? 0));
  });
}

/** Memory of one entry in the journals as they are. */
async function journalBytesOfEntry({ redis }: Stack): Promise<number> {
  let [bytes, entries] = [0, 0];
  for (const shard of SHARDS) {
    bytes += (await redis.memory('USAGE', shardKeys.journal(shard), 'SAMPLES', 0)) ?? 0;
    entries += await redis.xlen(shardKeys.journal(shard));
  }
  return Math.round(bytes / entries);
}

/** Memory of all keys of the shards but their journals. */
async function redisBytes({ redis }: Stack): Promise<number> {
  const keys = (await redis.keys('{s*')).filter((key) => !key.endsWith(':journal'));
  const sizes = await Promise.all(keys.map((key) => redis.memory('USAGE', key, 'SAMPLES', 0)));
  return sizes.reduce<number>((sum, bytes) => sum + (bytes ?? 0), 0);
}

/** Bytes of the documents of each collection. */
async function mongoBytes({ mongo }: Stack): Promise<Bytes> {
  const bytes: Record<string, number> = {};
  for (const { name } of await mongo.db.listCollections({}, { nameOnly: true }).toArray()) {
    bytes[name] = 0;
    for await (const document of mongo.db.collection(name).find()) bytes[name] += BSON.calculateObjectSize(document);
  }
  return bytes;
}

/** The growth per unit; collections that got next to nothing are left out. */
function perUnit(now: Bytes, before: Bytes, units: number): Bytes {
  const added = Object.entries(now).map(([name, bytes]) => [name, Math.round((bytes - (before[name] ?? 0)) / units)] as const);
  return Object.fromEntries(added.filter(([, bytes]) => bytes > 0));
}
