import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { createSeldomLog } from '../../../src/api/access/limits/seldomLog.ts';
import { type ConnectionLimits, Connections } from '../../../src/api/http/connections.ts';
import { type HttpServer, listen } from '../../../src/api/http/httpServer.ts';
import { Upgrades } from '../../../src/api/http/upgrades.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { createLogger } from '../../../src/shared/logger.ts';
import { until } from '../../support/until.ts';

const log = createLogger({ level: 'silent', role: 'test' });

const connections = (limits: Partial<ConnectionLimits> = {}): Connections =>
  new Connections({ ...readConfig({}), ...limits }, createSeldomLog(log, Date.now));

describe('httpServer: bytes that are hardly a request get an answer with a body', () => {
  let server: HttpServer;
  before(async () => {
    server = await listen(async (_request, response) => void response.end('handled'), {
      host: '127.0.0.1',
      port: 0,
      log,
      headersOfRefusal: () => ['X-RateLimit-Limit', '7'],
      upgrades: new Upgrades(),
      connections: connections(),
    });
  });
  after(() => server.stop());

  const cases: readonly { name: string; bytes: string; want: RegExp }[] = [
    { name: 'no HTTP at all', bytes: '\x16\x03\x01\r\n\r\n', want: /^HTTP\/1\.1 400 .*"code":"invalid_http","msg"/s },
    {
      name: 'a negative length',
      bytes: 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n',
      want: /^HTTP\/1\.1 400 .*"code":"invalid_http"/s,
    },
    {
      name: 'headers beyond all measure',
      bytes: `GET / HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
      want: /^HTTP\/1\.1 431 .*"code":"headers_too_large"/s,
    },
    {
      name: 'an expectation that nobody knows',
      bytes: 'GET / HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
      want: /^HTTP\/1\.1 200 .*handled/s,
    },
    { name: 'no Host', bytes: 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', want: /^HTTP\/1\.1 200 .*handled/s },
  ];
  for (const { name, bytes, want } of cases) {
    it(name, async () => {
      const socket = connect(server.port, '127.0.0.1');
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.write(bytes, 'latin1');
      await once(socket, 'close');
      expect(answer).to.match(want);
      expect(/\r\nX-RateLimit-Limit: 7\r\n/.test(answer)).to.equal(!answer.includes('handled'));
    });
  }
});

describe('httpServer: connections are bounded, and no client holds the place of another', () => {
  let server: HttpServer;
  let sockets: Socket[];
  /** Requests that were begun. */
  let handled = 0;
  const start = async (limits: Partial<ConnectionLimits>): Promise<Connections> => {
    const bounded = connections(limits);
    const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      handled += 1;
      if (request.url !== '/slow') response.end('handled');
    };
    server = await listen(handle, {
      ...{ host: '127.0.0.1', port: 0, log, headersOfRefusal: () => [], upgrades: new Upgrades(), connections: bounded },
    });
    return bounded;
  };
  /** Addresses of this machine are as many as a test needs. */
  const open = (localAddress = '127.0.0.1'): Socket => {
    const socket = connect({ port: server.port, host: '127.0.0.1', localAddress });
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  };
  const answerTo = async (socket: Socket, path = '/'): Promise<string> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [bytes] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
    return String(bytes);
  };

  beforeEach(() => {
    handled = 0;
    sockets = [];
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  });

  it('a thousand sockets of one address are served by default', async () => {
    const bounded = await start({});
    for (let i = 0; i < 1000; i++) open();
    await until(() => bounded.size === 1000);
    const answers = await Promise.all(sockets.map((socket) => answerTo(socket)));
    expect(answers.filter((answer) => answer.includes('handled'))).to.have.length(1000);
  });

  it('an address may have so many without a request, and another address is not touched', async () => {
    const bounded = await start({ ADDRESS_HALF_OPEN: 3 });
    const first = [open(), open(), open()];
    await until(() => bounded.size === 3);
    expect(await answerTo(open())).to.not.include('handled');
    expect(await answerTo(open('127.0.0.2'))).to.include('handled');
    expect(await answerTo(first[0] as Socket), 'a request makes it whole').to.include('handled');
    expect(await answerTo(open())).to.include('handled');
  });

  it('an address may have so many in all: one more is ended before it has asked for anything', async () => {
    const bounded = await start({ ADDRESS_CONNECTIONS: 2 });
    expect(await answerTo(open())).to.include('handled');
    expect(await answerTo(open())).to.include('handled');
    const third = open();
    await until(() => third.closed);
    expect(bounded.figures.ended.get('address_full')).to.equal(1);
    expect(await answerTo(open('127.0.0.2'))).to.include('handled');
  });

  it('behind proxies, whose clients share an address, only the bound of all counts', async () => {
    await start({ ADDRESS_CONNECTIONS: 1, ADDRESS_HALF_OPEN: 1, PROXY_HOPS: 1 });
    for (let i = 0; i < 3; i++) expect(await answerTo(open())).to.include('handled');
  });

  it('at the bound of all, the address with the most gives up its oldest that has no request at work', async () => {
    const bounded = await start({ CONNECTIONS: 4 });
    const busy = open();
    busy.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
    const many = [open(), open(), open()];
    await until(() => bounded.size === 4);
    const given = once(many[0] as Socket, 'close');
    expect(await answerTo(open('127.0.0.2'))).to.include('handled');
    await given;
    expect([busy.destroyed, many[1]?.destroyed]).to.deep.equal([false, false]);
    expect(await answerTo(open()), 'the address with the most gets no more').to.not.include('handled');
  });

  it('places that are all at work are given up too: a few addresses cannot keep out the others', async () => {
    const bounded = await start({ CONNECTIONS: 10 });
    const working = (localAddress: string): Socket => {
      const socket = open(localAddress);
      socket.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n');
      return socket;
    };
    const first = working('127.0.0.1');
    await until(() => bounded.figures.atWork === 1);
    for (const network of ['127.0.0.1', '127.0.0.2', '127.0.0.3']) for (let i = 0; i < 3; i++) working(network);
    await until(() => bounded.figures.atWork === 10);
    expect(bounded.figures).to.include({ open: 10, halfOpen: 0 });
    const given = once(first, 'close');
    expect(await answerTo(open('127.0.0.4'))).to.include('handled');
    await given;
    expect(await answerTo(open('127.0.0.5')), 'an idle one of an address with one is not taken').to.include('handled');
    expect(await answerTo(open('127.0.0.1')), 'of those with the most').to.not.include('handled');
    expect(bounded.size).to.equal(10);
  });

  it('an address may not open and close without end', async () => {
    await start({ ADDRESS_CONNECTIONS: 2 });
    for (let i = 0; i < 4; i++) {
      const socket = open();
      expect(await answerTo(socket)).to.include('handled');
      socket.destroy();
      await once(socket, 'close');
    }
    expect(await answerTo(open())).to.not.include('handled');
    expect(await answerTo(open('127.0.0.2'))).to.include('handled');
  });

  it('a client has no more requests at work than it may have connections, however it spreads them', async () => {
    const bounded = await start({ ADDRESS_CONNECTIONS: 20 });
    const many = [open(), open()];
    const ended = Promise.race(many.map((socket) => once(socket, 'close')));
    for (const socket of many) socket.write('GET /slow HTTP/1.1\r\n\r\n'.repeat(15));
    await ended;
    await until(() => bounded.size === 1);
    expect(handled).to.equal(20);
    expect(await answerTo(open()), 'those of the ended one are given back').to.include('handled');
    expect(await answerTo(open('127.0.0.2'))).to.include('handled');
  });

  it('behind proxies a client has so many requests at work, and gives way to clients with fewer', async () => {
    const bounded = await start({ ADDRESS_CONNECTIONS: 3, CONNECTIONS: 10, PROXY_HOPS: 1 });
    const work = (client: string, path = '/slow'): Socket => {
      const socket = open();
      socket.write(`GET ${path} HTTP/1.1\r\nX-Forwarded-For: 1.2.3.4, ${client}\r\n\r\n`);
      return socket;
    };
    for (const client of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) for (let i = 0; i < 3; i++) work(client);
    await until(() => bounded.figures.atWork === 9);
    await once(work('192.0.2.1'), 'close');
    await until(() => bounded.size === 9);
    work('192.0.2.4');
    await until(() => bounded.figures.atWork === 10);
    const [answer] = await once(work('192.0.2.5', '/'), 'data');
    expect(String(answer)).to.include('handled');
    expect(bounded.size).to.equal(10);
  });

  it('a connection may have 16 requests at work; with more it is ended, and what came with them is not begun', async () => {
    const bounded = await start({ ADDRESS_CONNECTIONS: 40 });
    const few = open();
    let answers = '';
    few.on('data', (chunk) => {
      answers += chunk;
    });
    few.write('GET / HTTP/1.1\r\n\r\n'.repeat(16));
    await until(() => answers.split('handled').length === 17);
    handled = 0;
    const many = open();
    const ended = new Promise((resolve) => many.once('close', resolve));
    many.write('GET /slow HTTP/1.1\r\n\r\n'.repeat(5000));
    await ended;
    expect(handled).to.equal(16);
    expect(bounded.figures.ended.get('pipelined'), 'the others were not even read').to.equal(1);
    expect(await answerTo(few), 'the others go on').to.include('handled');
    const again = open();
    again.write('GET /slow HTTP/1.1\r\n\r\n'.repeat(17));
    await once(again, 'close');
    expect(await answerTo(open()), 'it counts as 50 new connections').to.not.include('handled');
    expect(await answerTo(open('127.0.0.2'))).to.include('handled');
  });

  it('a client that sends no whole head, or no whole body, is answered 408 in time', async () => {
    await start({});
    const slow = open();
    let answer = '';
    slow.on('data', (chunk) => {
      answer += chunk;
    });
    slow.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
    await until(() => answer !== '');
    expect(answer).to.match(/^HTTP\/1\.1 408 /);
  });
});
