import { expect } from 'chai';
import fc from 'fast-check';
import { pino } from 'pino';
import type { Charge } from '../../../../src/api/access/limits/charge.ts';
import { subjectWindowsKey } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';
import { askedOnce, countAt, SIZES, WindowNode } from '../../../support/windowNode.ts';

const { windowMs, bucketMs, holdMs } = SIZES;
const START_MS = 1_700_000_000_300;

/** A use of a window, as a list of times would count it. */
interface Use {
  readonly atMs: number;
  readonly units: number;
}

describe('subjectWindows: sliding windows beside a list of times', () => {
  let store: Store;
  let redis: Redis;
  let subjects = 0;
  let nowMs: number;

  const charge = (subject: string, cap: number, cost = 1): Charge => ({ subject, cap, cost });
  const weight = (subject: string, cap: number, cost: number): Charge => ({
    ...charge(`weight:${subject}`, cap, cost),
    weightOf: subject,
  });
  const one = async (...charges: readonly Charge[]) => {
    const [told] = await countAt(redis, nowMs, [askedOnce(...charges)]);
    return { granted: told?.granted, windows: told?.windows ?? [], bucket: told?.bucket ?? 0 };
  };
  const usedOf = async (subject: string): Promise<number | undefined> => (await one(charge(subject, 1e9))).windows[0]?.used;
  const newSubject = (): string => `key:${++subjects}`;

  before(async () => {
    store = await startRedis();
    redis = connectRedis({ url: store.url, name: 'test', log: pino({ level: 'silent' }) });
    await until(() => redis.status === 'ready');
  });
  beforeEach(() => {
    nowMs = START_MS;
  });
  after(async () => {
    redis.disconnect();
    await store.stop();
  });

  it('what came at once leaves when a window has passed, to the millisecond', async () => {
    const window = charge(newSubject(), 3);
    for (let i = 0; i < 3; i++) expect((await one(window)).granted).to.equal(1);
    nowMs += 20_000;
    const refused = await one(window);
    expect([refused.granted, refused.windows[0]?.leavesInMs]).to.deep.equal([0, windowMs - 20_000]);
    nowMs = START_MS + windowMs - 1;
    expect((await one(window)).granted).to.equal(0);
    nowMs += 1;
    expect((await one(window)).windows[0]?.used).to.equal(1);
  });

  it('tells of requests and of weights when the oldest of each leaves', async () => {
    const subject = newSubject();
    await one(weight(subject, 100, 5));
    nowMs += 10_000;
    await one(charge(subject, 100), weight(subject, 100, 2));
    nowMs += 10_000;
    const { windows } = await one(charge(subject, 100), weight(subject, 100, 2));
    expect(windows.map(({ used }) => used)).to.deep.equal([2, 9]);
    expect(windows.map(({ leavesInMs }) => leavesInMs)).to.deep.equal([windowMs - 10_000, windowMs - 20_000]);
  });

  it('what goes back is taken off where it was counted, and nothing of others with it', async () => {
    const subject = newSubject();
    const asked = askedOnce(charge(subject, 100_000, 2));
    const [taken] = await countAt(redis, nowMs, [{ ...asked, inAdvance: [{ wanted: 50 }] }]);
    expect(taken?.windows).to.deep.equal([{ used: 52, leavesInMs: windowMs + holdMs, advance: 50 }]);
    const lot = { units: 40, bucket: taken?.bucket ?? 0 };
    nowMs += 3000;
    const [back] = await countAt(redis, nowMs, [{ ...asked, inAdvance: [{ wanted: 0, returned: lot }] }]);
    expect(back?.windows[0]?.used).to.equal(14);
    const [again] = await countAt(redis, nowMs, [{ ...asked, inAdvance: [{ wanted: 0, returned: { ...lot, units: 13 } }] }]);
    expect(again?.windows[0]?.used, 'more than is counted there').to.equal(16);
    nowMs += windowMs + holdMs;
    const [late] = await countAt(redis, nowMs, [{ ...asked, inAdvance: [{ wanted: 0, returned: { ...lot, units: 2 } }] }]);
    expect(late?.windows[0]?.used, 'what has left').to.equal(2);
  });

  it('what goes back to a sub-window that never was is not taken from another that once had its place', async () => {
    const subject = newSubject();
    const asked = askedOnce(charge(subject, 1000));
    const [first] = await countAt(redis, nowMs, [askedOnce(charge(subject, 1000, 5))]);
    for (const laterMs of [30_000, 62_000, 70_000]) await countAt(redis, START_MS + laterMs, [asked]);
    const places = Math.ceil((windowMs + holdMs) / bucketMs) + 3;
    const inAdvance = [{ wanted: 0, returned: { units: 5, bucket: (first?.bucket ?? 0) + places } }];
    const [told] = await countAt(redis, START_MS + 71_000, [{ ...asked, inAdvance }]);
    expect(told?.windows[0]?.used).to.equal(4);
  });

  it('a refused request that brings something back leaves the rest counted', async () => {
    const subject = newSubject();
    const asked = askedOnce(charge(subject, 100, 90));
    const [taken] = await countAt(redis, nowMs, [{ ...askedOnce(charge(subject, 100, 20)), inAdvance: [{ wanted: 10 }] }]);
    nowMs += 2000;
    const inAdvance = [{ wanted: 0, returned: { units: 10, bucket: taken?.bucket ?? 0 } }];
    expect((await countAt(redis, nowMs, [{ ...asked, inAdvance }]))[0]).to.include({ granted: 0 });
    expect(await usedOf(subject)).to.equal(21);
  });

  it('nothing is granted in advance in the second half of a limit', async () => {
    const subject = newSubject();
    const ask = async (cost: number) => {
      const [told] = await countAt(redis, nowMs, [{ ...askedOnce(charge(subject, 20_000, cost)), inAdvance: [{ wanted: 20 }] }]);
      return told?.windows[0]?.advance;
    };
    expect([await ask(9000), await ask(960), await ask(1)]).to.deep.equal([20, 20, 0]);
  });

  it('a clock that jumps back a little goes on; after a long jump the windows begin anew, and what is old does not come back', async () => {
    const subject = newSubject();
    const asked = askedOnce(charge(subject, 100_000));
    const [{ bucket } = { bucket: 0 }] = await countAt(redis, nowMs, [{ ...asked, inAdvance: [{ wanted: 30 }] }]);
    nowMs -= 8000;
    expect(await usedOf(subject)).to.equal(32);
    nowMs = START_MS + windowMs;
    expect(await usedOf(subject), 'what was counted before the jump is there no shorter').to.equal(33);
    nowMs = START_MS - 30_000;
    expect(await usedOf(subject)).to.equal(1);
    const [back] = await countAt(redis, nowMs, [{ ...asked, inAdvance: [{ wanted: 0, returned: { units: 1, bucket } }] }]);
    expect(back?.windows[0]?.used).to.equal(2);
  });

  it('a hash has a bounded number of fields, and expires', async () => {
    const subject = newSubject();
    for (let i = 0; i < 200; i++) {
      await one(charge(subject, 1e9), weight(subject, 1e9, 20));
      nowMs += 700;
    }
    expect(await redis.hlen(subjectWindowsKey(subject))).to.be.within(60, 70);
    expect(await redis.pttl(subjectWindowsKey(subject))).to.be.within(windowMs, 3 * windowMs);
    expect(await redis.object('ENCODING', subjectWindowsKey(subject))).to.equal('listpack');
  });

  it('keeps every limit in every span of a window, and refuses no longer than it says: any requests, nodes, crashes, jumps', async () => {
    const step = fc.record({
      laterMs: fc.oneof({ weight: 4, arbitrary: fc.nat(400) }, { weight: 2, arbitrary: fc.nat(6000) }, fc.nat(40_000)),
      delayMs: fc.nat(300),
      node: fc.nat(1),
      cost: fc.integer({ min: 1, max: 6 }),
      repeats: fc.integer({ min: 1, max: 6 }),
      event: fc.oneof({ weight: 12, arbitrary: fc.constant('none') }, fc.constantFrom('crash', 'jump')),
    });
    const limits = fc.constantFrom({ cap: 12, price: 1 }, { cap: 10_000, price: 400 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), limits, async (steps, { cap, price }) => {
        const subject = newSubject();
        const nodes = [new WindowNode(redis), new WindowNode(redis)];
        const uses: [Use[], Use[]] = [[], []];
        let behindMs = 0;
        const usedSince = (measure: 0 | 1, sinceMs: number): number =>
          uses[measure].reduce((sum, { atMs, units }) => (atMs > sinceMs ? sum + units : sum), 0);
        for (const { laterMs, delayMs, node, cost, repeats, event } of steps) {
          nowMs += laterMs;
          // A crashed node knows nothing of what it had in advance. Redis's clock may fall behind, in all by less than the bound at
          // which windows begin again.
          if (event === 'crash') nodes[node] = new WindowNode(redis);
          if (event === 'jump' && behindMs < 6000) behindMs += 3000;
          for (let i = 0; i < repeats; i++) {
            const charges = [charge(subject, cap, cost), weight(subject, 2 * cap, cost * (i % 2 === 0 ? 1 : price))];
            const askedAtMs = nowMs;
            nowMs += delayMs;
            const { isGranted, isSpent, roomInMs } = await (nodes[node] as WindowNode).ask(charges, askedAtMs, nowMs - behindMs);
            for (const measure of [0, 1] as const) {
              const { cap: most = 0, cost: units = 0 } = charges[measure] ?? {};
              if (isGranted) uses[measure].push({ atMs: isSpent ? askedAtMs : nowMs, units });
              expect(usedSince(measure, nowMs - windowMs), 'in a window').to.be.at.most(most);
              if (!isGranted) expect(usedSince(measure, nowMs + roomInMs - windowMs), 'room').to.be.at.most(most - units);
            }
            if (isGranted) continue;
            // Advances that crashed nodes had, or the other one has, are a small part of a limit.
            const spare = cap < 10_000 ? 0 : cap / 10;
            const longest = windowMs + bucketMs + delayMs + behindMs + (spare === 0 ? 0 : holdMs);
            const isFull = ([0, 1] as const).map((measure) => {
              const { cap: most = 0, cost: units = 0 } = charges[measure] ?? {};
              return usedSince(measure, nowMs - longest) + units > most - spare;
            });
            expect(isFull).to.include(true);
          }
        }
      }),
      { numRuns: 25 },
    );
  });
});
