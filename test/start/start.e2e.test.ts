import { execFile, spawnSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { MongoClient, type MongoServerError } from 'mongodb';
import { freePort } from '../support/ports.ts';
import { metricsOf, questions, selectorsOf } from '../support/promql.ts';
import { requireNoSecrets } from '../support/secrets.ts';
import { dataFolder, isAlive, readDemo, running, StartCommand } from '../support/startCommand.ts';
import { until } from '../support/until.ts';
import { WebhookReceiver } from '../support/webhookReceiver.ts';

/**
 * Metrics of the monitor itself, and metrics that only a node with https (test/api/http/https.int.test.ts) or with traces
 * (test/shared/tracing) shows.
 */
const NOT_SHOWN_HERE = ['up', 'api_certificate_end_timestamp_seconds', 'trace_spans_sent_total', 'trace_spans_dropped_total'];
const DAY_MS = 86_400_000;
const ADMIN = fileURLToPath(new URL('../../bin/admin', import.meta.url));

describe('bin/start', function () {
  this.timeout(600_000);
  const data = dataFolder();
  const otherData = dataFolder();
  let port: number;
  /** The start of now: it goes from one test to the next, for each takes many processes. */
  let command: StartCommand;
  const commands: StartCommand[] = [];
  const started = (args: readonly string[]): StartCommand => {
    const next = new StartCommand([...args, '--market', 'emulated']);
    commands.push(next);
    return next;
  };
  const start = (more: readonly string[] = []): StartCommand => started(['--data', data, '--port', String(port), ...more]);
  before(async () => {
    port = await freePort();
  });
  after(async () => {
    await Promise.all(commands.map((one) => one.abandon()));
    for (const folder of [data, otherData]) {
      for (const pid of Object.values(running(folder))) killIfAlive(pid);
      rmSync(folder, { recursive: true });
    }
  });

  it('--once trades and stops all it started; another beside it stays until SIGTERM', async () => {
    const one = start(['--once']);
    const other = started(['--data', otherData, '--port', String(await freePort()), '--root-account']);
    expect(await one.end(), one.output).to.equal(0);
    await other.ready();
    const { rootUrl = '', address } = readDemo(otherData);
    expect(other.output)
      .to.include(rootUrl)
      .and.to.match(/Without a path +http:\/\/127\.0\.0\.1:\d+/);
    const body = JSON.stringify({ type: 'openOrders', user: address });
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(await (await fetch(`${rootUrl}/info`, asked)).json()).to.deep.equal([]);
    other.signal('SIGTERM');
    expect(await other.end(), other.output).to.equal(0);
    for (const { output } of [one, other])
      expect(output).to.match(
        /Bought 0\.0\d+ BTC at \d+\.\d+ USD and sold them at \d+\.\d+: the demo account is made and flat, with two fills/,
      );
    for (const folder of [data, otherData]) expect(running(folder)).to.deep.equal({});
    expect(await fetch(`${rootUrl}/info`, asked).catch((error: Error) => error)).to.be.an.instanceOf(Error);
    const demo = readDemo(data);
    expect(demo).to.have.all.keys('baseUrl', 'apiKey', 'email', 'password', 'userId', 'address');
    expect(demo.baseUrl).to.equal(`http://127.0.0.1:${port}`);
    expect(demo.apiKey).to.match(/^pe_.{24}/);
    expect(one.output).to.include(`${demo.baseUrl}/v1/exchanges/perpx/key/${demo.apiKey}`);
    expect(readDemo(otherData).apiKey).not.to.equal(demo.apiKey);
  });

  it('started again it installs and builds nothing, keeps the account, stays, and is alone with its folder and port', async () => {
    const before = readDemo(data);
    command = start();
    await command.ready();
    expect(command.output)
      .to.match(/The demo account is as it was\. A dry run would buy 0\.0\d+ BTC at \d/)
      .and.not.match(/Installing|Building|Fetching|Looking/);
    const fills = await info({ type: 'userFills' });
    expect(fills.map(({ dir }: { dir: string }) => dir)).to.have.members(['Open Long', 'Close Long']);
    expect((await info({ type: 'clearinghouseState' })).assetPositions).to.deep.equal([]);
    expect(readDemo(data)).to.deep.equal(before);
    expect(running(data)).to.have.all.keys('redis', 'mongo', 'emulator', 'market', 'actors', 'jobs', 'api');

    const again = start();
    expect(await again.end()).to.equal(1);
    expect(again.output).to.include(data).and.to.include('--data');

    const samePort = started(['--data', otherData, '--port', String(port)]);
    expect(await samePort.end()).to.equal(1);
    expect(samePort.output).to.equal(`Port ${port} is in use: stop what listens there, or give another with --port.\n`);
  });

  it('its trials have no end, and webhooks may go to this machine, but not to its stores and metrics', async () => {
    const { email, password } = readDemo(data);
    const { access_token: token } = await call('/v1/auth/login', { body: { email, password } });
    const headers = { authorization: `Bearer ${token}` };
    const { trial_expires_at: end } = await call('/v1/auth/me', { headers });
    expect(Date.parse(end) - Date.now()).to.be.closeTo(36_500 * DAY_MS, DAY_MS);
    const portOf = (name: string): number => JSON.parse(readFileSync(join(data, 'run', `${name}.json`), 'utf8')).port;
    const metrics = [...command.output.matchAll(/ (?:api|actors|market|jobs) http:\/\/127\.0\.0\.1:(\d+)/g)].map(([, at]) =>
      Number(at),
    );
    expect(metrics).to.have.length(4);
    const endpoint = (url: string) => ({ headers, body: { channel: 'webhook', url, kinds: ['fill'] } });
    for (const own of [...['redis', 'mongo', 'emulator'].map(portOf), ...metrics]) {
      const refused = await call('/v1/alerts/endpoints', endpoint(`http://127.0.0.1:${own}/hook`));
      expect(refused.detail).to.equal(`url must not lead to port ${own}, which is the exchange’s own.`);
    }
    const receiver = await WebhookReceiver.start();
    const url = receiver.url().replace('127.0.0.1', 'localhost');
    const made = await call('/v1/alerts/endpoints', endpoint(url));
    expect(made.endpoint, JSON.stringify(made)).to.include({ url });
    await call(`/v1/alerts/endpoints/${made.endpoint.id}/test`, { headers, body: {} });
    await until(() => receiver.messages.length > 0);
    expect(receiver.messages[0]?.body.type).to.equal('test');
    await receiver.stop();
    expect((await call('/v1/alerts/endpoints', endpoint('http://192.168.7.7/hook'))).detail).to.include('WEBHOOK_NETWORKS');
  });

  it('a start changes no position, order or balance', async () => {
    const { apiKey } = readDemo(data);
    const trade = (order: object) =>
      call('/v1/exchanges/perpx/exchange', {
        headers: { 'x-api-key': apiKey },
        body: { action: { type: 'order', orders: [order], grouping: 'na' }, nonce: Date.now() },
      });
    const { universe } = await info({ type: 'meta' });
    const eth = universe.findIndex(({ name }: { name: string }) => name === 'ETH');
    const mids = await info({ type: 'allMids' });
    const market = { a: 0, b: false, p: '0', s: '0.004', r: false, t: { limit: { tif: 'Ioc' } } };
    expect(JSON.stringify(await trade(market))).to.include('"filled"');
    const resting = { a: eth, b: true, p: String(Math.round(mids.ETH / 2)), s: '0.1', r: false, t: { limit: { tif: 'Gtc' } } };
    expect(JSON.stringify(await trade(resting))).to.include('"resting"');
    const seen = async () => {
      const { assetPositions } = await info({ type: 'clearinghouseState' });
      return {
        positions: assetPositions.map(({ position }: { position: Record<string, unknown> }) => [
          position['szi'],
          position['entryPx'],
        ]),
        orders: await info({ type: 'openOrders' }),
        history: await info({ type: 'historicalOrders' }),
        fills: await info({ type: 'userFills' }),
        ledger: await info({ type: 'userNonFundingLedgerUpdates', startTime: 0 }),
        keys: (await admin(data, 'user', readDemo(data).userId)).api_keys.length,
      };
    };
    const before = await seen();
    expect(before.positions).to.have.length(1);
    for (const more of [[], ['--root-account']]) {
      command.signal('SIGTERM');
      expect(await command.end(), command.output).to.equal(0);
      command = start(more);
      await command.ready();
      expect(await seen()).to.deep.equal(before);
    }
  });

  it('bin/admin finds users, makes codes, has invoices paid, grants plans, and shows shards and queues', async () => {
    const { email, password, userId, apiKey } = readDemo(data);
    const shown = await admin(data, 'user', email);
    expect(shown).to.include({ id: userId, email, plan: 'basic', status: 'trial' });
    expect(JSON.stringify(shown)).to.not.include('argon2');
    await admin(data, 'discount', 'create', 'SPRING', '--percent', '20', '--uses', '5');
    const again = await admin(data, 'discount', 'create', 'SPRING', '--percent', '20', '--uses', '5').catch((error) => error);
    expect([again.code, again.stderr]).to.deep.equal([1, 'The code SPRING exists already.\n']);

    const { access_token: token } = await call('/v1/auth/login', { body: { email, password } });
    const headers = { authorization: `Bearer ${token}` };
    const invoice = await call('/v1/billing/subscribe', {
      headers,
      body: { plan: 'pro', period: 'month', discount_code: 'spring' },
    });
    expect(invoice).to.include({ status: 'open', amount_usd: '24.00', discount_usd: '6.00' });
    for (const _ of ['once', 'twice']) await admin(data, 'invoice', 'pay', invoice.id);
    const me = () => call('/v1/auth/me', { headers });
    await until(async () => (await me()).plan === 'pro');
    expect(await me()).to.include({ subscription_status: 'active', payment_required: false });
    const { items } = await call('/v1/billing/invoices', { headers });
    expect(items.map(({ id, status }: { id: string; status: string }) => [id, status])).to.deep.equal([[invoice.id, 'paid']]);
    await until(async () => {
      const overview = await call('/v1/exchanges/perpx/account/overview', { headers: { 'x-api-key': apiKey } });
      return Number(overview.net_deposits) === 100_000;
    });
    await admin(data, 'grant', userId, 'basic', '--days', '3');
    await until(async () => (await me()).plan === 'basic');

    const { shards } = await admin(data, 'shards');
    expect(shards).to.have.length(16);
    for (const shard of shards)
      expect(shard).to.deep.include({ parked: 0, quarantined: 0 }).and.have.property('owner').that.is.a('string');
    const queues = await admin(data, 'queues');
    expect(JSON.stringify(queues)).to.include('trial-expiry').and.include('invoice-poll').and.include('retention');
  });

  it('what it leaves is its owner’s alone, and its stores want passwords that no argument shows', async () => {
    const open = [data, ...readdirSync(data, { recursive: true }).map((name) => join(data, String(name)))].filter((path) => {
      if (path.includes('mongo-jars')) return false; // given by the test, with its modes
      const stat = lstatSync(path, { throwIfNoEntry: false });
      return stat !== undefined && !stat.isSymbolicLink() && (stat.mode & 0o077) !== 0;
    });
    expect(open).to.deep.equal([]);

    const secrets = JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')) as { redis: string; mongo: string };
    const portOf = (name: string): number => JSON.parse(readFileSync(join(data, 'run', `${name}.json`), 'utf8')).port;
    const redis = new Redis(portOf('redis'), '127.0.0.1', { enableReadyCheck: false });
    expect(await redis.get('x').catch((error: Error) => error.message)).to.match(/^NOAUTH/);
    expect(await redis.auth(secrets.redis)).to.equal('OK');
    const clients = String(await redis.client('LIST')).split('\n');
    expect(clients.filter((line) => line.includes(join(data, 'run', 'redis.sock')))).to.have.length.above(4);
    redis.disconnect();
    for (const login of ['', 'paper:wrong@']) {
      const mongo = new MongoClient(`mongodb://${login}127.0.0.1:${portOf('mongo')}`, { serverSelectionTimeoutMS: 60_000 });
      const answer = await mongo
        .db('paper')
        .collection('users')
        .findOne()
        .catch((error: MongoServerError) => error.code);
      expect(answer, login).to.be.oneOf([13, 18]);
      await mongo.close();
    }
    const { stdout: processes } = await promisify(execFile)('ps', ['-eo', 'args']);
    for (const secret of Object.values(secrets)) expect(processes).to.not.include(secret);
  });

  it('a role that dies is started again', async () => {
    const { actors = 0 } = running(data);
    process.kill(actors, 'SIGKILL');
    await until(() => (running(data)['actors'] ?? actors) !== actors);
    expect(command.output).to.include('actors ended (SIGKILL) and is started again');
    await healthy(port);
  });

  it('every role gets ready and shows what dashboards and alerts ask for, named as Prometheus wants it', async () => {
    const shown = [...command.output.matchAll(/\b(api|actors|market|jobs) (http:\/\/\S+)/g)].map(([, role = '', url = '']) => ({
      role,
      url,
    }));
    expect(shown.map(({ role }) => role)).to.have.members(['api', 'actors', 'market', 'jobs']);
    const scrapes: string[] = [];
    for (const { role, url } of shown) {
      await until(async () => (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200);
      const scrape = await (await fetch(`${url}/metrics`)).text();
      const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: scrape, encoding: 'utf8' });
      expect(status, `${role}: ${stdout}${stderr}`).to.equal(0);
      scrapes.push(scrape);
    }
    const metrics = metricsOf(scrapes.join('\n'));
    for (const [asker, expr] of questions) {
      for (const { metric, labels } of selectorsOf(expr).filter(({ metric }) => !NOT_SHOWN_HERE.includes(metric))) {
        const known = metrics.get(metric);
        expect(known, `${asker} asks for ${metric}`).not.to.equal(undefined);
        // A metric without a line yet has no labels yet.
        if (known !== undefined && known.size > 0) expect([...known], `${asker}: labels of ${metric}`).to.include.members(labels);
      }
    }
  });

  // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees
  const call = async (path: string, { headers, body }: { headers?: Record<string, string>; body?: object }): Promise<any> => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'content-type': 'application/json', ...headers },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return response.json();
  };

  // biome-ignore lint/suspicious/noExplicitAny: as above
  const info = async (body: object): Promise<any> => {
    const { apiKey, address } = readDemo(data);
    return call('/v1/exchanges/perpx/info', { headers: { 'x-api-key': apiKey }, body: { user: address, ...body } });
  };

  const killStart = async (): Promise<void> => {
    command.signal('SIGKILL');
    await command.end();
  };

  it('killed and started again it stops the roles that are left; when the stores were wiped it asks before it makes another account', async () => {
    const demo = readDemo(data);
    const left = running(data);
    await killStart();
    for (const name of ['redis', 'mongo']) {
      process.kill(left[name] ?? 0, 'SIGKILL');
      await until(() => !isAlive(left[name] ?? 0));
      rmSync(join(data, name), { recursive: true });
    }
    const refused = start();
    expect(await refused.end()).to.equal(1);
    expect(refused.output.trimEnd().split('\n').at(-1)).to.equal(
      `The stores do not know the demo account of ${join(data, 'demo.json')}: bring back the stores in which it was made, or give --new-demo for another account.`,
    );
    expect(Object.values(left).filter(isAlive)).to.deep.equal([]);
    expect(readDemo(data)).to.deep.equal(demo);
    writeFileSync(join(data, 'demo.json'), '{');
    const damaged = start();
    expect(await damaged.end()).to.equal(1);
    expect(damaged.output)
      .to.include(`${join(data, 'demo.json')} is damaged`)
      .and.to.include('--new-demo');
    writeFileSync(join(data, 'demo.json'), JSON.stringify(demo));

    command = start(['--new-demo']);
    await command.ready();
    expect(readDemo(data).apiKey).not.to.equal(demo.apiKey);
    expect(JSON.parse(readFileSync(join(data, 'demo.before.json'), 'utf8'))).to.deep.equal(demo);
  });

  it('killed with its roles and started again it finds the stores, uses them, and stops them at Ctrl-C as its own', async () => {
    const demo = readDemo(data);
    const { redis = 0, mongo = 0, ...others } = running(data);
    await killStart();
    for (const pid of Object.values(others)) killIfAlive(pid);
    expect([redis, mongo].every(isAlive)).to.equal(true);

    command = start();
    await command.ready();
    expect(running(data)).to.include({ redis, mongo });
    expect(readDemo(data)).to.deep.equal(demo);
    const pids = Object.values(running(data));
    expect(pids).to.have.length(7);
    command.signal('SIGINT');
    expect(await command.end(), command.output).to.equal(0);
    expect(pids.filter(isAlive)).to.deep.equal([]);
  });

  it('no key, token, password or hash is in a log', () => {
    const { apiKey, password } = readDemo(data);
    const secrets: string[] = Object.values(JSON.parse(readFileSync(join(data, 'secrets.json'), 'utf8')));
    const names = readdirSync(join(data, 'logs'));
    expect(names).to.include.members(['api.log', 'actors.log', 'market.log', 'jobs.log']);
    for (const name of names) {
      const log = readFileSync(join(data, 'logs', name), 'utf8');
      expect(
        [apiKey, password, ...secrets].some((secret) => log.includes(secret)),
        name,
      ).to.equal(false);
      requireNoSecrets(log, name);
    }
  });
});

/** A process that ended with its parent is gone already. */
function killIfAlive(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** The answer of bin/admin as JSON. @throws its output, with its status as `code` */
// biome-ignore lint/suspicious/noExplicitAny: each command has an answer of its own
async function admin(data: string, ...words: string[]): Promise<any> {
  const { stdout } = await promisify(execFile)(ADMIN, ['--data', data, '--json', ...words]);
  return JSON.parse(stdout);
}

async function healthy(port: number): Promise<void> {
  await until(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    return answer?.status === 200;
  });
}
