import { expect } from 'chai';
import { Registry } from 'prom-client';
import type { PodReport } from '../../../src/actors/core/messages/podStatus.ts';
import { registerServiceMetrics, storedMarket } from '../../../src/api/operations/health.ts';
import type { HealthReport } from '../../../src/api/operations/healthReport.ts';
import { causesOf, marketAgeMs } from '../../../src/api/operations/operators.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import { deploymentKeys, marketKeys, podKeys, shardKeys, workerKeys } from '../../../src/shared/redis/keys.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { type Store, startMongo, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const SHARDS = 4;

describe('health: 200 only when every shard has a recovered owner and orders can be taken', () => {
  let stores: { redis: Store; mongo: Store };
  let node: ApiNode;
  let nowMs: number;

  before(async () => {
    stores = { redis: await startRedis(), mongo: await startMongo({ memory: true }) };
  });
  beforeEach(async () => {
    node = await ApiNode.start(stores, { env: { SHARDS: String(SHARDS) }, now: () => nowMs });
    await node.redis.flushall();
    nowMs = node.exchange.nowMs;
    node.exchange.setMarket('BTC', { mark: '100', bids: [['99', '1']], asks: [['101', '1']] });
    for (let shard = 0; shard < SHARDS; shard++) await node.redis.set(shardKeys.lease(shard), token(shard));
    await say('pod-a', [0, 1]);
    await say('pod-b', [2, 3]);
    await node.redis.hset(workerKeys.workers, 'jobs-a', nowMs);
  });
  afterEach(() => node.stop());
  after(() => Promise.all([stores.redis.stop(), stores.mongo.stop()]));

  const token = (shard: number): string => `1:pod:${shard}`;

  /** The text of a pod's heartbeat. */
  async function say(podId: string, shards: readonly number[], report: Partial<PodReport> = {}): Promise<void> {
    const status: PodReport = {
      sinceMs: 0,
      leaving: false,
      shards: shards.map((shard) => ({ shard, token: token(shard), recovered: true, loaded: true, accounts: 2, halted: 0 })),
      history: { lagMs: 5, mongoDown: false },
      ...{ formats: { reads: 1, writes: 1 }, pins: 0 },
      ...report,
    };
    await node.redis.hset(podKeys.pods, podId, `${nowMs} ${JSON.stringify(status)}`);
  }

  /** The status that clients see, and the report of operators. A report is kept for a second: time passes first. */
  async function health(): Promise<{ status: number; body: HealthReport }> {
    nowMs += 1000;
    const { status, body } = await node.request('GET', '/health');
    const report = await node.health.report();
    const { causes, version, market, ...rest } = body;
    expect(rest).to.deep.equal({ status: report.status, as_of: report.as_of });
    expect(causes).to.deep.equal(causesOf(report, 15_000));
    expect(causes.length === 0, 'a cause for all but ok').to.equal(report.status === 'ok');
    expect(version).to.match(/^\d+\.\d+$/);
    expect(market).to.deep.equal({ source: report.market.source, age_ms: marketAgeMs(report) });
    return { status, body: report };
  }

  const WELL = {
    service_redis_up: 1,
    service_mongo_up: 1,
    service_shards_without_owner: 0,
    service_market_leaders: 0,
    service_jobs_processes: 1,
  };

  /** The state of the service by the node's metrics. */
  async function shown(): Promise<Record<string, number>> {
    const registry = new Registry();
    registerServiceMetrics(registry, node.health);
    const all = await registry.getMetricsAsJSON();
    return Object.fromEntries(all.map(({ name, values }) => [name, values[0]?.value ?? Number.NaN]));
  }

  it('ok: roles, ages of feeds, and who owns what', async () => {
    const { status, body } = await health();
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body).to.include({ status: 'ok' });
    expect(body.reasons).to.deep.equal([]);
    expect(body.shards).to.deep.equal({ count: 4, ready: 4, owners: ['pod-a', 'pod-a', 'pod-b', 'pod-b'] });
    expect(body.roles.actors.map((pod) => [pod.pod_id, pod.shards])).to.have.deep.members([
      ['pod-a', [0, 1]],
      ['pod-b', [2, 3]],
    ]);
    expect(body.roles.jobs).to.deep.equal([{ node_id: 'jobs-a', heartbeat: new Date(node.exchange.nowMs).toISOString() }]);
    expect(body.market.source).to.equal('replay');
    expect(body.market.feeds.book.newest_ms).to.equal(1000);
    expect(body.mongo).to.deep.equal({ up: true, history_lag_ms: 5 });
  });

  it('503 when a shard’s lease is gone', async () => {
    expect(await shown()).to.deep.equal({ ...WELL, service_taking_orders: 1 });
    await node.redis.del(shardKeys.lease(2));
    const { status, body } = await health();
    expect(await shown()).to.deep.equal({ ...WELL, service_taking_orders: 0, service_shards_without_owner: 1 });
    expect(status).to.equal(503);
    expect(body.status).to.equal('unavailable');
    expect(body.reasons).to.deep.equal(['1 of 4 shards have no recovered owner']);
  });

  it('503 when the lease is another’s than the one that speaks', async () => {
    await node.redis.set(shardKeys.lease(0), '2:other:x');
    expect((await health()).status).to.equal(503);
  });

  it('503 while a shard recovers', async () => {
    await say('pod-b', [2, 3], {
      shards: [2, 3].map((shard) => ({
        shard,
        token: token(shard),
        recovered: shard === 2,
        loaded: false,
        accounts: 0,
        halted: 0,
      })),
    });
    const { status, body } = await health();
    expect(status).to.equal(503);
    expect(body.shards.owners).to.deep.equal(['pod-a', 'pod-a', 'pod-b', null]);
  });

  it('503, with what it met, when a pod has left a shard to newer ones and none has taken it', async () => {
    const refused = [{ shard: 2, form: 'snapshot', version: 3 }];
    await say('pod-b', [3], { formats: { reads: 2, writes: 2 }, refused });
    const { status, body } = await health();
    expect(status).to.equal(503);
    expect(body.reasons).to.deep.equal([
      '1 of 4 shards have no recovered owner',
      'pod-b cannot read shard 2: a snapshot has format 3',
    ]);
    expect(body.roles.actors.find((pod) => pod.pod_id === 'pod-b')).to.deep.include({ reads: 2, refused });
    await say('pod-c', [2]);
    expect((await health()).status).to.equal(200);
  });

  it('200 and degraded while a pod stands by because it cannot read what is written', async () => {
    await node.redis.hset(deploymentKeys.record, 'formats', 3);
    await say('pod-a', [0, 1], { formats: { reads: 3, writes: 3 } });
    await say('pod-b', [2, 3], { formats: { reads: 3, writes: 3 } });
    await say('pod-c', [], { formats: { reads: 2, writes: 2 } });
    const { status, body } = await health();
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      status: 'degraded',
      reasons: ['pod-c takes no shard: the deployment writes stored forms of generation 3'],
    });
  });

  it('503 when market data is stale, with its age', async () => {
    nowMs += 60_000;
    const { status, body } = await health();
    expect(status).to.equal(503);
    expect(body.reasons).to.deep.equal(['Market data is stale: book, 61 s', 'Market data is stale: context, 61 s']);
  });

  it('200 and degraded when only an actor cannot reach MongoDB', async () => {
    await say('pod-a', [0, 1], { history: { lagMs: 70_000, mongoDown: true } });
    const { status, body } = await health();
    expect(status).to.equal(200);
    expect(body).to.include({ status: 'degraded' });
    expect(body.mongo).to.deep.equal({ up: true, history_lag_ms: 70_000 });
  });

  it('200 and degraded when nobody does the jobs', async () => {
    await node.redis.del(workerKeys.workers);
    const { status, body } = await health();
    expect(status).to.equal(200);
    expect(body).to.deep.include({ status: 'degraded', reasons: ['No jobs process'] });
    expect(body.roles.jobs).to.deep.equal([]);
  });

  it('asks the stores once for many who ask at once', async () => {
    nowMs += 1000;
    const calls = async (): Promise<number> =>
      Number(/cmdstat_xlen:calls=(\d+)/.exec(await node.redis.info('commandstats'))?.[1] ?? 0);
    const before = await calls();
    await Promise.all(Array.from({ length: 50 }, () => node.request('GET', '/health')));
    // One look at each shard's journal a report; a busy machine may need two.
    expect((await calls()) - before).to.be.at.most(2 * SHARDS);
  });

  it('counts the question like any other, and tells clients neither pods nor shards nor metrics', async () => {
    const { headers, text } = await node.request('GET', '/health');
    const { headers: next } = await node.request('GET', '/health/live');
    const left = (of: Headers): number => Number(of.get('x-ratelimit-remaining'));
    expect(left(next)).to.be.lessThan(left(headers));
    expect(text).not.to.match(/pod-|owners|shard|api-test/);
    expect((await node.request('GET', '/metrics')).status).to.equal(404);
  });

  it('reports the market as its leader stored it where a process does not follow it', async () => {
    const change = { type: 'status', source: 'live', connectedSinceMs: 5, v: NEWEST_FORMAT };
    await node.redis.hset(marketKeys.state, 'status', JSON.stringify(change));
    const market = await storedMarket(node.redis, { MARKET_MAX_AGE_MS: 15_000 })();
    expect(market.status).to.deep.include({ source: 'live', connectedSinceMs: 5 });
  });

  it('200 and degraded with MongoDB away', async () => {
    await stores.mongo.kill();
    const { status, body } = await health();
    expect(status).to.equal(200);
    expect(body.status).to.equal('degraded');
    expect(body.mongo.up).to.equal(false);
  });

  it('503 with Redis away, while the process lives', async () => {
    await stores.redis.kill();
    await until(() => node.redis.status !== 'ready');
    const { status, body } = await health();
    expect(status).to.equal(503);
    expect(body.reasons).to.include('Redis is away');
    const live = await node.request('GET', '/health/live');
    expect(live.status).to.equal(200);
  });
});
