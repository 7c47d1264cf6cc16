import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { StartCommand } from '../support/startCommand.ts';

describe('bin/start refuses a wrong option in one sentence, before anything starts', () => {
  const room = mkdtempSync(join(tmpdir(), 'paper-options-'));
  const data = join(room, 'data');
  const file = join(room, 'file');
  before(() => writeFileSync(file, ''));
  after(() => rmSync(room, { recursive: true }));

  const cases: readonly { args: readonly string[]; names: string }[] = [
    { args: ['--fast'], names: '--fast' },
    { args: ['now'], names: 'now' },
    { args: ['--port'], names: '--port' },
    { args: ['--port', '0'], names: '--port' },
    { args: ['--port', '65536'], names: '--port' },
    { args: ['--port', '3000.5'], names: '--port' },
    { args: ['--port', '3000', '--port', '3001'], names: '--port' },
    { args: ['--market', 'paper'], names: '--market' },
    { args: ['--market=', '--once'], names: '--market' },
    { args: ['--market', 'replay'], names: '--recording' },
    { args: ['--market', 'replay', '--recording', '/no/such/file'], names: '--recording' },
    { args: ['--market', 'replay', '--recording', file], names: '--recording' },
    { args: ['--recording', file], names: '--recording' },
    { args: ['--data', '--once'], names: '--data' },
    { args: ['--data', file], names: '--data' },
    { args: ['--data', room], names: `--data ${join(room, 'paper-perps')}` },
    { args: ['--ci', '--data', room], names: `--data ${join(room, 'paper-perps')}` },
    { args: ['--install', '--new-demo'], names: '--install' },
    { args: ['--data', join(file, 'below')], names: '--data' },
    { args: ['--data', '/proc/nowhere'], names: '--data' },
    { args: ['--once=yes'], names: '--once' },
    { args: ['--root-account=3001'], names: '--root-account' },
    { args: ['--seed', '7'], names: '--ci' },
    { args: ['--moving'], names: '--ci' },
    { args: ['--attached'], names: '--ci' },
    { args: ['--install', '--once'], names: '--install' },
    { args: ['--ci', '--seed', '-1'], names: '--seed' },
    { args: ['--ci', '--seed', '4294967296'], names: '--seed' },
    { args: ['--ci', '--seed', '1e3'], names: '--seed' },
    { args: ['--ci', '--market', 'live'], names: '--market' },
    { args: ['--ci', '--once'], names: '--once' },
    { args: ['--ci', '--root-account'], names: '--root-account' },
  ];
  for (const { args, names } of cases) {
    it(args.join(' ').replace(room, '…'), async () => {
      const command = new StartCommand(args.includes('--data') ? args : [...args, '--data', data]);
      expect(await command.end()).to.equal(1);
      expect(command.output).to.include(names);
      expect(command.output.trimEnd().split('\n')).to.have.lengthOf(1);
      expect(existsSync(data)).to.equal(false);
    });
  }

  it('--help shows every option', async () => {
    const command = new StartCommand(['--help']);
    expect(await command.end()).to.equal(0);
    for (const option of [
      '--data',
      '--port',
      '--market',
      '--recording',
      '--attached',
      '--install',
      '--once',
      '--observe',
      '--root-account',
      '--new-demo',
      '--ci',
      '--seed',
      '--moving',
    ])
      expect(command.output).to.include(option);
  });

  it('--market live given by hand stops with a sentence when the venue does not answer', async () => {
    const command = new StartCommand(['--data', data, '--port', '64999', '--market', 'live', '--once'], {
      MARKET_URL: 'http://127.0.0.1:9',
    });
    expect(await command.end()).to.equal(1);
    expect(command.output).to.match(/^The venue at http:\/\/127\.0\.0\.1:9 does not answer within 5 s.*\n$/);
  });

  it('a port that PORT names is looked at like that of --port, which wins', async () => {
    for (const [args, why] of [
      [[], 'PORT must be a whole number from 1 to 65535, not "many".'],
      [['--port', '10080'], 'port 10080'],
    ] as const) {
      const command = new StartCommand(['--data', data, '--market', 'emulated', '--once', ...args], { PORT: 'many' });
      expect(await command.end()).to.equal(1);
      expect(command.output).to.include(why);
    }
  });

  it('a host that is not this machine’s is named', async () => {
    const command = new StartCommand(['--data', data, '--port', '64996', '--market', 'emulated', '--once'], {
      HOST: '192.0.2.1',
    });
    expect(await command.end()).to.equal(1);
    expect(command.output).to.match(/^The API cannot listen on 192\.0\.2\.1, port 64996 \(EADDRNOTAVAIL\): set HOST.*\n$/);
  });

  it('a port that browsers and fetch block', async () => {
    const command = new StartCommand(['--data', data, '--port', '10080', '--market', 'emulated', '--once']);
    expect(await command.end()).to.equal(1);
    expect(command.output).to.equal(
      'Browsers and fetch refuse to connect to port 10080, whatever listens there: give another with --port.\n',
    );
  });

  it('a wrong variable stops it with a sentence each, before a store or a role is started', async () => {
    const command = new StartCommand(['--data', data, '--port', '64997', '--market', 'emulated', '--once'], {
      SHARDS: 'many',
      LOG_LEVEL: 'loud',
    });
    expect(await command.end()).to.equal(1);
    const [first, second] = command.output.trimEnd().split('\n').slice(-2);
    expect([first, second].sort()).to.satisfy(([level, shards]: string[]) => {
      return /^LOG_LEVEL must be one of trace, .*silent: /.test(level ?? '') && /^SHARDS must be integer: /.test(shards ?? '');
    });
    expect(existsSync(join(data, 'redis'))).to.equal(false);
  });

  it('REDIS_URL that leads nowhere stops it with a sentence that names the variable', async () => {
    const command = new StartCommand(['--data', data, '--port', '64998', '--market', 'emulated', '--once'], {
      REDIS_URL: 'redis://127.0.0.1:9',
      MONGO_URL: 'mongodb://127.0.0.1:9',
    });
    expect(await command.end()).to.equal(1);
    expect(command.output.trimEnd().split('\n').at(-1)).to.include('REDIS_URL');
  });
});
