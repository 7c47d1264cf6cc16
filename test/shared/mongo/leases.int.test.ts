import { expect } from 'chai';
import { DAY_MS } from '../../../src/shared/domain/units.ts';
import { type LeaseDocument, Leases } from '../../../src/shared/mongo/leases.ts';
import { collections, connectMongo, type MongoConnection } from '../../../src/shared/mongo/mongo.ts';
import { type Store, startMongo } from '../../support/stores.ts';

const WORK = 'test:work';
const FOR_MS = 5000;

describe('leases: one process at a time does a piece of work', () => {
  let store: Store;
  let mongo: MongoConnection;
  let nowMs: number;

  before(async () => {
    store = await startMongo({ memory: true });
    mongo = connectMongo({ url: store.url, database: 'leases', timeoutMs: 60_000 });
  });
  after(async () => {
    await mongo.close();
    await store.stop();
  });
  beforeEach(async () => {
    nowMs = 1_800_000_000_000;
    await stored().deleteMany({});
  });

  const stored = () => mongo.db.collection<LeaseDocument>(collections.leases);
  const lease = (): Promise<LeaseDocument | null> => stored().findOne({ _id: WORK });
  const process = (holder: string): Leases => new Leases(mongo, { holder, realNow: () => nowMs });

  it('another process has it when its time is over, to the millisecond, and goes on from the note', async () => {
    const [first, second] = [process('first'), process('second')];
    expect(await first.take(WORK, FOR_MS)).to.include({ holder: 'first' });
    await first.take(WORK, FOR_MS, { reached: 7 });
    nowMs += FOR_MS - 1;
    expect(await second.take(WORK, FOR_MS)).to.equal(undefined);
    nowMs += 1;
    const taken = await second.take(WORK, FOR_MS);
    expect(taken).to.deep.include({ holder: 'second', note: { reached: 7 }, until: new Date(nowMs + FOR_MS) });
  });

  it('whoever prolongs it keeps it, and the note until it gives another', async () => {
    const [first, second] = [process('first'), process('second')];
    await first.take(WORK, FOR_MS);
    await first.take(WORK, FOR_MS, { reached: 7 });
    nowMs += FOR_MS - 1;
    expect(await first.take(WORK, FOR_MS)).to.deep.include({ note: { reached: 7 } });
    nowMs += FOR_MS - 1;
    expect(await second.take(WORK, FOR_MS)).to.equal(undefined);
    expect(await first.take(WORK, FOR_MS, { reached: 8 })).to.deep.include({ note: { reached: 8 } });
  });

  it('nothing that a process does which has lost it changes it: no note, no time, no end', async () => {
    const [late, owner] = [process('late'), process('owner')];
    await late.take(WORK, FOR_MS);
    await late.take(WORK, FOR_MS, { reached: 7 });
    nowMs += FOR_MS;
    await owner.take(WORK, FOR_MS);
    await owner.take(WORK, FOR_MS, { reached: 9 });
    const before = await lease();
    expect(before).to.deep.include({ holder: 'owner', note: { reached: 9 } });
    expect(await late.take(WORK, FOR_MS * 10, { reached: 8 })).to.equal(undefined);
    await late.free(WORK);
    expect(await lease()).to.deep.equal(before);
  });

  it('a process that has lost it and gets it again goes on from the note of the one before it, not from its own', async () => {
    const [first, second] = [process('first'), process('second')];
    await first.take(WORK, FOR_MS);
    nowMs += FOR_MS;
    await second.take(WORK, FOR_MS);
    await second.take(WORK, FOR_MS, { reached: 9 });
    nowMs += FOR_MS;
    expect(await first.take(WORK, FOR_MS, { reached: 8 })).to.deep.include({ holder: 'first', note: { reached: 9 } });
  });

  it('of many that want it at once one gets it, be it new or over', async () => {
    const many = Array.from({ length: 12 }, (_, i) => process(`holder-${i}`));
    for (let round = 0; round < 3; round++) {
      const taken = await Promise.all(many.map((one) => one.take(WORK, FOR_MS)));
      const [holder, ...others] = taken.filter((one) => one !== undefined).map((one) => one.holder);
      expect(others).to.deep.equal([]);
      expect((await lease())?.holder).to.equal(holder);
      nowMs += FOR_MS;
    }
  });

  it('what is free is taken at once, or at the time that was said', async () => {
    const [first, second] = [process('first'), process('second')];
    await first.take(WORK, FOR_MS, { reached: 7 });
    await first.take(WORK, FOR_MS, { reached: 7 });
    await first.free(WORK);
    expect(await second.take(WORK, FOR_MS)).to.deep.include({ holder: 'second', note: { reached: 7 } });
    await second.free(WORK, nowMs + 10);
    for (const one of [first, second]) expect(await one.take(WORK, FOR_MS)).to.equal(undefined);
    nowMs += 10;
    expect(await first.take(WORK, FOR_MS)).to.include({ holder: 'first' });
  });

  it('one that nobody has had for a day is removed, and no other', async () => {
    const leases = process('first');
    await leases.take(WORK, FOR_MS);
    nowMs += FOR_MS + DAY_MS;
    await leases.removeForgotten();
    expect(await lease()).to.not.equal(null);
    nowMs += 1;
    await leases.take('test:other', FOR_MS);
    await leases.removeForgotten();
    expect(await lease()).to.equal(null);
    expect(await stored().countDocuments()).to.equal(1);
  });
});
