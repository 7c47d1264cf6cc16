import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { freePort } from './ports.ts';

const PORTS = fileURLToPath(new URL('../../tools/start/ports.mjs', import.meta.url));

describe('ports of tests and of bin/start', () => {
  it('are each given once in a long time, and never where something listens', async () => {
    const taken = createServer().listen((await freePort()) + 1, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).to.equal(50);
    expect(ports).to.not.include(port);
    taken.close();
  });

  it('of other processes that take theirs at the same time are others, and none that a connection may have', async () => {
    const script = `import { freePort } from ${JSON.stringify(PORTS)}; console.log(await freePort()); await new Promise((go) => process.stdin.once('end', go).resume());`;
    const others = Array.from({ length: 4 }, () => spawn(process.execPath, ['--input-type=module', '-e', script]));
    const theirs = await Promise.all(others.map(async ({ stdout }) => Number((await once(stdout, 'data'))[0])));
    const all = [await freePort(), ...theirs];
    for (const { stdin } of others) stdin.end();
    const blocks = all.map((port) => Math.floor((port - 10_110) / 110));
    expect(new Set(blocks).size, String(all)).to.equal(all.length);
    for (const port of all) expect(port).to.be.within(10_111, 32_109);
  });
});
