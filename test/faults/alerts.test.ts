// Alerts while jobs processes and actors are killed in their middle: each acknowledged fill reaches the receiver, in the order of the
// account, and what arrives twice is the same message.
import { expect } from 'chai';
import { Random, scenario } from '../support/faults/seeds.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { verify, WebhookReceiver } from '../support/webhookReceiver.ts';

/** Orders that are acknowledged between two kills. */
const BETWEEN = 4;
const KILLS = ['jobs-0', 'actors-0', 'jobs-1', 'actors-1', 'jobs-0', 'jobs-1'];

describe('kill -9 around alerts', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let receiver: WebhookReceiver;

  before(async () => {
    receiver = await WebhookReceiver.start();
    const env = {
      ...{ SHARDS: '4', LEASE_TTL_MS: '1000', HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '2000' },
      WEBHOOK_NETWORKS: '127.0.0.0/8',
    };
    stack = await startStack({ pods: 2, jobs: 2, env });
    user = await stack.register();
  });
  after(async () => {
    await stack.stop();
    await receiver.stop();
  });

  scenario('every acknowledged fill is told, in order, and a second time only as the same message', async (seed) => {
    const random = new Random(seed);
    const made = await stack.call('POST', '/v1/alerts/endpoints', {
      token: user.token,
      body: { url: receiver.url(), kinds: ['fill'] },
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    const secret: string = made.body.secret;
    // Some messages are taken and not acknowledged: the process may be dead before it hears of it.
    const broken = new Set<unknown>();
    receiver.answer = (response, { headers }) => {
      const id = headers['webhook-id'];
      if (broken.has(id) || random.chance(0.9)) response.writeHead(204).end();
      else response.destroy();
      broken.add(id);
    };
    const { universe } = (await stack.info(user.apiKey, { type: 'meta' })).body;
    const asset = universe.findIndex(({ name }: { name: string }) => name === 'BTC');
    const oids: number[] = [];
    for (const name of KILLS) {
      for (let i = 0; i < BETWEEN; i++) {
        const order = { a: asset, b: true, p: '200000', s: '0.001', r: false, t: { limit: { tif: 'Ioc' } } };
        const { body } = await stack.act(user.apiKey, { type: 'order', orders: [order], grouping: 'na' });
        const status = body.response?.data?.statuses?.[0];
        if (status?.filled !== undefined) oids.push(status.filled.oid);
      }
      await stack.kill(name);
      await stack.restart(name);
    }
    expect(oids.length).to.be.greaterThan(0);
    const told = (): Set<number> => new Set(receiver.messages.map(({ body }) => body.data.oid));
    await until(() => oids.every((oid) => told().has(oid)));
    const first = new Map<string, { text: string; seq: number }>();
    for (const message of receiver.messages) {
      verify(secret, message);
      const id = String(message.headers['webhook-id']);
      const before = first.get(id);
      if (before === undefined) first.set(id, { text: message.text, seq: message.body.data.seq });
      else expect(message.text).to.equal(before.text);
    }
    const seqs = [...first.values()].map(({ seq }) => seq);
    expect(seqs).to.deep.equal(seqs.toSorted((a, b) => a - b));
  });
});
