import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'chai';
import { type HttpServer, listen } from '../../../src/api/http/httpServer.ts';
import { Upgrades } from '../../../src/api/http/upgrades.ts';
import { createLogger } from '../../../src/shared/logger.ts';

describe('httpServer: bytes that are hardly a request get an answer with a body', () => {
  let server: HttpServer;
  before(async () => {
    const log = createLogger({ level: 'silent', role: 'test' });
    server = await listen(async (_request, response) => void response.end('handled'), {
      host: '127.0.0.1',
      port: 0,
      log,
      headersOfRefusal: () => ({ 'X-RateLimit-Limit': 7 }),
      upgrades: new Upgrades(),
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
