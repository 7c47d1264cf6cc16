// The wait for an exchange that was started: the wait does not take another exchange at its port for it.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { freePort } from '../support/ports.ts';

// Plain JavaScript, which the type check of the tests leaves to the type check of the tools.
const load = (name: string) => import(`../../tools/start/${name}.mjs`);

describe('start: the exchange that answers is the one that was started', function () {
  this.timeout(600_000);
  const folder = mkdtempSync(join(tmpdir(), 'paper-roles-'));
  let other: Server;
  let baseUrl: string;

  before(async () => {
    other = createServer((_request, response) => response.end('{"status":"ok"}')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    baseUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  });
  after(() => {
    other.close();
    rmSync(folder, { recursive: true });
  });

  it('a healthy one at its port is not enough while its own process does not serve', async () => {
    const [{ Service }, { DataFolder }, { untilHealthy }] = await Promise.all(['service', 'dataFolder', 'roles'].map(load));
    const data = new DataFolder(join(folder, 'data'));
    const script = 'console.error("the port is in use"); process.exit(1)';
    const service = new Service({ name: 'exchange', data, program: process.execPath, args: ['-e', script] });
    const readyUrl = `http://127.0.0.1:${await freePort()}/ready`;
    const { signal } = new AbortController();
    service.start();
    try {
      const refused = await untilHealthy([service], { baseUrl, readyUrl, signal, everyMs: 20 }).catch((error: Error) => error);
      expect(String(refused)).to.match(/The exchange did not get ready: the role exchange keeps ending; .*\nthe port is in use/);
      await untilHealthy([service], { baseUrl, readyUrl: `${baseUrl}/ready`, signal, everyMs: 20 });
    } finally {
      await service.stop();
      data.close();
    }
  });
});
