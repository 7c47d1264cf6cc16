import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { dataFolder, isAlive, readDemo, running, StartCommand } from '../support/startCommand.ts';
import { freePort } from '../support/stores.ts';
import { until } from '../support/until.ts';

describe('bin/start', function () {
  this.timeout(240_000);
  const data = dataFolder();
  const otherData = dataFolder();
  let port: number;
  const commands: StartCommand[] = [];
  const started = (args: readonly string[]): StartCommand => {
    const command = new StartCommand([...args, '--market', 'emulated']);
    commands.push(command);
    return command;
  };
  const start = (more: readonly string[] = []): StartCommand => started(['--data', data, '--port', String(port), ...more]);
  afterEach(() => Promise.all(commands.splice(0).map((command) => command.abandon())));
  before(async () => {
    port = await freePort();
  });
  after(() => {
    for (const folder of [data, otherData]) {
      for (const pid of Object.values(running(folder))) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
      rmSync(folder, { recursive: true });
    }
  });

  it('--once trades and stops all it started, two of them side by side', async () => {
    const one = start(['--once']);
    const other = started(['--data', otherData, '--port', String(await freePort()), '--once']);
    expect(await one.end(), one.output).to.equal(0);
    expect(await other.end(), other.output).to.equal(0);
    for (const { output } of [one, other]) expect(output).to.match(/Bought 0\.0\d+ BTC at \d+\.\d+ USD/);
    expect(running(data)).to.deep.equal({});
    const demo = readDemo(data);
    expect(demo).to.have.all.keys('baseUrl', 'apiKey', 'email', 'password', 'userId', 'address');
    expect(demo.baseUrl).to.equal(`http://127.0.0.1:${port}`);
    expect(demo.apiKey).to.match(/^pe_.{24}/);
    expect(one.output).to.include(`${demo.baseUrl}/v1/exchanges/perpx/key/${demo.apiKey}`);
    expect(readDemo(otherData).apiKey).not.to.equal(demo.apiKey);
  });

  it('started again it installs and builds nothing, keeps the account, and stays until Ctrl-C', async () => {
    const before = readDemo(data);
    const command = start();
    await command.ready();
    expect(command.output).not.to.match(/Installing|Building|Fetching|Looking/);
    expect(readDemo(data)).to.deep.equal(before);
    expect(running(data)).to.have.all.keys('redis', 'mongo', 'emulator', 'market', 'actors', 'jobs', 'api');

    const again = start();
    expect(await again.end()).to.equal(1);
    expect(again.output).to.include(data).and.to.include('--data');

    const samePort = started(['--data', otherData, '--port', String(port)]);
    expect(await samePort.end()).to.equal(1);
    expect(samePort.output).to.equal(`Port ${port} is in use: stop what listens there, or give another with --port.\n`);

    const pids = Object.values(running(data));
    command.signal('SIGINT');
    expect(await command.end(), command.output).to.equal(0);
    expect(pids.filter(isAlive)).to.deep.equal([]);
  });

  it('starts a role that dies again', async () => {
    const command = start();
    await command.ready();
    const { actors = 0 } = running(data);
    process.kill(actors, 'SIGKILL');
    await until(() => (running(data)['actors'] ?? actors) !== actors);
    expect(command.output).to.include('actors ended (SIGKILL) and is started again');
    await healthy(port);
    command.signal('SIGTERM');
    expect(await command.end()).to.equal(0);
  });

  it('finds the stores that a killed start has left, uses them, and counts them as its own', async () => {
    const killed = start();
    await killed.ready();
    const demo = readDemo(data);
    const { redis = 0, mongo = 0, ...others } = running(data);
    killed.signal('SIGKILL');
    await killed.end();
    for (const pid of Object.values(others)) process.kill(pid, 'SIGKILL');
    expect([redis, mongo].every(isAlive)).to.equal(true);

    const command = start();
    await command.ready();
    expect(running(data)).to.include({ redis, mongo });
    expect(readDemo(data)).to.deep.equal(demo);
    command.signal('SIGINT');
    expect(await command.end()).to.equal(0);
    expect([redis, mongo].filter(isAlive)).to.deep.equal([]);
  });

  it('stops the roles that a killed start has left, and makes a new account when the stores were wiped', async () => {
    const killed = start();
    await killed.ready();
    const demo = readDemo(data);
    const left = running(data);
    killed.signal('SIGKILL');
    await killed.end();
    for (const name of ['redis', 'mongo']) {
      process.kill(left[name] ?? 0, 'SIGKILL');
      await until(() => !isAlive(left[name] ?? 0));
      rmSync(join(data, name), { recursive: true });
    }
    const command = start(['--once']);
    expect(await command.end(), command.output).to.equal(0);
    expect(Object.values(left).filter(isAlive)).to.deep.equal([]);
    expect(readDemo(data).apiKey).not.to.equal(demo.apiKey);
  });

  it('no key or password is in a log', () => {
    const { apiKey, password } = readDemo(data);
    for (const name of ['api', 'actors', 'market', 'jobs']) {
      const log = readFileSync(join(data, 'logs', `${name}.log`), 'utf8');
      expect(log.includes(apiKey) || log.includes(password), name).to.equal(false);
    }
  });
});

async function healthy(port: number): Promise<void> {
  await until(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    return answer?.status === 200;
  }, 60_000);
}
