import { expect } from 'chai';
import { ApiReadiness } from '../../../src/api/operations/health.ts';
import type { HealthReport } from '../../../src/api/operations/healthReport.ts';

describe('readiness of an API node: it has seen all shards owned once', () => {
  let seen: { up: boolean; ready: number };
  const health = {
    report: async () =>
      ({ redis: { up: seen.up }, shards: { count: 4, ready: seen.ready, owners: [] } }) as unknown as HealthReport,
  };

  it('not before every shard has a recovered owner', async () => {
    const readiness = new ApiReadiness(health);
    seen = { up: true, ready: 3 };
    expect(await readiness.whyNotReady()).to.deep.equal(['1 of 4 shards have no recovered owner']);
    seen = { up: true, ready: 4 };
    expect(await readiness.whyNotReady()).to.deep.equal([]);
  });

  it('a shard that loses its owner later takes no node away from the clients of the others', async () => {
    const readiness = new ApiReadiness(health);
    seen = { up: true, ready: 4 };
    await readiness.whyNotReady();
    seen = { up: true, ready: 1 };
    expect(await readiness.whyNotReady()).to.deep.equal([]);
  });

  it('not while no shard has an owner, and again with the first', async () => {
    const readiness = new ApiReadiness(health);
    seen = { up: true, ready: 4 };
    await readiness.whyNotReady();
    seen = { up: true, ready: 0 };
    expect(await readiness.whyNotReady()).to.deep.equal(['4 of 4 shards have no recovered owner']);
    seen = { up: true, ready: 1 };
    expect(await readiness.whyNotReady()).to.deep.equal([]);
  });

  it('not while it does not reach Redis, and again when it does', async () => {
    const readiness = new ApiReadiness(health);
    seen = { up: true, ready: 4 };
    await readiness.whyNotReady();
    seen = { up: false, ready: 0 };
    expect(await readiness.whyNotReady()).to.deep.equal(['Redis is away']);
    seen = { up: true, ready: 1 };
    expect(await readiness.whyNotReady()).to.deep.equal([]);
  });
});
