// Alerts by mail and by Telegram: their receivers, their order, the outcome of a failed try, and no token in any answer.
import { expect } from 'chai';
import { pino } from 'pino';
import type { CommandGateway } from '../../../src/api/accounts/gateway/commandGateway.ts';
import { deliverTurn } from '../../../src/features/alerts/deliver/deliverTurn.ts';
import { lookAtChats, TelegramBot } from '../../../src/features/alerts/deliver/telegram.ts';
import type { TurnParts } from '../../../src/features/alerts/deliver/turnParts.ts';
import { failedLine } from '../../../src/features/alerts/deliver/turns.ts';
import { fillOutbox } from '../../../src/features/alerts/look/fillOutbox.ts';
import { AlertDeliveries, type AlertDeliveryDocument } from '../../../src/features/alerts/store/alertDeliveries.ts';
import type { AlertEndpointDocument, ToTelegram } from '../../../src/features/alerts/store/alertEndpoint.ts';
import { AlertEndpoints } from '../../../src/features/alerts/store/alertEndpoints.ts';
import { DeploymentSecrets, KeptSecret } from '../../../src/shared/access/secrets.ts';
import { networksOf } from '../../../src/shared/config/publicAddress.ts';
import { serializers } from '../../../src/shared/logger.ts';
import { createMailer } from '../../../src/shared/mailer.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { ActorBench, commands } from '../../support/actorBench.ts';
import { type Answer, ApiNode, type TestUser } from '../../support/apiNode.ts';
import { MailSink } from '../../support/mailSink.ts';
import { BOT, TelegramServer, TOKEN, tooMany } from '../../support/telegramServer.ts';
import { until } from '../../support/until.ts';

const ENDPOINTS = '/v1/alerts/endpoints';
const DELIVERIES = '/v1/alerts/deliveries';
const [SECOND_MS, MINUTE_MS, HOUR_MS, DAY_MS] = [1000, 60_000, 3_600_000, 86_400_000];
const ask = { requestId: 'r' };

