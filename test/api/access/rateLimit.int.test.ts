import { expect } from 'chai';
import { pino } from 'pino';
import { RateLimit, type RateLimitDecision } from '../../../src/api/access/rateLimit.ts';
import { requestWindowKey } from '../../../src/shared/redis/keys.ts';
import { connectRedis, type Redis } from '../../../src/shared/redis/redis.ts';
import { type Store, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const log = pino({ level: 'silent' });

describe('rateLimit: a sliding window that any number of nodes share', () => {
  let store: Store;
  let connections: Redis[];
  let subjects = 0;

  const newSubject = (): string => `key:${++subjects}`;
  const node = (windowMs = 60_000): RateLimit => {
    const redis = connectRedis({ url: store.url, name: 'test', log });
    connections.push(redis);
    return new RateLimit({ redis, log, now: Date.now, windowMs });
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
    const inMs = (verdict?.resetMs ?? 0) - Date.now();
    expect(inMs).to.be.within(55_000, 60_300);
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
    const limit = node(windowMs);
    await connected();
    const subject = newSubject();
    const grantedAtMs: number[] = [];
    await until(async () => {
      const askedAtMs = performance.now();
      const [verdict] = await ask([limit], { subject, cap: 4, times: 1 });
      if (verdict?.isGranted) grantedAtMs.push(askedAtMs);
      return grantedAtMs.length >= 12;
    });
    for (let i = 4; i < grantedAtMs.length; i++) {
      // Asked before it was counted: the span may seem shorter by the time of one answer.
      expect((grantedAtMs[i] as number) - (grantedAtMs[i - 4] as number)).to.be.greaterThan(windowMs - 50);
    }
  });

  it('two nodes under steady load never let more than the limit through in any span of the window’s length', async () => {
    const windowMs = 1000;
    const cap = 40;
    const nodes = [node(windowMs), node(windowMs)];
    await connected();
    const subject = newSubject();
    const granted: { askedAtMs: number; answeredAtMs: number }[] = [];
    let refused = 0;
    const endsAtMs = performance.now() + 3 * windowMs;
    const keepAsking = async (one: RateLimit): Promise<void> => {
      while (performance.now() < endsAtMs) {
        const askedAtMs = performance.now();
        const { isGranted } = await one.admit(subject, cap);
        if (isGranted) granted.push({ askedAtMs, answeredAtMs: performance.now() });
        else refused += 1;
        await new Promise(setImmediate);
      }
    };
    await Promise.all([...nodes, ...nodes, ...nodes].map(keepAsking));
    expect(granted.length).to.be.within(2 * cap, 3 * cap);
    expect(refused).to.be.greaterThan(0);
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
    expect(await (connections[0] as Redis).pttl(requestWindowKey(subject))).to.be.within(1, 61_000);
  });

  it('a busy subject with a large limit asks for some of it in advance, and each request is still counted once', async () => {
    const limit = node();
    await connected();
    const [redis] = connections as [Redis];
    const subject = newSubject();
    await redis.config('RESETSTAT');
    const used: number[] = [];
    for (let i = 0; i < 300; i++) used.push((await limit.admit(subject, 1_000_000)).used);
    for (const [i, count] of used.entries()) if (i > 0) expect(count).to.be.greaterThan(used[i - 1] as number);
    expect(used.at(-1)).to.be.within(300, 700);
    const asked = Number(/cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1]);
    expect(asked).to.be.lessThan(150);
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

  it('does not stop the service while Redis is away', async () => {
    const away = await startRedis();
    const redis = connectRedis({ url: away.url, name: 'test', log });
    connections.push(redis);
    const limit = new RateLimit({ redis, log, now: Date.now });
    await connected();
    await away.kill();
    await until(() => redis.status !== 'ready');
    const verdicts = await ask([limit], { subject: newSubject(), cap: 1, times: 3 });
    expect(verdicts.every((verdict) => verdict.isGranted)).to.equal(true);
  });
});
