import { expect } from 'chai';
import { readConfig } from '../../../src/shared/config/config.ts';
import { socketAddress } from '../../../src/shared/config/redisAddress.ts';

describe('REDIS_URL may name a socket', () => {
  const cases: [url: string, meaning: object | undefined][] = [
    ['unix:///run/redis.sock', { path: '/run/redis.sock' }],
    ['unix://:secret@/run/redis.sock', { path: '/run/redis.sock', password: 'secret' }],
    ['unix://exchange:secret@/run/redis.sock', { path: '/run/redis.sock', username: 'exchange', password: 'secret' }],
    ['unix://:a%40b@/my%20data/x%3F.sock', { path: '/my data/x?.sock', password: 'a@b' }],
    ['unix:///100%/redis.sock', { path: '/100%/redis.sock' }],
    ['redis://127.0.0.1:6379', undefined],
    ['rediss://user:secret@host', undefined],
  ];
  for (const [url, meaning] of cases) it(url, () => expect(socketAddress(url)).to.deep.equal(meaning));

  for (const url of ['unix:', 'unix://', 'unix://host', 'unix:run/redis.sock', 'unix://:secret@redis.sock', 'unix:///a?db=1']) {
    it(`${url}: refused at the start, with a sentence that shows no password`, () =>
      expect(() => readConfig({ REDIS_URL: url }))
        .to.throw(/^REDIS_URL: a socket is written unix:\/\/\/path/)
        .with.property('message')
        .not.include('secret@redis'));
  }

  it('a path of 107 bytes is taken, a longer one refused: the system would cut it', () => {
    const longest = `/${'x'.repeat(106)}`;
    expect(readConfig({ REDIS_URL: `unix://${longest}` }).REDIS_URL).to.equal(`unix://${longest}`);
    expect(() => readConfig({ REDIS_URL: `unix://:secret@${longest}x` }))
      .to.throw(/^REDIS_URL: .*107 bytes/)
      .with.property('message')
      .not.include('secret');
    expect(() => readConfig({ REDIS_URL: `unix:///${'é'.repeat(54)}` })).to.throw(/107 bytes/);
  });
});
