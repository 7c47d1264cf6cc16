// Alerts of what is no row of the history by itself: margins, drawdowns, silent bots, the end of a trial, new keys and devices.
import { expect } from 'chai';
import type { CommandGateway } from '../../../src/api/accounts/gateway/commandGateway.ts';
import { fillOutbox } from '../../../src/features/alerts/look/fillOutbox.ts';
import { watchAccounts } from '../../../src/features/alerts/look/watchAccounts.ts';
import { MarginAccounts, type OutboxParts, type WatchParts } from '../../../src/features/alerts/look/watchParts.ts';
import { AlertDeliveries, type AlertDeliveryDocument } from '../../../src/features/alerts/store/alertDeliveries.ts';
import { type AlertEndpointDocument, AlertNotes } from '../../../src/features/alerts/store/alertEndpoint.ts';
import { keyUsage } from '../../../src/jobs/keyUsage.ts';
import { collections } from '../../../src/shared/mongo/mongo.ts';
import { ActorBench, commands } from '../../support/actorBench.ts';
import { type Answer, ApiNode } from '../../support/apiNode.ts';
import { newestFormats } from '../../support/formats.ts';
import { gatedCalls } from '../../support/gatedCalls.ts';
import { BTC } from '../../support/scriptedMarket.ts';
import { until } from '../../support/until.ts';

const ENDPOINTS = '/v1/alerts/endpoints';
const URL = 'https://example.com/hook';
const PASSWORD = 'a good password';
const [MINUTE_MS, DAY_MS] = [60_000, 86_400_000];
const ask = { requestId: 'r' };

