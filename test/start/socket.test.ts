import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { socketAddress } from '../../src/shared/config/redisAddress.ts';

/** The start is plain JavaScript, for it runs before anything is installed. */
const load = (name: string) => import(`../../tools/start/${name}.mjs`);

describe('the socket of the Redis that bin/start runs', () => {
  let folder: string;
  let usableSocket: (path: string) => Promise<string | undefined>;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'paper-socket-'));
    ({ usableSocket } = await load('socket'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('lies where the folder allows one, and the trial leaves nothing', async () => {
    const path = join(folder, 'redis.sock');
    expect(await usableSocket(path)).to.equal(path);
    expect(readdirSync(folder)).to.deep.equal([]);
  });

  it('is tried beside a store that still listens, and over what a killed start has left', async () => {
    const path = join(folder, 'redis.sock');
    writeFileSync(join(folder, 'redis.soc~'), '');
    const listening = createServer().listen(path);
    expect(await usableSocket(path)).to.equal(path);
    expect(existsSync(path)).to.equal(true);
    listening.close();
  });

  it('is not there where the path is too long or nothing can be made: the port serves', async () => {
    const deep = join(folder, 'x'.repeat(100));
    mkdirSync(deep);
    expect(await usableSocket(join(deep, 'redis.sock'))).to.equal(undefined);
    expect(await usableSocket(join(folder, 'absent', 'redis.sock'))).to.equal(undefined);
  });

  it('has an address that the roles read as its path and password', async () => {
    const { redisSocketUrl } = await load('secrets');
    const path = '/data of 100%/a@b/redis.sock';
    expect(socketAddress(redisSocketUrl(path, 'secret'))).to.deep.equal({ path, password: 'secret' });
  });
});
