import { once } from 'node:events';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { StreamClient } from '../support/streamClient.ts';

const load = (name: string) => import(`../../tools/start/${name}.mjs`);

interface RootAccount {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const ORDER = {
  type: 'order',
  grouping: 'na',
  orders: [{ a: 0, b: true, p: '0', s: '0.001', r: false, t: { limit: { tif: 'Ioc' } } }],
};

describe('bin/start --root-account: the demo account at the root of a port of loopback', function () {
  this.timeout(600_000);
  let stack: Stack;
  let account: TestAccount;
  let root: RootAccount;
  const opened: RootAccount[] = [];
  const open = async (wanted: number): Promise<RootAccount> => {
    const { openRootAccount } = await load('rootAccount');
    const next: RootAccount = await openRootAccount({ baseUrl: stack.baseUrl, apiKey: account.apiKey }, wanted);
    opened.push(next);
    return next;
  };
  before(async () => {
    stack = await startStack();
    await stack.waitHealthy();
    account = await stack.register();
    root = await open(0);
  });
  after(async () => {
    for (const one of opened) await one.stop();
    await stack.stop();
  });

  /** As a program asks; fetch lets no Host be set. */
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const { hostname, port } = new URL(root.url);
    const asked = request({ hostname, port, path, method: 'POST', headers: { 'content-type': 'application/json', ...headers } });
    asked.end(JSON.stringify(body));
    const [answer] = await once(asked, 'response');
    let text = '';
    for await (const chunk of answer) text += chunk;
    return { status: answer.statusCode as number, body: JSON.parse(text) };
  };
  const fills = async (): Promise<number> =>
    (await post('/info', { type: 'userFills', user: account.address })).body.length as number;

  it('answers /info and /exchange as the account, without a key', async () => {
    const { status, body } = await post('/exchange', { action: ORDER, nonce: 1 });
    expect(status).to.equal(200);
    expect(body.response.data.statuses[0].filled.totalSz).to.equal('0.001');
    const theirs = await stack.info(account.apiKey, { type: 'userFills', user: account.address });
    expect((await post('/info', { type: 'userFills', user: account.address })).body).to.deep.equal(theirs.body);
  });

  it('carries /ws, also for a client that names the port itself as its Origin', async () => {
    for (const headers of [{}, { origin: root.url }]) {
      const client = await StreamClient.connect(root.url, { path: '/ws', headers });
      client.subscribe({ type: 'userFills', user: account.address });
      const { data } = await client.next('userFills');
      expect(data).to.include({ isSnapshot: true });
      await client.stop();
    }
  });

  it('refuses what comes from a web page or under another name, and trades nothing for it', async () => {
    const before = await fills();
    for (const headers of [{ origin: 'https://example.com' }, { origin: 'null' }, { host: 'example.com' }]) {
      const { status, body } = await post('/exchange', { action: ORDER, nonce: 2 }, headers);
      expect([status, body.error]).to.deep.equal([403, 'forbidden']);
    }
    expect(await fills()).to.equal(before);
    const socket = new WebSocket(`${root.url.replace('http', 'ws')}/ws`, { headers: { origin: 'https://example.com' } });
    const [error] = await once(socket, 'error');
    expect((error as Error).message).to.include('403');
  });

  it('has no other path: nothing of the account beside trading is open without a key', async () => {
    for (const path of ['/', '/v1/auth/me', '/info/../account/overview', '/account/overview', '/infos']) {
      expect((await post(path, {})).status, path).to.equal(404);
    }
  });

  it('passes refusals of the API on as they are', async () => {
    const { status, body } = await post('/info', { type: 'noSuchType' });
    const theirs = await stack.info(account.apiKey, { type: 'noSuchType' });
    expect([status, body.error]).to.deep.equal([theirs.status, (theirs.body as { error: unknown }).error]);
  });

  it('takes a free port when the wanted one is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const beside = await open(port);
    expect(beside.url).to.not.equal(`http://127.0.0.1:${port}`);
    const answer = await fetch(`${beside.url}/info`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
      body: JSON.stringify({ type: 'meta' }),
    });
    expect(answer.status).to.equal(200);
    other.close();
  });

  it('ends with its open sockets', async () => {
    const ending = await open(0);
    const client = await StreamClient.connect(ending.url, { path: '/ws' });
    await ending.stop();
    opened.splice(opened.indexOf(ending), 1);
    await client.close();
    expect(await fetch(`${ending.url}/info`).catch((error: Error) => error)).to.be.an.instanceOf(Error);
  });
});