describe('alerts by mail and Telegram', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let node: ApiNode;
  let sink: MailSink;
  let telegram: TelegramServer;
  let bot: TelegramBot;
  let user: TestUser;
  let account: string;
  let aheadMs = 0;
  const realNow = (): number => Date.now() + aheadMs;
  const lines: string[] = [];
  const log = pino({ level: 'trace', serializers }, { write: (line: string) => lines.push(line) });

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '400' });
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    [sink, telegram] = await Promise.all([MailSink.start(), TelegramServer.start()]);
    const env = {
      ...{ PLAN_BASIC_REQUESTS_PER_MINUTE: '100000', ANONYMOUS_REQUESTS_PER_MINUTE: '100000' },
      ...{ TELEGRAM_TOKEN: TOKEN, REQUIRE_VERIFIED_EMAIL: 'no' },
    };
    node = await ApiNode.start({ redis: bench.redisStore, mongo: bench.mongoStore }, { env, now: realNow });
  });
  beforeEach(async () => {
    aheadMs = 0;
    telegram.sent.length = 0;
    telegram.answer = undefined;
    bot = new TelegramBot({ token: TOKEN, base: telegram.url, realNow });
    user = await node.register();
    account = (await users().findOne({ _id: user.id }))?.address ?? '';
  });
  after(async () => {
    await node.stop();
    await bench.stop();
    await Promise.all([sink.stop(), telegram.stop()]);
  });
  afterEach('no line of the jobs has the token, or a message', () => {
    expect(lines.join('')).to.not.include(TOKEN).and.not.include('"tid"').and.not.include('bought');
  });

  const users = () => bench.mongo.db.collection<{ _id: string; address: string; emailVerifiedAt?: Date }>(collections.users);
  const bearer = (of = user) => ({ authorization: `Bearer ${of.token}` });
  const post = (path: string, body: unknown = {}, of = user): Promise<Answer> => node.post(path, body, bearer(of));
  const get = (path: string, of = user): Promise<Answer> => node.request('GET', path, { headers: bearer(of) });
  const verified = () => users().updateOne({ _id: user.id }, { $set: { emailVerifiedAt: new Date() } });
  const make = async (fields: object): Promise<{ readonly id: string; readonly answer: Answer }> => {
    const answer = await post(ENDPOINTS, { kinds: ['fill'], ...fields });
    expect(answer.status, answer.text).to.equal(200);
    return { id: answer.body.endpoint.id, answer };
  };
  const mailTo = async (fields: object = {}): Promise<string> => {
    await verified();
    return (await make({ channel: 'mail', ...fields })).id;
  };
  const shown = async (id: string): Promise<Record<string, unknown>> =>
    (await get(ENDPOINTS)).body.endpoints.find((one: { id: string }) => one.id === id);
  const parts = (): TurnParts => ({
    ...{ mongo: bench.mongo, log, realNow, bot, publicUrl: 'https://paper.example.com' },
    secrets: new DeploymentSecrets(bench.config, new KeptSecret(bench.mongo)),
    network: { allowed: networksOf([]) },
    mailer: createMailer({ config: { ...bench.config, SMTP_URL: sink.url }, log, now: realNow }),
    onTry: () => undefined,
  });
  const turn = (id: string, of: Partial<TurnParts> = {}): Promise<void> => deliverTurn({ ...parts(), ...of }, id);
  const look = (): Promise<void> =>
    fillOutbox({ mongo: bench.mongo, log: bench.log, config: bench.config, now: realNow, realNow });
  const lookForChats = (): Promise<void> => lookAtChats({ mongo: bench.mongo, bot, log, realNow })();
  const deliveries = () => bench.mongo.db.collection<AlertDeliveryDocument>(collections.alertDeliveries);
  const deliveriesOf = (id: string) => deliveries().find({ endpoint: id }).sort({ _id: 1 }).toArray();
  const trade = async (times: number): Promise<void> => {
    await gateway.send(account, commands.open, ask);
    for (let i = 0; i < times; i++) await gateway.send(account, commands.place(), ask);
    const overview = await gateway.send(account, { type: 'query', query: { kind: 'overview' } }, ask);
    const seq = (overview as { seq?: number }).seq ?? 0;
    const accounts = bench.mongo.db.collection<{ _id: string; seq: number }>(collections.accounts);
    await until(async () => ((await accounts.findOne({ _id: account }))?.seq ?? 0) >= seq);
  };
  /** Lines about fills, in the order in which they were sent. */
  const fillsIn = (texts: readonly string[]): string[] => texts.flatMap((sent) => sent.match(/^.* bought .*$/gm) ?? []);
  const seqOf = (line: string): number => Number(/, entry (\d+)/.exec(line)?.[1]);
  const chat = async (): Promise<string> => {
    const { id, answer } = await make({ channel: 'telegram' });
    telegram.write(`/start ${answer.body.telegram.code}`);
    await lookForChats();
    await turn(id);
    expect(telegram.sent.pop()?.text).to.match(/ a test of the endpoint ale_/);
    return id;
  };

  it('mail: only to the verified address of the user, read at each try', async () => {
    const refused = await post(ENDPOINTS, { channel: 'mail', kinds: ['fill'] });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'email_not_verified']);
    const id = await mailTo();
    expect(await shown(id)).to.include({ channel: 'mail', url: null, chat: null, status: 'active' });
    await trade(3);
    await look();
    await turn(id);
    const [mail = '', ...more] = sink.to(user.email);
    expect(more).to.deep.equal([]);
    expect(mail).to.include('\r\nSubject: 3 alerts: fill\r\n').and.include('https://paper.example.com/alerts');
    const told = fillsIn([mail.replaceAll('\r', '')]);
    expect(told).to.have.length(3);
    expect(told[0])
      .to.include(`Account ${account}`)
      .and.match(/Z bought 0\.001 BTC at \d+ \(Open Long, taker, fee /);
    expect(told.map(seqOf)).to.deep.equal(told.map(seqOf).toSorted((a, b) => a - b));
    expect((await deliveriesOf(id)).map(({ state, tries }) => `${state} ${tries}`)).to.deep.equal(Array(3).fill('delivered 1'));

    await users().updateOne({ _id: user.id }, { $unset: { emailVerifiedAt: '' } });
    aheadMs = MINUTE_MS;
    await post(`${ENDPOINTS}/${id}/test`);
    await turn(id);
    expect(sink.to(user.email)).to.have.length(1);
    expect((await get(`${DELIVERIES}?status=waiting`)).body.items[0].result).to.equal('the user has no verified e-mail address');
  });

  it('mail: one a minute, with all that has come meanwhile', async () => {
    const id = await mailTo();
    await trade(1);
    await look();
    await turn(id);
    await trade(2);
    await look();
    await turn(id);
    expect(sink.to(user.email)).to.have.length(1);
    aheadMs = MINUTE_MS + SECOND_MS;
    await turn(id);
    const mails = sink.to(user.email).map((mail) => mail.replaceAll('\r', ''));
    expect(mails.map((mail) => fillsIn([mail]).length)).to.deep.equal([1, 2]);
    expect(new Set(fillsIn(mails)).size).to.equal(3);
  });

  it('mail: ten tries over a day at a server that is away, then dead letters that can be retried', async () => {
    const id = await mailTo();
    await trade(1);
    await look();
    const away = createMailer({ config: { ...bench.config, SMTP_URL: 'smtp://127.0.0.1:1' }, log, now: realNow });
    for (let tried = 1; tried <= 10; tried++) {
      await turn(id, { mailer: away });
      await turn(id, { mailer: away });
      const [head] = await deliveriesOf(id);
      expect(head?.tries, 'one try when it is due').to.equal(tried);
      if (tried < 10) aheadMs = (head as AlertDeliveryDocument).dueAt.getTime() - Date.now() + SECOND_MS;
    }
    expect(aheadMs).to.be.within(0.98 * DAY_MS, DAY_MS);
    expect(await shown(id)).to.include({ waiting: 0, dead: 1, status: 'paused', paused_by: 'failing' });
    const [dead] = (await get(`${DELIVERIES}?status=dead`)).body.items;
    expect(dead).to.include({ result: 'the mail server cannot be reached', tries: 10 });
    await post(`${DELIVERIES}/${dead.message_id}/retry`);
    await post(`${ENDPOINTS}/${id}/change`, { active: true });
    await turn(id);
    expect(fillsIn(sink.to(user.email).map((mail) => mail.replaceAll('\r', '')))).to.have.length(1);
    expect(await shown(id)).to.include({ waiting: 0, dead: 0, status: 'active' });
  });

  it('Telegram: nothing is sent before the chat has proven to be the user’s, by its code, once, from a private chat', async () => {
    const { id, answer } = await make({ channel: 'telegram' });
    const { code, until: end } = answer.body.telegram;
    expect(answer.body.secret).to.equal(null);
    expect(Date.parse(end) - realNow()).to.be.within(0.9 * HOUR_MS, HOUR_MS);
    expect(await shown(id)).to.include({ status: 'unproven', chat: null });
    for (const act of ['test', 'change']) {
      const refused = await post(`${ENDPOINTS}/${id}/${act}`, act === 'test' ? {} : { active: true });
      expect([refused.status, refused.body.code]).to.deep.equal([409, 'endpoint_unproven']);
    }
    const stored = await bench.mongo.db.collection<{ _id: string }>(collections.alertEndpoints).findOne({ _id: id });
    expect(JSON.stringify(stored)).to.not.include(code);
    await trade(1);
    await look();
    for (const wrong of ['/start', '/start 0123456789abcdefABCDEF', code, `/start ${code}x`, `/stop ${code}`])
      telegram.write(wrong);
    telegram.write(`/start ${code}`, { id: -100_123, type: 'group', title: 'many' });
    await lookForChats();
    expect(telegram.unconfirmed).to.equal(0);
    expect(await shown(id)).to.include({ status: 'unproven' });

    telegram.write(`/start ${code}`);
    telegram.write(`/start ${code}`, { id: 666, type: 'private', username: 'thief' });
    await lookForChats();
    await lookForChats();
    expect(await shown(id)).to.include({ status: 'active', chat: '@satoshi' });
    await look();
    await turn(id);
    expect(telegram.sent.map(({ chatId }) => chatId)).to.deep.equal(['77001']);
    const [message] = telegram.sent;
    expect(message?.text.split('\n')).to.have.length(2);
    expect(message?.text)
      .to.match(/ a test of the endpoint /)
      .and.match(/ bought 0\.001 BTC /);
    expect((await get('/v1/auth/audit')).text).to.not.include(code);
    const another = await make({ channel: 'telegram' });
    expect(another.answer.body.telegram).to.include({
      bot: BOT,
      link: `https://t.me/${BOT}?start=${another.answer.body.telegram.code}`,
    });
  });

  it('Telegram: a chat is greeted once, whatever a process has done of it before it died', async () => {
    const { id, answer } = await make({ channel: 'telegram' });
    telegram.write(`/start ${answer.body.telegram.code}`);
    await lookForChats();
    // A process that dies here has bound the chat and made no message: the endpoint is due all the same.
    expect((await new AlertEndpoints(bench.mongo).due(new Date(realNow()))).map((due) => due.id)).to.include(id);
    const endpoints = bench.mongo.db.collection<AlertEndpointDocument & ToTelegram>(collections.alertEndpoints);
    const toGreet = (await endpoints.findOne({ _id: id }))?.toGreet;
    if (toGreet === undefined) throw new Error('no chat is bound');
    await turn(id);
    // As it is when one has died after the message was made, and after it was sent.
    for (const state of ['waiting', 'delivered'] as const) {
      await deliveries().updateMany({ endpoint: id }, { $set: { state, dueAt: new Date(realNow()) } });
      await endpoints.updateOne({ _id: id }, { $set: { toGreet } });
      aheadMs += 10 * SECOND_MS;
      await turn(id);
    }
    expect(await deliveriesOf(id)).to.have.length(1);
    expect((await endpoints.findOne({ _id: id }))?.toGreet).to.equal(undefined);
    expect(telegram.sent).to.have.length(2);
    expect(new Set(telegram.sent.map(({ text }) => text)).size).to.equal(1);
  });

  it('Telegram: an endpoint whose code was not sent within an hour goes, and the code is good for nothing', async () => {
    const { id, answer } = await make({ channel: 'telegram' });
    aheadMs = HOUR_MS + SECOND_MS;
    telegram.write(`/start ${answer.body.telegram.code}`);
    await lookForChats();
    expect(await shown(id)).to.equal(undefined);
    const calls = telegram.calls.length;
    // Also where the operator has taken the token away meanwhile: it would keep a place of its user's for good.
    const { id: left } = await make({ channel: 'telegram' });
    const withoutToken = lookAtChats({ mongo: bench.mongo, bot: undefined, log, realNow });
    await withoutToken();
    expect(await shown(left)).to.include({ status: 'unproven' });
    aheadMs += HOUR_MS + SECOND_MS;
    await withoutToken();
    expect(await shown(left)).to.equal(undefined);
    expect(telegram.calls).to.have.length(calls);
  });

  it('Telegram: a 429 is waited for as long as it says, and it is told to the process as a whole', async () => {
    const [id, other] = [await chat(), await chat()];
    await trade(12);
    await look();
    aheadMs = MINUTE_MS;
    telegram.answer = tooMany(40);
    await turn(id);
    await turn(other);
    expect(telegram.sent).to.have.length(1);
    const [head] = await deliveriesOf(id).then((all) => all.filter(({ type }) => type === 'fill'));
    expect(head).to.include({ tries: 1, state: 'waiting', result: 'Telegram asked for a pause (429)' });
    expect((head as AlertDeliveryDocument).dueAt.getTime() - realNow()).to.be.within(30 * SECOND_MS, 40 * SECOND_MS);
    telegram.answer = undefined;
    aheadMs += 39 * SECOND_MS;
    await turn(id);
    expect(telegram.sent).to.have.length(1);
    aheadMs += 2 * SECOND_MS;
    for (let i = 0; i < 2; i++, aheadMs += 5 * SECOND_MS) await turn(id);
    const texts = telegram.sent.slice(1).map(({ text }) => text);
    expect(texts.map((text) => fillsIn([text]).length)).to.deep.equal([10, 2]);
    const seqs = fillsIn(texts).map(seqOf);
    expect(seqs).to.deep.equal(seqs.toSorted((a, b) => a - b));
    expect(Math.max(...texts.map(({ length }) => length))).to.be.below(4096);
    await turn(other);
    expect(fillsIn(telegram.sent.slice(3).map(({ text }) => text))).to.have.length(10);
  });

  it('Telegram: a blocked bot, errors and silence are tries; a token that it does not know is none, and holds nothing up for good', async () => {
    const id = await chat();
    aheadMs = MINUTE_MS;
    await post(`${ENDPOINTS}/${id}/test`);
    const waiting = async () => (await deliveriesOf(id)).findLast(({ state }) => state === 'waiting');
    const cases: readonly (readonly [answer: TelegramServer['answer'], result: string])[] = [
      [
        (response) => response.writeHead(403).end('{"ok":false}'),
        'Telegram refused the message (403): the bot is blocked in the chat',
      ],
      [(response) => response.writeHead(400).end('no JSON'), 'Telegram refused the message (400): the chat may be gone'],
      [(response) => response.writeHead(502).end(), 'Telegram answered 502'],
      [(response) => response.writeHead(302, { location: telegram.url }).end(), 'Telegram answered 302'],
      [(response) => response.destroy(), 'Telegram cannot be reached'],
      [(response) => response.writeHead(200).end(`{"ok":true,"x":"${'x'.repeat(3_000_000)}"}`), 'Telegram cannot be reached'],
    ];
    for (const [i, [answer, result]] of cases.entries()) {
      telegram.answer = answer;
      await turn(id);
      expect(await waiting()).to.include({ tries: i + 1, result });
      aheadMs = ((await waiting()) as AlertDeliveryDocument).dueAt.getTime() - Date.now() + SECOND_MS;
    }
    telegram.answer = undefined;
    lines.length = 0;
    const stranger = new TelegramBot({ token: '1:of-another-bot-that-is-gone', base: telegram.url, realNow });
    await turn(id, { bot: stranger });
    await turn(id, { bot: undefined });
    expect(await waiting()).to.include({ tries: 6 });
    expect(lines.map((line) => JSON.parse(line).msg)).to.deep.equal([
      'Telegram does not know the TELEGRAM_TOKEN of this process',
      'this process has no TELEGRAM_TOKEN: messages of endpoints wait',
    ]);
    expect(lines.join('')).to.not.include('of-another-bot');
    await lookAtChats({ mongo: bench.mongo, bot: stranger, log, realNow })();
    expect(lines.join('')).to.not.include('of-another-bot');
    await turn(id);
    expect(await waiting()).to.equal(undefined);
  });

  it('where no token is set the channel is refused with a sentence, and fields of another channel are too', async () => {
    const env = { PLAN_BASIC_REQUESTS_PER_MINUTE: '100000' };
    const without = await ApiNode.start({ redis: bench.redisStore, mongo: bench.mongoStore }, { env, now: realNow });
    const refused = await without.post(ENDPOINTS, { channel: 'telegram', kinds: ['fill'] }, bearer());
    await without.stop();
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'channel_unavailable']);
    expect(refused.text).to.include('This deployment has no Telegram bot');
    await verified();
    for (const body of [
      ...[{ channel: 'pigeon' }, { channel: 'webhook' }, { channel: 'mail', url: 'https://example.com/' }, { channel: 7 }],
      { channel: 'telegram', url: 'https://example.com/' },
    ]) {
      const answer = await post(ENDPOINTS, { kinds: ['fill'], ...body });
      expect([answer.status, answer.body.code], JSON.stringify(body)).to.deep.equal([400, 'invalid_request']);
    }
    const id = await mailTo();
    expect((await post(`${ENDPOINTS}/${id}/secret`)).body.code).to.equal('no_secret');
    expect((await post(`${ENDPOINTS}/${id}/change`, { url: 'https://example.com/' })).body.code).to.equal('no_url');
    expect((await get(ENDPOINTS)).body.endpoints).to.have.length(1);
  });

  it('what a turn that fails logs has ids alone, whatever the error carries', async () => {
    const id = await mailTo();
    await trade(1);
    await look();
    const [one] = await deliveriesOf(id);
    if (one === undefined) throw new Error('no delivery');
    const failure = await deliveries()
      .insertMany([one])
      .catch((error: Error) => error);
    if (!(failure instanceof Error)) throw new Error('written twice');
    expect(JSON.stringify(serializers.err(failure)), 'what it would have logged').to.include('tid');
    const line = failedLine({ place: 'turn', endpoint: id }, failure);
    expect(line).to.deep.equal({ place: 'turn', endpoint: id, error: 'MongoBulkWriteError', code: 11_000 });
  });

  it('endpoints that a newer build has stored are left alone', async () => {
    await verified();
    const { id } = await make({ url: 'https://example.com/hook' });
    const stored = bench.mongo.db.collection<{ _id: string; schema: number; channel?: string; failingSince?: Date }>(
      collections.alertEndpoints,
    );
    await post(`${ENDPOINTS}/${id}/test`);
    expect((await new AlertEndpoints(bench.mongo).due(new Date(realNow()))).map((due) => due.id)).to.include(id);
    await stored.updateOne({ _id: id }, { $set: { schema: 2, channel: 'pigeon' } });
    expect(await shown(id)).to.equal(undefined);
    await look();
    expect((await new AlertEndpoints(bench.mongo).due(new Date(realNow()))).map((due) => due.id)).to.not.include(id);
    const failed = await turn(id).catch((error: Error) => error);
    expect(failed).to.be.instanceOf(Error).with.property('name', 'NewerEndpoint');
    expect(await new AlertDeliveries(bench.mongo).count(id, 'waiting')).to.equal(1);
  });
});
