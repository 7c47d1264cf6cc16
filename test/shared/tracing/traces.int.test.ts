// Traces of the running service: each role a process of its own, their spans with a real receiver of OTLP. Stack ends with a look for
// secrets in the logs.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { orderAction } from '../../support/orderWire.ts';
import { OtlpReceiver, pathsOf, type ReceivedSpan } from '../../support/otlpReceiver.ts';
import { requireNoSecrets } from '../../support/secrets.ts';
import { type Stack, startStack, type TestAccount } from '../../support/stack.ts';
import { StreamClient } from '../../support/streamClient.ts';
import { until } from '../../support/until.ts';

const EXCHANGE = 'POST /v1/exchanges/:exchange/exchange';
const INFO = 'POST /v1/exchanges/:exchange/info';
const PACKAGES = fileURLToPath(new URL('../../support/packagesLoaded.mjs', import.meta.url));
const CLIENT_SPAN = '00f067aa0ba902b7';

let count = 0;
/** A trace of a client's own. */
const newTrace = (): string => (++count).toString(16).padStart(32, '0');

describe('traces: one order on its way through all processes', () => {
  let receiver: OtlpReceiver;
  let stack: Stack;
  let account: TestAccount;
  /** Far below the market: an order there rests. */
  let px: string;

  before(async () => {
    receiver = await OtlpReceiver.start();
    stack = await startStack({
      durability: 'always',
      env: {
        ...{ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER_ARG: '0' },
        ...{ LIQUIDATION_SCAN_INTERVAL_MS: '1000', JOURNAL_LAG_MS: '1000' },
      },
    });
    account = await stack.register();
    const { BTC } = (await stack.info(account.apiKey, { type: 'allMids' })).body;
    px = String(Math.floor(Number(BTC) / 2));
  });
  after(async () => {
    await stack.stop();
    await receiver.stop();
  });

  async function ask(endpoint: 'info' | 'exchange', body: object, headers: Record<string, string> = {}, url = stack.baseUrl) {
    const answer = await fetch(`${url}/v1/exchanges/perpx/key/${account.apiKey}/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return {
      status: answer.status,
      requestId: answer.headers.get('x-request-id'),
      body: (await answer.json()) as { response?: { data?: { statuses: object[] } } },
    };
  }
  const traced = (traceId: string, flags = '01') => ({ traceparent: `00-${traceId}-${CLIENT_SPAN}-${flags}` });
  const place = () => ({ action: orderAction(0, { px, sz: '0.001' }), nonce: Date.now() });
  const linesOf = (name: string, traceId: string) =>
    readFileSync(stack.process(name).logFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes(traceId))
      .map((line) => JSON.parse(line));

  describe('an order whose client asks for a trace', () => {
    const traceId = newTrace();
    let spans: ReceivedSpan[];
    let requestId: string | null;

    before(async () => {
      const answer = await ask('exchange', place(), traced(traceId));
      expect(answer.body.response?.data?.statuses[0]).to.have.property('resting');
      requestId = answer.requestId;
      spans = await receiver.named(traceId, EXCHANGE, 'history');
    });

    const span = (name: string): ReceivedSpan => {
      const found = spans.find((one) => one.name === name);
      if (found === undefined) throw new Error(`no span ${name} among ${spans.map((one) => one.name)}`);
      return found;
    };

    it('goes from HTTP through stream, actor, journal and reply to MongoDB, each step below the one that it belongs to', () => {
      expect(pathsOf(spans)).to.deep.equal([
        EXCHANGE,
        `${EXCHANGE} > command`,
        `${EXCHANGE} > command > actor`,
        `${EXCHANGE} > command > actor > commit`,
        `${EXCHANGE} > command > actor > decide`,
        `${EXCHANGE} > command > actor > history`,
        `${EXCHANGE} > command > actor > history > mongodb write`,
        `${EXCHANGE} > command > actor > mailbox`,
        `${EXCHANGE} > command > submit`,
      ]);
    });

    it('is of two processes', () => {
      expect(span('submit').service).to.equal('paper-perps-api');
      for (const name of ['actor', 'commit', 'mongodb write']) expect(span(name).service).to.equal('paper-perps-actors');
    });

    it('belongs to the client’s span', () => expect(span(EXCHANGE).parentSpanId).to.equal(CLIENT_SPAN));

    it('ends in the order in which things happen', () => {
      const order = ['mailbox', 'decide', 'commit', 'mongodb write'].map((name) => BigInt(span(name).endTimeUnixNano));
      expect(order).to.deep.equal([...order].sort((a, b) => (a < b ? -1 : 1)));
      for (const one of spans) expect(BigInt(one.endTimeUnixNano) >= BigInt(one.startTimeUnixNano)).to.equal(true);
    });

    it('says what it is about, and where', () => {
      expect(span(EXCHANGE).attributes).to.include({
        ...{ 'request.id': traceId, 'account.id': account.address, 'http.route': '/v1/exchanges/:exchange/exchange' },
        ...{ 'http.request.method': 'POST', 'http.response.status_code': 200 },
      });
      const { 'account.id': id, command, shard } = span('actor').attributes;
      expect({ id, command }).to.deep.equal({ id: account.address, command: 'placeOrders' });
      expect(span('history').attributes['shard']).to.equal(shard);
      expect(span('history').attributes['commit']).to.equal(span('commit').attributes['commit']);
    });

    it('is answered with its trace as X-Request-Id', () => expect(requestId).to.equal(traceId));

    it('is in the logs of both processes, with request, account and shard', () => {
      const [request] = linesOf('api-0', traceId);
      expect(request).to.include({ msg: 'traced', span: EXCHANGE, traceId, requestId: traceId, accountId: account.address });
      const [actor, history] = linesOf('actors-0', traceId);
      expect(actor).to.include({ msg: 'traced', span: 'actor', traceId, requestId: traceId, accountId: account.address });
      expect(actor.shard).to.be.a('number');
      expect(history).to.include({ msg: 'traced', span: 'history', traceId, shard: actor.shard });
    });
  });

  it('a question goes to its owner and back', async () => {
    const traceId = newTrace();
    await ask('exchange', place());
    await ask('info', { type: 'clearinghouseState' }, traced(traceId));
    const spans = await receiver.named(traceId, INFO, 'actor');
    expect(pathsOf(spans)).to.include.members([
      `${INFO} > question > command > submit`,
      `${INFO} > question > command > actor > commit`,
    ]);
    expect(spans.map(({ name }) => name)).not.to.include('history');
  });

  it('a refused request ends its trace, and the refusal’s log line names it', async () => {
    const traceId = newTrace();
    const { status } = await ask('exchange', { action: { type: 'nothing' } }, traced(traceId));
    expect(status).to.equal(400);
    await receiver.named(traceId, EXCHANGE);
    expect(linesOf('api-0', traceId).map(({ msg }) => msg)).to.include.members(['request refused', 'traced']);
  });

  it('only so many are recorded because their clients want it', async () => {
    const ids = Array.from({ length: 200 }, newTrace);
    await Promise.all(ids.map((id) => ask('info', { type: 'allMids' }, traced(id))));
    const last = newTrace();
    await until(async () => {
      await ask('info', { type: 'allMids' }, traced(last));
      return receiver.of(last).length > 0;
    });
    const recorded = ids.filter((id) => receiver.of(id).length > 0).length;
    expect(recorded).to.be.greaterThan(0).and.lessThan(200);
  });

  it('a traceparent that is none is ignored, as is one that is not sampled', async () => {
    const traceId = newTrace();
    const hostile = [
      `00-${traceId}-${CLIENT_SPAN}-01-x`,
      `00-${traceId.toUpperCase()}-${CLIENT_SPAN}-01`,
      `${traceId}`,
      `"${traceId}"`,
    ];
    for (const traceparent of hostile) {
      const { status, requestId } = await ask('info', { type: 'allMids' }, { traceparent });
      expect(status).to.equal(200);
      expect(requestId).not.to.contain(traceId);
    }
    expect((await ask('info', { type: 'allMids' }, traced(traceId, '00'))).requestId).to.equal(traceId);
    expect(receiver.of(traceId)).to.deep.equal([]);
  });

  it('an id that the client gives the request goes first', async () => {
    const { requestId } = await ask('info', { type: 'allMids' }, { ...traced(newTrace(), '00'), 'x-request-id': 'mine' });
    expect(requestId).to.equal('mine');
  });

  describe('with all recorded', () => {
    let url: string;
    let api: string;

    before(async () => {
      api = await stack.add('api', { OTEL_TRACES_SAMPLER_ARG: '1' });
      await stack.waitHealthy();
      url = stack.baseUrls.at(-1) ?? '';
    });

    it('a post over the socket is traced like a request', async () => {
      const client = await StreamClient.connect(url, { apiKey: account.apiKey });
      client.send({ method: 'post', id: 1, request: { type: 'action', payload: place() } });
      expect((await client.next('post')).data.response.type).to.equal('action');
      await until(() => receiver.spans.some(({ name }) => name === 'post action'));
      const { traceId } = receiver.spans.find(({ name }) => name === 'post action') as ReceivedSpan;
      const paths = pathsOf(await receiver.named(traceId, 'mongodb write'));
      expect(paths).to.include('post action > command > actor > history > mongodb write');
      await client.stop();
    });

    it('what is read of an account’s past in MongoDB is a step of the request', async () => {
      await until(async () => {
        // An answer about an account that has not changed is given again.
        await ask('exchange', place(), {}, url);
        const headers = { authorization: `Bearer ${account.token}` };
        await fetch(`${url}/v1/exchanges/perpx/account/orders`, { headers });
        return receiver.spans.some(({ name }) => name === 'mongodb read');
      });
      const { traceId } = receiver.spans.find(({ name }) => name === 'mongodb read') as ReceivedSpan;
      const request = 'GET /v1/exchanges/:exchange/account/orders';
      expect(pathsOf(await receiver.named(traceId, request))).to.include(`${request} > mongodb read`);
    });

    it('a run of a job begins a trace, which its accounts’ shards go on with', async () => {
      await stack.add('jobs', { OTEL_TRACES_SAMPLER_ARG: '1' });
      await until(() => receiver.spans.some(({ name, service }) => name === 'shard command' && service === 'paper-perps-actors'));
      const { traceId } = receiver.spans.find(({ name }) => name === 'shard command') as ReceivedSpan;
      expect(pathsOf(await receiver.named(traceId, 'job liquidation-scan'))).to.include.members([
        'job liquidation-scan > submit > shard command',
        'job liquidation-scan > submit > shard command > commit',
      ]);
    });

    it('what is recorded is sent at the end of the process', async () => {
      const headers = { 'x-request-id': 'the-last-one' };
      await ask('info', { type: 'allMids' }, headers, url);
      await stack.kill(api, 'SIGTERM');
      expect(receiver.spans.some(({ attributes }) => attributes['request.id'] === 'the-last-one')).to.equal(true);
    });
  });

  it('no span has held a key, a token or a path with one', () => {
    expect(receiver.texts.length).to.be.greaterThan(0);
    for (const text of receiver.texts) {
      requireNoSecrets(text, 'a span');
      expect(text).not.to.contain(account.apiKey);
      expect(text).not.to.contain('/key/');
    }
  });

  describe('what is loaded', () => {
    const folder = mkdtempSync(join(tmpdir(), 'paper-packages-'));
    after(() => rmSync(folder, { recursive: true }));

    /** Files of OpenTelemetry in an API process, at its end: all but its interfaces, on which the metrics' library depends. */
    async function loaded(endpoint: string): Promise<string[]> {
      const file = join(folder, `packages-${endpoint.length}.json`);
      const name = await stack.add('api', {
        ...{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, PACKAGES_FILE: file, NODE_OPTIONS: `--import=${PACKAGES}` },
      });
      await stack.waitHealthy();
      await ask('exchange', place(), traced(newTrace()), stack.baseUrls.at(-1));
      await stack.kill(name, 'SIGTERM');
      const files: string[] = JSON.parse(readFileSync(file, 'utf8'));
      return files.filter((path) => !path.includes('@opentelemetry/api/'));
    }

    it('nothing of OpenTelemetry without a collector', async () => expect(await loaded('')).to.deep.equal([]));
    it('its packages with one', async () => expect(await loaded(receiver.url)).not.to.deep.equal([]));
  });

  it('a collector that never answers keeps nobody waiting, not even the end of the process', async () => {
    const sockets: { destroy(): void }[] = [];
    const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const name = await stack.add('api', { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '1' });
    await stack.waitHealthy();
    const url = stack.baseUrls.at(-1);
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask('info', { type: 'allMids' }, {}, url)));
    expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    await until(() => sockets.length > 0);
    await stack.kill(name, 'SIGTERM');
    const text = readFileSync(stack.process(name).logFile, 'utf8');
    expect(text)
      .to.contain('the last spans are lost')
      .and.to.contain('"closed":"tracing"')
      .and.not.to.contain('stop took too long');
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
