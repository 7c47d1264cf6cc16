import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { READING_MS_MAX, UnreadAnswers } from '../../../../src/api/access/limits/heldBytes.ts';
import { createSeldomLog } from '../../../../src/api/access/limits/seldomLog.ts';
import { createLogger } from '../../../../src/shared/logger.ts';
import { until } from '../../../support/until.ts';

const MB = 1_000_000;
/** More than the system takes off this process's hands. */
const ANSWER = 'x'.repeat(10 * MB);

describe('unreadAnswers: answers that nobody reads take a bounded place', () => {
  let server: Server;
  let unread: UnreadAnswers;
  let sockets: Socket[];
  /** Connections that the server has ended, by their number. */
  let ended: number[];
  let nowMs: number;

  const start = async (bounds: { each: number; all: number }): Promise<void> => {
    const config = { REQUEST_BYTES_PER_CALLER: bounds.each, REQUEST_BYTES: 2 * bounds.all };
    const log = createSeldomLog(createLogger({ level: 'silent', role: 'test' }), () => nowMs);
    unread = new UnreadAnswers({ config, log, now: () => nowMs });
    server = createServer((request, response) => {
      const body = request.url === '/short' ? 'short' : ANSWER;
      unread.hold(response, String(request.headers['x-caller']), body.length);
      response.end(body);
    });
    let count = 0;
    server.on('connection', (socket) => {
      const number = count++;
      socket.once('close', () => ended.push(number));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  };
  /** Asks and reads nothing; bytes in the system's buffers have left this process. */
  const ask = (caller: string, { path = '/long', times = 1 } = {}): Socket => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Caller: ${caller}\r\n\r\n`.repeat(times));
    return socket;
  };
  beforeEach(() => {
    sockets = [];
    ended = [];
    nowMs = 5000;
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  it('past its bound, the caller’s connection whose answers wait longest is ended; others go on', async () => {
    await start({ each: 25 * MB, all: 100 * MB });
    ask('a');
    await until(() => unread.total === 10 * MB);
    ask('a');
    await until(() => unread.total === 20 * MB);
    ask('b');
    await until(() => unread.total === 30 * MB);
    ask('a');
    await until(() => ended.length > 0);
    expect([ended, unread.total]).to.deep.equal([[0], 30 * MB]);
    ask('c', { times: 16 });
    await until(() => ended.length > 1);
    expect([ended, unread.total], 'one connection has the same bound').to.deep.equal([[0, 4], 30 * MB]);
    const [answer] = await once(ask('a', { path: '/short' }), 'data');
    expect(String(answer)).to.include('short');
  });

  it('past the bound of all, the caller with the most gives way; an answer that is read is no longer counted', async () => {
    await start({ each: 30 * MB, all: 45 * MB });
    ask('a', { times: 2 });
    await until(() => unread.total === 20 * MB);
    ask('b', { times: 2 });
    await until(() => unread.total === 40 * MB);
    const [answer] = await once(ask('quiet'), 'data');
    expect(String(answer)).to.match(/^HTTP\/1\.1 200 /);
    await until(() => ended.length > 0);
    expect([ended, unread.total]).to.deep.equal([[0], 30 * MB]);
    for (const socket of sockets) socket.resume();
    await until(() => unread.total === 0);
  });

  it('an answer that is not read whole in a minute ends its connection, however it trickles', async () => {
    await start({ each: 100 * MB, all: 100 * MB });
    const trickling = ask('a');
    await until(() => unread.total === 10 * MB);
    await until(() => trickling.read(MB) !== null);
    nowMs += READING_MS_MAX;
    unread.look();
    expect(unread.total).to.equal(10 * MB);
    nowMs += 1;
    unread.look();
    await until(() => ended.length > 0);
    expect(unread.total).to.equal(0);
  });
});
