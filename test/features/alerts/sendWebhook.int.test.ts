import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { lookupOf, pinnedAddresses, sendWebhook, type WebhookNetwork } from '../../../src/features/alerts/deliver/sendWebhook.ts';
import { networksOf } from '../../../src/shared/config/publicAddress.ts';
import { makeCertificates } from '../../support/certificates.ts';
import { NameServer } from '../../support/nameServer.ts';
import { WebhookReceiver } from '../../support/webhookReceiver.ts';

const OWN: WebhookNetwork = { allowed: networksOf(['127.0.0.0/8']) };
const NOTHING_OWN: WebhookNetwork = { allowed: networksOf([]) };
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n';
const GZIPPED = 'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n';
const NOT_OPEN = 'to a private or reserved address that WEBHOOK_NETWORKS does not open';
const REFUSED = `the host leads ${NOT_OPEN}`;

describe('one try of a webhook: bounded, not redirected, and only to addresses that were checked', () => {
  let receiver: WebhookReceiver;
  const servers: { stop(): unknown }[] = [];
  before(async () => {
    receiver = await WebhookReceiver.start();
  });
  beforeEach(() => {
    receiver.messages.length = 0;
    receiver.answer = (response) => response.writeHead(204).end();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop();
  });
  after(() => receiver.stop());

  const send = (url: string, network = OWN) => sendWebhook({ url, headers: { 'webhook-id': 'msg_1' }, body: '{"a":1}' }, network);
  const names = async (addressesOf: (name: string) => readonly string[]): Promise<NameServer> => {
    const server = await NameServer.start(addressesOf);
    servers.push(server);
    return server;
  };

  it('a 2xx is a delivery, whatever the body is', async () => {
    receiver.answer = (response) => response.writeHead(200).end('x'.repeat(1_000_000));
    expect(await send(receiver.url())).to.deep.equal({ isDelivered: true, result: 'answered 200' });
    expect(receiver.messages.map(({ text, headers }) => [text, headers['webhook-id']])).to.deep.equal([['{"a":1}', 'msg_1']]);
  });

  for (const status of [300, 400, 404, 410, 429, 500, 503])
    it(`${status} is none`, async () => {
      receiver.answer = (response) => response.writeHead(status).end();
      expect(await send(receiver.url())).to.deep.equal({ isDelivered: false, result: `answered ${status}` });
    });

  for (const status of [301, 302, 303, 307, 308])
    it(`a redirect of ${status} is not followed`, async () => {
      receiver.answer = (response) => response.writeHead(status, { location: receiver.url('/elsewhere') }).end();
      expect(await send(receiver.url())).to.deep.equal({ isDelivered: false, result: `answered ${status}` });
      expect(receiver.messages.map(({ path }) => path)).to.deep.equal(['/hook']);
    });

  it('a receiver that says nothing ends at the bound', async () => {
    receiver.answer = () => undefined;
    expect(await send(receiver.url(), { ...OWN, withinMs: 200 })).to.deep.equal({
      isDelivered: false,
      result: 'did not answer in time',
    });
  });

  it('an answer that never ends has been given: its status decides at the bound', async () => {
    receiver.answer = (response) => response.writeHead(200).write('a');
    expect(await send(receiver.url(), { ...OWN, withinMs: 300 })).to.deep.equal({ isDelivered: true, result: 'answered 200' });
  });

  it('a head that is too long is a failure', async () => {
    receiver.answer = (response) => response.writeHead(200, { long: 'x'.repeat(12_000) }).end();
    expect((await send(receiver.url())).result).to.equal('the head of the answer was too long');
  });

  /** @returns its port */
  const listening = async (server: Server): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push({ stop: () => server.close() });
    return (server.address() as AddressInfo).port;
  };
  /** Of the connections that rude receivers got: each is closed when its try is over. */
  const closed: Promise<unknown>[] = [];
  /** A receiver that writes what no HTTP library does. */
  const rude = async (answer: (socket: Socket) => void): Promise<string> => {
    const server = createServer((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.on('error', () => socket.destroy());
      socket.once('data', () => answer(socket));
    });
    return `http://127.0.0.1:${await listening(server)}/`;
  };
  /** Writes it again and again, as fast as it is taken. */
  const forever =
    (piece: string, first = '') =>
    (socket: Socket) => {
      socket.write(first);
      const write = (): void => {
        while (!socket.destroyed && socket.write(piece));
      };
      socket.on('drain', write);
      write();
    };
  const OK = 'HTTP/1.1 200 OK\r\n';
  const [TOO_LONG, BROKEN, NOT_HTTP] = [
    'the head of the answer was too long',
    'the connection was broken',
    'the answer was not HTTP',
  ];
  const bomb = gzipSync(Buffer.alloc(10_000_000));
  const rudeAnswers: readonly (readonly [what: string, answer: (socket: Socket) => void, result: string, isDelivered?: true])[] =
    [
      ['another protocol', (socket) => socket.end('SSH-2.0-OpenSSH\r\n'), NOT_HTTP],
      ['a switch to another protocol', (socket) => socket.write(SWITCHED), 'answered 101'],
      ['a switch that never says more', (socket) => socket.write(SWITCHED.replace('Upgrade: x\r\n', '')), 'answered 101'],
      ['answers of 100 without an end', forever('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)), TOO_LONG],
      ['answers of 103 without an end', forever('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(100)), TOO_LONG],
      ['empty lines without an end', forever('\r\n'.repeat(10_000)), TOO_LONG],
      ['a header without an end', forever('x'.repeat(10_000), `${OK}a: `), TOO_LONG],
      ['headers without an end', forever('a: b\r\n'.repeat(1000), OK), TOO_LONG],
      ['a status line without an end', forever('x'.repeat(10_000), 'HTTP/1.1 200 '), TOO_LONG],
      ['a head that breaks off', (socket) => socket.end(`${OK}a:`), BROKEN],
      ['nothing but an end', (socket) => socket.end(), BROKEN],
      ['100 and an end', (socket) => socket.end('HTTP/1.1 100 Continue\r\n\r\n'), BROKEN],
      ['two lengths', (socket) => socket.write(`${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`), NOT_HTTP],
      ['a body without an end', forever('x'.repeat(10_000), `${OK}\r\n`), 'answered 200', true],
      [
        'a chunk’s extension without an end',
        forever('y'.repeat(10_000), `${OK}transfer-encoding: chunked\r\n\r\n1;x=`),
        'answered 200',
        true,
      ],
      [
        'trailers without an end',
        forever('a: b\r\n'.repeat(1000), `${OK}transfer-encoding: chunked\r\n\r\n0\r\n`),
        'answered 200',
        true,
      ],
      ['a body that breaks off', (socket) => socket.end(`${OK}content-length: 100\r\n\r\nabc`), 'answered 200', true],
      [
        'a second answer behind it',
        (socket) => socket.write(`HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n${OK}\r\n`),
        'answered 500',
      ],
      [
        'ten megabytes in a gzip of ten thousand bytes',
        (socket) => socket.end(Buffer.concat([Buffer.from(GZIPPED), bomb])),
        'answered 200',
        true,
      ],
    ];
  for (const [what, answer, result, isDelivered = false] of rudeAnswers)
    it(`${what}: ${result}, and long before the bound of time`, async () => {
      // A day: a call that waits for it fails the test.
      expect(await send(await rude(answer), { ...OWN, withinMs: 86_400_000 })).to.deep.equal({ isDelivered, result });
      expect(await Promise.all(closed.splice(0)), 'one try, one connection').to.have.length(1);
    });

  it('a body that drips for ever has its status at the bound', async () => {
    const url = await rude((socket) => {
      socket.write(`${OK}\r\n`);
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await send(url, { ...OWN, withinMs: 300 })).to.deep.equal({ isDelivered: true, result: 'answered 200' });
  });

  it('a certificate that nobody known has signed is refused, and no byte of the message is sent', async () => {
    const certificates = makeCertificates();
    const read: Buffer[] = [];
    const server = createTlsServer({ key: readFileSync(certificates.key), cert: readFileSync(certificates.cert) }, (socket) => {
      socket.on('error', () => socket.destroy());
      socket.on('data', (piece) => read.push(piece));
    });
    const { result } = await send(`https://127.0.0.1:${await listening(server)}/`);
    expect(result).to.equal('the certificate or the TLS handshake was refused');
    expect(read).to.deep.equal([]);
    certificates.remove();
  });

  it('a port at which nobody listens', async () => {
    const gone = await WebhookReceiver.start();
    const url = gone.url();
    await gone.stop();
    expect(await send(url)).to.deep.equal({ isDelivered: false, result: 'the connection was refused' });
  });

  it('a literal address that is not allowed any more is refused at the try', async () => {
    expect((await send(receiver.url(), NOTHING_OWN)).result).to.equal(`url must not lead ${NOT_OPEN}`);
    expect(receiver.messages).to.deep.equal([]);
  });

  const inside = [
    ...[['127.0.0.1'], ['10.1.2.3'], ['169.254.169.254'], ['1.1.1.1', '192.168.0.1'], ['1.1.1.1', '::1']],
    ...[['fd00:ec2::254'], ['64:ff9b::a00:1'], ['2002:a00:1::'], ['2606:4700:4700::1111', 'fe80::1'], ['0.0.0.0']],
  ];
  for (const addresses of inside)
    it(`a name that leads to ${addresses.join(' and ')} is refused`, async () => {
      const server = await names(() => addresses);
      const network = { ...NOTHING_OWN, nameServers: [server.address] };
      expect(await send('https://inside.example.com/', network)).to.deep.equal({ isDelivered: false, result: REFUSED });
    });

  it('a name server that says nothing ends at the bound', async () => {
    const silent = createSocket('udp4');
    await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
    servers.push({ stop: () => silent.close() });
    const network = { ...OWN, nameServers: [`127.0.0.1:${silent.address().port}`], withinMs: 200 };
    expect((await send('https://silent.example.com/', network)).result).to.equal('did not answer in time');
  });

  it('a name without an address', async () => {
    const server = await names(() => []);
    const { result } = await send('https://none.example.com/', { ...OWN, nameServers: [server.address] });
    expect(result).to.equal('the name of the host has no address');
  });

  it('a name is looked up anew at each try: one that leads inside by then is refused, and nothing is sent', async () => {
    let addresses = ['127.0.0.2'];
    const server = await names(() => addresses);
    const network = { ...OWN, nameServers: [server.address] };
    expect((await send('https://moved.example.com/', network)).result).to.not.equal(REFUSED);
    addresses = ['127.0.0.2', '10.0.0.1'];
    expect((await send('https://moved.example.com/', network)).result).to.equal(REFUSED);
  });

  it('a name is looked up once, and the connection is made to the address that was checked', async () => {
    // The second question would be answered by an address that is not allowed.
    let questions = 0;
    const server = await names(() => (++questions === 1 ? ['127.0.0.2'] : ['10.0.0.1']));
    const resolver = new Resolver();
    resolver.setServers([server.address]);
    const pinned = await pinnedAddresses('rebound.example.com', { resolver, allowed: OWN.allowed });
    const connected: string[] = [];
    const listener = createServer((socket) => {
      connected.push(socket.localAddress ?? '');
      socket.end();
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.2', resolve));
    servers.push({ stop: () => listener.close() });
    const { port } = listener.address() as { port: number };
    const socket = connect({ host: 'rebound.example.com', port, lookup: lookupOf(pinned) });
    await once(socket, 'close');
    expect(connected).to.deep.equal(['127.0.0.2']);
    questions = 0;
    await send('https://rebound.example.com/', { ...OWN, nameServers: [server.address] });
    expect(server.asked).to.deep.equal(['rebound.example.com', 'rebound.example.com']);
  });
});
