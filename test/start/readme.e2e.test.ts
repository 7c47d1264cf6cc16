// Every block of the README, run as it is printed against a bin/start with a folder and a port of its own: commands that
// a newcomer copies must work. Only what installs the project or packages is not run, but held against what is installed.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { freePort } from '../support/ports.ts';
import { dataFolder, isAlive, readDemo, running, StartCommand } from '../support/startCommand.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(project, 'README.md'), 'utf8');
const PYTHON = process.env['PYTHON'] ?? join(project, 'var', 'test', 'python', 'bin', 'python');

/** All code blocks, in the order in which a reader meets them. */
const blocks = [...readme.matchAll(/```(\w+)\n([\s\S]*?)```/g)].map(([, language = '', code = '']) => ({ language, code }));

/** The one block of a language that holds a text. */
function block(language: string, text: string): string {
  const [found, ...more] = blocks.filter((one) => one.language === language && one.code.includes(text));
  if (found === undefined || more.length > 0) throw new Error(`README has not one ${language} block with "${text}"`);
  tried.add(found.code);
  return found.code;
}
const tried = new Set<string>();

describe('the README', function () {
  this.timeout(600_000);
  const data = dataFolder();
  let command: StartCommand;
  let port: number;
  let room: string;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    port = await freePort();
    command = new StartCommand(['--data', data, '--port', String(port), '--market', 'emulated']);
    await command.ready();
    room = mkdtempSync(join(project, 'var', 'readme-'));
    symlinkSync(join(project, 'node_modules'), join(room, 'node_modules'));
    const { stdout } = await bash(`${block('sh', 'export BASE')}\nenv`, { ...process.env, DATA: data });
    const exported = ['API', 'KEY', 'BASE'].map((name) => [name, new RegExp(`^${name}=(.*)$`, 'm').exec(stdout)?.[1] ?? '']);
    env = { ...process.env, ...Object.fromEntries(exported), PATH: `${dirname(PYTHON)}:${process.env['PATH']}` };
  });
  after(async () => {
    await command.abandon();
    for (const pid of Object.values(running(data))) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    for (const folder of [data, room]) rmSync(folder, { recursive: true, force: true });
  });

  const bash = (code: string, withEnv = env) => run('bash', ['-euc', code], { env: withEnv });
  const node = async (code: string): Promise<string> => {
    writeFileSync(join(room, 'first.mjs'), code);
    return (await run(process.execPath, ['first.mjs'], { cwd: room, env })).stdout;
  };

  it('the addresses are those of the data folder and the port that bin/start was given', () => {
    const { apiKey } = readDemo(data);
    expect(env['API']).to.equal(`http://127.0.0.1:${port}`);
    expect(env['BASE']).to.equal(`http://127.0.0.1:${port}/v1/exchanges/perpx/key/${apiKey}`);
    expect(env['KEY']).to.equal(apiKey);
    expect(readme).to.not.include('127.0.0.1:3000').and.not.include('localhost');
  });

  it('curl buys at the market and shows the fill', async () => {
    const { stdout } = await bash(block('sh', '"$BASE/exchange"'));
    expect(stdout).to.match(/"filled":\{"totalSz":"0\.001"/);
    expect(stdout).to.match(/"sz":"0\.001"/);
  });

  for (const client of ['ccxt', '@nktkas/hyperliquid']) {
    it(`${client} buys at the market`, async () => {
      expect(await node(block('js', `from '${client}'`))).to.match(/0\.001/);
    });
  }

  it('the WebSocket sends the best bid and offer, and the fills', async () => {
    const channels = (await node(block('js', "from 'ws'")))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).channel);
    expect(channels).to.include.members(['subscriptionResponse', 'bbo', 'userFills']).and.not.include('error');
  });

  it('a fill is explained', async () => {
    const shown = await node(block('js', 'explainFill'));
    expect(shown)
      .to.match(/takenSz: '0\.\d+'/)
      .and.not.match(/undefined/);
  });

  it('hyperliquid-python-sdk buys at the market, and is what pip installs', async () => {
    expect(existsSync(PYTHON), `${PYTHON} is made by bin/test`).to.equal(true);
    const { stdout: installed } = await bash(block('sh', 'pip install'));
    expect(installed)
      .to.match(/already satisfied: hyperliquid-python-sdk/)
      .and.not.match(/Collecting/);
    const { stdout } = await run(PYTHON, ['-c', block('python', 'market_open')], { env });
    expect(stdout).to.include("'filled'").and.to.include("'totalSz': '0.001'");
  });

  it('the account lines make an account and a key', async () => {
    const { stdout } = await bash(block('sh', 'auth/register'));
    expect(JSON.parse(stdout).api_key).to.match(/^pe_/);
  });

  it('npm installs the packages that the examples import, and each is one that the tests use', () => {
    const [, ...named] = block('sh', 'npm install')
      .trim()
      .split(/ install | /);
    const imported = blocks.flatMap(({ code }) => [...code.matchAll(/ from '([^']+)'/g)].map(([, name]) => name));
    expect(named).to.have.members([...new Set(imported)]);
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));
    expect({ ...dependencies, ...devDependencies }).to.include.all.keys(named);
  });

  it('names only programs that are there, and options that bin/start has', async () => {
    const programs = block('sh', 'bin/start').match(/^\S+/gm) ?? [];
    expect(programs).to.deep.equal(['bin/start', 'bin/test']);
    for (const program of programs) expect((await run(join(project, program), ['--help'])).stdout).to.include(program);
    const { stdout: help } = await run(join(project, 'bin', 'start'), ['--help']);
    for (const [option] of readme.slice(0, readme.indexOf('## The first order')).matchAll(/--[a-z-]+/g))
      expect(help).to.include(option);
  });

  it('has no block that is not tried here', () => {
    expect(blocks.filter(({ code }) => !tried.has(code))).to.deep.equal([]);
  });
});
