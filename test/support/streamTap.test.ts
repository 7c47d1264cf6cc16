import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { WebSocket, WebSocketServer } from 'ws';
import { StreamTap } from './streamTap.ts';

const SECRET = `pe_${'x'.repeat(24)}`;

describe('streamTap: what is wrong with a message is found, whoever it is for', () => {
  let server: Server;
  let sent: readonly object[];

  before(async () => {
    server = createServer();
    const sockets = new WebSocketServer({ server, perMessageDeflate: false });
    sockets.on('connection', (socket) => {
      for (const message of sent) socket.send(JSON.stringify(message));
      socket.close();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  /** The faults that the tap found in these messages to a client. */
  const foundIn = async (...messages: readonly object[]): Promise<string> => {
    sent = messages;
    const tap = await StreamTap.start((server.address() as AddressInfo).port);
    const socket = new WebSocket(tap.url.replace('http', 'ws'));
    await once(socket, 'close');
    return tap.close().then(
      () => 'nothing',
      (error: Error) => error.message,
    );
  };

  const cases = [
    { name: 'messages as published', sent: [{ channel: 'pong' }, { channel: 'error', data: 'no' }], found: /^nothing$/ },
    { name: 'a channel that is not published', sent: [{ channel: 'pong' }, { channel: 'gossip' }], found: /gossip: not in the/ },
    { name: 'a secret in an error', sent: [{ channel: 'error', data: `no key ${SECRET}` }], found: /has an API key/ },
    ...[125, 126, 65_535, 65_536].map((length) => ({
      name: `what follows a message of ${length} bytes`,
      sent: [{ channel: 'error', data: 'y'.repeat(length - '{"channel":"error","data":""}'.length) }, { channel: 'gossip' }],
      found: /gossip: not in the/,
    })),
  ];
  for (const { name, sent: messages, found } of cases) {
    it(name, async () => expect(await foundIn(...messages)).to.match(found));
  }
});
