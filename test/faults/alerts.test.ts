// Alerts while processes are killed in their middle, and while stores are full or fail: each acknowledged fill reaches the receiver, by
// whichever channel, in the order of the account, and what arrives twice is the same message, or the same lines.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { cutTo, GrowthOfFile, incrementOf } from '../support/faults/appendOnlyFile.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { MailSink } from '../support/mailSink.ts';
import { FAULTS, type Fault, MongoReplicaSet } from '../support/mongo/replicaSet.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { TelegramServer, TOKEN } from '../support/telegramServer.ts';
import { until } from '../support/until.ts';
import { verify, WebhookReceiver } from '../support/webhookReceiver.ts';

/** Orders that are acknowledged between two kills. */
const BETWEEN = 4;
const JOBS = ['jobs-0', 'jobs-1'];
const KILLS = ['jobs-0', 'actors-0', 'jobs-1', 'actors-1', 'jobs-0', 'jobs-1'];

describe('kill -9 around alerts', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let receiver: WebhookReceiver;
  let sink: MailSink;
  let telegram: TelegramServer;

  before(async () => {
    [receiver, sink, telegram] = await Promise.all([WebhookReceiver.start(), MailSink.start(), TelegramServer.start()]);
    const env = {
      ...{ SHARDS: '4', LEASE_TTL_MS: '1000', HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '2000' },
      ...{ WEBHOOK_NETWORKS: '127.0.0.0/8', SMTP_URL: sink.url, REQUIRE_VERIFIED_EMAIL: 'no' },
      ...{ TELEGRAM_TOKEN: TOKEN, TELEGRAM_API_BASE: telegram.url },
    };
    stack = await startStack({ pods: 2, jobs: 2, env });
    user = await stack.register();
  });
  after(async () => {
    await stack.stop();
    await Promise.all([receiver.stop(), sink.stop(), telegram.stop()]);
  });

  const make = (owner: TestAccount, fields: object) => makeEndpoint(stack, owner, fields);
  const trade = (owner: TestAccount, times: number): Promise<number[]> => tradeOn(stack, owner, times);

  scenario('every acknowledged fill is told, in order, and a second time only as the same message', async (seed) => {
    const random = new Random(seed);
    const { secret } = await make(user, { url: receiver.url() });
    // Some messages are taken and not acknowledged: the process may be dead before it hears of it.
    const broken = new Set<unknown>();
    receiver.answer = (response, { headers }) => {
      const id = headers['webhook-id'];
      if (broken.has(id) || random.chance(0.9)) response.writeHead(204).end();
      else response.destroy();
      broken.add(id);
    };
    const oids: number[] = [];
    for (const name of KILLS) {
      oids.push(...(await trade(user, BETWEEN)));
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

  scenario(
    'a mail and a message of a chat that every process dies over come again with the same lines, and nothing is lost',
    async (seed) => {
      const random = new Random(seed);
      const reader = await stack.register();
      const { db } = stack.mongo;
      await db
        .collection<{ _id: string }>(collections.users)
        .updateOne({ _id: reader.userId }, { $set: { emailVerifiedAt: new Date() } });
      const mail = (await make(reader, { channel: 'mail' })).endpoint.id;
      const chat = await make(reader, { channel: 'telegram' });
      const killAll = async (): Promise<void> => {
        await Promise.all(JOBS.map((name) => stack.kill(name)));
        await Promise.all(JOBS.map((name) => stack.restart(name)));
      };

      // Between the binding of the chat and its test, or while the test is under way.
      const endpoints = db.collection<{ _id: string; state: string }>(collections.alertEndpoints);
      telegram.write(`/start ${chat.telegram.code}`);
      await until(async () => (await endpoints.findOne({ _id: chat.endpoint.id }))?.state === 'active');
      await killAll();
      await until(() => telegram.sent.length > 0);
      expect(new Set(telegram.sent.map(({ chatId, text }) => `${chatId} ${text}`)).size).to.equal(1);
      expect(telegram.sent[0]?.text).to.include(`a test of the endpoint ${chat.endpoint.id}`);

      // Both are received and not acknowledged, and all alerts are made, when every process dies.
      sink.answer = () => undefined;
      telegram.answer = () => undefined;
      const oids = await trade(reader, random.whole(11, 15));
      expect(oids.length).to.be.greaterThan(0);
      const deliveries = db.collection(collections.alertDeliveries);
      for (const endpoint of [mail, chat.endpoint.id])
        await until(async () => (await deliveries.countDocuments({ endpoint, type: 'fill' })) >= oids.length);
      await until(() => sink.underWay > 0 && telegram.underWay > 0);
      const mails = (): string[][] => sink.to(reader.email).map(fillsIn);
      const messages = (): string[][] => telegram.sent.map(({ text }) => fillsIn(text));
      const before = [mails().length, messages().length];
      await Promise.all(JOBS.map((name) => stack.kill(name)));
      sink.answer = undefined;
      telegram.answer = undefined;
      await Promise.all(JOBS.map((name) => stack.restart(name)));

      for (const [i, sent] of [mails, messages].entries()) {
        // Nothing of it was acknowledged, so all of it comes again.
        const again = (): string[] => sent().slice(before[i]).flat();
        await until(() => oids.every((oid) => again().map(oidOf).includes(oid)));
        const underWay = sent()[(before[i] ?? 0) - 1] ?? [];
        expect(underWay).to.have.length.above(0);
        expect(again()).to.include.members(underWay);
        // The first alert of each fill: in the order of the account, and never in other words.
        const lines = [...new Set(sent().flat())];
        expect(lines.map(seqOf)).to.deep.equal(lines.map(seqOf).toSorted((a, b) => a - b));
        expect(lines).to.have.length(new Set(lines.map(fillOf)).size);
      }
      const metrics = (await Promise.all(JOBS.map((name) => stack.metrics(name)))).join('\n');
      for (const channel of ['mail', 'telegram'])
        expect(metrics).to.match(new RegExp(`^alerts_tries_total\\{channel="${channel}",outcome="delivered"\\} [1-9]`, 'm'));
      for (const { logFile } of stack.processes.values()) expect(readFileSync(logFile, 'utf8')).to.not.include(TOKEN);
    },
  );
});

/** Cut off after the kill of a Redis, ms: less than the age of a commit at its alert. */
const LOST_MS_MAX = 1000;

describe('alerts that leave before MongoDB has the history', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let receiver: WebhookReceiver;

  before(async () => {
    receiver = await WebhookReceiver.start();
    const env = { SHARDS: '2', LEASE_TTL_MS: '1000', HISTORY_DELAY_MS: '600000', WEBHOOK_NETWORKS: '127.0.0.0/8' };
    stack = await startStack({ pods: 1, jobs: 2, env });
    user = await stack.register();
    await makeEndpoint(stack, user, { url: receiver.url() });
  });
  after(async () => {
    await stack.stop();
    await receiver.stop();
  });

  const seqsInOrder = (): number[] => {
    const first = new Map(receiver.messages.map(({ headers, body }) => [headers['webhook-id'], body.data.seq]));
    const seqs = [...first.values()];
    expect(seqs).to.deep.equal(seqs.toSorted((a, b) => a - b));
    return seqs;
  };
  const told = (): ReadonlySet<number> => new Set(receiver.messages.map(({ body }) => body.data.oid));

  scenario('a process that stands still and goes on tells nothing out of order, and holds nothing up', async () => {
    const oids = await tradeOn(stack, user, BETWEEN);
    await until(() => oids.every((oid) => told().has(oid)));
    for (const name of JOBS) {
      await stack.kill(name, 'SIGSTOP');
      oids.push(...(await tradeOn(stack, user, BETWEEN)));
      await until(() => oids.every((oid) => told().has(oid)));
      await stack.kill(name, 'SIGCONT');
      oids.push(...(await tradeOn(stack, user, BETWEEN)));
      await until(() => oids.every((oid) => told().has(oid)));
    }
    seqsInOrder();
  });

  scenario('Redis loses its last second: what is left is told, and nothing that was lost', async (seed) => {
    const random = new Random(seed);
    const file = incrementOf(stack.redisStore.dir);
    const growth = new GrowthOfFile(file);
    const oids = await tradeOn(stack, user, BETWEEN);
    await until(() => oids.every((oid) => told().has(oid)));
    const beganMs = Date.now();
    while (Date.now() < beganMs + 2 * LOST_MS_MAX) oids.push(...(await tradeOn(stack, user, 1)));
    await stack.redisStore.kill();
    const bytes = growth.bytesAt(Date.now() - random.whole(LOST_MS_MAX / 2, LOST_MS_MAX));
    growth.stop();
    cutTo(file, bytes);
    await stack.restartRedis();
    const later = await tradeOn(stack, user, BETWEEN);
    await until(() => later.every((oid) => told().has(oid)));
    const { body } = await stack.info(user.apiKey, { type: 'userFills', user: user.address });
    const left = new Set((body as { oid: number }[]).map(({ oid }) => oid));
    expect(
      oids.filter((oid) => !left.has(oid)),
      'fills lost',
    ).to.not.be.empty;
    await until(() => [...left].every((oid) => told().has(oid)));
    expect([...told()].filter((oid) => !left.has(oid))).to.deep.equal([]);
    seqsInOrder();
  });
});

/** One in so many commands to a MongoDB that fails. */
const FAILING = 4;

describe('alerts while a store is full, or fails', function () {
  this.timeout(600_000);
  let stack: Stack;
  let user: TestAccount;
  let receiver: WebhookReceiver;
  let set: MongoReplicaSet;
  let secret: string;
  /** Orders that were filled. */
  const oids: number[] = [];

  before(async () => {
    receiver = await WebhookReceiver.start();
    const env = { SHARDS: '2', LEASE_TTL_MS: '1000', HISTORY_DELAY_MS: '2000', WEBHOOK_NETWORKS: '127.0.0.0/8' };
    stack = await startStack({
      ...{ pods: 1, jobs: 2, env },
      mongoThrough: async (url) => {
        set = await MongoReplicaSet.start(Number(new URL(url).port));
        return set.url;
      },
    });
    user = await stack.register();
    ({ secret } = await makeEndpoint(stack, user, { url: receiver.url() }));
  });
  afterEach(() => {
    set.fault = () => undefined;
  });
  after(async () => {
    await stack.stop();
    await Promise.all([receiver.stop(), set.stop()]);
  });

  const told = (): ReadonlySet<number> => new Set(receiver.messages.map(({ body }) => body.data.oid));
  const trade = async (times: number): Promise<number[]> => {
    const filled = await tradeOn(stack, user, times);
    expect(filled).to.have.length(times);
    oids.push(...filled);
    return filled;
  };
  /** Each fill of the account has its alert, no other fill has one, in order, and again only as the same message. */
  const allTold = async (): Promise<void> => {
    await until(() => oids.every((oid) => told().has(oid)));
    const fills: { oid: number }[] = await stack.ask(user.apiKey, { type: 'userFills', user: user.address });
    expect(new Set(fills.map(({ oid }) => oid)), 'fills of the account').to.deep.equal(new Set(oids));
    expect(told()).to.deep.equal(new Set(oids));
    const first = new Map<unknown, { text: string; seq: number }>();
    for (const message of receiver.messages) {
      verify(secret, message);
      const { headers, text, body } = message;
      const before = first.get(headers['webhook-id']);
      if (before === undefined) first.set(headers['webhook-id'], { text, seq: body.data.seq });
      else expect(text).to.equal(before.text);
    }
    const seqs = [...first.values()].map(({ seq }) => seq);
    expect(seqs).to.deep.equal([...new Set(seqs)].toSorted((a, b) => a - b));
  };

  scenario(
    'Redis has used up its memory: orders are refused in words, and what was filled before is told meanwhile',
    async () => {
      const before = await trade(BETWEEN);
      await stack.redis.config('SET', 'maxmemory', '1');
      try {
        let refusal: unknown;
        const order = { type: 'order', orders: [iocOrder(0)], grouping: 'na' };
        await until(async () => {
          const { status, body } = await stack.exchange(user.apiKey, order);
          refusal = body;
          return status === 503;
        });
        expect(JSON.stringify(refusal)).to.include('store_unavailable');
        await until(() => before.every((oid) => told().has(oid)));
      } finally {
        await stack.redis.config('SET', 'maxmemory', '0');
      }
      await trade(BETWEEN);
      await allTold();
    },
  );

  scenario(
    'MongoDB has a full disk: orders go on, alerts wait for it, and a process that is killed meanwhile loses none',
    async () => {
      const refused = new Set<unknown>();
      set.fault = ({ name, body }) => {
        refused.add(body[name]);
        return 'isFull';
      };
      const meanwhile = await trade(BETWEEN);
      await until(() => refused.has(collections.leases) && refused.has(collections.alertEndpoints));
      for (const name of JOBS) {
        await stack.kill(name);
        await stack.restart(name);
        meanwhile.push(...(await trade(BETWEEN)));
      }
      expect(
        meanwhile.filter((oid) => told().has(oid)),
        'told while nothing could be noted',
      ).to.deep.equal([]);
      set.fault = () => undefined;
      await allTold();
    },
  );

  scenario(
    'MongoDB fails again and again, in every way and in the middle of each look: alerts are late, and none is lost',
    async (seed) => {
      const random = new Random(seed);
      const ways: readonly Fault[] = [...FAULTS, 'isFull'];
      const failed = new Set<unknown>();
      set.fault = ({ name, body }) => {
        if (!random.chance(1 / FAILING)) return undefined;
        failed.add(`${name} ${body[name]}`);
        return random.pick(ways);
      };
      const isHit = (): boolean =>
        [collections.leases, collections.alertDeliveries, collections.alertEndpoints].every((name) =>
          [...failed].some((one) => one === `update ${name}` || one === `findAndModify ${name}`),
        );
      do await trade(BETWEEN);
      while (!isHit());
      set.fault = () => undefined;
      await trade(BETWEEN);
      await allTold();
    },
  );
});

// biome-ignore lint/suspicious/noExplicitAny: a body is whatever the endpoint sends
async function makeEndpoint(stack: Stack, owner: TestAccount, fields: object): Promise<any> {
  const body = { kinds: ['fill'], ...fields };
  const made = await stack.call('POST', '/v1/alerts/endpoints', { token: owner.token, body });
  expect(made.status, JSON.stringify(made.body)).to.equal(200);
  return made.body;
}

const iocOrder = (asset: number): object => ({
  a: asset,
  b: true,
  p: '200000',
  s: '0.001',
  r: false,
  t: { limit: { tif: 'Ioc' } },
});

/** @returns the orders that were filled */
async function tradeOn(stack: Stack, owner: TestAccount, times: number): Promise<number[]> {
  const { universe } = await stack.ask(owner.apiKey, { type: 'meta' });
  const asset = universe.findIndex(({ name }: { name: string }) => name === 'BTC');
  const oids: number[] = [];
  for (let i = 0; i < times; i++) {
    const { body } = await stack.act(owner.apiKey, { type: 'order', orders: [iocOrder(asset)], grouping: 'na' });
    const status = body.response?.data?.statuses?.[0];
    if (status?.filled !== undefined) oids.push(status.filled.oid);
  }
  return oids;
}

/** Lines about fills. */
const fillsIn = (sent: string): string[] => sent.replaceAll('\r', '').match(/^.* bought .*$/gm) ?? [];
const numberIn = (line: string, form: RegExp): number => Number(form.exec(line)?.[1]);
const seqOf = (line: string): number => numberIn(line, /, entry (\d+)/);
const oidOf = (line: string): number => numberIn(line, /, order (\d+)/);
const fillOf = (line: string): number => numberIn(line, /, fill (\d+)/);
