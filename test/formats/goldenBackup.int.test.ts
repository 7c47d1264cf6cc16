// Every version of a backup that a build has ever written can be checked and restored.
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { readManifest } from '../../src/operators/backup/manifest.ts';
import { runCommand } from '../../src/operators/commands.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { marketKeys, shardKeys } from '../../src/shared/redis/keys.ts';
import { answerPlace, openAnswer } from '../../src/shared/redis/rememberedAnswers.ts';
import { accountName } from '../support/actorBench.ts';
import { type AdminStores, adminOn } from '../support/backupStores.ts';
import { type Store, startMongo, startRedis } from '../support/stores.ts';

const FOLDER = fileURLToPath(new URL('../fixtures/backups/', import.meta.url));
const SHARDS = 2;

describe('golden backups', function () {
  this.timeout(600_000);
  let stores: Store[];
  let target: AdminStores;

  before(async () => {
    stores = await Promise.all([startRedis(), startMongo({ memory: true })]);
    target = adminOn({ redisUrl: stores[0]?.url ?? '', mongoUrl: stores[1]?.url ?? '', shards: SHARDS });
  });
  after(async () => {
    await target.close();
    await Promise.all(stores.map((store) => store.stop()));
  });

  for (const version of readdirSync(FOLDER)) {
    it(`version ${version}`, async () => {
      const { redis, mongo } = target;
      const folder = `${FOLDER}${version}`;
      expect((await readManifest(folder)).version).to.equal(Number(version));
      await runCommand(['backup-check', folder], target);
      await runCommand(['restore', folder], target);
      const [ada, bea] = [1, 2].map(accountName) as [string, string];
      const shard = shardOf(ada, SHARDS);
      expect(await redis.lrange(shardKeys.entriesSetAside(shard, ada), 0, -1)).to.have.length(1);
      expect(await redis.hkeys(shardKeys.quarantine(shard))).to.deep.equal([ada]);
      expect(await redis.xlen(shardKeys.dead(0))).to.equal(1);
      expect(await redis.hkeys(marketKeys.state)).to.include('funding:BTC');
      const [user] = await mongo.db.collection(collections.users).find().toArray();
      expect(user?.['createdAt']).to.deep.equal(new Date(1_795_000_000_000));
      const live = await Promise.all([0, 1].map((each) => redis.smembers(shardKeys.live(each))));
      expect(live.flat()).to.have.members([ada, bea]);
      const { name, seal } = answerPlace(bea, 'golden');
      const answer = (await redis.get(shardKeys.answer(shardOf(bea, SHARDS), name))) ?? '';
      expect(openAnswer(answer.replace(/^aa /, ''), seal)).to.match(/^\{"type":"orders"/);
      await redis.flushall();
      await mongo.db.dropDatabase();
    });
  }
});
