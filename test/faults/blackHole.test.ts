import { expect } from 'chai';
import { FaultStack } from '../support/faults/faultStack.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { TcpProxy } from '../support/tcpProxy.ts';

/** What of the exchange speaks to Redis on a connection of its own: process, and the name of the connection in it. */
const CONNECTIONS: readonly (readonly [process: string, use: string])[] = [
  ['api-0', ''],
  ['api-0', ':replies'],
  ['api-0', ':feed'],
  ['actors-0', ':actors'],
  ['actors-0', ':wakeups'],
  ['actors-0', ':feed'],
  ['market-0', ''],
  ['jobs-0', ':jobs'],
];

describe('connections that die without a word', function () {
  this.timeout(600_000);
  let faults: FaultStack;
  let redisWay: TcpProxy;
  let mongoWay: TcpProxy;

  before(async () => {
    faults = await FaultStack.start({
      ...{ jobs: 1, mongoInMemory: true },
      redisThrough: async (url) => {
        redisWay = await TcpProxy.start(Number(new URL(url).port));
        return `redis://127.0.0.1:${redisWay.port}`;
      },
      mongoThrough: async (url) => {
        mongoWay = await TcpProxy.start(Number(new URL(url).port));
        return `mongodb://127.0.0.1:${mongoWay.port}`;
      },
    });
  });
  after(async () => {
    await faults.stop();
    await Promise.all([redisWay.close(), mongoWay.close()]);
  });

  scenario('each in turn, to Redis: orders go on within seconds, none lost, none doubled', async (seed) => {
    const random = new Random(seed);
    const load = await faults.load(seed);
    const left = [...CONNECTIONS];
    while (left.length > 0) {
      const [[name, use]] = left.splice(random.whole(0, left.length - 1), 1) as [(typeof CONNECTIONS)[number]];
      const connection = new RegExp(`\\n${name}-[^:\\r]*${use}\\r`);
      expect(
        redisWay.blackHole((greeting) => connection.test(greeting)),
        name + use,
      ).to.be.at.least(1);
      await load.progress(random.whole(1, 5));
    }
    await load.verdict();
  });

  scenario('all to MongoDB: trading goes on, and history is written when it can be again', async (seed) => {
    const load = await faults.load(seed);
    mongoWay.blackHole();
    await load.progress(20);
    mongoWay.mend();
    await load.verdict();
  });
});
