// The package as it is installed, against the running exchange (`BASE`, whose account has at least two fills), and against a
// service that fails as it is told.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { PaperPerps, ServiceError, UnknownIdError } from 'paper-perps';

const { BASE = '' } = process.env;
const [ORIGIN = ''] = BASE.split('/v1/');
const PASSWORD = 'correct horse battery';
const perps = new PaperPerps(BASE);

const all = async (rows) => {
  const list = [];
  for await (const row of rows) list.push(row);
  return list;
};

test('the address may be given without a key in it', async () => {
  const apiKey = BASE.split('/').at(-1);
  for (const url of [ORIGIN, `${ORIGIN}/`, `${ORIGIN}/v1/exchanges/perpx`]) {
    assert.equal((await new PaperPerps(url, { apiKey }).dashboard.overview()).plan, 'basic');
  }
  await assert.rejects(new PaperPerps(ORIGIN).dashboard.overview(), { status: 401, code: 'invalid_credential' });
  assert.throws(() => new PaperPerps('perpx'), TypeError);
});

test('pages give each row once', async () => {
  const fills = await all(perps.dashboard.fills({ limit: 1 }));
  assert.ok(fills.length > 1);
  const ids = fills.map(({ tid }) => tid);
  assert.deepEqual(
    ids,
    (await all(perps.dashboard.fills())).map(({ tid }) => tid),
  );
  assert.equal(new Set(ids).size, ids.length);
});

test('explanations', async () => {
  const [fill] = await all(perps.dashboard.fills());
  const found = await perps.explainFill(fill.tid);
  assert.deepEqual([found.fill.tid, found.evidence.source], [fill.tid, 'book']);
  const order = await perps.explainOrder(fill.oid);
  assert.ok(order.fills.some((one) => one.fill.tid === fill.tid));
  await assert.rejects(perps.explainFill(1), UnknownIdError);
  await assert.rejects(perps.explainOrder(`0x${'00'.repeat(16)}`), UnknownIdError);
});

test('figures of the dashboard', async () => {
  assert.ok((await perps.dashboard.equityCurve({ period: '1d', interval: '1h' })).length > 0);
  assert.ok('win_rate' in (await perps.dashboard.analytics({ period: 'all' })));
  assert.ok(Array.isArray(await perps.dashboard.positions()));
});

test('an account of its own, its keys and its plan', async () => {
  const own = new PaperPerps(ORIGIN);
  const email = `typescript-${randomUUID()}@example.com`;
  const token = await own.register(email, PASSWORD);
  assert.equal((await own.account.profile()).email, email);
  assert.notEqual(await own.login(email, PASSWORD), token);
  const once = { idempotencyKey: 'once' };
  const made = await own.account.createKey({ name: 'research', scopes: ['read'] }, once);
  assert.equal((await own.account.createKey({ name: 'research', scopes: ['read'] }, once)).api_key, made.api_key);
  const reader = new PaperPerps(ORIGIN, { apiKey: made.api_key });
  await assert.rejects(reader.account.reset(), { status: 403, code: 'insufficient_scope' });
  await own.account.revokeKey(made.id);
  assert.deepEqual(await own.account.keys(), []);
  const { address } = await own.account.profile();
  assert.equal((await own.account.setBalance({ balance: '2500' }, { account: address })).balance, '2500.0');
  assert.equal((await own.dashboard.overview({ account: address })).balance, '2500.0');
  const { accounts, total } = await own.dashboard.group();
  assert.deepEqual([accounts.map((one) => one.address), total.balance], [[address], '2500.0']);
  assert.deepEqual((await own.billing.plans()).map(({ id }) => id).sort(), ['basic', 'pro']);
  const invoice = await own.billing.subscribe({ plan: 'basic', period: 'month' });
  assert.deepEqual(
    (await all(own.billing.invoices())).map(({ id }) => id),
    [invoice.id],
  );
  const refused = await own.billing.applyDiscount('NO-SUCH-CODE').catch((error) => error);
  assert.ok(refused instanceof ServiceError);
  assert.equal(refused.status, 400);
  assert.match(refused.requestId, /^[\w.:-]{1,64}$/);
});

/** A client of a service that gives these answers, then that of a balance or of an overview. */
function failing(...answers) {
  const sent = [];
  const fetch = async (request) => {
    sent.push(`${request.method} ${await request.text()}`);
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    const { status = 200, headers = {}, body = JSON.stringify({ code: 'told', detail: 'As told.', plans: [] }) } = answer ?? {};
    return new Response(body, { status, headers });
  };
  return { sent, perps: new PaperPerps('http://127.0.0.1', { fetch, longestWaitMs: 1000 }) };
}

test('a question is sent again after 429, 503 and a broken connection', async () => {
  for (const fault of [{ status: 429 }, { status: 503 }, new TypeError('fetch failed')]) {
    const { perps: client, sent } = failing(fault);
    assert.deepEqual(await client.billing.plans(), []);
    assert.equal(sent.length, 2);
  }
});

test('a change is sent again with its idempotency key and body; without a key only after 429', async () => {
  const keyed = failing({ status: 503 });
  await keyed.perps.account.setBalance({ balance: '5' });
  assert.deepEqual(keyed.sent, ['POST {"balance":"5"}', 'POST {"balance":"5"}']);
  const unkeyed = failing({ status: 503 });
  await assert.rejects(unkeyed.perps.billing.applyDiscount('X'), { status: 503, code: 'told', message: 'As told.' });
  assert.equal(unkeyed.sent.length, 1);
  const limited = failing({ status: 429 });
  await limited.perps.billing.applyDiscount('X');
  assert.equal(limited.sent.length, 2);
});

test('neither a refusal nor a wait that is too long is repeated, and three attempts are the end', async () => {
  const slow = failing({ status: 429, headers: { 'retry-after': '2', 'x-request-id': 'r1' } });
  await assert.rejects(slow.perps.billing.plans(), { status: 429, retryAfterMs: 2000, requestId: 'r1' });
  const wrong = failing({ status: 400 });
  await assert.rejects(wrong.perps.billing.plans(), { status: 400 });
  const away = failing({ status: 503 }, { status: 503 }, { status: 503 });
  await assert.rejects(away.perps.billing.plans(), { status: 503 });
  assert.deepEqual([slow.sent.length, wrong.sent.length, away.sent.length], [1, 1, 3]);
});

test('what is no answer of the service says so', async () => {
  const page = { status: 404, body: '<html>Not here</html>' };
  await assert.rejects(failing(page).perps.billing.plans(), { code: 'unreadable', message: '<html>Not here</html>' });
});
