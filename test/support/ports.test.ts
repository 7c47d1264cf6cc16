import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from './ports.ts';

const PORTS = fileURLToPath(new URL('ports.ts', import.meta.url));

describe('ports of tests', () => {
  it('are each given once in a long time, and never where something listens', async () => {
    const taken = createServer().listen((await freePort()) + 1, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(new Set(ports).size).to.equal(50);
    expect(ports).to.not.include(port);
    taken.close();
  });

  it('of another process are others', async () => {
    const script = `import { freePort } from ${JSON.stringify(PORTS)}; console.log(await freePort())`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script]);
    const [own, theirs] = [await freePort(), Number(stdout)];
    expect(Math.abs(own - theirs)).to.be.at.least(1);
    expect(Math.floor((own - 10_110) / 110)).to.not.equal(Math.floor((theirs - 10_110) / 110));
  });
});
