import { expect } from 'chai';
import { createLogger, serializers } from '../../src/shared/logger.ts';
import { connectRedis } from '../../src/shared/redis/redis.ts';
import { startRedis } from '../support/stores.ts';

describe('logger: an error says what happened, not with which values', () => {
  it('a refused command of Redis is named without its keys and values; its reason and stack stay', async () => {
    const store = await startRedis();
    const redis = connectRedis({ url: store.url, name: 'test', log: createLogger({ level: 'silent', role: 'test' }) });
    const error = await redis.call('HSET', 'a secret key', 'a secret value').catch((refused: Error) => refused);
    const logged = serializers.err(error as Error) as Record<string, unknown>;
    expect(logged['message']).to.match(/wrong number of arguments/);
    expect(logged['stack']).to.be.a('string');
    expect(String(logged['command']).toLowerCase()).to.equal('hset');
    expect(JSON.stringify(logged)).to.not.include('secret');
    redis.disconnect();
    await store.stop();
  });

  it('an error within an error is kept', () => {
    const logged = serializers.err(new Error('outer', { cause: new Error('inner') })) as Record<string, unknown>;
    expect(logged['message']).to.include('inner');
  });
});
