import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../support/ports.ts';

// Plain JavaScript, which the type check of the tests leaves to the type check of the tools.
const { whyNotReached } = await import('../../tools/start/reach.mjs' as string);

describe('reach: whether a server can be reached is known at once', () => {
  const closed = async (): Promise<string> => `http://127.0.0.1:${await freePort()}/path`;

  it('one that takes connections can', async () => {
    const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await whyNotReached(`http://127.0.0.1:${port}`, {})).to.equal(undefined);
    server.close();
  });
  it('one that refuses them cannot', async () =>
    expect(await whyNotReached(await closed(), {})).to.equal('127.0.0.1: ECONNREFUSED'));
  it('one without an address cannot', async () =>
    expect(await whyNotReached('https://nowhere.invalid', {})).to.match(/^nowhere\.invalid: /));
  it('where a proxy is named, that decides', async () =>
    expect(await whyNotReached(await closed(), { HTTPS_PROXY: 'http://127.0.0.1:1' })).to.equal(undefined));
});
