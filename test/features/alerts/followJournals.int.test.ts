import { expect } from 'chai';
import type { CommandGateway } from '../../../src/api/accounts/gateway/commandGateway.ts';
import { startAlerts } from '../../../src/features/alerts/job.ts';
import type { AlertEndpointDocument } from '../../../src/features/alerts/store/alertEndpoint.ts';
import type { Closing } from '../../../src/shared/deployment/role.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { ActorBench, commands } from '../../support/actorBench.ts';
import { ApiNode, type TestUser } from '../../support/apiNode.ts';
import { roleParts } from '../../support/roleParts.ts';
import { until } from '../../support/until.ts';
import { WebhookReceiver } from '../../support/webhookReceiver.ts';

const ask = { requestId: 'r' };
const ENDPOINTS = '/v1/alerts/endpoints';
/** MongoDB gets nothing of the journal meanwhile. */
const NO_HISTORY = { HISTORY_DELAY_MS: '600000' };

describe('alerts follow the journals: told before the history has anything of it', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let node: ApiNode;
  let receiver: WebhookReceiver;
  let user: TestUser;
  let account: string;
  let running: Closing[] = [];

  before(async () => {
    bench = await ActorBench.start(NO_HISTORY);
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    const env = { WEBHOOK_NETWORKS: '127.0.0.0/8', PLAN_BASIC_REQUESTS_PER_MINUTE: '100000' };
    node = await ApiNode.start({ redis: bench.redisStore, mongo: bench.mongoStore }, { env });
    receiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    receiver.messages.length = 0;
    receiver.answer = (response) => response.writeHead(204).end();
    user = await node.register();
    const users = bench.mongo.db.collection<{ _id: string; address: string }>(collections.users);
    account = (await users.findOne({ _id: user.id }))?.address ?? '';
    await gateway.send(account, commands.open, ask);
  });
  afterEach(async () => {
    await Promise.all(running.map((one) => one.stop()));
    running = [];
  });
  after(async () => {
    await node.stop();
    await bench.stop();
    await receiver.stop();
  });

  const start = async (): Promise<Closing> => {
    const now = (): number => Date.now();
    const { log, redis, mongo } = bench;
    const config = { ...bench.config, WEBHOOK_NETWORKS: '127.0.0.0/8' };
    const subscriberFactory = (name?: string) => bench.connect(name);
    const alerts = await startAlerts(roleParts({ log, redis, mongo, config, now, subscriberFactory }));
    running.push(alerts);
    return alerts;
  };
  const make = async (): Promise<string> => {
    const body = { url: receiver.url(), kinds: ['fill'] };
    const made = await node.post(ENDPOINTS, body, { authorization: `Bearer ${user.token}` });
    expect(made.status, made.text).to.equal(200);
    return made.body.endpoint.id;
  };
  const trade = async (times: number): Promise<void> => {
    for (let i = 0; i < times; i++) await gateway.send(account, commands.place(), ask);
  };
  const seqs = (): number[] => receiver.messages.map(({ body }) => body.data.seq);
  const endpoint = (id: string): Promise<AlertEndpointDocument | null> =>
    bench.mongo.db.collection<AlertEndpointDocument>(collections.alertEndpoints).findOne({ _id: id });

  it('each fill arrives once and in order, and the endpoint has reached its entry', async () => {
    const id = await make();
    await start();
    await trade(5);
    await until(() => receiver.messages.length >= 5);
    expect(seqs()).to.deep.equal(seqs().toSorted((a, b) => a - b));
    expect(new Set(seqs()).size).to.equal(5);
    await until(async () => ((await endpoint(id))?.at[account] ?? 0) >= Math.max(...seqs()));
    expect(await bench.mongo.db.collection(collections.history).countDocuments({ account })).to.equal(0);
  });

  it('of two processes one fills the outbox, and the other goes on where it was left', async () => {
    await make();
    const first = await start();
    await start();
    await trade(2);
    await until(() => receiver.messages.length >= 2);
    await first.stop();
    await trade(2);
    await until(() => receiver.messages.length >= 4);
    expect(seqs()).to.deep.equal([...new Set(seqs())].toSorted((a, b) => a - b));
  });

  it('what happened while no process ran is told when one runs', async () => {
    await make();
    const first = await start();
    await trade(1);
    await until(() => receiver.messages.length >= 1);
    await first.stop();
    await trade(3);
    await start();
    await until(() => receiver.messages.length >= 4);
    expect(seqs()).to.deep.equal([...new Set(seqs())].toSorted((a, b) => a - b));
  });

  it('an endpoint that is made while the journal is followed is told of what comes then, though it has not reached what came before', async () => {
    await start();
    await make();
    await trade(1);
    await until(() => receiver.messages.length >= 1);
    const late = await make();
    await trade(1);
    await until(async () => (await endpoint(late))?.at[account] !== undefined && receiver.messages.length >= 3);
    expect(receiver.messages.map(({ body }) => body.data.seq)).to.have.length(3);
  });
});
