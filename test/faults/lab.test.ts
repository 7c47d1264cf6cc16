// The failure lab of a key through the whole service. Only the key's own requests meet its draws, every action that was
// acknowledged to wait survives the death of every process, and the room of a lab at a node has an end.
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import WebSocket from 'ws';
import { type AccountEntry, readEntries } from '../../src/actors/core/messages/entry.ts';
import { LAB_REQUESTS_EACH_MAX } from '../../src/features/lab/lab.ts';
import { shardOf } from '../../src/shared/domain/shards.ts';
import { labDrawsKey, shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { type OrderFields, orderAction, wireOrder } from '../support/orderWire.ts';
import { type Answer, type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const SHARDS = 4;
const RESTS = { px: '60000', sz: '0.01' };
const cloidOf = (number: number, prefix = '0x'): string => prefix.padEnd(26, '0') + String(number).padStart(8, '0');

describe('failure lab', function () {
  this.timeout(600_000);
  let stack: Stack;
  let account: TestAccount;
  let keyId: string;

  before(async () => {
    stack = await startStack({ env: { SHARDS: String(SHARDS), LEASE_TTL_MS: '1000', MARKET_MAX_AGE_MS: '36000000' } });
    await setBooks(stack.market);
  });
  after(() => stack.stop());
  beforeEach(async () => {
    account = await stack.register();
    keyId = (await stack.call('GET', '/v1/auth/api-keys', { token: account.token })).body.api_keys[0].id;
  });

  const lab = (of: TestAccount = account, id: string = keyId) => ({
    set: (body: object) => stack.call('PUT', `/v1/auth/api-keys/${id}/lab`, { token: of.token, body }),
    show: () => stack.call('GET', `/v1/auth/api-keys/${id}/lab`, { token: of.token }),
    end: () => stack.call('DELETE', `/v1/auth/api-keys/${id}/lab`, { token: of.token }),
  });
  const order = (fields: Partial<OrderFields> = {}) => orderAction(BTC.asset, { ...RESTS, ...fields });
  const send = (action: object, of = account): Promise<Answer> => stack.exchange(of.apiKey, action);
  const openOrders = async (of = account) => stack.ask(of.apiKey, { type: 'openOrders', user: of.address });
  const explain = (oid: number | string) => stack.ask(account.apiKey, { type: 'explainOrder', oid });
  const journal = async (of = account): Promise<AccountEntry[]> => {
    const commits = await stack.redis.xrange(shardKeys.journal(shardOf(of.address, SHARDS)), '-', '+');
    return commits
      .flatMap(([, fields]) => {
        const at = fields.indexOf('e');
        return at === -1 || !fields[at + 1] ? [] : readEntries(fields[at + 1] as string);
      })
      .filter(({ accountId }) => accountId === of.address);
  };
  const eventsOf = async (type: string, of = account) =>
    (await journal(of)).flatMap(({ events }) => events.filter((event) => event.type === type));
  /** The outcome of a request: its status, or that it had no answer. */
  const met = async (asked: Promise<Answer>): Promise<number | 'none'> => asked.then(({ status }) => status).catch(() => 'none');

  it('is off at first; a profile is shown as it was set, with the presets; unreadable ones change nothing', async () => {
    expect((await lab().show()).body).to.deep.include({ profile: null, draws: { exchange: 0, info: 0 } });
    const profile = {
      ...{ seed: 7, latency: { submit: 5, cancel: { medianMs: 3, sigma: 0.5, spikes: { probability: 0.1, ms: 9 } } } },
      ...{ faults: { '429': 0.25, partialFill: 1 }, timeoutMs: 300 },
      scripts: [{ cloidPrefix: '0xdead', refuse: 'insufficientMargin' }],
      schedule: [{ from: '2026-01-01T00:00:00.000Z', forMs: 1000, everyMs: 5000 }],
    };
    expect((await lab().set(profile)).body).to.deep.equal({ id: keyId, profile });
    const wrong: readonly object[] = [
      ...[{ seed: -1 }, { seed: 1.5 }, { seed: 1e300 }, { latency: { submit: 10_001 } }, { latency: { submit: 'slow' } }],
      ...[{ faults: { '429': 1.1 } }, { faults: { '429': 0.6, '500': 0.6 } }, { faults: { '503': 0.1 } }, { timeoutMs: 30_001 }],
      ...[{ scripts: [{ cloidPrefix: 'dead' }] }, { scripts: [{ cloidPrefix: '0xdead', refuse: 'moon' }] }, { preset: 'moon' }],
      ...[{ schedule: [] }, { schedule: [{ from: '2026-13-01T00:00:00.000Z', forMs: 5 }] }, { unknown: 1 }, []],
      ...[{ scripts: Array.from({ length: 21 }, () => ({ cloidPrefix: '0xa', neverFill: true })) }],
      ...[{ scripts: [{ cloidPrefix: '0xa' }] }, { scripts: [{ cloidPrefix: '0xa', refuse: 'halted', neverFill: true }] }],
      ...[{ schedule: [{ from: '2027-02-30T00:00:00.000Z', forMs: 5 }] }],
    ];
    for (const body of wrong) expect((await lab().set(body)).status, JSON.stringify(body)).to.equal(400);
    const { body: shown } = await lab().show();
    expect(shown.profile).to.deep.equal(profile);
    expect(shown.presets.map(({ name }: { name: string }) => name)).to.include('jitter');
    expect((await lab(account, 'key_other').set({})).status).to.equal(404);
    const other = await stack.register();
    expect((await lab(other).show()).status).to.equal(404);
    for (const { name } of shown.presets) expect((await lab().set({ preset: name, seed: 3 })).status).to.equal(200);
    expect((await lab().end()).body).to.deep.equal({ id: keyId, profile: null });
    expect((await lab().show()).body.profile).to.equal(null);
  });

  it('refuses as the venue would, and nothing is done; each is an event with its draw; other keys of the user know nothing of it', async () => {
    const { body: second } = await stack.call('POST', '/v1/auth/api-keys', { token: account.token, body: { name: 'calm' } });
    for (const status of [429, 500, 502]) {
      await lab().set({ seed: 1, faults: { [status]: 1 } });
      const { status: got, body } = await send(order());
      expect(got).to.equal(status);
      expect(Object.keys(body).sort()).to.deep.equal(['code', 'detail', 'msg']);
      expect(JSON.stringify(body)).not.to.match(/lab|draw/);
      expect((await stack.info(account.apiKey, { type: 'openOrders' })).status).to.equal(status);
    }
    const drawn = await eventsOf('labDrawn');
    expect(drawn.map((event) => (event.type === 'labDrawn' ? `${event.note.on} ${event.note.fault}` : ''))).to.deep.equal(
      [429, 500, 502].flatMap((status) => [`exchange ${status}`, `info ${status}`]),
    );
    expect((await stack.info(second.api_key, { type: 'openOrders' })).body).to.deep.equal([]);
    await lab().end();
    expect((await send(order())).status).to.equal(200);
  });

  it('timeoutBefore has no effect, timeoutAfterEffect has, dropSocket one of the two: none of them has an answer', async () => {
    await lab().set({ faults: { timeoutBefore: 1 }, timeoutMs: 50 });
    expect(await met(send(order()))).to.equal('none');
    await lab().set({ faults: { timeoutAfterEffect: 1 }, timeoutMs: 50 });
    expect(await met(send(order({ cloid: cloidOf(1) })))).to.equal('none');
    await lab().set({ faults: { dropSocket: 1 } });
    const dropped = 12;
    for (let number = 2; number < 2 + dropped; number++)
      expect(await met(send(order({ cloid: cloidOf(number) })))).to.equal('none');
    await lab().end();
    const cloids = (await openOrders()).map(({ cloid }: { cloid: string }) => cloid);
    expect(cloids).to.include(cloidOf(1));
    expect(cloids.length - 1).to.be.within(1, dropped - 1);
    const { lab: draws } = await explain(cloidOf(1));
    expect(draws).to.have.length(1);
    expect(draws[0]).to.deep.include({
      act: 'place',
      keyId,
      number: 1,
      fault: 'timeoutAfterEffect',
      delayMs: null,
      script: null,
    });
    expect(await eventsOf('labDrawn')).to.have.length(2 + dropped);
    const metrics = await stack.metrics('api-0');
    expect(metrics).to.match(/route="[^"]*exchange"[^\n]*status="200"/);
    expect(metrics).not.to.match(/route="[^"]*exchange"[^\n]*status="(404|0)"/);
  });

  it('a draw that Redis does not count: 503, and nothing is done', async () => {
    const others = await stack.redis.keys(labDrawsKey('*'));
    await lab().set({ latency: { answer: 1 } });
    await stack.info(account.apiKey, { type: 'openOrders' });
    const [draws = ''] = (await stack.redis.keys(labDrawsKey('*'))).filter((key) => !others.includes(key));
    await stack.redis.set(draws, 'no hash');
    const { status, body } = await send(order());
    expect(status, JSON.stringify(body)).to.equal(503);
    const { body: calm } = await stack.call('POST', '/v1/auth/api-keys', { token: account.token, body: { name: 'calm' } });
    expect(await stack.ask(calm.api_key, { type: 'openOrders', user: account.address })).to.deep.equal([]);
    await stack.redis.del(draws);
    expect((await send(order())).body.response.data.statuses[0]).to.have.property('resting');
  });

  it('same seed and requests: the same faults, also when every process dies in between', async () => {
    const profile = {
      seed: 11,
      faults: { '429': 0.2, '500': 0.2, '502': 0.1, timeoutBefore: 0.1, timeoutAfterEffect: 0.1 },
      timeoutMs: 1,
    };
    const other = await stack.register();
    const otherId = (await stack.call('GET', '/v1/auth/api-keys', { token: other.token })).body.api_keys[0].id;
    await lab().set(profile);
    await lab(other, otherId).set(profile);
    const run = async (of: TestAccount, count: number) => {
      const outcomes: unknown[] = [];
      for (let at = 0; at < count; at++) outcomes.push(await met(send(order({ sz: '0.001' }), of)));
      return outcomes;
    };
    const whole = await run(account, 24);
    const first = await run(other, 12);
    await Promise.all([stack.kill('api-0'), stack.kill('actors-0')]);
    await Promise.all([stack.restart('api-0'), stack.restart('actors-0')]);
    await stack.waitHealthy();
    await stack.ask((await stack.register()).apiKey, { type: 'openOrders' });
    expect([...first, ...(await run(other, 12))]).to.deep.equal(whole);
    expect(new Set(whole).size).to.be.at.least(4);
    const draws = async (of: TestAccount) =>
      (await eventsOf('labDrawn', of)).map((event) =>
        event.type === 'labDrawn' ? [event.note.number, event.note.draw, event.note.fault] : [],
      );
    expect(await draws(other)).to.deep.equal(await draws(account));
    expect((await lab().show()).body.draws).to.deep.equal({ exchange: 24, info: 0 });
  });

  it('kill -9 of every process while actions wait: each is decided once, those who still listen are told', async () => {
    const { body } = await send(order({ cloid: cloidOf(1) }));
    const { oid } = body.response.data.statuses[0].resting;
    await lab().set({ latency: { submit: 4000, cancel: 4000 } });
    const asked = [
      send(order({ cloid: cloidOf(2) })),
      send(order({ cloid: cloidOf(3), px: '59000' })),
      send({ type: 'cancel', cancels: [{ a: BTC.asset, o: oid }] }),
    ];
    await until(async () => (await eventsOf('actionDelayed')).length === 3);
    await stack.kill('actors-0');
    await stack.restart('actors-0');
    const answers = await Promise.all(asked);
    expect(answers.map(({ body: { response } }) => Object.keys(response.data.statuses[0])[0] ?? '')).to.deep.equal([
      ...['resting', 'resting', '0'],
    ]);
    expect(answers[2]?.body.response.data.statuses).to.deep.equal(['success']);

    const unheard = [send(order({ cloid: cloidOf(4) })), send(order({ cloid: cloidOf(5) }))].map(met);
    await until(async () => (await eventsOf('actionDelayed')).length === 5);
    await Promise.all([stack.kill('api-0'), stack.kill('actors-0')]);
    expect(await Promise.all(unheard)).to.deep.equal(['none', 'none']);
    await Promise.all([stack.restart('api-0'), stack.restart('actors-0')]);
    await stack.waitHealthy();
    await until(async () => (await eventsOf('delayedActionDecided')).length === 5);
    const cloids = (await openOrders()).map(({ cloid }: { cloid: string }) => cloid);
    expect(cloids.sort()).to.deep.equal([2, 3, 4, 5].map((number) => cloidOf(number)));
    const { lab: draws } = await explain(cloidOf(4));
    expect(draws[0]).to.deep.include({ act: 'place', delayMs: 4000 });
    const { lab: ofCanceled } = await explain(oid);
    expect(ofCanceled.map(({ act, delayMs }: { act: string; delayMs: number }) => [act, delayMs])).to.deep.equal([
      ['cancel', 4000],
    ]);
  });

  it('an Idempotency-Key tells the outcome of an action that had to wait, not that it waits', async () => {
    await lab().set({ latency: { submit: 300 } });
    const options = { idempotencyKey: crypto.randomUUID() };
    const [first, second] = await Promise.all([1, 2].map(() => stack.exchange(account.apiKey, order(), options)));
    expect(first?.body.response.data.statuses[0]).to.have.property('resting');
    expect(second?.body).to.deep.equal(first?.body);
    expect(await openOrders()).to.have.length(1);
  });

  it('scripts by cloid: refused, filled in part, never filled, no answer; the order’s explanation says so', async () => {
    const scripts = [
      { cloidPrefix: '0xa1', refuse: 'insufficientMargin' },
      { cloidPrefix: '0xa2', fillPercent: 25 },
      { cloidPrefix: '0xa3', neverFill: true },
      { cloidPrefix: '0xa4', loseAnswer: true },
      { cloidPrefix: '0xa5', fillAfterMs: 400 },
    ];
    await lab().set({ scripts, timeoutMs: 20 });
    const crossing = { px: '65100', sz: '0.02' };
    const statusOf = async (fields: Partial<OrderFields>) => (await send(order(fields))).body.response.data.statuses[0];
    expect(await statusOf({ ...crossing, cloid: cloidOf(1, '0xa1') }))
      .to.have.property('error')
      .that.contains('Insufficient margin');
    expect((await statusOf({ ...crossing, tif: 'Ioc', cloid: cloidOf(2, '0xa2') })).filled.totalSz).to.equal('0.005');
    expect(await statusOf({ ...crossing, cloid: cloidOf(3, '0xa3') })).to.have.property('resting');
    expect(await met(send(order({ ...crossing, cloid: cloidOf(4, '0xa4') })))).to.equal('none');
    expect(await statusOf({ ...crossing, cloid: cloidOf(5, '0xa5') })).to.have.property('resting');
    const never = await explain(cloidOf(3, '0xa3'));
    expect(never.open.reason).to.equal('heldByLab');
    expect(never.lab[0].script).to.deep.include({ cloidPrefix: '0xa3', neverFill: true });
    expect((await explain(cloidOf(4, '0xa4'))).order.status).to.equal('filled');
    expect((await explain(cloidOf(1, '0xa1'))).order.status).to.equal('perpMarginRejected');
    // The book has stood still since it came to rest.
    await until(async () => (await explain(cloidOf(5, '0xa5'))).order.status === 'filled');
    expect(await eventsOf('orderLetGo')).to.have.length(1);
    expect((await explain(cloidOf(3, '0xa3'))).order.status).to.equal('open');
  });

  it('a profile that is taken away while an action waits: it is decided at its time all the same, and its sender is told', async () => {
    await lab().set({ latency: { submit: 3000 } });
    const sent = send(order());
    await until(async () => (await eventsOf('actionDelayed')).length === 1);
    expect((await lab().end()).status).to.equal(200);
    expect(await eventsOf('delayedActionDecided')).to.deep.equal([]);
    expect((await sent).body.response.data.statuses[0]).to.have.property('resting');
    expect(await openOrders()).to.have.length(1);
    // A request that is sent from now on waits for nothing.
    await send(order());
    expect(await eventsOf('actionDelayed')).to.have.length(1);
  });

  it('a refusal is an answer: it is lost like one', async () => {
    await lab().set({ faults: { timeoutAfterEffect: 1 }, timeoutMs: 20 });
    expect(await met(send({ type: 'order', orders: 'all' }))).to.equal('none');
    expect(await eventsOf('labDrawn')).to.have.length(1);
    await lab().end();
    expect(await openOrders()).to.deep.equal([]);
  });

  it('a dry run has no latency, no script and no draw', async () => {
    await lab().set({
      latency: { submit: 9000 },
      scripts: [{ cloidPrefix: '0x', refuse: 'halted' }].map((one) => ({ ...one, cloidPrefix: '0x0' })),
    });
    const envelope = { dryRun: true };
    const { body } = await stack.exchange(account.apiKey, order({ cloid: cloidOf(1) }), { envelope });
    expect(body.response.data.answer.response.data.statuses[0]).to.have.property('resting');
    expect(await eventsOf('actionDelayed')).to.deep.equal([]);
  });

  it(`holds ${LAB_REQUESTS_EACH_MAX} requests of one user and no more; a neighbour is answered meanwhile`, async () => {
    await lab().set({ latency: { answer: 4000 } });
    const neighbour = await stack.register();
    let answered = 0;
    const held = Array.from({ length: LAB_REQUESTS_EACH_MAX + 8 }, async () => {
      const { status } = await stack.info(account.apiKey, { type: 'openOrders' });
      if (status === 200) answered += 1;
      return status;
    });
    const refused = await Promise.race([
      Promise.any(held.map(async (one) => ((await one) === 429 ? 429 : Promise.reject()))),
      Promise.all(held),
    ]);
    expect(refused).to.equal(429);
    expect((await send(order(), neighbour)).body.response.data.statuses[0]).to.have.property('resting');
    expect(answered).to.equal(0);
    const statuses = await Promise.all(held);
    expect(statuses.filter((status) => status === 200)).to.have.length(LAB_REQUESTS_EACH_MAX);
    expect(statuses.filter((status) => status === 429)).to.have.length(8);
  });

  it('nonces: strict has the venue’s rule and texts, for each key by itself, also after every process died', async () => {
    const DAY_MS = 86_400_000;
    const { body: other } = await stack.call('POST', '/v1/auth/api-keys', { token: account.token, body: { name: 'other' } });
    await lab().set({ nonces: 'strict' });
    await lab(account, other.id).set({ nonces: 'strict' });
    const act = async (nonce: unknown, key = account.apiKey, envelope = {}): Promise<unknown> => {
      const { status, body } = await stack.exchange(key, { type: 'noop' }, { envelope: { nonce, ...envelope } });
      return status === 200 ? (body.status === 'ok' ? 'ok' : body.response) : status;
    };
    const nowMs = Date.now();
    expect(await act(nowMs)).to.equal('ok');
    expect(await act(nowMs)).to.equal(`Invalid nonce: duplicate nonce ${nowMs}`);
    expect(await act(nowMs, other.api_key)).to.equal('ok');
    expect(await act(nowMs - 1)).to.equal('ok');
    expect(await act(nowMs - 2 * DAY_MS)).to.match(/^Invalid nonce: nonce too low \d+ < \d+$/);
    expect(await act(nowMs + DAY_MS + 60_000)).to.match(/^Invalid nonce: nonce too high \d+ > \d+$/);
    for (const none of [undefined, '1', 1.5, null]) expect(await act(none)).to.equal(400);

    // A dry run uses none up, an action that is refused does.
    const refused = { type: 'order', grouping: 'na', orders: [] };
    const at = (nonce: number, more = {}) => stack.exchange(account.apiKey, refused, { envelope: { nonce, ...more } });
    await at(nowMs + 1, { dryRun: true });
    expect((await at(nowMs + 1)).body.response).to.not.match(/nonce/);
    expect((await at(nowMs + 1)).body.response).to.equal(`Invalid nonce: duplicate nonce ${nowMs + 1}`);

    for (let i = 2; i <= 99; i++) expect(await act(nowMs + i)).to.equal('ok');
    // 101 were used: the least of the highest 100 is the first one.
    expect(await act(nowMs - 2)).to.equal(`Invalid nonce: nonce too low ${nowMs - 2} < ${nowMs}`);
    await Promise.all([stack.kill('api-0'), stack.kill('actors-0')]);
    await Promise.all([stack.restart('api-0'), stack.restart('actors-0')]);
    await stack.waitHealthy();
    expect(await act(nowMs)).to.equal(`Invalid nonce: duplicate nonce ${nowMs}`);
    expect(await act(nowMs + 100)).to.equal('ok');
    expect(await act(nowMs)).to.equal(`Invalid nonce: nonce too low ${nowMs} < ${nowMs + 1}`);

    // Of two at the same time one is taken.
    const both = await Promise.all([act(nowMs + 200), act(nowMs + 200)]);
    expect(both).to.have.members(['ok', `Invalid nonce: duplicate nonce ${nowMs + 200}`]);
    await lab().set({ nonces: 'strict' });
    expect(await act(nowMs - 1)).to.equal('ok');
  });

  it('postOnly: orders that are not post-only are refused in the venue’s words, and a modify to one leaves the old order', async () => {
    const text = 'Only post-only orders allowed immediately after network upgrade';
    const statuses = async (action: object) => (await send(action)).body.response.data.statuses;
    const [{ resting }] = await statuses(order());
    await lab().set({ postOnly: true });
    const plain = wireOrder(BTC.asset, { ...RESTS, px: '77000' });
    const entryStop = { ...plain, t: { trigger: { isMarket: true, triggerPx: '70000', tpsl: 'sl' } } };
    const others = [
      order({ tif: 'Gtc' }),
      order({ tif: 'Ioc', px: '66000' }),
      { type: 'order', grouping: 'na', orders: [entryStop] },
    ];
    for (const action of others) expect(await statuses(action), JSON.stringify(action)).to.deep.equal([{ error: text }]);
    expect((await statuses(order({ tif: 'Alo' })))[0]).to.have.property('resting');
    const { orders } = order({ px: '60001' }) as { orders: object[] };
    const modified = { type: 'batchModify', modifies: [{ oid: resting.oid, order: orders[0] }], a: true };
    expect(await statuses(modified)).to.deep.equal([{ error: `Error placing new order during modify: ${text}` }]);
    expect((await openOrders()).map(({ oid }: { oid: number }) => oid)).to.include(resting.oid);
    expect((await statuses({ ...modified, a: undefined }))[0]).to.have.property('resting');
    await lab().end();
  });

  it('over the WebSocket: an answer comes twice, none comes, the socket ends', async () => {
    const open = async (): Promise<{ socket: WebSocket; ids: number[] }> => {
      const socket = new WebSocket(`${stack.baseUrl.replace('http', 'ws')}/v1/exchanges/perpx/key/${account.apiKey}/ws`);
      const ids: number[] = [];
      socket.on('message', (data) => {
        const { channel, data: answer } = JSON.parse(String(data));
        if (channel === 'post') ids.push(answer.id);
      });
      await new Promise((resolve) => socket.once('open', resolve));
      return { socket, ids };
    };
    const post = ({ socket }: { socket: WebSocket }, id: number) =>
      socket.send(
        JSON.stringify({ method: 'post', id, request: { type: 'info', payload: { type: 'openOrders', user: account.address } } }),
      );
    await lab().end();
    const twice = await open();
    // A lab that is set or taken away holds at once at open sockets.
    for (const [set, id, answers] of [
      [() => lab().set({ faults: { duplicateAnswer: 1 } }), 1, [1, 1]],
      [() => lab().end(), 5, [1, 1, 5]],
      [() => lab().set({ faults: { duplicateAnswer: 1 } }), 6, [1, 1, 5, 6, 6]],
    ] as const) {
      await set();
      post(twice, id);
      await until(async () => twice.ids.length >= answers.length);
      expect(twice.ids).to.deep.equal(answers);
    }
    twice.socket.close();
    await lab().set({ faults: { timeoutBefore: 1 }, timeoutMs: 1 });
    const silent = await open();
    post(silent, 2);
    await until(async () => (await lab().show()).body.draws.info === 1);
    await lab().set({ faults: {} });
    await until(async () => {
      post(silent, 3);
      return silent.ids.includes(3);
    });
    expect(silent.ids).not.to.include(2);
    silent.socket.close();
    await lab().set({ faults: { dropSocket: 1 } });
    const dropped = await open();
    const closed = new Promise((resolve) => dropped.socket.once('close', resolve));
    post(dropped, 4);
    await closed;
    expect(dropped.ids).to.deep.equal([]);
  });

  const openSocket = async (): Promise<{ socket: WebSocket; messages: { channel: string; data: never }[] }> => {
    const socket = new WebSocket(`${stack.baseUrl.replace('http', 'ws')}/v1/exchanges/perpx/key/${account.apiKey}/ws`);
    const messages: { channel: string; data: never }[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    await new Promise((resolve) => socket.once('open', resolve));
    return { socket, messages };
  };

  it('latency.stream: every message of a socket takes so long, in their order', async () => {
    await lab().set({ latency: { stream: 1500 } });
    const { socket, messages } = await openSocket();
    const startMs = performance.now();
    for (let i = 0; i < 3; i++)
      socket.send(JSON.stringify({ method: 'subscribe', subscription: { type: 'bbo', coin: `NONE${i}` } }));
    socket.send('{"method":"ping"}');
    await until(async () => messages.length === 4);
    expect(performance.now() - startMs).to.be.at.least(1500);
    expect(messages.map(({ channel }) => channel)).to.deep.equal(['error', 'error', 'error', 'pong']);
    socket.close();
  });

  it('feed.freeze: the key sees the market of before, over info and the WebSocket, and its orders meet the market of now', async () => {
    const { body: second } = await stack.call('POST', '/v1/auth/api-keys', { token: account.token, body: { name: 'calm' } });
    const bestAsk = async (key: string): Promise<string> =>
      (await stack.ask(key, { type: 'l2Book', coin: 'BTC' })).levels[1][0].px;
    await lab().set({ feed: { freeze: true } });
    const before = await stack.ask(account.apiKey, { type: 'l2Book', coin: 'BTC' });
    expect(before.levels[1][0].px).to.equal('65010.0');
    const { socket, messages } = await openSocket();
    socket.send(JSON.stringify({ method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } }));
    await until(async () => messages.some(({ channel }) => channel === 'subscriptionResponse'));
    await stack.market.control({ op: 'setBook', coin: 'BTC', bids: [['64500', '5']], asks: [['64510', '5']] });
    await until(async () => (await bestAsk(second.api_key)) === '64510.0');
    expect(await stack.ask(account.apiKey, { type: 'l2Book', coin: 'BTC' })).to.deep.equal(before);
    const { body } = await send(order({ px: '64600', sz: '0.01', tif: 'Ioc' }));
    expect(body.response.data.statuses[0].filled?.avgPx, JSON.stringify(body)).to.equal('64510.0');
    const books = () => messages.filter(({ channel }) => channel === 'l2Book');
    expect(books()).to.deep.equal([]);
    await lab().end();
    await until(async () => books().length > 0);
    expect((books()[0]?.data as { levels: [{ px: string }[], { px: string }[]] } | undefined)?.levels[1][0]?.px).to.equal(
      '64510.0',
    );
    expect(await bestAsk(account.apiKey)).to.equal('64510.0');
    socket.close();
    await setBooks(stack.market);
  });

  it('feed.delay: books, candles and contexts are late over info and the WebSocket, in their order; orders meet the market of now', async () => {
    const DELAY_MS = 2000;
    const { body: second } = await stack.call('POST', '/v1/auth/api-keys', { token: account.token, body: { name: 'calm' } });
    await lab().set({ feed: { delay: DELAY_MS } });
    const seen = async (key: string) => {
      const { levels } = await stack.ask(key, { type: 'l2Book', coin: 'BTC' });
      const { assetCtxs } = await stack.ask(key, { type: 'webData2', user: account.address });
      const req = { coin: 'BTC', interval: '1m', startTime: 0, endTime: Date.now() + 60_000 };
      const candles = await stack.ask(key, { type: 'candleSnapshot', req });
      return { ask: levels[1][0].px, markPx: assetCtxs[BTC.asset].markPx, close: candles.at(-1)?.c };
    };
    const before = await seen(account.apiKey);
    const { socket, messages } = await openSocket();
    socket.send(JSON.stringify({ method: 'subscribe', subscription: { type: 'l2Book', coin: 'BTC' } }));
    const asks = () =>
      messages.flatMap(({ channel, data }) =>
        channel === 'l2Book' ? [(data as { levels: [{ px: string }[], { px: string }[]] }).levels[1][0]?.px] : [],
      );
    await until(() => asks().length > 0);
    const movedMs = performance.now();
    await stack.market.control({ op: 'setPrice', coin: 'BTC', px: '64000' });
    await stack.market.control({ op: 'trade', coin: 'BTC', px: '63990', sz: '0.1', side: 'A' });
    await stack.market.control({ op: 'setBook', coin: 'BTC', bids: [['63980', '5']], asks: [['64010', '5']] });
    await until(async () =>
      isDeepStrictEqual(await seen(second.api_key), { ask: '64010.0', markPx: '64000.0', close: '63990.0' }),
    );
    const { body } = await send(order({ px: '64100', sz: '0.01', tif: 'Ioc' }));
    expect(body.response.data.statuses[0].filled?.avgPx, JSON.stringify(body)).to.equal('64010.0');
    // A machine that took longer than the delay to come here cannot tell.
    const late = await seen(account.apiKey);
    if (performance.now() - movedMs < DELAY_MS) expect(late).to.deep.equal(before);
    await until(async () => (await seen(account.apiKey)).ask === '64010.0');
    expect(performance.now() - movedMs).to.be.at.least(DELAY_MS);
    await until(async () =>
      isDeepStrictEqual(await seen(account.apiKey), { ask: '64010.0', markPx: '64000.0', close: '63990.0' }),
    );
    await until(() => asks().at(-1) === '64010.0');
    expect(asks()[0]).to.equal('65010.0');
    socket.close();
    await setBooks(stack.market);
  });
});
