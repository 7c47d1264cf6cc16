import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import type { Collection } from 'mongodb';
import { pino } from 'pino';
import type { CommandGateway } from '../../../src/api/accounts/gateway/commandGateway.ts';
import { deliverTurn } from '../../../src/features/alerts/deliver/deliverTurn.ts';
import type { TurnParts } from '../../../src/features/alerts/deliver/turnParts.ts';
import { Turns } from '../../../src/features/alerts/deliver/turns.ts';
import { removeOld, startAlerts } from '../../../src/features/alerts/job.ts';
import { fillOutbox } from '../../../src/features/alerts/look/fillOutbox.ts';
import { AlertDeliveries, type AlertDeliveryDocument } from '../../../src/features/alerts/store/alertDeliveries.ts';
import type { AlertEndpointDocument } from '../../../src/features/alerts/store/alertEndpoint.ts';
import { AlertEndpoints, type DueEndpoint } from '../../../src/features/alerts/store/alertEndpoints.ts';
import { DeploymentSecrets, KeptSecret } from '../../../src/shared/access/secrets.ts';
import { subAccountAddress } from '../../../src/shared/access/subAccountAddress.ts';
import { networksOf } from '../../../src/shared/config/publicAddress.ts';
import { serializers } from '../../../src/shared/logger.ts';
import { Leases } from '../../../src/shared/mongo/leases.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { ActorBench, commands } from '../../support/actorBench.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { roleParts } from '../../support/roleParts.ts';
import { BTC } from '../../support/scriptedMarket.ts';
import { until } from '../../support/until.ts';
import { verify, WebhookReceiver } from '../../support/webhookReceiver.ts';

const ENDPOINTS = '/v1/alerts/endpoints';
const DELIVERIES = '/v1/alerts/deliveries';
const ALL = ['fill', 'order_ended', 'liquidation'];
const DAY_MS = 86_400_000;
const ask = { requestId: 'r' };
/** Longest that a stop waits for turns, ms. */
const STOP_MS = 5000;

interface Made {
  readonly id: string;
  readonly secret: string;
}

