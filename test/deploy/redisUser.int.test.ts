import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { openRedis } from '../support/stores.ts';

const compose = parse(readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8'), { merge: true });
const [, rules = ''] = /user exchange on >\S+ (.*?)"/.exec(compose.services.redis.command.join(' ')) ?? [];

describe('the Redis user that docker-compose.yml gives the roles', () => {
  let stack: Stack;
  let url: string;

  before(async () => {
    expect(rules).to.include('~*');
    stack = await startStack({
      jobs: 1,
      redisThrough: async (plain) => {
        const redis = openRedis(plain);
        await redis.call('ACL', 'SETUSER', 'exchange', 'on', '>secret', ...rules.split(' '));
        redis.disconnect();
        url = plain.replace('//', '//exchange:secret@');
        return url;
      },
    });
  });
  after(() => stack.stop());

  it('may do all that the roles do: an account is made, trades, and has its history', async () => {
    const { apiKey } = await stack.register();
    await setBooks(stack.market);
    const { status, body } = await stack.exchange(apiKey, orderAction(BTC.asset, { px: '65100', sz: '0.01', tif: 'Ioc' }));
    expect([status, body.response?.data.statuses[0].filled?.totalSz]).to.deep.equal([200, '0.01']);
    expect((await stack.info(apiKey, { type: 'userFills' })).status).to.equal(200);
    const logs = [...stack.processes.values()].map(({ logFile }) => readFileSync(logFile, 'utf8'));
    expect(logs.join('')).to.not.include('NOPERM');
  });

  it('may neither change the server nor empty it', async () => {
    const redis = openRedis(url);
    for (const [command = '', ...args] of [
      ['FLUSHALL'],
      ['FLUSHDB'],
      ['CONFIG', 'GET', '*'],
      ['CONFIG', 'SET', 'dir', '/tmp'],
      ['ACL', 'LIST'],
      ['SHUTDOWN'],
      ['REPLICAOF', '127.0.0.1', '1'],
      ['MODULE', 'LOAD', '/tmp/x.so'],
      ['KEYS', '*'],
      ['MONITOR'],
    ]) {
      const answer = await redis.call(command, ...args).catch((error: Error) => error.message);
      // A command that the build of Redis lets no user send from afar is refused before rights are looked at.
      expect(answer, command).to.match(/^(NOPERM|ERR MODULE command not allowed)/);
    }
    redis.disconnect();
  });
});
