import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type RedisCluster, startRedisCluster } from '../support/redisCluster.ts';
import { type Stack, startStack } from '../support/stack.ts';

const compose = parse(readFileSync(new URL('../../docker-compose.yml', import.meta.url), 'utf8'), { merge: true });
/** The rights of the user in docker-compose.yml: on a cluster they are enough, too. */
const [, rules = ''] = /user exchange on >\S+ (.*?)"/.exec(compose.services.redis.command.join(' ')) ?? [];
const ORDER = orderAction(BTC.asset, { px: '65100', sz: '0.01', tif: 'Ioc' });

describe('the roles on a Redis Cluster that speaks TLS and knows one user', function () {
  this.timeout(600_000);
  let certificates: Certificates;
  let cluster: RedisCluster;
  let stack: Stack;

  before(async () => {
    certificates = makeCertificates();
    cluster = await startRedisCluster({ certificates });
    await cluster.addUser('exchange', '>se:c@ret', ...rules.split(' '));
    await cluster.addUser('default', 'resetpass', '>of-the-operator');
    stack = await startStack({
      ...{ jobs: 1, redisThrough: () => Promise.resolve(cluster.tlsUrl('exchange:se%3Ac%40ret')) },
      env: { NODE_EXTRA_CA_CERTS: certificates.ca },
    });
  });
  after(async () => {
    await stack.stop();
    await cluster.stop();
    certificates.remove();
  });

  it('an order is filled on shards of each node; no password is in a log, and nothing was refused', async () => {
    await setBooks(stack.market);
    const accounts = await Promise.all(Array.from({ length: 6 }, () => stack.register()));
    for (const { apiKey } of accounts) {
      const { status, body } = await stack.exchange(apiKey, ORDER);
      expect([status, body.response?.data.statuses[0].filled?.totalSz]).to.deep.equal([200, '0.01']);
      expect((await stack.info(apiKey, { type: 'userFills' })).body).to.have.length.above(0);
    }
    const logs = [...stack.processes.values()].map(({ logFile }) => readFileSync(logFile, 'utf8')).join('');
    expect(logs).to.not.match(/NOPERM|NOAUTH|se:c@ret|se%3Ac%40ret/);
  });
});
