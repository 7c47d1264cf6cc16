import { expect } from 'chai';
import { pino } from 'pino';
import type { Charge, RateLimitDecision } from '../../../../src/api/access/limits/charge.ts';
import { RateLimit } from '../../../../src/api/access/limits/rateLimit.ts';
import { subjectWindowsKey } from '../../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../../support/stores.ts';
import { until } from '../../../support/until.ts';

const log = pino({ level: 'silent' });

describe('rateLimit: a sliding window that any number of nodes share', () => {
  let store: Store;
  let connections: Redis[];
  let subjects = 0;
  /** The clock of nodes whose windows nothing leaves: it stands still. Requests are counted by Redis's. */
  const nowMs = Date.now();

  const newSubject = (): string => `key:${++subjects}`;
  const node = (windowMs = 60_000, now = () => nowMs): RateLimit => {
    const redis = connectRedis({ url: store.url, name: 'test', log });
    connections.push(redis);
    // Beyond any pause of a busy machine, after which a node counts alone.
    return new RateLimit({ redis, log, now, windowMs, answerMs: 60_000 });
  };
  /** By a node that has granted nothing. It takes 1 in each window. */
  const usedIn = async (charges: readonly Charge[]): Promise<number[]> => {
    const asking = node();
    await connected();
    const { windows } = await asking.charge(charges.map((charge) => ({ ...charge, cap: 1e9, cost: 1 })));
    return windows.map(({ used }) => used - 1);
  };
  const connected = (): Promise<void> => until(() => connections.every((redis) => redis.status === 'ready'));
  const ask = (
    nodes: readonly RateLimit[],
    options: { subject: string; cap: number; times: number },
  ): Promise<RateLimitDecision[]> =>
    Promise.all(
      Array.from({ length: options.times }, async (_, i) =>
        (nodes[i % nodes.length] as RateLimit).admit(options.subject, options.cap),
      ),
    );

  before(async () => {
    store = await startRedis();
  });
  beforeEach(() => {
    connections = [];
  });
  afterEach(() => {
    for (const redis of connections) redis.disconnect();
  });
  after(() => store.stop());

  it('grants as many as the limit, counted one by one, and no more', async () => {
    const limit = node();
    await connected();
    const verdicts = await ask([limit], { subject: newSubject(), cap: 5, times: 7 });
    expect(verdicts.map((verdict) => verdict.isGranted)).to.deep.equal([true, true, true, true, true, false, false]);
    expect(verdicts.map((verdict) => verdict.used)).to.deep.equal([1, 2, 3, 4, 5, 5, 5]);
  });

  it('says when the oldest request leaves the window', async () => {
    const limit = node();
    await connected();
    const [verdict] = await ask([limit], { subject: newSubject(), cap: 5, times: 1 });
    expect((verdict?.resetMs ?? 0) - nowMs).to.equal(60_000);
  });

  it('a window passes when exchange time is set ahead, and by a part of it no more than that part', async () => {
    const offsets = { offsetMs: 0, marketMs: 0 };
    const redis = connectRedis({ url: store.url, name: 'test', log });
    connections.push(redis);
    await connected();
    const limit = new RateLimit({
      redis,
      log,
      now: () => Date.now() + offsets.offsetMs,
      clock: { offsets },
      answerMs: 60_000,
    });
    const subject = `ahead-${crypto.randomUUID()}`;
    const grants = async (): Promise<boolean> => (await limit.admit(subject, 2)).isGranted;
    expect([await grants(), await grants(), await grants()]).to.deep.equal([true, true, false]);
    offsets.offsetMs = 20_000;
    expect(await grants()).to.equal(false);
    offsets.offsetMs = 3_600_000;
    expect([await grants(), await grants(), await grants()]).to.deep.equal([true, true, false]);
  });

  it('three nodes together keep one limit', async () => {
    const nodes = [node(), node(), node()];
    await connected();
    const verdicts = await ask(nodes, { subject: newSubject(), cap: 200, times: 600 });
    expect(verdicts.filter((verdict) => verdict.isGranted)).to.have.length(200);
  });

  it('subjects do not touch each other', async () => {
    const limit = node();
    await connected();
    await ask([limit], { subject: newSubject(), cap: 3, times: 10 });
    const [other] = await ask([limit], { subject: newSubject(), cap: 3, times: 1 });
    expect(other).to.include({ isGranted: true, used: 1 });
  });

  it('grants again once the oldest requests are older than the window, and never more than the limit within one', async () => {
    const windowMs = 500;
    const limit = node(windowMs, Date.now);
    await connected();
    const subject = newSubject();
    const granted: { askedAtMs: number; answeredAtMs: number }[] = [];
    await until(async () => {
      const askedAtMs = performance.now();
      const [verdict] = await ask([limit], { subject, cap: 4, times: 1 });
      if (verdict?.isGranted) granted.push({ askedAtMs, answeredAtMs: performance.now() });
      return granted.length >= 12;
    });
    // Each was counted between question and answer, in whole milliseconds.
    for (const [i, { answeredAtMs }] of granted.entries()) {
      const fourth = granted[i - 4];
      if (fourth) expect(answeredAtMs - fourth.askedAtMs).to.be.at.least(windowMs - 2);
    }
  });

  it('two nodes under steady load never let more than the limit through in any span of the window’s length', async () => {
    const windowMs = 1000;
    const cap = 40;
    const nodes = [node(windowMs, Date.now), node(windowMs, Date.now)];
    await connected();
    const subject = newSubject();
    const granted: { askedAtMs: number; answeredAtMs: number }[] = [];
    let refused = 0;
    const keepAsking = async (one: RateLimit): Promise<void> => {
      while (granted.length <= 2 * cap || refused === 0) {
        const askedAtMs = performance.now();
        const { isGranted } = await one.admit(subject, cap);
        if (isGranted) granted.push({ askedAtMs, answeredAtMs: performance.now() });
        else refused += 1;
        await new Promise(setImmediate);
      }
    };
    await Promise.all([...nodes, ...nodes, ...nodes].map(keepAsking));
    // Counted between question and answer: within one window lies surely only what was asked after one grant's answer and
    // answered before a window has passed since that grant was asked for.
    for (const first of granted) {
      const within = granted.filter((one) => one.askedAtMs >= first.askedAtMs && one.answeredAtMs < first.askedAtMs + windowMs);
      expect(within.length).to.be.at.most(cap);
    }
  });

  it('a limit that was raised counts at once', async () => {
    const limit = node();
    await connected();
    const subject = newSubject();
    await ask([limit], { subject, cap: 2, times: 3 });
    const [verdict] = await ask([limit], { subject, cap: 10, times: 1 });
    expect(verdict).to.include({ isGranted: true, used: 3, cap: 10 });
  });

  it('leaves nothing behind but a key that expires', async () => {
    const limit = node();
    await connected();
    const subject = newSubject();
    await ask([limit], { subject, cap: 2, times: 1 });
    expect(await (connections[0] as Redis).pttl(subjectWindowsKey(subject))).to.be.within(60_000, 150_000);
  });

  it('a busy subject with a large limit asks for some of it in advance, and each request is still counted once', async () => {
    const redis = connectRedis({ url: store.url, name: 'test', log });
    connections.push(redis);
    const limit = new RateLimit({ redis, log, now: () => nowMs, steadyNow: () => 0, answerMs: 60_000 });
    await connected();
    const subject = newSubject();
    await redis.config('RESETSTAT');
    const used: number[] = [];
    for (let i = 0; i < 300; i++) used.push((await limit.admit(subject, 1_000_000)).used);
    expect(used, 'exact for who asks one node').to.deep.equal(used.map((_, i) => i + 1));
    const asked = Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
    expect(asked).to.be.lessThan(20);
  });

  it('nodes that take in advance still keep one limit together', async () => {
    const nodes = [node(), node(), node()];
    await connected();
    const subject = newSubject();
    const cap = 40_000;
    let granted = 0;
    let refused = 0;
    while (refused < nodes.length) {
      const verdicts = await Promise.all(
        nodes.flatMap((one) => Array.from({ length: 500 }, async () => one.admit(subject, cap))),
      );
      granted += verdicts.filter(({ isGranted }) => isGranted).length;
      refused += verdicts.filter(({ isGranted }) => !isGranted).length;
    }
    expect(granted).to.be.within(cap * 0.95, cap);
  });

  it('a request that costs more than is left is refused and costs nothing; a cheaper one still has room', async () => {
    const limit = node();
    await connected();
    const subject = newSubject();
    const verdicts: RateLimitDecision[] = [];
    for (const cost of [26, 26, 26, 20, 2, 1]) verdicts.push(await limit.admit(subject, 75, cost));
    expect(verdicts.map(({ isGranted }) => isGranted)).to.deep.equal([true, true, false, true, true, true]);
    expect(verdicts.map(({ used }) => used)).to.deep.equal([26, 52, 52, 72, 74, 75]);
  });

  it('says when there is room for the cost, not when the first request leaves', async () => {
    const limit = node();
    await connected();
    const subject = newSubject();
    const subWindow = async (): Promise<number> => {
      const [seconds = 0, micros = 0] = await (connections[0] as Redis).time();
      return Math.floor((Number(seconds) * 1000 + Number(micros) / 1000) / 1000);
    };
    await limit.admit(subject, 10, 1);
    const first = await subWindow();
    await until(async () => (await subWindow()) > first);
    await limit.admit(subject, 10, 9);
    // Asked in one turn, they are answered by one look at the window.
    const [dear, cheap] = await Promise.all([limit.admit(subject, 10, 5), limit.admit(subject, 10, 1)]);
    expect([cheap.isGranted, dear.isGranted]).to.deep.equal([false, false]);
    expect(dear.resetMs).to.be.greaterThan(cheap.resetMs);
  });

  describe('a request in several windows', () => {
    const both = (own: string, shared: string): Charge[] => [
      { subject: own, cap: 10, cost: 1 },
      { subject: shared, cap: 15, cost: 1 },
    ];

    it('counts in all of them or in none, on any number of nodes', async () => {
      const nodes = [node(), node()];
      await connected();
      const shared = newSubject();
      const owns = [newSubject(), newSubject()];
      const asked = Array.from({ length: 40 }, async (_, i) =>
        (nodes[i % 2] as RateLimit).charge(both(owns[(i >> 1) % 2] as string, shared)),
      );
      const decisions = await Promise.all(asked);
      expect(decisions.filter(({ isGranted }) => isGranted)).to.have.length(15);
      const kept = await usedIn([...owns, shared].map((subject) => ({ subject, cap: 0, cost: 0 })));
      expect((kept[0] as number) + (kept[1] as number)).to.equal(15);
      expect(kept[2]).to.equal(15);
    });

    it('names the window that has refused', async () => {
      const limit = node();
      await connected();
      const shared = newSubject();
      const own = newSubject();
      for (let i = 0; i < 10; i++) await limit.charge(both(own, shared));
      expect(await limit.charge(both(own, shared))).to.include({ isGranted: false, refusedBy: 0 });
      const other = newSubject();
      for (let i = 0; i < 5; i++) await limit.charge(both(other, shared));
      expect(await limit.charge(both(other, shared))).to.include({ isGranted: false, refusedBy: 1 });
    });

    it('what a request turned out to cost is counted whatever the limit, and the next one finds no room', async () => {
      const limit = node();
      await connected();
      const subject = newSubject();
      await limit.add([{ subject, cap: 10, cost: 25 }]);
      expect(await limit.admit(subject, 10)).to.include({ isGranted: false, used: 25 });
    });
  });

  describe('while Redis cannot count', () => {
    let away: Store;
    let redis: Redis;
    let limit: RateLimit;
    let countedHere: number;

    beforeEach(async () => {
      away = await startRedis();
      redis = connectRedis({ url: away.url, name: 'test', log });
      connections.push(redis);
      countedHere = 0;
      const onLocal = (requests: number): void => {
        countedHere += requests;
      };
      limit = new RateLimit({ redis, log, now: () => nowMs, onLocal });
      await connected();
    });
    afterEach(() => away.kill());

    it('the node counts alone, and begins with what it has granted before', async () => {
      const subject = newSubject();
      const before = await ask([limit], { subject, cap: 5, times: 3 });
      await away.kill();
      await until(() => redis.status !== 'ready');
      const after = await ask([limit], { subject, cap: 5, times: 4 });
      expect([...before, ...after].map(({ isGranted }) => isGranted)).to.deep.equal([true, true, true, true, true, false, false]);
      expect(after.map(({ used }) => used)).to.deep.equal([4, 5, 5, 5]);
      expect(countedHere, 'what operators hear of').to.equal(4);
    });

    it('a Redis that does not answer switches no limit off, and only the first request waits for it', async () => {
      const subject = newSubject();
      const pid = Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
      process.kill(pid, 'SIGSTOP');
      try {
        const verdicts: RateLimitDecision[] = [];
        for (let i = 0; i < 8; i++) verdicts.push(await limit.admit(subject, 5));
        expect(verdicts.filter(({ isGranted }) => isGranted)).to.have.length(5);
      } finally {
        process.kill(pid, 'SIGCONT');
      }
    });

    it('a full Redis switches no limit off', async () => {
      await redis.config('SET', 'maxmemory', '1');
      const verdicts = await ask([limit], { subject: newSubject(), cap: 2, times: 4 });
      expect(verdicts.map(({ isGranted }) => isGranted)).to.deep.equal([true, true, false, false]);
    });

    it('a Redis that has lost its data gives a node no second limit', async () => {
      const subject = newSubject();
      await ask([limit], { subject, cap: 3, times: 3 });
      await redis.flushall();
      const [verdict] = await ask([limit], { subject, cap: 3, times: 1 });
      expect(verdict?.isGranted).to.equal(false);
    });
  });
});
