import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { startApi } from '../../src/api/role.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { connectMongo } from '../../src/shared/mongo/mongo.ts';
import { connectRedis } from '../../src/shared/redis/redis.ts';
import { roleParts } from '../support/roleParts.ts';
import { useStores } from '../support/useStores.ts';

const log = pino({ level: 'silent' });

describe('api role: a node whose actors and market are away says so and does what it can', () => {
  const stores = useStores();
  let baseUrl: string;
  let stop: () => Promise<void>;
  let report: () => Promise<unknown>;
  const registry = new Registry();

  before(async () => {
    const env = { PORT: '0', NODE_ID: 'api-1', COMMAND_DEADLINE_MS: '2000', ARGON2_MEMORY_KIB: '64', ARGON2_PASSES: '1' };
    const config = readConfig({ ...env, REDIS_URL: stores.redis.url, MARKET_SOURCE: 'replay' });
    const redis = connectRedis({ url: stores.redis.url, name: 'commands', log });
    const mongo = connectMongo({ url: stores.mongo.url, database: 'test', timeoutMs: 10_000 });
    const api = await startApi(roleParts({ config, log, redis, mongo, registry }));
    report = api.health;
    baseUrl = `http://127.0.0.1:${api.port}`;
    stop = async () => {
      await api.stop();
      redis.disconnect();
      await mongo.close();
    };
  });
  after(() => stop());

  async function post(path: string, body: object, headers: Record<string, string> = {}) {
    const response = await fetch(baseUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
    return { status: response.status, headers: response.headers, body: (await response.json()) as any };
  }

  it('lives, and is not healthy', async () => {
    expect((await fetch(`${baseUrl}/health/live`)).status).to.equal(200);
    const health = await fetch(`${baseUrl}/health`);
    expect(health.status).to.equal(503);
    expect(await health.json()).to.deep.include({ status: 'unavailable', market: { source: 'replay', age_ms: null } });
    expect(await report())
      .to.deep.include({ status: 'unavailable' })
      .with.property('reasons')
      .which.includes('16 of 16 shards have no recovered owner');
  });

  it('registers users, whose accounts open later, and tells the fate of a command nobody took', async () => {
    const user = await post('/v1/auth/register', { email: 'early@example.com', password: 'a good password' });
    expect(user.status).to.equal(200);
    const authorization = `Bearer ${user.body.access_token}`;
    const { body: key } = await post('/v1/auth/api-keys', { name: 'bot' }, { authorization });
    const answer = await post('/v1/exchanges/perpx/info', { type: 'openOrders' }, { 'x-api-key': key.api_key });
    expect(answer.status).to.equal(504);
    expect(answer.body).to.include({ code: 'outcome_unknown' });
    expect(answer.headers.get('x-market-source')).to.equal('replay');
  });

  it('shows its metrics', async () => {
    const text = await registry.metrics();
    for (const name of [
      'api_request_duration_seconds',
      'api_errors_total',
      'api_commands_waiting',
      'api_market_feed_age_seconds',
    ]) {
      expect(text).to.include(name);
    }
  });
});
