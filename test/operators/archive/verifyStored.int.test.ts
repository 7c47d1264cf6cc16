// Every thing that MongoDB has of an account, damaged once: verification names it in words. And what an account whose entries were
// lost in part may lack, and may not.
import { expect } from 'chai';
import type { Document } from 'mongodb';
import type { Account } from '../../../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import type { AccountEntry } from '../../../src/actors/core/messages/entry.ts';
import type { OperatorParts } from '../../../src/operators/acts/operatorParts.ts';
import { type Verified, verifyPast } from '../../../src/operators/archive/verifyAccount.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { shardOf } from '../../../src/shared/domain/shards.ts';
import { HOUR_MS } from '../../../src/shared/domain/units.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { ACCOUNT_ID, book, cancel, deposit, place, Scenario } from '../../support/scenario.ts';
import { StoredPast } from '../../support/storedPast.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';

const SHARDS = 16;
const SHARD = shardOf(ACCOUNT_ID, SHARDS);
const cloidOf = (n: number): string => `0x${String(n).padStart(32, '0')}`;

describe('verify: every stored thing, damaged once', function () {
  this.timeout(600_000);
  let stores: [Store, Store];
  let redis: Redis;
  let mongo: MongoConnection;
  let scenario: Scenario;
  let stored: StoredPast;

  before(async () => {
    stores = await Promise.all([startRedis(), startMongo({ memory: true })]);
    const log = createLogger({ level: 'silent', role: 'test' });
    redis = connectRedis({ url: stores[0].url, name: 'test', log });
    await begin();
    scenario.given(...Array.from({ length: 140 }, (_, n) => filled(n + 10)));
    settleFunding();
    scenario.given(place({ cloid: cloidOf(1), limitPrice: '50' }), cancel({ target: { cloid: cloidOf(1) } }));
    await stored.write(scenario.entries);
    await stored.state(scenario.account);
    await stored.snapshot(scenario.account);
  });

  after(async () => {
    redis.disconnect();
    await mongo.close();
    await Promise.all(stores.map((store) => store.stop()));
  });

  /** An empty MongoDB, and an account that has just begun. */
  async function begin(): Promise<void> {
    await mongo?.close();
    mongo = connectMongo({ url: stores[1].url, database: `t${Date.now()}${Math.round(Math.random() * 1e6)}`, timeoutMs: 3000 });
    scenario = new Scenario().given(book('SOL', [['99', '1000000']], [['100', '1000000']]), deposit('1000000'));
    stored = new StoredPast(mongo, SHARD);
  }

  const filled = (n: number) =>
    place({ cloid: cloidOf(n), side: n % 2 ? 'sell' : 'buy', limitPrice: n % 2 ? '90' : '110', tif: 'ioc' });

  function settleFunding(): void {
    const throughMs = Math.ceil(scenario.market.nowMs / HOUR_MS) * HOUR_MS;
    scenario.given(place({ limitPrice: '110', tif: 'ioc' }));
    scenario.asked({ type: 'settleFunding', throughMs, hours: [{ hourMs: throughMs, coins: { SOL: ['0.0001', '100'] } }] });
  }

  const documents = (name: string) => mongo.db.collection<Document & { _id: string }>(name);
  const verify = (): Promise<Verified> => {
    const billing = { config: { SHARDS } } as OperatorParts['billing'];
    return verifyPast({ redis, mongo, billing }, { accountId: ACCOUNT_ID, shard: SHARD, user: undefined });
  };
  const difference = (): Promise<string> =>
    verify().then(
      () => expect.fail('nothing was found'),
      (error: Error) => {
        expect(error.name, error.stack).to.equal('Differs');
        return error.message;
      },
    );

  /** @param damage the other document; undefined = none */
  async function damaged(name: string, _id: string, damage: (document: Document) => Document | undefined): Promise<string> {
    const whole = (await documents(name).findOne({ _id })) ?? expect.fail(`no ${name} ${_id}`);
    const other = damage(whole);
    await documents(name).deleteOne({ _id });
    if (other !== undefined) await documents(name).insertOne(other as typeof whole);
    const found = await difference();
    if (other !== undefined) await documents(name).deleteOne({ _id: other['_id'] });
    await documents(name).insertOne(whole);
    return found;
  }

  const idOf = async (name: string, part: string): Promise<string> => {
    const all = await documents(name).find({}).sort({ _id: 1 }).toArray();
    return all.find(({ _id }) => _id.includes(part))?._id ?? expect.fail(`no ${part} in ${all.map(({ _id }) => _id)}`);
  };

  it('it is whole at first', async () => {
    const { rows, first, last, folded } = await verify();
    expect({ first, last, folded }).to.deep.equal({ first: 1, last: scenario.account.seq, folded: scenario.account.seq });
    expect(rows).to.be.above(420);
  });

  const rowAt = (at: number, change: (text: string) => string) => (document: Document) => ({
    ...document,
    rows: (document['rows'] as string[]).map((text, i) => (i === at ? change(text) : text)),
  });
  const set = (fields: Document) => (document: Document) => ({ ...document, ...fields });
  const gone = () => undefined;
  const withoutRow = (at: number) => (document: Document) => ({
    ...document,
    rows: (document['rows'] as string[]).toSpliced(at, 1),
  });
  const rowTwice = (document: Document) => ({ ...document, rows: [...document['rows'], document['rows'][0]] });

  const damages: readonly [what: string, name: string, part: string, damage: (one: Document) => Document | undefined, RegExp][] =
    [
      [
        'a fill’s price',
        'history',
        ':fills:',
        rowAt(3, (text) => text.replace(/"price":"[^"]*"/, '"price":"1"')),
        /^entry \d+, history .*:fills:\d+, row 3\.row\..*price: expected \d+.*, found 1$/i,
      ],
      ['a fill that is gone', 'history', ':fills:', withoutRow(5), /:fills:\d+, row 5: expected \{.*, found nothing$/],
      ['a fill twice', 'history', ':fills:', rowTwice, /:fills:\d+, row 0: expected once, found twice$/],
      [
        'an order’s status',
        'history',
        ':orders:',
        rowAt(7, (text) => text.replace(/"status":"[a-zA-Z]*"/, '"status":"canceled"')),
        /:orders:\d+, row 7\.row\.status: expected filled, found canceled$/,
      ],
      ['all orders', 'history', ':orders:', gone, /:orders:\d+, row 0: expected \{.*, found nothing$/],
      [
        'a funding payment',
        'history',
        ':funding:',
        rowAt(0, (text) => text.replace(/"usd":"[^"]*"/, '"usd":"5"')),
        /:funding:\d+, row 0\.row\.usd: expected -?0\.\d+, found 5$/,
      ],
      [
        'a deposit',
        'history',
        ':ledger:',
        rowAt(0, (text) => text.replace(/"usd":"[^"]*"/, '"usd":"5"')),
        /:ledger:\d+, row 0\.row\.usd: expected 1000000, found 5$/,
      ],
      [
        'what a bucket says of its newest entry',
        'history',
        ':fills:',
        set({ lastSeq: 999 }),
        /^entry 999, history .*:fills:\d+, lastSeq: expected \d+, found 999$/,
      ],
      ['its time', 'history', ':funding:', set({ lastTimeMs: 1 }), /:funding:\d+, lastTimeMs: expected \d+, found 1$/],
      ['its shard', 'history', ':ledger:', set({ shard: 99 }), /:ledger:\d+, shard: expected \d+, found 99$/],
      ['its account', 'history', ':ledger:', set({ account: '0xbb' }), /:ledger:\d+, account: expected 0x0+aa, found 0xbb$/],
      ['its commit', 'history', ':fills:', set({ commit: 1 }), /commit: expected .*, as .*, found 1$/],
      ['a commit that nobody has seen', 'history', ':orders:', set({ commit: 9999 }), /commit: expected .*found 9999$/],
      [
        'an order’s end',
        'orderEnds',
        '',
        rowAt(2, (text) => text.replace(/"status":"[a-zA-Z]*"/, '"status":"canceled"')),
        /^entry \d+, orderEnds .*, row 2\.row\.status: expected filled, found canceled$/,
      ],
      ['an end that is gone', 'orderEnds', '', withoutRow(4), /^entry \d+, orderEnds .*, row 4: expected \{.*, found nothing$/],
      ['an end twice', 'orderEnds', '', rowTwice, /orderEnds .*: expected once, found twice$/],
      [
        'an end of no order',
        'orderEnds',
        '',
        (one) => ({ ...one, rows: [...one['rows'], one['rows'][0].replace(/"number":\d+/, '"number":7777')] }),
        /orderEnds .*, rows: expected \d+ ended orders, found \d+$/,
      ],
      ['all ends', 'orderEnds', '', gone, /orderEnds .*found nothing$/],
      ['the ends’ newest entry', 'orderEnds', '', set({ lastSeq: 7 }), /orderEnds .*, lastSeq: expected \d+, found 7$/],
      ['the ends’ commit', 'orderEnds', '', set({ commit: 9999 }), /orderEnds .*, commit: expected .*, found 9999$/],
      [
        'the order of a client’s id',
        'cloids',
        cloidOf(20),
        set({ oid: 1 }),
        /^entry \d+, cloids .*, oid: expected an order of it that ended, found 1$/,
      ],
      [
        'an order that never was',
        'cloids',
        cloidOf(20),
        set({ oid: 99_999_999 }),
        /cloids .*, oid: expected an order of it that ended, found 99999999$/,
      ],
      ['its entry, earlier', 'cloids', cloidOf(20), set({ seq: 2 }), /cloids .*, seq: expected at least \d+, found 2$/],
      [
        'its entry, later',
        'cloids',
        cloidOf(20),
        set({ seq: 100 }),
        /cloids .*, seq: expected an entry in which it ended, found 100$/,
      ],
      ['its shard', 'cloids', cloidOf(20), set({ shard: 99 }), /cloids .*, shard: expected \d+, found 99$/],
      ['a client’s id that is gone', 'cloids', cloidOf(20), gone, /cloids .*, oid: expected \d+, found nothing$/],
      [
        'a client’s id of no order',
        'cloids',
        cloidOf(20),
        (one) => ({ ...one, _id: `${ACCOUNT_ID}:${cloidOf(9999)}` }),
        /cloids .*/,
      ],
      [
        'a chunk’s commit',
        'archive',
        '0128',
        set({ commit: 3 }),
        /^entry \d+, .*, commit: expected at least \d+, as .*, found 3$/,
      ],
      ['a chunk’s commit that nobody has seen', 'archive', '0128', set({ commit: 9999 }), /commit: expected .*, found 9999$/],
      ['a chunk’s shard', 'archive', '0128', set({ shard: 99 }), /^entry \d+, archive .*, shard: expected \d+, found 99$/],
      ['a chunk’s account', 'archive', '0128', set({ account: '0xbb' }), /archive .*, account: expected 0x0+aa, found 0xbb$/],
      [
        'a chunk’s time',
        'archive',
        '00000',
        set({ lastTimeMs: 7 }),
        /^entry 127, archive .*, lastTimeMs: expected \d+, found 7$/,
      ],
      ['a chunk’s newest entry', 'archive', '0128', set({ lastSeq: 7 }), /archive .*, lastSeq: expected \d+, found 7$/],
      [
        'a state’s hash',
        'archiveStates',
        '',
        set({ hash: 'h2:00' }),
        /^entry \d+, archiveStates .*, hash: expected h2:\w+, found h2:00$/,
      ],
      ['a state’s number', 'archiveStates', '', set({ seq: 5 }), /archiveStates .*, seq: expected \d+, found 5$/],
      ['the snapshot’s shard', 'accounts', '', set({ shard: 99 }), /^entry \d+, accounts .*, shard: expected \d+, found 99$/],
      ['the snapshot’s number', 'accounts', '', set({ seq: 5 }), /accounts .*, seq: expected \d+, found 5$/],
      ['the snapshot', 'accounts', '', gone, /accounts .*: expected a snapshot, found nothing$/],
    ];
  for (const [what, name, part, damage, want] of damages) {
    it(`${name}: ${what}`, async () => {
      expect(await damaged(name, await idOf(name, part), damage)).to.match(want);
    });
  }
  it('and nothing when all is as it was', async () => {
    expect((await verify()).folded).to.equal(scenario.account.seq);
  });

  describe('an account of which Redis lost entries', () => {
    let before: Account;
    let lost: readonly AccountEntry[];

    beforeEach(async () => {
      await begin();
      scenario.given(...Array.from({ length: 8 }, (_, n) => filled(n + 10)));
      await stored.write(scenario.entries);
      // The scenario changes its own in place.
      before = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
      const had = scenario.entries.length;
      scenario.given(...Array.from({ length: 3 }, (_, n) => filled(n + 20)));
      lost = scenario.entries.splice(had);
    });

    /** Redis has lost them; the account goes on from what it was before, under the number after theirs. */
    async function goOn(): Promise<void> {
      scenario.account = { ...before, seq: lost.at(-1)?.seq ?? 0 };
      await stored.state(scenario.account, { reason: 'redisLost', after: before.seq });
      const had = scenario.entries.length;
      scenario.given(...Array.from({ length: 4 }, (_, n) => filled(n + 30)));
      stored.commit += 10;
      await stored.write(scenario.entries.slice(had));
      await stored.snapshot(scenario.account);
    }

    it('is whole, whether the archive has the lost entries or not', async () => {
      await goOn();
      expect((await verify()).folded).to.equal(13);
    });

    it('the rows of lost entries may be there, those before and after are all needed', async () => {
      await stored.write(lost);
      // Recovery takes the rows out: later rows will have their numbers.
      for (const name of [collections.history, collections.orderEnds]) {
        for (const document of await documents(name).find().toArray()) {
          const rows = (document['rows'] as string[]).filter((text) => JSON.parse(text).seq <= before.seq);
          const lastTimeMs = JSON.parse(rows.at(-1) ?? '{}').row.timeMs;
          await documents(name).updateOne({ _id: document._id }, { $set: { rows, lastTimeMs } });
        }
      }
      for (const n of [20, 21, 22]) await documents(collections.cloids).deleteOne({ _id: `${ACCOUNT_ID}:${cloidOf(n)}` });
      await goOn();
      expect((await verify()).folded).to.equal(13);
      for (const [at, want] of [
        [2, /:fills:\d+, row 2: expected \{.*, found nothing$/],
        [9, /:fills:\d+, row 9: expected \{.*, found nothing$/],
      ] as const) {
        expect(await damaged('history', await idOf('history', ':fills:'), withoutRow(at))).to.match(want);
      }
    });

    it('a row too many of an entry that counts is found', async () => {
      await goOn();
      const more = (one: Document) => ({
        ...one,
        rows: [...one['rows'], (one['rows'] as string[])[1]?.replace(/"number":\d+/, '"number":200')],
      });
      expect(await damaged('history', await idOf('history', ':fills:'), more)).to.match(/row 200: expected nothing, found \{/);
    });
  });
});
