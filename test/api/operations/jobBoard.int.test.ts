import { connect } from 'node:net';
import { expect } from 'chai';
import { readConfig } from '../../../src/shared/config/config.ts';
import { openJobQueue } from '../../../src/shared/redis/jobQueue.ts';
import { type Answer, ApiNode } from '../../support/apiNode.ts';
import { type Store, startRedis } from '../../support/stores.ts';
import { until } from '../../support/until.ts';

const PASSWORD = 'a long password of operators';
const basic = (user: string, password: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

describe('jobBoard: the jobs as a page, for who knows the operators’ password', () => {
  let redis: Store;
  let node: ApiNode;
  const start = (env: Record<string, string>): Promise<ApiNode> =>
    // Nothing here asks MongoDB.
    ApiNode.start({ redis, mongo: { ...redis, url: 'mongodb://127.0.0.1:1' } }, { env });
  const get = (path: string, headers: Record<string, string> = basic('admin', PASSWORD)): Promise<Answer> =>
    node.request('GET', path, { headers });

  before(async () => {
    redis = await startRedis();
    node = await start({ ADMIN_PASSWORD: PASSWORD });
  });
  after(async () => {
    await node.stop();
    await redis.stop();
  });

  it('shows the page, its files and the queue', async () => {
    const queue = openJobQueue(node.redis);
    await queue.upsertJobScheduler('funding', { every: 10_000 }, { name: 'funding' });
    const page = await get('/admin/queues');
    expect(page.status).to.equal(200);
    expect(page.headers.get('content-type')).to.include('text/html');
    expect(page.text).not.to.match(/<(?:link|script|img|iframe)[^>]*(?:href|src)="(?:https?:)?\/\//);
    expect(page.headers.get('content-security-policy')).to.match(/^default-src 'none'; script-src 'self';/);
    expect(page.headers.get('x-frame-options')).to.equal('DENY');
    expect(page.headers.get('referrer-policy')).to.equal('no-referrer');
    const [, script = ''] = /src="([^"]+\.js)"/.exec(page.text) ?? [];
    const path = new URL(script, `${node.baseUrl}/admin/queues/`).pathname;
    expect((await get(path)).headers.get('content-type')).to.include('javascript');
    const { body } = await get('/admin/queues/api/queues');
    expect(body.queues[0]).to.include({ name: 'jobs', readOnlyMode: true });
    const { waiting, delayed } = body.queues[0].counts;
    expect(waiting + delayed).to.equal(1);
    await queue.close();
  });

  it('changes nothing, for a browser sends the password by itself', async () => {
    for (const [method, path] of [
      ['PUT', '/admin/queues/api/queues/jobs/pause'],
      ['PUT', '/admin/queues/api/queues/pause'],
      ['POST', '/admin/queues/api/queues/jobs/add'],
      ['DELETE', '/admin/queues/api/queues/jobs/clean/failed'],
    ] as const) {
      expect((await node.request(method, path, { headers: basic('admin', PASSWORD) })).status).to.equal(405);
    }
    expect(await node.redis.hget('{bull}:jobs:meta', 'paused')).to.equal(null);
  });

  it('401 without the password, on files too; 429 after ten wrong ones, also for the right one then', async () => {
    for (const path of ['/admin/queues', '/admin/queues/', '/admin/queues/api/queues', '/admin/queues/static/js/main.js']) {
      const { status, headers, body } = await get(path, {});
      expect(status).to.equal(401);
      expect(headers.get('www-authenticate')).to.match(/^Basic /);
      expect(body).to.have.all.keys('detail', 'code', 'msg');
    }
    const wrong = ['', 'x', `${PASSWORD}x`, PASSWORD.slice(1), '\u0000', '€'.repeat(2000)];
    for (const password of wrong) expect((await get('/admin/queues', basic('admin', password))).status).to.equal(401);
    expect((await get('/admin/queues', basic('root', PASSWORD))).status).to.equal(401);
    expect((await get('/admin/queues')).status).to.equal(200);
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await get('/admin/queues', basic('admin', 'x'))).status);
    expect(statuses).to.deep.equal([401, 401, 401, 429]);
    expect((await get('/admin/queues')).status).to.equal(429);
    expect(node.logLines.join('')).to.not.include(PASSWORD).and.not.include(basic('admin', PASSWORD)['authorization']);
  });

  it('of a burst of guesses no more than ten are compared', async () => {
    const burst = await start({ ADMIN_PASSWORD: PASSWORD, PROXY_HOPS: '1' });
    const socket = connect(Number(new URL(burst.baseUrl).port), '127.0.0.1');
    let answers = '';
    socket.on('data', (chunk) => {
      answers += chunk;
    });
    const heads = [...Array.from({ length: 15 }, (_, n) => `guess ${n}`), PASSWORD].map((password) => {
      const { authorization } = basic('admin', password);
      return `GET /admin/queues HTTP/1.1\r\nX-Forwarded-For: 192.0.2.7\r\nAuthorization: ${authorization}\r\n\r\n`;
    });
    socket.write(heads.join(''));
    const statuses = (): string[] => [...answers.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status);
    await until(() => statuses().length === 16);
    expect(statuses()).to.deep.equal([...Array<string>(10).fill('401'), ...Array<string>(6).fill('429')]);
    socket.destroy();
    await burst.stop();
  });

  it('is not there without a password, which must not be short', async () => {
    const other = await start({});
    expect((await other.request('GET', '/admin/queues', { headers: basic('admin', '') })).status).to.equal(404);
    await other.stop();
    expect(() => readConfig({ ADMIN_PASSWORD: 'too short' })).to.throw('ADMIN_PASSWORD must have 16 characters or more');
  });
});
