import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { RequestError } from '../../../src/shared/errors.ts';
import { ApiNode } from '../../support/apiNode.ts';
import { ExchangeInMemory } from '../../support/exchangeInMemory.ts';
import { gatewayOf } from '../../support/gatewayOf.ts';
import { until } from '../../support/until.ts';
import { useStores } from '../../support/useStores.ts';

describe('hostile clients: what they leave unread or ask for in vain stays theirs', () => {
  const stores = useStores();
  let node: ApiNode;
  const sockets: Socket[] = [];

  before(async () => {
    node = await ApiNode.start(stores, { env: { ANONYMOUS_REQUESTS_PER_MINUTE: '30' } });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await node.stop();
  });

  const open = (): Socket => {
    const socket = connect(Number(new URL(node.baseUrl).port), '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  const request = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n`;

  it('answers that are not read count until they are', async () => {
    const socket = open();
    socket.write(request('/docs/swagger-ui-bundle.js').repeat(16));
    await until(() => node.unread.total > 1_000_000);
    socket.resume();
    await until(() => node.unread.total === 0);
  });

  describe('a question that takes its time', () => {
    let slow: ApiNode;
    let apiKey: string;
    let isHeld: boolean;
    let finish: (fault?: RequestError) => void;

    beforeEach(async () => {
      const { gateway } = new ExchangeInMemory().services;
      isHeld = false;
      const finished = new Promise<void>((resolve, reject) => (finish = (fault) => (fault ? reject(fault) : resolve())));
      const holding = gatewayOf(async (accountId, command, options) => {
        if (command.type === 'query') {
          isHeld = true;
          await finished;
        }
        return gateway.send(accountId, command, options);
      });
      slow = await ApiNode.start(stores, { gateway: holding });
      ({ apiKey } = await slow.createKey(await slow.register()));
    });
    afterEach(() => slow.stop());

    const ask = (type: string): string => {
      const body = JSON.stringify({ type });
      const head = `POST /v1/exchanges/perpx/info HTTP/1.1\r\nHost: x\r\nX-API-Key: ${apiKey}\r\nContent-Type: application/json`;
      return `${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    };
    const send = (requests: string): Socket => {
      const socket = connect(Number(new URL(slow.baseUrl).port), '127.0.0.1');
      sockets.push(socket.resume());
      socket.write(requests);
      return socket;
    };

    it('holds back the answer behind it, which counts, and no longer once both are read', async () => {
      send(ask('openOrders') + ask('allMids'));
      await until(() => isHeld && slow.unread.total > 0);
      finish();
      await until(() => slow.unread.total === 0);
    });

    for (const { name, fault, status } of [
      { name: 'answered', status: 200 },
      { name: 'refused', fault: new RequestError(503, 'store_unavailable', 'It is away.'), status: 503 },
    ]) {
      it(`and whose client has gone meanwhile is told of as what it was: ${name}`, async () => {
        const socket = send(ask('openOrders'));
        await until(() => isHeld);
        socket.resetAndDestroy();
        // The node has seen the end of that connection before it sees what comes later.
        await slow.request('GET', '/v1/auth/me');
        finish(fault);
        const told = (line: string): boolean => line.includes('/info","status"');
        await until(() => slow.logLines.some(told));
        expect(JSON.parse(slow.logLines.find(told) ?? '')).to.include({ status, msg: 'request' });
        expect(await slow.registry.metrics()).to.match(new RegExp(`_duration_seconds_count\\{.*/info",status="${status}"\\} 1`));
      });
    }
  });

  it('a body in pieces of a byte is refused after a thousand, and no more of it is read', async () => {
    for (const [request, status] of [
      ['POST /v1/auth/login', 413],
      ['POST /v1/nothing', 404],
      ['GET /docs', 200],
    ]) {
      const socket = open();
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      const ended = once(socket, 'close');
      socket.write(`${request} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`);
      // Within the 16 kB that a stranger may send.
      socket.write('1\r\n \r\n'.repeat(2300));
      await until(() => answer.includes('\r\n\r\n'));
      expect(answer).to.match(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).to.include('Connection: close');
      await ended;
    }
  });

  it('a body in fewer pieces is read', async () => {
    const socket = open();
    socket.write(
      'POST /v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    socket.write(`${'1\r\n \r\n'.repeat(900)}2\r\n{}\r\n0\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1\.1 400 .*email is missing/s);
  });

  it('a client past its limit is answered ever later, and may not send further requests meanwhile', async () => {
    while ((await node.request('GET', '/v1/nothing')).status !== 429);
    const patient = open();
    const startedAt = performance.now();
    for (let refused = 1; refused <= 130; refused++) {
      patient.write(request('/v1/nothing'));
      expect(String((await once(patient, 'data'))[0])).to.match(/^HTTP\/1\.1 429 .*"code":"rate_limited"/s);
    }
    expect(performance.now() - startedAt, 'a hundred at once, the others at 20 a second').to.be.greaterThan(1400);
    // Many at once are counted faster than they are paid for, whatever the machine takes for each.
    await until(async () => {
      for (let refused = 0; refused < 50; refused++) open().write(request('/v1/nothing'));
      const hasty = open();
      let answers = '';
      hasty.on('data', (chunk) => {
        answers += chunk;
      });
      hasty.write(request('/v1/nothing').repeat(2));
      await until(() => hasty.closed || answers.split('HTTP/1.1 429').length === 3);
      return hasty.closed;
    });
  });
});
