// The package as it is installed, against the running exchange (`BASE`, whose account has at least two fills), and against a
// service that fails as it is told.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { IncompleteExportError, PaperPerps, ServiceError, UnknownIdError } from 'paper-perps';
import { Venue } from 'paper-perps/venue';

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

test('an account of the user is named where a fill or an order is asked for', async () => {
  const own = new PaperPerps(ORIGIN);
  await own.register(`typescript-${randomUUID()}@example.com`, PASSWORD);
  const key = (await own.account.createKey({ name: 'bot' })).api_key;
  const act = async (action) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': key };
    const body = JSON.stringify({ action, nonce: 1 });
    return (await (await fetch(`${ORIGIN}/v1/exchanges/perpx/exchange`, { method: 'POST', headers, body })).json()).response;
  };
  const { data: account } = await act({ type: 'createSubAccount', name: 'grid' });
  await act({ type: 'subAccountTransfer', subAccountUser: account, isDeposit: true, usd: 100_000_000 });
  assert.equal((await own.dashboard.overview({ account })).account_value, '100.0');
  const [{ tid }] = await all(perps.dashboard.fills());
  await assert.rejects(own.explainFill(tid, { account }), UnknownIdError);
  await assert.rejects(own.explainOrder(1, { account }), UnknownIdError);
});

test('an export goes on where its file was cut', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paper-perps-'));
  for (const kind of ['journal', 'fills']) {
    const path = join(folder, `${kind}.jsonl`);
    const end = await perps.dashboard.export(path, { kind });
    assert.equal(typeof end.state_hash, kind === 'journal' ? 'string' : 'undefined');
    const whole = readFileSync(path);
    const lines = whole.toString().split('\n');
    assert.ok(lines.at(-2).includes('"complete":true'));
    for (const cut of [0, 10, lines[0].length + 1, lines[0].length + lines[1].length + 9, whole.length - 3]) {
      writeFileSync(path, whole.subarray(0, cut));
      assert.equal((await perps.dashboard.export(path, { kind })).next, end.next);
      const now = readFileSync(path, 'utf8').split('\n');
      // A journal has the head of each part, from which the count of the end is made; nothing else is added.
      const isPart = (line) => line.includes('"continues":{"after_seq"');
      assert.deepEqual(now.filter((line) => !isPart(line)).slice(0, -2), lines.slice(0, -2), `cut at ${cut}`);
      const ofPart = now.slice(now.findLastIndex(isPart) + 1, -2).filter((line) => line.includes('"entry":'));
      if (kind === 'journal') assert.equal(JSON.parse(now.at(-2)).end.rows, ofPart.length, `cut at ${cut}`);
    }
    assert.equal((await perps.dashboard.export(path, { kind })).next, end.next);
  }
  rmSync(folder, { recursive: true });
});

test('an export goes on after a connection that breaks and a store that is away, and not over what is forgotten', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'paper-perps-'));
  const path = join(folder, 'rows.jsonl');
  const head = '{"head":{}}\n';
  const row = (next) => `{"next":"${next}.0"}\n`;
  const failed = (code) => `{"end":{"complete":false,"error":{"code":"${code}","detail":"told"}}}\n`;
  const end = '{"end":{"complete":true,"next":"3.0","rows":3}}\n';
  const asked = [];
  const client = (...answers) =>
    new PaperPerps('http://127.0.0.1', {
      attempts: 1,
      fetch: async ({ url }) => {
        asked.push(new URL(url).searchParams.get('from'));
        const body = answers.shift();
        if (body instanceof Error) throw body;
        return new Response(pieces(body));
      },
    });
  const first = `${head}${row(1)}${row(2)}{"next":"3.`;
  const going = client(first, new TypeError('fetch failed'), `${head}${row(3)}${failed('store_unavailable')}`, `${head}${end}`);
  assert.equal((await going.dashboard.export(path, { kind: 'fills', attempts: 3 })).rows, 3);
  assert.equal(readFileSync(path, 'utf8'), `${head}${row(1)}${row(2)}${row(3)}${end}`);
  assert.deepEqual(asked, [null, '2.0', '2.0', '3.0']);
  // A file of another program may have the line that says that the rest is missing.
  writeFileSync(path, `${head}${row(1)}${failed('busy')}`);
  await client(`${head}${row(2)}${row(3)}${end}`).dashboard.export(path, { kind: 'fills' });
  assert.equal(readFileSync(path, 'utf8'), `${head}${row(1)}${row(2)}${row(3)}${end}`);
  rmSync(path);
  const gone = client(failed('seq_forgotten')).dashboard.export(path, { kind: 'fills' });
  await assert.rejects(gone, (error) => error instanceof IncompleteExportError && error.code === 'seq_forgotten');
  const away = client(new TypeError('a'), new TypeError('b')).dashboard.export(path, { kind: 'fills', attempts: 2 });
  await assert.rejects(away, { message: 'b' });
  rmSync(folder, { recursive: true });
});

/** A body in pieces that end anywhere, whose connection breaks behind it unless its last line is an end. */
function pieces(text) {
  const bytes = Buffer.from(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      at += 7;
      if (at < bytes.length + 7) controller.enqueue(bytes.subarray(at - 7, at));
      else if (text.includes('"end"')) controller.close();
      else controller.error(new TypeError('terminated'));
    },
  });
}

test('figures of the dashboard', async () => {
  assert.ok((await perps.dashboard.equityCurve({ period: '1d', interval: '1h' })).length > 0);
  assert.ok('win_rate' in (await perps.dashboard.analytics({ period: 'all' })));
  assert.ok('win_rate' in (await perps.dashboard.roundTripFigures({ start_time: '0' })));
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

test('time is set ahead under one name until it is done, and a refusal is not repeated', async () => {
  const codes = ['advance_unfinished', 'advance_unfinished', undefined, 'invalid_request'];
  const ids = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += piece;
    ids.push(JSON.parse(body).id);
    const code = codes[ids.length - 1];
    const status = code === undefined ? 200 : code === 'invalid_request' ? 400 : 503;
    response
      .writeHead(status, { connection: 'close', 'retry-after': '0' })
      .end(JSON.stringify({ code, detail: 'As told.', shown: true }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const venue = new Venue(`http://127.0.0.1:${server.address().port}/v1/exchanges/perpx/key/pe_x`);
  assert.equal((await venue.advance(60_000)).shown, true);
  await assert.rejects(venue.advance(1), { code: 'invalid_request' });
  server.close();
  assert.deepEqual([ids.length, new Set(ids.slice(0, 3)).size, new Set(ids).size], [4, 1, 2]);
});
