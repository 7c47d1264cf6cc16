import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect } from 'chai';
import { lookupOf, pinnedAddresses } from '../../../../src/jobs/alerts/webhook/pinnedAddresses.ts';
import { sendWebhook, type WebhookNetwork } from '../../../../src/jobs/alerts/webhook/sendWebhook.ts';
import { networksOf } from '../../../../src/shared/alerts/publicAddress.ts';
import { NameServer } from '../../../support/nameServer.ts';
import { WebhookReceiver } from '../../../support/webhookReceiver.ts';

const OWN: WebhookNetwork = { allowed: networksOf(['127.0.0.0/8']) };
const NOTHING_OWN: WebhookNetwork = { allowed: networksOf([]) };
const REFUSED = 'the host leads to a private or reserved address';

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

  it('a redirect is not followed', async () => {
    receiver.answer = (response) => response.writeHead(307, { location: receiver.url('/elsewhere') }).end();
    expect(await send(receiver.url())).to.deep.equal({ isDelivered: false, result: 'answered 307' });
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

  it('a head that is too long, and what is not HTTP, are failures', async () => {
    receiver.answer = (response) => response.writeHead(200, { long: 'x'.repeat(12_000) }).end();
    expect((await send(receiver.url())).result).to.equal('the head of the answer was too long');
    const other = createServer((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    servers.push({ stop: () => other.close() });
    const { port } = other.address() as { port: number };
    expect((await send(`http://127.0.0.1:${port}/`)).result).to.equal('the answer was not HTTP');
  });

  it('a port at which nobody listens', async () => {
    const gone = await WebhookReceiver.start();
    const url = gone.url();
    await gone.stop();
    expect(await send(url)).to.deep.equal({ isDelivered: false, result: 'the connection was refused' });
  });

  it('a literal address that is not allowed any more is refused at the try', async () => {
    expect((await send(receiver.url(), NOTHING_OWN)).result).to.equal('url must not lead to a private or reserved address');
    expect(receiver.messages).to.deep.equal([]);
  });

  for (const addresses of [['127.0.0.1'], ['10.1.2.3'], ['169.254.169.254'], ['1.1.1.1', '192.168.0.1']])
    it(`a name that leads to ${addresses.join(' and ')} is refused`, async () => {
      const server = await names(() => addresses);
      const network = { ...NOTHING_OWN, nameServers: [server.address] };
      expect(await send('https://inside.example.com/', network)).to.deep.equal({ isDelivered: false, result: REFUSED });
    });

  it('a name without an address', async () => {
    const server = await names(() => []);
    const { result } = await send('https://none.example.com/', { ...OWN, nameServers: [server.address] });
    expect(result).to.equal('the name of the host has no address');
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
