// Starts at one moment would all find the same port free; the port belongs to a single start.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../support/ports.ts';

// Plain JavaScript, which the type check of the tests leaves to the type check of the tools.
const { claim } = await import('../../tools/start/ports.mjs' as string);

const HOST = '127.0.0.1';

describe('ports of bin/start', () => {
  it('a port on which nothing listens yet belongs to the start that claims it first', async () => {
    const port = await freePort();
    expect(await Promise.all([claim(port, HOST), claim(port, HOST), claim(port, HOST)])).to.have.members([true, false, false]);
  });

  it('a port on which something listens belongs to no start, and can be claimed when it is free again', async () => {
    const server = createServer().listen(0, HOST);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    expect(await claim(port, HOST)).to.equal(false);
    server.close();
    await once(server, 'close');
    expect(await claim(port, HOST)).to.equal(true);
  });
});
