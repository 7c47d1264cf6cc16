// The cut of a backup under a client that sends at its own times, whatever is answered, and that sends everything again, with the same
// Idempotency-Keys, to the deployment that was restored from it.
import { join } from 'node:path';
import { expect } from 'chai';
import type { CommandGateway } from '../../../src/api/accounts/gateway/commandGateway.ts';
import { Idempotency } from '../../../src/api/http/idempotency.ts';
import { readManifest } from '../../../src/operators/backup/manifest.ts';
import { runCommand } from '../../../src/operators/commands.ts';
import { markMongo, markRedis, raiseMongoRecord, raiseRedisRecord } from '../../../src/shared/deployment/deploymentRecord.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { idempotencyKeys, shardKeys } from '../../../src/shared/redis/keys.ts';
import { ActorBench, accountName, answerOf, commands } from '../../support/actorBench.ts';
import { type AdminStores, adminOn } from '../../support/backupStores.ts';
import { makeDir, type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const SHARDS = 2;
const SEND_EVERY_MS = 8;
const ask = { requestId: 'r' };

interface Sent {
  readonly account: string;
  /** Its Idempotency-Key, and its price: no other order of the account has it. */
  readonly price: string;
  isAcknowledged: boolean;
}

describe('admin: the cut of a backup', function () {
  this.timeout(600_000);
  const folder = join(makeDir('cut'), 'backup');
  const accounts = [1, 2, 3, 4].map(accountName);
  const sent: Sent[] = [];
  const env = { SHARDS: String(SHARDS), HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '60000' };
  const admins: AdminStores[] = [];
  let source: ActorBench;
  let target: ActorBench | undefined;
  let first: ReadonlySet<Sent>;

  before(async () => {
    source = await ActorBench.start(env);
    const { redis, mongo } = source;
    await raiseRedisRecord(redis, { shards: SHARDS, formats: NEWEST_FORMAT });
    await raiseMongoRecord(mongo, { shards: SHARDS, formats: NEWEST_FORMAT });
    await source.startOnlyPod();
  });
  after(async () => {
    await Promise.all(admins.map((admin) => admin.close()));
    await Promise.all([source.stop(), target?.stop()]);
  });

  const adminOf = (redis: Store, mongo: Store): AdminStores => {
    const admin = adminOn({ redisUrl: redis.url, mongoUrl: mongo.url, shards: SHARDS });
    admins.push(admin);
    return admin;
  };
  const send = (gateway: CommandGateway, { account, price }: Sent) =>
    gateway.send(account, commands.rest(price), { ...ask, idempotency: { key: `key-${price}`, bodyDigest: 'aa' } });
  const pricesOf = async (gateway: CommandGateway, account: string): Promise<string[]> => {
    const answer = answerOf(await gateway.send(account, commands.openOrders, ask));
    return answer.kind === 'openOrders' ? answer.orders.map(({ limitPrice }) => String(limitPrice)) : [];
  };
  /** A request outside trading. @returns how often its work was done */
  const outside = async ({ redis, config, log }: ActorBench, key: string): Promise<number> => {
    let done = 0;
    const idempotency = new Idempotency({ redis, config, log, secret: async () => Buffer.from('s') });
    const ctx = { req: { headers: { 'idempotency-key': key } } } as never;
    expect(await idempotency.run(ctx, { scope: 'made:user', body: {} }, async () => ({ made: ++done > 0 }))).to.deep.equal({
      made: true,
    });
    return done;
  };

  it('a backup is made under a client that waits for no answer', async () => {
    const gateway = await source.startGateway();
    for (const account of accounts) await gateway.send(account, commands.open, ask);
    expect(await outside(source, 'before')).to.equal(1);
    const answers: Promise<void>[] = [];
    const troubles: unknown[] = [];
    const clock = setInterval(() => {
      const account = accounts[sent.length % accounts.length] as string;
      const one: Sent = { account, price: String(20_000 + sent.length), isAcknowledged: false };
      sent.push(one);
      answers.push(
        send(gateway, one).then((outcome) => {
          if (outcome.type !== 'orders') troubles.push(outcome);
          else one.isAcknowledged = true;
        }),
      );
    }, SEND_EVERY_MS);
    await until(() => sent.filter(({ isAcknowledged }) => isAcknowledged).length > 50);
    first = new Set(sent.filter(({ isAcknowledged }) => isAcknowledged));
    await runCommand(['backup', folder, '--rate', '0.5'], adminOf(source.redisStore, source.mongoStore));
    expect(await outside(source, 'after')).to.equal(1);
    const count = sent.length;
    await until(() => sent.length > count + 10);
    clearInterval(clock);
    await Promise.all(answers);
    expect(troubles).to.deep.equal([]);
  });

  it('all that was acknowledged before is restored, and what is sent again is there once, whatever side of the cut it was on', async () => {
    const [redis, mongo] = await Promise.all([startRedis(), startMongo({ memory: true })]);
    const admin = adminOf(redis, mongo);
    await runCommand(['restore', folder], admin);
    const counts = () => Promise.all([0, 1].map((shard) => admin.redis.hgetall(shardKeys.answerBytes(shard))));
    const counted = await counts();
    // An interrupted restore has put answers already: they count once.
    const { id } = await readManifest(folder);
    await markMongo(admin.mongo, { backup: id, phase: 'writing' });
    await markRedis(admin.redis, { backup: id, phase: 'writing' });
    await runCommand(['restore', folder], admin);
    expect((await counts()).map(({ _all }) => _all)).to.deep.equal(counted.map(({ _all }) => _all));
    target = await ActorBench.start(env, { redis, mongo });
    await target.startOnlyPod();
    const gateway = await target.startGateway();
    const restored = new Map(
      await Promise.all(accounts.map(async (account) => [account, await pricesOf(gateway, account)] as const)),
    );
    for (const { account, price } of first) expect(restored.get(account), price).to.include(price);
    const inside = [...restored.values()].flat().length;
    expect(inside).to.be.within(first.size, sent.length - 1);
    for (const one of sent) await send(gateway, one);
    for (const account of accounts) {
      const own = sent.filter((one) => one.account === account).map(({ price }) => price);
      expect(await pricesOf(gateway, account)).to.have.members(own);
    }
    expect(await outside(target, 'before')).to.equal(0);
    expect(await outside(target, 'after')).to.equal(1);
    expect(await source.redis.xlen(idempotencyKeys.places)).to.equal(2);
  });
});
