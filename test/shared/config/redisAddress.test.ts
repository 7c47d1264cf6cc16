import { expect } from 'chai';
import { readConfig } from '../../../src/shared/config/config.ts';
import { redisAddress, socketAddress } from '../../../src/shared/config/redisAddress.ts';

const a = { host: 'a', port: 6379 };
const b = { host: 'b', port: 7001 };

describe('REDIS_URL is one server, a cluster or Sentinels', () => {
  const cases: [url: string, meaning: object][] = [
    ['redis://127.0.0.1:6379', { kind: 'server', url: 'redis://127.0.0.1:6379' }],
    ['rediss://user:secret@host', { kind: 'server', url: 'rediss://user:secret@host' }],
    ['redis://u:p@ss:é@host:7/0?family=6', { kind: 'server', url: 'redis://u:p@ss:é@host:7/0?family=6' }],
    [' redis://host\n', { kind: 'server', url: 'redis://host' }],
    ['localhost:6379', { kind: 'server', url: 'localhost:6379' }],
    ['/run/redis.sock', { kind: 'socket', path: '/run/redis.sock' }],
    ['redis://:a,b@host/2', { kind: 'server', url: 'redis://:a,b@host/2' }],
    ['unix://:secret@/run/redis.sock', { kind: 'socket', path: '/run/redis.sock', password: 'secret' }],
    ['redis://a,b:7001', { kind: 'cluster', nodes: [a, b], hasTls: false }],
    ['redis://a,redis://b:7001', { kind: 'cluster', nodes: [a, b], hasTls: false }],
    ['redis://:x@a, redis://:x@b:7001', { kind: 'cluster', nodes: [a, b], password: 'x', hasTls: false }],
    ['rediss://u:p%2C%40@a,b:7001', { kind: 'cluster', nodes: [a, b], username: 'u', password: 'p,@', hasTls: true }],
    ['redis://u:p@q@a,b:7001', { kind: 'cluster', nodes: [a, b], username: 'u', password: 'p@q', hasTls: false }],
    ['redis+cluster://a', { kind: 'cluster', nodes: [a], hasTls: false }],
    ['rediss+cluster://[::1]:7001', { kind: 'cluster', nodes: [{ host: '::1', port: 7001 }], hasTls: true }],
    [
      'redis+sentinel://a:26379,b:7001/main',
      { kind: 'sentinels', sentinels: [{ host: 'a', port: 26_379 }, b], master: 'main', database: 0, hasTls: false },
    ],
    [
      'rediss+sentinel://u:p@a/main/3?sentinelPassword=s%26t',
      {
        ...{ kind: 'sentinels', sentinels: [{ host: 'a', port: 26_379 }], master: 'main', database: 3 },
        ...{ username: 'u', password: 'p', sentinelPassword: 's&t', hasTls: true },
      },
    ],
  ];
  for (const [url, meaning] of cases) it(url, () => expect(redisAddress(url)).to.deep.equal(meaning));

  const refused = [
    ...['redis://:secret@a,b:port', 'redis://:secret@a,b:70000', 'redis://:secret@a,,b', 'redis://:secret@a,rediss://:secret@b'],
    ...['redis://:secret@a,b/1', 'redis://:secret@a,b?db=1', 'redis+cluster://', 'redis+other://:secret@a'],
    ...[
      'redis+sentinel://:secret@a:26379',
      'redis+sentinel://:secret@a/main/x',
      'redis+sentinel://:secret@a/main?password=secret',
      'redis+sentinel://:secret#x@a/main',
    ],
    // ioredis reads some of these as another server, or says "Invalid URL".
    ...['http://:secret@host', 'mongodb://:secret@host', 'tcp://host', 'REDIS//host', 'redis:host', 'redis://', ' ', 'a:1,b:2'],
    ...['redis://:secret/x@host', 'redis://:secret#x@host', 'redis://:secret?x@host', 'redis://:secret%x@host'],
    ...['redis://:secret@host:port', 'redis://:secret@host:70000', 'redis://:secret@host:0', 'redis://:secret@::1'],
    ...['redis://:secret@host/x', 'redis://:secret@a;b', 'redis://:secret/x@a,b', 'redis://u:secret@a,u:secret@b'],
  ];
  for (const url of refused) {
    it(`${url}: refused at the start, with a sentence that shows no password`, () =>
      expect(() => readConfig({ REDIS_URL: url }))
        .to.throw(/^REDIS_URL: .*(is written|are written|leave what follows)/)
        .with.property('message')
        .not.include('secret'));
  }
});

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
