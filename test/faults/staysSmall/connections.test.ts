import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { BTC } from '../../support/faults/coins.ts';
import { QUIET_BREATHS_MS } from '../../support/faults/faultStack.ts';
import { Random, scenario } from '../../support/faults/seeds.ts';
import { type RemoteFaults, remoteFaults } from '../../support/faults/sharedFaults.ts';
import { orderAction } from '../../support/orderWire.ts';
import { until } from '../../support/until.ts';

/** The parts of the exchange with a connection to Redis of their own: process, and the name of the connection in it. */
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
/** How often the way to Redis breaks in one scenario. */
const CUTS = 8;

describe('the way to the stores breaks, or dies without a word', function () {
  this.timeout(600_000);
  let remote: RemoteFaults;

  remoteFaults.use((shared) => {
    remote = shared;
  });

  const blackHole = (name: string, use: string): void => {
    const connection = new RegExp(`\\n${name}-[^:\\r]*${use}\\r`);
    expect(
      remote.redisWay.blackHole((greeting) => connection.test(greeting)),
      name + use,
    ).to.be.at.least(1);
  };

  scenario('a Redis that writes before it answers is killed: nothing is lost', async (seed) => {
    const { faults } = remote;
    const load = await faults.load(seed);
    await faults.stack.redisStore.kill();
    await faults.stack.restartRedis();
    await load.verdict();
  });

  scenario('they break, and answers are lost: what is sent again is not done again', async (seed) => {
    const { faults, redisWay } = remote;
    const random = new Random(seed);
    const load = await faults.load(seed);
    for (let i = 0; i < CUTS; i++) {
      const many = random.whole(1, 3);
      if (random.chance(0.4)) {
        redisWay.loseAnswers();
        const atMs = Date.now();
        await until(() => Date.now() > atMs + random.whole(1, 60));
      }
      redisWay.cut();
      await load.progress(many);
    }
    await load.verdict();
  });

  scenario('each in turn, to Redis: orders go on within seconds, none lost, none doubled', async (seed) => {
    const random = new Random(seed);
    const load = await remote.faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    const left = [...CONNECTIONS];
    while (left.length > 0) {
      const [[name, use]] = left.splice(random.whole(0, left.length - 1), 1) as [(typeof CONNECTIONS)[number]];
      blackHole(name, use);
      await load.progress(random.whole(1, 5));
    }
    await load.verdict();
  });

  scenario('all to MongoDB: trading goes on, and history is written when it can be again', async (seed) => {
    const { faults, mongoWay } = remote;
    const load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    mongoWay.blackHole();
    await load.progress(20);
    mongoWay.mend();
    await load.verdict();
  });

  scenario('all of them at once, and then SIGTERM: every process ends in its time', async (seed) => {
    const { faults, redisWay, mongoWay } = remote;
    const { stack } = faults;
    const load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
    for (const way of [redisWay, mongoWay]) expect(way.blackHole()).to.be.at.least(4);
    const names = [...stack.processes.keys()];
    const said = new Map(names.map((name) => [name, readFileSync(stack.process(name).logFile, 'utf8').length]));
    await Promise.all(names.map((name) => stack.kill(name, 'SIGTERM')));
    for (const way of [redisWay, mongoWay]) way.mend();
    for (const name of names) {
      const lines = readFileSync(stack.process(name).logFile, 'utf8').slice(said.get(name));
      expect(lines, name).to.include('"msg":"stopping"');
      expect(lines, name).not.to.match(/stop took too long|stop failed|unhandled error/);
    }
    for (const name of names) await stack.restart(name);
    await load.verdict();
  });

  scenario(
    'an answer that its sender never hears, and kill -9 of who made it and who waits for it: the same answer',
    async (seed) => {
      const { faults } = remote;
      const { stack, tap } = faults;
      const load = await faults.load(seed, { breathsMs: QUIET_BREATHS_MS });
      const account = await stack.register();
      const action = orderAction(BTC.asset, { px: '66000', sz: '0.001', tif: 'Ioc' });
      const order = () => stack.exchange(account.apiKey, action, { idempotencyKey: `lost-${seed}` });
      const fills = async () => {
        await tap.read();
        return tap.entriesOf(account.address).after.flatMap(({ events }) => events.filter(({ type }) => type === 'orderFilled'));
      };
      blackHole('api-0', ':replies');
      const lost = order().then(
        ({ status }) => status,
        () => 'broken',
      );
      await until(async () => (await fills()).length > 0);
      await Promise.all([stack.kill('api-0'), stack.kill('actors-0')]);
      expect(await lost).to.equal('broken');
      await Promise.all([stack.restart('api-0'), stack.restart('actors-0')]);
      await stack.waitHealthy();
      const repeat = () => stack.act(account.apiKey, action, `lost-${seed}`);
      const again = [await repeat(), await repeat()];
      const [fill] = await fills();
      for (const { status, body } of again) {
        expect(status).to.equal(200);
        expect(body).to.have.nested.property('response.data.statuses[0].filled.oid', (fill as { oid?: number }).oid);
      }
      expect(again[1]?.body).to.deep.equal(again[0]?.body);
      expect(await fills()).to.have.length(1);
      await load.verdict();
    },
  );
});