interface Told {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

describe('alerts of margins, drawdowns, silence, trials, keys and devices', function () {
  this.timeout(600_000);
  let bench: ActorBench;
  let gateway: CommandGateway;
  let node: ApiNode;
  let user: { readonly token: string; readonly id: string; readonly email: string };
  let account: string;
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '100', JOURNAL_LAG_MS: '400' });
    await bench.startOnlyPod();
    gateway = await bench.startGateway();
    const env = { PROXY_HOPS: '1', PLAN_BASIC_REQUESTS_PER_MINUTE: '100000', ANONYMOUS_REQUESTS_PER_MINUTE: '100000' };
    node = await ApiNode.start({ redis: bench.redisStore, mongo: bench.mongoStore }, { env, now });
  });
  beforeEach(async () => {
    aheadMs = 0;
    const { mongo, redis, log } = bench;
    const accounts = new MarginAccounts(mongo, log);
    watching = { mongo, redis, accounts, now, marketNow: Date.now, realNow: Date.now, marketMaxAgeMs: 600_000 };
    await bench.market.setMark('BTC', '65000');
    await bench.market.setBook('BTC', BTC);
    const email = `alerts-${Math.random().toString(36).slice(2)}@example.com`;
    const { body } = await auth('register', { email, password: PASSWORD });
    user = { token: body.access_token, id: body.user_id, email };
    const users = bench.mongo.db.collection<{ _id: string; address: string }>(collections.users);
    account = (await users.findOne({ _id: user.id }))?.address ?? '';
  });
  after(async () => {
    await node.stop();
    await bench.stop();
  });

  const auth = (path: string, body: object, from = '198.51.100.7'): Promise<Answer> =>
    node.post(`/v1/auth/${path}`, body, { 'x-forwarded-for': from });
  const post = (path: string, body: object = {}): Promise<Answer> =>
    node.post(path, body, { authorization: `Bearer ${user.token}` });
  const make = async (fields: object): Promise<string> => {
    const answer = await post(ENDPOINTS, { url: URL, ...fields });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.endpoint.id;
  };
  const outbox = (): OutboxParts => ({ mongo: bench.mongo, log: bench.log, config: bench.config, now, realNow: Date.now });
  const look = (): Promise<void> => fillOutbox(outbox());
  let watching: WatchParts;
  const watch = (): Promise<void> => watchAccounts(watching);
  const deliveries = () => bench.mongo.db.collection<AlertDeliveryDocument>(collections.alertDeliveries);
  const told = async (endpoint: string): Promise<Told[]> => {
    const found = await deliveries().find({ endpoint }).sort({ _id: 1 }).toArray();
    return found.map(({ body }) => JSON.parse(body) as Told);
  };
  const endpointsStored = () => bench.mongo.db.collection<AlertEndpointDocument>(collections.alertEndpoints);
  const send = (command: Parameters<CommandGateway['send']>[1]) => gateway.send(account, command, ask);
  /** The account's snapshot has reached its journal. */
  const written = async (): Promise<void> => {
    const { seq = 0 } = (await send({ type: 'query', query: { kind: 'overview' } })) as { seq?: number };
    const accounts = bench.mongo.db.collection<{ _id: string; seq: number }>(collections.accounts);
    await until(async () => ((await accounts.findOne({ _id: account }))?.seq ?? 0) >= seq);
  };

  /**
   * 10,000 USD less 65,001 for 1 BTC and a fee of 0.045 %, 29.25045: the equity is the mark less 55,030.25045, the maintenance margin the
   * mark by 80.
   */
  const buyOne = async (): Promise<void> => {
    await send(commands.open);
    await send(commands.place({ size: '1' }));
    await written();
  };
  const ratioAt = async (mark: string): Promise<void> => {
    await bench.market.setMark('BTC', mark);
    await watch();
  };
  const ratios = async (endpoint: string): Promise<string[]> =>
    (await told(endpoint)).map(({ data }) => `${data['percent']}: ${data['margin_ratio_percent']}`);

  it('margin: each threshold once, by the marks of the moment, and again after it was below nine tenths of it', async () => {
    const id = await make({ kinds: ['margin'], margin_percents: ['80', '50.00'] });
    await buyOne();
    await ratioAt('57000'); // 712.5 of 1,969.75: 36.17 %
    expect(await told(id)).to.deep.equal([]);
    await ratioAt('56000'); // 700 of 969.74955
    const [first] = await told(id);
    expect(first?.type).to.equal('margin');
    expect(first?.data).to.deep.equal({
      ...{ account, seq: first?.data['seq'], percent: '50', margin_ratio_percent: '72.18', margin_mode: 'cross', coin: null },
      ...{ maintenance_margin: '700.0', account_value: '969.74955', notional: '56000.0' },
    });
    await Promise.all([ratioAt('55800'), watch(), watch()]); // 697.5 of 769.74955
    await watch();
    expect(await ratios(id)).to.deep.equal(['50: 72.18', '80: 90.61']);
    await ratioAt('56000'); // 72.18 % is above 72
    await ratioAt('55800');
    expect(await ratios(id)).to.have.length(2);
    await ratioAt('56100'); // 701.25 of 1,069.74955: 65.55 %
    await ratioAt('55800');
    expect(await ratios(id)).to.deep.equal(['50: 72.18', '80: 90.61', '80: 90.61']);
  });

  it('margin: many changes at one entry are sent in their order, and a kind that is left out and wanted again is told anew', async () => {
    const id = await make({ kinds: ['margin'], margin_percents: ['50'] });
    await buyOne();
    const marks = ['56000', '55950', '55900', '55850', '55800', '55750'];
    for (const mark of marks) {
      await ratioAt(mark);
      await ratioAt('65000');
    }
    const sent = async (): Promise<unknown[]> => {
      const lane = await new AlertDeliveries(bench.mongo).heads(id, account, 100);
      return lane.map(({ body }) => Number((JSON.parse(body) as Told).data['notional']));
    };
    expect(await sent()).to.deep.equal(marks.map(Number));
    await post(`${ENDPOINTS}/${id}/change`, { kinds: ['fill'] });
    await post(`${ENDPOINTS}/${id}/change`, { kinds: ['margin'] });
    await ratioAt('55700');
    expect(await sent()).to.deep.equal([...marks, '55700'].map(Number));
  });

  it('house_rule: once for each time that a rule is broken, also by looks that are repeated, and again when it is broken anew', async () => {
    const id = await make({ kinds: ['house_rule'] });
    await send(commands.open);
    await send({
      type: 'setHouseRules',
      rules: { coins: { only: ['ETH'], act: 'warn' }, drawdown: { percent: '1', act: 'refuse' } },
    });
    await send(commands.place({ size: '1' }));
    await written();
    await Promise.all([watch(), watch()]);
    await watch();
    const [coins, ...more] = await told(id);
    expect(more).to.deep.equal([]);
    expect(coins?.data).to.deep.equal({
      ...{ account, seq: coins?.data['seq'], rule: 'coins', act: 'warn', coin: 'BTC', found: null },
    });
    // 10,000 USD less 65,001 for 1 BTC and a fee: at 64,000 it has lost 1,030.25.
    await bench.market.setMark('BTC', '64000');
    await send(commands.place({ size: '0.001' }));
    await written();
    await watch();
    // As it is when the process has died after the deliveries were written.
    await endpointsStored().updateOne({ _id: id }, { $unset: { brokenRules: '' } });
    await watch();
    const rules = async () => (await told(id)).map(({ data }) => `${data['rule']} ${data['act']}`);
    expect(await rules()).to.have.members(['coins warn', 'drawdown refuse']);
    await send({ type: 'setHouseRules', rules: null });
    await written();
    await watch();
    expect((await endpointsStored().findOne({ _id: id }))?.brokenRules?.[account]).to.deep.equal([]);
    await send({ type: 'setHouseRules', rules: { coins: { only: ['ETH'], act: 'warn' } } });
    await send(commands.place({ size: '0.001' }));
    await written();
    await watch();
    expect(await rules()).to.have.members(['coins warn', 'drawdown refuse', 'coins warn']);
    expect((await told(id)).filter(({ data }) => data['rule'] === 'drawdown')[0]?.data['found']).to.match(/^1\d\.\d+$/);
  });

  it('house_rule and bot_silent have their place in the order of the account: no alert of later entries is sent before them', async () => {
    const id = await make({ kinds: ['fill', 'house_rule', 'bot_silent'], silent_minutes: 5 });
    const { body: key } = await post('/v1/auth/api-keys', { name: 'bot' });
    const keys = bench.mongo.db.collection<{ _id: string; lastUsedAt?: Date }>(collections.apiKeys);
    const trade = async (): Promise<void> => {
      await send(commands.place({ size: '0.001' }));
      await written();
    };
    await send(commands.open);
    await trade();
    await send({ type: 'setHouseRules', rules: { coins: { only: ['ETH'], act: 'warn' } } });
    await trade();
    await watch();
    await trade();
    // As it is when the process has died after the delivery was written: it keeps the place that it has.
    await endpointsStored().updateOne({ _id: id }, { $unset: { brokenRules: '' } });
    await watch();
    await look();
    await keys.updateOne({ _id: key.id }, { $set: { lastUsedAt: new Date(now()) } });
    aheadMs = 5 * MINUTE_MS + 3000;
    await watch();
    await trade();
    await look();
    const lane = await new AlertDeliveries(bench.mongo).heads(id, account, 100);
    expect(lane.map(({ type }) => type)).to.deep.equal(['fill', 'fill', 'house_rule', 'fill', 'bot_silent', 'fill']);
    const seqs = lane.flatMap(({ body }) => (JSON.parse(body) as Told).data['seq'] ?? []) as number[];
    expect(seqs).to.deep.equal(seqs.toSorted((a, b) => a - b));
    // Deliveries of a build that knew no order come first, in the order of their ids.
    const before = lane.slice(0, 2).map(({ _id }) => _id);
    await deliveries().updateMany({ _id: { $in: before } }, { $unset: { order: '' } });
    const again = await new AlertDeliveries(bench.mongo).heads(id, account, 100);
    expect(again.map(({ _id }) => _id)).to.deep.equal(lane.map(({ _id }) => _id));
    expect((await new AlertDeliveries(bench.mongo).head(id, account))?._id).to.equal(before[0]);
  });

  it('what a look notes of a kind that is left out meanwhile is not kept: wanted again, it is told anew', async () => {
    const id = await make({ kinds: ['fill'] });
    const notes = new AlertNotes(bench.mongo);
    const late = { before: undefined, told: ['50'], toWrite: [] };
    expect(await notes.marginChanged(id, account, late)).to.equal(false);
    await notes.rulesTold(id, account, ['1 coins BTC']);
    expect(await endpointsStored().findOne({ _id: id })).to.not.have.any.keys('margins', 'brokenRules');
    await post(`${ENDPOINTS}/${id}/change`, { kinds: ['margin', 'house_rule'] });
    expect(await notes.marginChanged(id, account, late)).to.equal(true);
    await notes.rulesTold(id, account, ['1 coins BTC']);
    expect(await endpointsStored().findOne({ _id: id })).to.include.keys('margins', 'brokenRules');
  });

  it('margin: a process that dies between the change and its deliveries has them written by the next look, once', async () => {
    const id = await make({ kinds: ['margin'], margin_percents: ['50'] });
    await buyOne();
    await ratioAt('56000');
    const before = await deliveries().find({ endpoint: id }).toArray();
    expect(before).to.have.length(1);
    // As it is after the first of the two writes, and the ratio has come back meanwhile.
    const [{ _id, endpoint, userId, lane, type, body } = { _id: '' }] = before;
    const toWrite = [{ _id, endpoint, userId, lane, type, body }];
    await endpointsStored().updateOne({ _id: id }, { $set: { [`margins.${account}.toWrite`]: toWrite } });
    await deliveries().deleteMany({ endpoint: id });
    await ratioAt('65000');
    await watch();
    expect((await deliveries().find({ endpoint: id }).toArray()).map((one) => one.message)).to.deep.equal([before[0]?.message]);
    const stored = await endpointsStored().findOne({ _id: id });
    expect(stored?.margins?.[account]).to.deep.equal({ told: [], changes: 2 });
    await ratioAt('56000');
    expect(await ratios(id)).to.deep.equal(['50: 72.18', '50: 72.18']);
  });

  it('drawdown: from the peak before the endpoint’s first point, by the equity after each fill', async () => {
    await send(commands.open);
    await written();
    const id = await make({ kinds: ['drawdown'], drawdown_percent: '10' });
    await send(commands.place({ size: '1' }));
    const sell = { side: 'sell', size: '0.1', limitPrice: '64000' } as const;
    await bench.market.setMark('BTC', '64000');
    await bench.market.setBook('BTC', BTC);
    // 10,000 - 65,001 - 29.25045 + 6,499.9 - 2.924955 + 0.9 * 64,000: 9.33 % below 10,000.
    await send(commands.place(sell));
    await written();
    await look();
    expect(await told(id)).to.deep.equal([]);
    await bench.market.setMark('BTC', '63500');
    // The same once more, and 0.8 * 63,500.
    await send(commands.place(sell));
    await send(commands.place(sell));
    await written();
    await Promise.all([look(), look()]);
    await look();
    const [alert, ...more] = await told(id);
    expect(more).to.deep.equal([]);
    expect(alert?.type).to.equal('drawdown');
    expect(alert?.data).to.deep.equal({
      ...{ account, seq: alert?.data['seq'], percent: '10', drawdown_percent: '12.36', peak: '10000.0' },
      ...{ account_value: '8763.69964', net_deposits: '10000.0' },
    });
    const stored = await endpointsStored().findOne({ _id: id });
    expect(stored?.drawdowns?.[account]).to.include({ peak: '10000', told: '10', netDeposits: '10000.0' });
  });

  it('silence: told once for each silence, by the newest use that MongoDB or Redis knows', async () => {
    const id = await make({ kinds: ['bot_silent'], silent_minutes: 5 });
    await watch();
    const { body: key } = await post('/v1/auth/api-keys', { name: 'bot' });
    const use = async (): Promise<void> => {
      const path = `/v1/exchanges/perpx/key/${key.api_key}/info`;
      expect((await node.post(path, { type: 'meta' })).status).to.equal(200);
    };
    const keys = bench.mongo.db.collection<{ _id: string; lastUsedAt?: Date }>(collections.apiKeys);
    const lastUse = async (): Promise<number> => (await keys.findOne({ _id: key.id }))?.lastUsedAt?.getTime() ?? 0;
    /** The node has written the use to Redis, and the job moves it. */
    const moved = (): Promise<void> =>
      until(async () => {
        await keyUsage.run({ ...bench, log: bench.log, mongo: bench.mongo, formats: newestFormats, now }, 0);
        return (await lastUse()) >= usedMs;
      });
    let usedMs = now();
    await use();
    await moved();
    const first = await lastUse();
    await watch();
    // A use of the newest second may be known to its node alone.
    await watchAccounts({ ...watching, now: () => first + 5 * MINUTE_MS + 1000 });
    expect(await told(id)).to.deep.equal([]);
    aheadMs = 5 * MINUTE_MS + 3000;
    await Promise.all([watch(), watch()]);
    await watch();
    const [alert, ...more] = await told(id);
    expect(more).to.deep.equal([]);
    expect(alert).to.deep.equal({
      type: 'bot_silent',
      timestamp: new Date(first + 5 * MINUTE_MS).toISOString(),
      data: { account, minutes: 5, last_request_at: new Date(first).toISOString(), keys: [key.id] },
    });
    // A use that only Redis knows of ends the silence; the next silence has an alert.
    usedMs = now();
    await use();
    await until(async () => Number(await bench.redis.hget('{keys}:used', key.id)) >= usedMs);
    aheadMs += 4 * MINUTE_MS;
    await watch();
    await moved();
    expect(await told(id)).to.have.length(1);
    aheadMs += 2 * MINUTE_MS;
    await watch();
    const both = [first, await lastUse()].map((ms) => new Date(ms).toISOString());
    expect((await told(id)).map(({ data }) => data['last_request_at'])).to.deep.equal(both);
    // A use that is moved from Redis to MongoDB after the look has asked MongoDB, and before it asks Redis.
    usedMs = now();
    await use();
    await moved();
    aheadMs += 4 * MINUTE_MS;
    usedMs = now();
    await use();
    await until(async () => Number(await bench.redis.hget('{keys}:used', key.id)) >= usedMs);
    aheadMs += 2 * MINUTE_MS;
    await watchAccounts({ ...watching, redis: gatedCalls(bench.redis, 'redis', moved) });
    expect(await lastUse()).to.be.at.least(usedMs);
    expect(await told(id)).to.have.length(2);
  });

  it('the end of a trial: a day before, and when it is over; an end that is moved is told anew', async () => {
    const id = await make({ kinds: ['trial_end'] });
    const users = bench.mongo.db.collection<{ _id: string; trialExpiresAt: Date }>(collections.users);
    const endsAt = (await users.findOne({ _id: user.id }))?.trialExpiresAt ?? new Date(0);
    const at = async (ms: number): Promise<string[]> => {
      aheadMs = ms - Date.now();
      await Promise.all([look(), look()]);
      await look();
      return (await told(id)).map(({ data, timestamp }) => `${data['of']} ${data['stage']} ${timestamp}`);
    };
    expect(await at(endsAt.getTime() - DAY_MS - 60_000)).to.deep.equal([]);
    const dayBefore = `trial day_before ${new Date(endsAt.getTime() - DAY_MS).toISOString()}`;
    expect(await at(endsAt.getTime() - DAY_MS + 1000)).to.deep.equal([dayBefore]);
    const over = `trial over ${endsAt.toISOString()}`;
    expect(await at(endsAt.getTime() + 1000)).to.deep.equal([dayBefore, over]);
    const later = new Date(endsAt.getTime() + 7 * DAY_MS);
    await users.updateOne({ _id: user.id }, { $set: { trialExpiresAt: later } });
    expect(await at(later.getTime() + 1000)).to.deep.equal([dayBefore, over, `trial over ${later.toISOString()}`]);
    expect((await told(id)).at(-1)?.data).to.deep.equal({ stage: 'over', of: 'trial', ends_at: later.toISOString() });
  });

  it('a key that is made or made anew, and a login from elsewhere: each once, also when its row comes late', async () => {
    await post('/v1/auth/api-keys', { name: 'before' });
    const id = await make({ kinds: ['new_key', 'new_device'] });
    const { body: key } = await post('/v1/auth/api-keys', { name: 'bot', account });
    await look();
    await post(`/v1/auth/api-keys/${key.id}/rotate`);
    await auth('login', { email: user.email, password: PASSWORD });
    await auth('login', { email: user.email, password: PASSWORD }, '203.0.113.9');
    await Promise.all([look(), look()]);
    // Of a request that began before the newest look, whose row another node wrote after it.
    const madeMs = (await endpointsStored().findOne({ _id: id }))?.createdAt.getTime() ?? 0;
    const late = {
      userId: user.id,
      at: new Date(madeMs + 1),
      action: 'login.new_device',
      outcome: 'ok',
      actor: 'user',
    } as const;
    const rows = bench.mongo.db.collection<{ _id: string }>(collections.audit);
    await rows.insertOne({ ...late, _id: `${user.id}:00000000000:late`, address: '203.0.113.10' } as never);
    aheadMs = 2 * MINUTE_MS;
    await look();
    await look();
    const seen = (await told(id)).map(({ type, data }) => [
      type,
      data['key_id'] ?? data['address'],
      data['rotated'],
      data['bound_to'],
    ]);
    expect(seen).to.have.deep.members([
      ['new_key', key.id, false, account],
      ['new_key', key.id, true, account],
      ['new_device', '203.0.113.9', undefined, undefined],
      ['new_device', '203.0.113.10', undefined, undefined],
    ]);
    const listed = await node.request('GET', '/v1/alerts/deliveries', { headers: { authorization: `Bearer ${user.token}` } });
    expect(new Set(listed.body.items.map((one: { account: unknown }) => one.account))).to.deep.equal(new Set([null]));
  });

  it('a kind that is chosen later tells of nothing that came before it, whether or not the other one was chosen', async () => {
    const ids = [await make({ kinds: ['fill'] }), await make({ kinds: ['new_device'] })];
    await post('/v1/auth/api-keys', { name: 'before' });
    aheadMs += 10;
    for (const id of ids) await post(`${ENDPOINTS}/${id}/change`, { kinds: ['new_device', 'new_key'] });
    aheadMs += 10;
    const { body: key } = await post('/v1/auth/api-keys', { name: 'after' });
    await look();
    for (const id of ids) {
      expect((await told(id)).map(({ type, data }) => [type, data['key_id']])).to.deep.equal([['new_key', key.id]]);
    }
  });

  it('what is wrong of a setting is refused with a sentence and changes nothing; what is right is shown', async () => {
    const id = await make({ kinds: ['margin'] });
    const shown = async () =>
      (await node.request('GET', ENDPOINTS, { headers: { authorization: `Bearer ${user.token}` } })).body.endpoints[0];
    const defaults = { margin_percents: ['80'], drawdown_percent: '10', silent_minutes: 15 };
    expect(await shown()).to.deep.include(defaults);
    const bad: readonly object[] = [
      ...[0, 50, '0', '0.00', '100.01', '1e1', '-5', '5.001', ' 5', '٥', 'NaN', '', null].map((drawdown_percent) => ({
        drawdown_percent,
      })),
      ...[[], ['50', '50'], ['101'], [50], '50', ['1', '2', '3', '4', '5', '6'], null].map((margin_percents) => ({
        margin_percents,
      })),
      ...[0, 1.5, 10_081, '5', null, -1].map((silent_minutes) => ({ silent_minutes })),
    ];
    for (const body of bad) {
      const refused = await post(`${ENDPOINTS}/${id}/change`, body);
      expect(refused.status, JSON.stringify(body)).to.equal(400);
      expect((await post(ENDPOINTS, { url: URL, kinds: ['margin'], ...body })).status, JSON.stringify(body)).to.equal(400);
    }
    expect(await shown()).to.deep.include(defaults);
    const settings = { margin_percents: ['90.50', '5', '90.5'], silent_minutes: 1 };
    expect((await post(`${ENDPOINTS}/${id}/change`, settings)).body).to.deep.include({
      ...{ margin_percents: ['5', '90.5'], drawdown_percent: '10', silent_minutes: 1 },
    });
  });
});
