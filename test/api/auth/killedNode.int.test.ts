// An API node that is killed after the store has the cookie's next value and before the browser has it.
import { expect } from 'chai';
import { ApiNode } from '../../support/apiNode.ts';
import { freePort } from '../../support/ports.ts';
import { RoleProcess } from '../../support/roleProcess.ts';
import { makeDir } from '../../support/stores.ts';
import { TcpProxy } from '../../support/tcpProxy.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

const OURS = { origin: 'http://127.0.0.1:3000', 'x-requested-with': 'dashboard' };
const JWT_SECRET = 'a secret for this test and long enough';
const REFRESH = '/v1/auth/session/refresh';

describe('auth: a node dies between the rotation of a cookie and its answer', function () {
  this.timeout(600_000);
  const stores = useStores();
  let node: ApiNode;
  let killed: RoleProcess;
  let way: TcpProxy;
  let isArmed = false;

  before(async () => {
    node = await ApiNode.start(stores, { env: { JWT_SECRET } });
    const onClient = (chunk: Buffer): void => {
      if (isArmed && chunk.includes('cookie.rotatedAt')) way.loseAnswers();
    };
    way = await TcpProxy.start(Number(new URL(stores.mongo.url).port), () => ({ onClient, onServer: () => undefined }));
  });
  after(async () => {
    await killed.end();
    await node.stop();
    await way.close();
  });

  it('the browser goes on at another node with the cookie that it has', async () => {
    const port = await freePort();
    const mongoUrl = new URL(stores.mongo.url);
    mongoUrl.port = String(way.port);
    const env = { REDIS_URL: stores.redis.url, MONGO_URL: mongoUrl.href, MONGO_DATABASE: 'test', PORT: String(port), JWT_SECRET };
    killed = new RoleProcess('api-0', { role: 'api', env: { ...env, METRICS_PORT: '0' }, logDir: makeDir('killed') });
    killed.start();
    const { email } = await node.register();
    const login = await node.post('/v1/auth/session', { email, password: 'a good password' }, OURS);
    const cookieOf = ({ headers }: { readonly headers: Headers }): string => headers.get('set-cookie')?.split(';')[0] ?? '';
    const refresh = (cookie: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}${REFRESH}`, { method: 'POST', headers: { ...OURS, cookie } });
    let second = '';
    await until(async () => {
      const answer = await refresh(cookieOf(login)).catch(() => undefined);
      second = answer?.status === 200 ? cookieOf(answer) : '';
      return second !== '';
    });

    isArmed = true;
    const lost = refresh(second).then(
      () => 'answered',
      () => 'broken',
    );
    const sessions = node.mongo.db.collection('sessions');
    await until(async () => (await sessions.findOne({ 'cookie.number': 3 })) !== null);
    await killed.signal('SIGKILL');
    expect(await lost).to.equal('broken');

    const third = await node.request('POST', REFRESH, { headers: { ...OURS, cookie: second } });
    expect(third.status, third.text).to.equal(200);
    expect(cookieOf(third)).to.match(/\.3\./);
    const fourth = await node.request('POST', REFRESH, { headers: { ...OURS, cookie: cookieOf(third) } });
    expect(fourth.status, 'and from there').to.equal(200);
  });
});