describe('alerts: from the journal to a receiver, signed, in order, and at least once', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let node: ApiNode;
  let receiver: WebhookReceiver;
  let user: TestUser;
  let account: string;
  let aheadMs = 0;
  const realNow = (): number => Date.now() + aheadMs;
  const tries: string[] = [];

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '400' });
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    const env = {
      WEBHOOK_NETWORKS: '127.0.0.0/8',
      PLAN_BASIC_REQUESTS_PER_MINUTE: '100000',
      ANONYMOUS_REQUESTS_PER_MINUTE: '100000',
    };
    node = await ApiNode.start({ redis: bench.redisStore, mongo: bench.mongoStore }, { env, now: realNow });
    receiver = await WebhookReceiver.start();
  });
  beforeEach(async () => {
    aheadMs = 0;
    receiver.messages.length = 0;
    receiver.answer = (response) => response.writeHead(204).end();
    user = await node.register();
    account = (await owner(user)).address;
    tries.length = 0;
  });
  after(async () => {
    await node.stop();
    await bench.stop();
    await receiver.stop();
  });

  const bearer = (of = user) => ({ authorization: `Bearer ${of.token}` });
  const owner = async ({ id }: TestUser): Promise<{ _id: string; address: string }> => {
    const found = await bench.mongo.db.collection<{ _id: string; address: string }>(collections.users).findOne({ _id: id });
    if (found === null) throw new Error('no such user');
    return found;
  };
  const post = (path: string, body: unknown = {}, of = user): Promise<Answer> => node.post(path, body, bearer(of));
  const get = async (path: string, of = user): Promise<Answer> => node.request('GET', path, { headers: bearer(of) });
  const make = async (fields: object = {}, of = user): Promise<Made> => {
    const answer = await post(ENDPOINTS, { url: receiver.url(), kinds: ALL, ...fields }, of);
    expect(answer.status, answer.text).to.equal(200);
    return { id: answer.body.endpoint.id, secret: answer.body.secret };
  };
  const shown = async (id: string): Promise<Record<string, unknown>> =>
    (await get(ENDPOINTS)).body.endpoints.find((one: { id: string }) => one.id === id);
  const turnParts = (): TurnParts => ({
    ...{ mongo: bench.mongo, log: bench.log, realNow },
    secrets: new DeploymentSecrets(bench.config, new KeptSecret(bench.mongo)),
    network: { allowed: networksOf(['127.0.0.0/8']), withinMs: 5000 },
    ...{ mailer: () => Promise.reject(new Error('no mail here')), publicUrl: '' },
    onTry: (outcome) => tries.push(outcome),
  });
  const turn = (id: string, parts = turnParts()): Promise<void> => deliverTurn(parts, id);
  const turnsOf = (holder: string, giveTurn: (id: string) => Promise<void>): Turns =>
    new Turns({ leases: new Leases(bench.mongo, { holder, realNow }), log: bench.log, realNow, turn: giveTurn });
  const look = (): Promise<void> =>
    fillOutbox({ mongo: bench.mongo, log: bench.log, config: bench.config, now: realNow, realNow });
  /** The account's snapshot has reached its journal. */
  const written = async (of = account): Promise<void> => {
    const overview = await gateway.send(of, { type: 'query', query: { kind: 'overview' } }, ask);
    const seq = (overview as { seq?: number }).seq ?? 0;
    const accounts = bench.mongo.db.collection<{ _id: string; seq: number }>(collections.accounts);
    await until(async () => ((await accounts.findOne({ _id: of }))?.seq ?? 0) >= seq);
  };
  const trade = async (times = 1, of = account): Promise<void> => {
    await gateway.send(of, commands.open, ask);
    for (let i = 0; i < times; i++) await gateway.send(of, commands.place(), ask);
    await written(of);
  };
  const deliveriesOf = (id: string): Promise<AlertDeliveryDocument[]> =>
    bench.mongo.db
      .collection<AlertDeliveryDocument>(collections.alertDeliveries)
      .find({ endpoint: id })
      .sort({ _id: 1 })
      .toArray();
  const sentTo = (path: string): string[] => receiver.messages.filter((one) => one.path === path).map((one) => one.body.type);

  it('a fill and its order’s end arrive in order, verified by the official library and by a hand-made HMAC', async () => {
    const { id, secret } = await make();
    await trade(2);
    await look();
    await turn(id);
    expect(receiver.messages.map(({ body }) => body.type)).to.deep.equal(['fill', 'order_ended', 'fill', 'order_ended']);
    for (const message of receiver.messages) {
      expect(verify(secret, message)).to.deep.equal(message.body);
      const signed = `${message.headers['webhook-id']}.${message.headers['webhook-timestamp']}.${message.text}`;
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const byHand = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
      expect(message.headers['webhook-signature']).to.equal(byHand);
      expect(message.body.data.account).to.equal(account);
    }
    const [fill, end] = receiver.messages.map(({ body }) => body);
    expect(fill.data).to.include({ coin: 'BTC', side: 'buy', size: end.data.filled_size, liquidity: 'taker', oid: end.data.oid });
    expect(end.data.status).to.equal('filled');
    expect(fill.data.seq).to.be.lessThan(receiver.messages[2]?.body.data.seq);
    expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).to.equal(4);
    expect(await shown(id)).to.include({ waiting: 0, dead: 0, status: 'active' });
  });

  it('what was told is not told again, looks and turns may be repeated, and what came before the endpoint is not told', async () => {
    await trade(1);
    const { id } = await make({ kinds: ['fill'] });
    await look();
    await turn(id);
    expect(receiver.messages).to.deep.equal([]);
    await trade(1);
    await Promise.all([look(), look(), look()]);
    await turn(id);
    await look();
    await turn(id);
    expect(receiver.messages.map(({ body }) => body.type)).to.deep.equal(['fill']);
  });

  it('a process that dies after writing deliveries and before it notes the entry writes the same ones again', async () => {
    const { id } = await make();
    await trade(1);
    await look();
    const endpoints = bench.mongo.db.collection<AlertEndpointDocument>(collections.alertEndpoints);
    await endpoints.updateOne({ _id: id }, { $set: { at: {} } });
    const before = await deliveriesOf(id);
    await look();
    expect(await deliveriesOf(id)).to.deep.equal(before);
    expect(before.map(({ type }) => type)).to.deep.equal(['fill', 'order_ended']);
  });

  it('ten tries over a day, those behind wait, then a dead letter and a pause; a retry sends the same message', async () => {
    const { id, secret } = await make({ kinds: ['fill'] });
    await trade(2);
    receiver.answer = (response) => response.writeHead(500).end();
    await look();
    for (let tried = 1; tried <= 10; tried++) {
      await turn(id);
      expect(receiver.messages.length).to.equal(tried);
      await turn(id);
      expect(receiver.messages.length, 'not before its time').to.equal(tried);
      const [head] = await deliveriesOf(id);
      if (tried < 10) aheadMs = (head as AlertDeliveryDocument).dueAt.getTime() - Date.now() + 1000;
    }
    expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).to.equal(1);
    expect(aheadMs).to.be.within(0.98 * DAY_MS, DAY_MS);
    expect(tries.filter((outcome) => outcome === 'dead')).to.deep.equal(['dead']);
    expect(await shown(id)).to.include({ waiting: 1, dead: 1, status: 'paused', paused_by: 'failing', last_success_at: null });
    const dead = await get(`${DELIVERIES}?status=dead&endpoint=${id}`);
    expect(dead.body.items).to.have.length(1);
    expect(dead.body.items[0]).to.include({ result: 'answered 500', tries: 10, account, next_try_at: null });

    receiver.messages.length = 0;
    aheadMs = 0;
    receiver.answer = (response) => response.writeHead(200).end();
    await turn(id);
    expect(receiver.messages).to.deep.equal([]);
    const { message_id: message } = dead.body.items[0];
    expect((await post(`${DELIVERIES}/${message}/retry`)).body).to.include({ status: 'waiting', tries: 0 });
    expect((await post(`${DELIVERIES}/${message}/retry`)).status).to.equal(404);
    expect((await post(`${ENDPOINTS}/${id}/change`, { active: true })).body.status).to.equal('active');
    await turn(id);
    expect(receiver.messages.map(({ headers }) => headers['webhook-id'])).to.deep.equal(
      (await deliveriesOf(id)).map((d) => d.message),
    );
    for (const received of receiver.messages) verify(secret, received);
  });

  it('an endpoint that was paused goes on where it was: nothing of the time between is lost', async () => {
    const { id } = await make({ kinds: ['fill'] });
    await post(`${ENDPOINTS}/${id}/change`, { active: false });
    await trade(2);
    await look();
    expect(await deliveriesOf(id)).to.deep.equal([]);
    await post(`${ENDPOINTS}/${id}/change`, { active: true });
    await look();
    expect((await deliveriesOf(id)).map(({ type }) => type)).to.deep.equal(['fill', 'fill']);
  });

  it('two secrets sign for a day after a rotation, and the old one no longer after it', async () => {
    const { id, secret: old } = await make();
    const rotated = await post(`${ENDPOINTS}/${id}/secret`);
    const next = rotated.body.secret as string;
    expect(next)
      .to.match(/^whsec_[A-Za-z0-9+/]{43}=$/)
      .and.not.equal(old);
    await post(`${ENDPOINTS}/${id}/test`);
    await turn(id);
    const [message] = receiver.messages;
    if (message === undefined) throw new Error('no message');
    verify(old, message);
    verify(next, message);
    expect(() => verify('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=', message)).to.throw();
    expect(() => verify(next, { ...message, text: message.text.replace('test', 'fill') })).to.throw();
    aheadMs = DAY_MS + 1000;
    await post(`${ENDPOINTS}/${id}/test`);
    await turn(id);
    expect(String(receiver.messages[1]?.headers['webhook-signature']).split(' ')).to.have.length(1);
  });

  it('a process with another deployment secret sends nothing, and nothing is lost', async () => {
    const { id } = await make();
    await post(`${ENDPOINTS}/${id}/test`);
    const DEPLOYMENT_SECRET = 'another secret of 32 characters or more';
    await turn(id, {
      ...turnParts(),
      secrets: new DeploymentSecrets({ ...bench.config, DEPLOYMENT_SECRET }, new KeptSecret(bench.mongo)),
    });
    expect(receiver.messages).to.deep.equal([]);
    await turn(id);
    expect(receiver.messages.map(({ body }) => body.type)).to.deep.equal(['test']);
  });

  it('a turn sends twenty at most, and a queue takes a thousand: the rest stays in the history', async () => {
    const { id } = await make({ kinds: ['fill'] });
    await trade(25);
    await look();
    await turn(id);
    expect(receiver.messages).to.have.length(20);
    await turn(id);
    expect(receiver.messages).to.have.length(25);
    const deliveries = bench.mongo.db.collection<AlertDeliveryDocument>(collections.alertDeliveries);
    const [one] = await deliveriesOf(id);
    if (one === undefined) throw new Error('no delivery');
    await deliveries.insertMany(
      Array.from({ length: 1000 }, (_, i) => ({ ...one, _id: `${id}:full:${i}`, state: 'waiting' as const })),
    );
    await trade(1);
    await look();
    expect(await deliveries.countDocuments({ endpoint: id })).to.equal(1025);
    await deliveries.deleteMany({ endpoint: id, _id: { $regex: ':full:' } });
    await look();
    expect(await deliveries.countDocuments({ endpoint: id })).to.equal(26);
  });

  it('a queue that is nearly full takes what it has room for, and no more: the rest is told when there is room', async () => {
    const { id } = await make({ kinds: ['fill', 'order_ended'] });
    await trade(4);
    await look();
    const stored = bench.mongo.db.collection<AlertDeliveryDocument>(collections.alertDeliveries);
    const [one] = await deliveriesOf(id);
    if (one === undefined) throw new Error('no delivery');
    const told = async (): Promise<unknown[]> =>
      (await deliveriesOf(id)).filter(({ lane }) => lane === account).map(({ body }) => JSON.parse(body).data.seq);
    const seqs = await told();
    // Each entry has a fill and the end of its order.
    expect(seqs).to.have.length(8);
    await stored.deleteMany({ endpoint: id });
    const full = { ...one, lane: 'full' };
    await stored.insertMany(Array.from({ length: 997 }, (_, i) => ({ ...full, _id: `${id}:full:${i}` })));
    await bench.mongo.db
      .collection<AlertEndpointDocument>(collections.alertEndpoints)
      .updateOne({ _id: id }, { $unset: { [`at.${account}`]: '' } });
    for (const many of [2, 4, 4]) {
      await look();
      expect(await told()).to.deep.equal(seqs.slice(0, many));
    }
    await stored.deleteMany({ endpoint: id, lane: 'full' });
    await look();
    expect(await told()).to.deep.equal(seqs);
  });

  it('a receiver that hangs delays nobody else: others are told while it hangs', async () => {
    const other = await node.register();
    const hanging: { end(): unknown }[] = [];
    receiver.answer = (response, { path }) => {
      if (path === '/slow') hanging.push(response);
      else response.writeHead(204).end();
    };
    const slow = await Promise.all([1, 2, 3].map(() => make({ url: receiver.url('/slow') })));
    const quick = await make({ url: receiver.url('/quick') }, other);
    for (const { id } of slow) await post(`${ENDPOINTS}/${id}/test`);
    const { log, redis, mongo } = bench;
    const config = { ...bench.config, WEBHOOK_NETWORKS: '127.0.0.0/8' };
    const subscriberFactory = (name?: string) => bench.connect(name);
    const alerts = await startAlerts(roleParts({ log, redis, mongo, config, now: realNow, subscriberFactory }));
    await until(() => hanging.length >= 2);
    await post(`${ENDPOINTS}/${quick.id}/test`, {}, other);
    await until(() => sentTo('/quick').length === 1);
    const { address } = await owner(other);
    await trade(1, address);
    await until(() => sentTo('/quick').length === 3);
    expect(sentTo('/quick')).to.deep.equal(['test', 'fill', 'order_ended']);
    for (const response of hanging) response.end();
    await alerts.stop();
  });

  it('a user has two places for webhooks in all processes together, also with endpoints made anew, and keeps nobody waiting', async () => {
    const running = new Map<string, () => void>();
    const done: string[] = [];
    const rudeOnes = (): string[] => [...running.keys()].filter((id) => id.startsWith('rude'));
    let most = 0;
    const turn = async (id: string): Promise<void> => {
      await new Promise<void>((resolve) => {
        running.set(id, resolve);
        most = Math.max(most, rudeOnes().length);
      });
      running.delete(id);
      done.push(id);
      if (id === 'rude-3') throw new Error('a turn that fails');
    };
    const [one, other] = [turnsOf('one', turn), turnsOf('other', turn)];
    const due = (userId: string, id: string, number = 0): DueEndpoint => ({
      ...{ id, userId, number, channel: 'webhook', isFailing: false },
    });
    const rude = Array.from({ length: 10 }, (_, number) => due('usr-rude', `rude-${number}`, number));
    one.give(rude);
    other.give([...rude, due('usr-quiet', 'quiet')]);
    await until(() => running.has('quiet') && rudeOnes().length === 2);
    // The receiver still hangs when its endpoint is gone, and the next one is made in its stead.
    one.give([due('usr-rude', 'rude-anew', 0), due('usr-rude', 'rude-anew', 1), due('usr-late', 'late')]);
    await until(() => running.has('late'));
    expect(rudeOnes()).to.have.members(['rude-0', 'rude-1']);
    // The endpoints have their turns one after the other, and an endpoint that fails keeps no other back.
    await until(() => {
      for (const end of running.values()) end();
      return rude.every(({ id }) => done.includes(id));
    });
    expect(done.toSorted()).to.deep.equal(['late', 'quiet', ...rude.map(({ id }) => id)].toSorted());
    expect(most).to.equal(2);
    await Promise.all([one.stop(STOP_MS), other.stop(STOP_MS)]);
  });

  it('receivers that answered until now and hang at the same time keep nobody waiting until they are over', async () => {
    const hanging = new Map<string, () => void>();
    const answered: string[] = [];
    const turn = async (id: string): Promise<void> => {
      if (id.startsWith('quick')) answered.push(id);
      else await new Promise<void>((resolve) => hanging.set(id, resolve));
    };
    const turns = turnsOf('one', turn);
    const due = (id: string, number: number): DueEndpoint => ({
      ...{ id, userId: `usr-${id}`, number, channel: 'webhook', isFailing: false },
    });
    // As many as a process has places for webhooks, and half of that more.
    const many = Array.from({ length: 150 }, (_, number) => due(`hang-${number}`, number % 2));
    turns.give(many);
    turns.give([due('quick', 0)]);
    await until(() => answered.includes('quick'));
    expect(hanging.size).to.equal(150);
    for (const end of hanging.values()) end();
    await turns.stop(STOP_MS);
  });

  it('a turn ends with a try that has failed, and is over before the endpoint has turns among those that fail', async () => {
    const { id } = await make({ kinds: ['fill'] });
    const isFailing = async (): Promise<boolean | undefined> =>
      (await new AlertEndpoints(bench.mongo).due(new Date(realNow()))).find((due) => due.id === id)?.isFailing;
    await post(`${ENDPOINTS}/${id}/test`);
    expect(await isFailing(), 'before it has taken anything').to.equal(true);
    await turn(id);
    receiver.messages.length = 0;
    await bench.mongo.db.collection(collections.alertDeliveries).deleteMany({ endpoint: id });
    await post(`${ENDPOINTS}/${id}/test`);
    const deliveries = bench.mongo.db.collection<AlertDeliveryDocument>(collections.alertDeliveries);
    const [one] = await deliveriesOf(id);
    if (one === undefined) throw new Error('no delivery');
    const lanes = Array.from({ length: 9 }, (_, i) => ({ ...one, _id: `${id}:lane-${i}:1:1`, lane: `lane-${i}` }));
    await deliveries.insertMany(lanes);
    const held: ServerResponse[] = [];
    receiver.answer = (response) => (held.length < 3 ? held.push(response) : response.writeHead(500).end());
    const first = turn(id);
    await until(async () => (await deliveriesOf(id)).some(({ tries }) => tries === 1));
    expect(await isFailing(), 'while its turn goes on').to.equal(false);
    for (const response of held) response.writeHead(204).end();
    await first;
    expect(receiver.messages).to.have.length(4);
    expect(await isFailing(), 'after its turn').to.equal(true);
    receiver.answer = (response) => response.writeHead(204).end();
    await turn(id);
    expect(receiver.messages).to.have.length(10);
    aheadMs = 10_000;
    await turn(id);
    expect((await deliveriesOf(id)).map(({ state }) => state)).to.deep.equal(Array(10).fill('delivered'));
    await post(`${ENDPOINTS}/${id}/test`);
    expect(await isFailing()).to.equal(false);
    receiver.answer = (response) => {
      aheadMs += 6000;
      response.writeHead(204).end();
    };
    await turn(id);
    await post(`${ENDPOINTS}/${id}/test`);
    expect(await isFailing(), 'a receiver that is slow').to.equal(true);
  });

  it('endpoints of a deleted user go, with all that was theirs', async () => {
    const { id } = await make();
    await post(`${ENDPOINTS}/${id}/test`);
    await bench.mongo.db.collection<{ _id: string }>(collections.users).deleteOne({ _id: user.id });
    await look();
    expect(await deliveriesOf(id)).to.deep.equal([]);
    expect(await bench.mongo.db.collection<{ _id: string }>(collections.alertEndpoints).findOne({ _id: id })).to.equal(null);
  });

  it('deliveries that a look writes for an endpoint that is removed meanwhile go, and those of others stay', async () => {
    const [gone, other] = [await make(), await make()];
    for (const { id } of [gone, other]) await post(`${ENDPOINTS}/${id}/test`);
    const [late] = await deliveriesOf(gone.id);
    if (late === undefined) throw new Error('no delivery');
    expect((await node.request('DELETE', `${ENDPOINTS}/${gone.id}`, { headers: bearer() })).status).to.equal(200);
    await new AlertDeliveries(bench.mongo).add([late], new Date());
    await removeOld(bench.mongo, realNow());
    expect(await deliveriesOf(gone.id)).to.deep.equal([]);
    expect(await deliveriesOf(other.id)).to.have.length(1);
  });

  it('an account that is busy all the time keeps no other of its user waiting', async () => {
    const { id } = await make();
    await post(`${ENDPOINTS}/${id}/test`);
    const [one] = await deliveriesOf(id);
    if (one === undefined) throw new Error('no delivery');
    const stored = bench.mongo.db.collection<AlertDeliveryDocument>(collections.alertDeliveries);
    const lane = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => ({
        ...one,
        _id: `${id}:${name}:${i}`,
        lane: name,
        body: JSON.stringify({ type: name }),
      }));
    // More than all turns of this test send, on both sides of the quiet ones.
    const busy = ['busy-0', 'busy-1', 'busy-2', 'busy-8', 'busy-9'];
    await stored.insertMany(busy.flatMap((name) => lane(name, 1000)));
    await stored.insertMany(['a-quiet', 'busy-5', 'z-quiet'].flatMap((name) => lane(name, 1)));
    const quiet = (): string[] => sentTo('/hook').filter((type) => ['a-quiet', 'busy-5', 'z-quiet'].includes(type));
    for (let turns = 0; quiet().length < 3 && turns < 100; turns++) await turn(id);
    expect(quiet()).to.have.members(['a-quiet', 'busy-5', 'z-quiet']);
  });

  it('a queue that one account fills again and again has room for another of its user', async () => {
    const { id } = await make({ kinds: ['fill'] });
    const sub = subAccountAddress(account, 1);
    await bench.mongo.db
      .collection<{ _id: string }>(collections.users)
      .updateOne({ _id: user.id }, { $set: { subAccountsMade: 1 } });
    await trade(3);
    await trade(1, sub);
    const [endpoints, stored] = [collections.alertEndpoints, collections.alertDeliveries].map((name) =>
      bench.mongo.db.collection<{ _id: string }>(name),
    ) as [Collection<{ _id: string }>, Collection<{ _id: string }>];
    const others = Array.from({ length: 997 }, (_, i) => ({
      _id: `${id}:full:${i}`,
      endpoint: id,
      lane: 'full',
      state: 'waiting',
    }));
    await stored.insertMany(others);
    const told = (): Promise<number> => stored.countDocuments({ endpoint: id, lane: sub });
    for (let looks = 0; (await told()) === 0 && looks < 50; looks++) {
      await look();
      // As if the three had been sent, and there were three more.
      await stored.deleteMany({ endpoint: id, lane: account });
      await endpoints.updateOne({ _id: id }, { $unset: { [`at.${account}`]: '' } });
    }
    expect(await told()).to.equal(1);
  });

  it('a kind that is wanted while a look is under way is told from then on', async () => {
    const { id } = await make({ kinds: ['liquidation'] });
    const endpoints = new AlertEndpoints(bench.mongo);
    const asRead = await endpoints.find(id);
    if (asRead === null) throw new Error('no endpoint');
    await post(`${ENDPOINTS}/${id}/change`, { kinds: ['liquidation', 'fill'] });
    await trade(1);
    await endpoints.followed(asRead, { account, seq: 1_000_000 });
    await look();
    expect((await deliveriesOf(id)).map(({ type }) => type)).to.deep.equal(['fill']);
  });

  it('an address that is changed during a turn counts some seconds later, and a removed endpoint gets nothing more at once', async () => {
    const { id } = await make();
    await post(`${ENDPOINTS}/${id}/test`);
    const [one] = await deliveriesOf(id);
    if (one === undefined) throw new Error('no delivery');
    const stored = bench.mongo.db.collection<AlertDeliveryDocument>(collections.alertDeliveries);
    await stored.insertMany(Array.from({ length: 9 }, (_, i) => ({ ...one, _id: `${one._id}-${i}` })));
    let change: Promise<unknown> | undefined;
    receiver.answer = (response, { path }) => {
      if (path === '/hook') change ??= post(`${ENDPOINTS}/${id}/change`, { url: receiver.url('/other') });
      else if (sentTo('/other').length === 3) change = node.request('DELETE', `${ENDPOINTS}/${id}`, { headers: bearer() });
      void change?.then(() => {
        aheadMs += path === '/hook' ? 2000 : 0;
        response.writeHead(204).end();
      });
    };
    await turn(id);
    expect([sentTo('/hook').length, sentTo('/other').length]).to.deep.equal([3, 0]);
    await turn(id);
    await turn(id);
    expect([sentTo('/hook').length, sentTo('/other').length]).to.deep.equal([3, 3]);
    expect(await deliveriesOf(id)).to.deep.equal([]);
  });

  it('rows that cannot be read hold up the alerts of their own account, and are told when they can', async () => {
    const other = await node.register();
    const [broken, whole] = [await make({ kinds: ['fill'] }), await make({ kinds: ['fill'] }, other)];
    await trade(1);
    const history = bench.mongo.db.collection<{ _id: string; rows: string[] }>(collections.history);
    const ofAccount = { _id: { $regex: `^${account}:fills:` } };
    const before = await history.findOne(ofAccount);
    if (before === null) throw new Error('no rows');
    await history.updateOne(ofAccount, { $set: { rows: ['{'] } });
    await trade(1, (await owner(other)).address);
    await look();
    expect((await deliveriesOf(whole.id)).map(({ type }) => type)).to.deep.equal(['fill']);
    expect(await deliveriesOf(broken.id)).to.deep.equal([]);
    await history.updateOne(ofAccount, { $set: { rows: before.rows } });
    await look();
    expect((await deliveriesOf(broken.id)).map(({ type }) => type)).to.deep.equal(['fill']);
  });

  it('the plan bounds endpoints exactly, whatever comes at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(ENDPOINTS, { url: receiver.url(), kinds: ['fill'] })));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 200, 200, 409, 409, 409, 409, 409]);
    const [first] = (await get(ENDPOINTS)).body.endpoints;
    expect((await node.request('DELETE', `${ENDPOINTS}/${first.id}`, { headers: bearer() })).status).to.equal(200);
    await make();
    expect((await post(ENDPOINTS, { url: receiver.url(), kinds: ['fill'] })).body.code).to.equal('endpoint_limit');
  });

  it('nothing of an endpoint is another user’s, and no list shows a secret', async () => {
    const { id, secret } = await make();
    const message = (await post(`${ENDPOINTS}/${id}/test`)).body.message_id;
    const stranger = await node.register();
    for (const path of ['change', 'secret', 'test']) {
      const body = path === 'change' ? { active: false } : {};
      expect((await post(`${ENDPOINTS}/${id}/${path}`, body, stranger)).body.code).to.equal('unknown_endpoint');
    }
    expect((await node.request('DELETE', `${ENDPOINTS}/${id}`, { headers: bearer(stranger) })).status).to.equal(404);
    expect((await post(`${DELIVERIES}/${message}/retry`, {}, stranger)).status).to.equal(404);
    expect((await get(`${DELIVERIES}?endpoint=${id}`, stranger)).body.items).to.deep.equal([]);
    expect((await get(ENDPOINTS, stranger)).body.endpoints).to.deep.equal([]);
    for (const path of [ENDPOINTS, DELIVERIES, '/v1/auth/audit']) expect((await get(path)).text).to.not.include(secret.slice(6));
    const stored = await bench.mongo.db.collection<{ _id: string }>(collections.alertEndpoints).findOne({ _id: id });
    expect(JSON.stringify(stored)).to.not.include(secret.slice(6));
    const acts = (await get('/v1/auth/audit')).body.items.map(
      (row: { action: string; detail: string }) => `${row.action} ${row.detail}`,
    );
    expect(acts).to.include(`alert_endpoint.created ${id}`);
  });

  it('what is wrong is refused with a sentence and changes nothing', async () => {
    const { id } = await make();
    const before = await shown(id);
    const bad: readonly (readonly [body: unknown, code: string])[] = [
      [{}, 'invalid_request'],
      [{ url: 7, kinds: ALL }, 'invalid_request'],
      [{ url: receiver.url(), kinds: [] }, 'invalid_request'],
      [{ url: receiver.url(), kinds: ['fill', 'fill'] }, 'invalid_request'],
      [{ url: receiver.url(), kinds: ['everything'] }, 'invalid_request'],
      [{ url: receiver.url(), kinds: ['fill'], more: 1 }, 'invalid_request'],
      [{ url: `https://example.com/${'a'.repeat(600)}`, kinds: ['fill'] }, 'invalid_request'],
      [{ url: 'https://10.0.0.1/', kinds: ['fill'] }, 'bad_url'],
      [{ url: 'https://example.com:8443/', kinds: ['fill'] }, 'bad_url'],
      [{ url: 'nowhere', kinds: ['fill'] }, 'invalid_request'],
      [{ url: 'https://user@example.com/', kinds: ['fill'] }, 'invalid_request'],
      [{ kinds: ['fill'] }, 'invalid_request'],
      [{ channel: 'mail', url: receiver.url(), kinds: ['fill'] }, 'invalid_request'],
      [{ url: receiver.url(), kinds: ['fill'], account: `0x${'9'.repeat(40)}` }, 'unknown_account'],
    ];
    for (const [body, code] of bad) expect((await post(ENDPOINTS, body)).body.code, JSON.stringify(body)).to.equal(code);
    for (const body of [{}, { active: 'no' }, { url: 'https://[::1]/' }, { kinds: null }])
      expect((await post(`${ENDPOINTS}/${id}/change`, body)).status, JSON.stringify(body)).to.equal(400);
    for (const query of ['status=gone', 'cursor=x', 'limit=0', 'endpoint=a&endpoint=b'])
      expect((await get(`${DELIVERIES}?${query}`)).status, query).to.equal(400);
    expect(await shown(id)).to.deep.equal(before);
    for (let i = 0; i < 5; i++) await post(`${ENDPOINTS}/${id}/test`);
    expect((await post(`${ENDPOINTS}/${id}/test`)).body.code).to.equal('tests_waiting');
    await post(`${ENDPOINTS}/${id}/change`, { active: false });
    expect((await post(`${ENDPOINTS}/${id}/test`)).body.code).to.equal('endpoint_paused');
  });

  it('deliveries are listed newest first, a page after the other', async () => {
    const { id } = await make();
    for (let i = 0; i < 3; i++) await post(`${ENDPOINTS}/${id}/test`);
    const all = (await get(DELIVERIES)).body.items.map((one: { message_id: string }) => one.message_id);
    const paged: string[] = [];
    for (let cursor = ''; ; ) {
      const { items, next_cursor: next } = (await get(`${DELIVERIES}?limit=1${cursor}`)).body;
      paged.push(...items.map((one: { message_id: string }) => one.message_id));
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(paged).to.deep.equal(all).and.have.length(3);
  });

  /**
   * 10,000 USD less 65,001 for 1 BTC and a fee of 29.25045: at a mark of 55,500 the account value is 469.74955, below the maintenance
   * margin of 693.75 and above two thirds of it. So the market takes it: the bid of 55,400.
   */
  it('a liquidation is told with its fill, in order, with the numbers before it', async () => {
    const { id, secret } = await make({ kinds: ['fill', 'liquidation'] });
    await bench.market.setMark('BTC', '65000');
    await gateway.send(account, commands.open, ask);
    await gateway.send(account, commands.place({ size: '1' }), ask);
    await bench.market.setBook('BTC', { bids: [['55400', '10']], asks: [['55600', '10']] });
    await bench.market.setMark('BTC', '55500');
    await until(async () => {
      await look();
      return (await deliveriesOf(id)).length >= 3;
    });
    await bench.market.setBook('BTC', BTC);
    await bench.market.setMark('BTC', '65000');
    await turn(id);
    expect(receiver.messages.map(({ body }) => body.type)).to.deep.equal(['fill', 'fill', 'liquidation']);
    const [bought, sold, liquidation] = receiver.messages.map((message) => {
      expect(verify(secret, message)).to.deep.equal(message.body);
      return message.body.data;
    });
    expect(bought).to.include({ account, side: 'buy', size: '1', price: '65001', liquidation: null });
    expect(sold).to.include({ account, side: 'sell', size: '1', price: '55400', liquidation: 'market' });
    expect(liquidation).to.include({ account, margin_mode: 'cross', account_value: '469.74955' });
    expect(Number(liquidation.notional)).to.equal(55_500);
    expect(liquidation.positions).to.deep.equal([{ coin: 'BTC', size: '1' }]);
    expect(sold.seq).to.equal(liquidation.seq).and.above(bought.seq);
  });

  it('no secret, signature, address or message is in what the jobs log, though every line of every level is read', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'trace', serializers }, { write: (line: string) => lines.push(line) });
    const { id, secret } = await make({ kinds: ['fill'], url: receiver.url('/hook?key=of-the-user') });
    const rotated = (await post(`${ENDPOINTS}/${id}/secret`)).body.secret;
    await trade(1);
    await look();
    receiver.answer = (response, { headers }) => response.writeHead(500).end(`${headers['webhook-signature']}`);
    await turn(id, { ...turnParts(), log, secrets: { keyFor: () => Promise.resolve(Buffer.alloc(32, 7)) } });
    expect(lines.join(''), 'a process with another deployment secret says so').to.include(id);
    for (aheadMs = 0; (await shown(id))['status'] === 'active'; aheadMs += DAY_MS / 2) await turn(id, { ...turnParts(), log });
    expect(receiver.messages).to.have.length(10);
    const logged = lines.join('');
    expect(logged).to.include('is paused');
    const signatures = receiver.messages.flatMap(({ headers }) => String(headers['webhook-signature']).split(' '));
    expect(signatures).to.have.length.above(10);
    const unsaid = [secret.slice('whsec_'.length), rotated.slice('whsec_'.length), 'of-the-user', '"tid"', ...signatures];
    for (const text of unsaid) expect(logged).to.not.include(text);
  });
});
