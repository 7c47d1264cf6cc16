// The README's first orders, run as they stand there: commands that a newcomer copies must work.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Stack, startStack } from '../support/stack.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(join(project, 'README.md'), 'utf8');
const PYTHON = process.env['PYTHON'] ?? join(project, 'var', 'test', 'python', 'bin', 'python');

/** The first code block below a heading. */
function snippet(heading: string): string {
  const section = readme.slice(readme.indexOf(`### ${heading}\n`));
  const [, code] = /```\w+\n([\s\S]*?)```/.exec(section) ?? [];
  if (code === undefined) throw new Error(`README has no code below ${heading}`);
  return code;
}

describe('the README', function () {
  this.timeout(600_000);
  let stack: Stack;
  let room: string;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    stack = await startStack();
    const { apiKey } = await stack.register();
    room = mkdtempSync(join(project, 'var', 'readme-'));
    symlinkSync(join(project, 'node_modules'), join(room, 'node_modules'));
    env = { ...process.env, BASE: `${stack.baseUrl}/v1/exchanges/perpx/key/${apiKey}` };
  });
  after(async () => {
    rmSync(room, { recursive: true });
    await stack.stop();
  });

  it('curl buys at the market and shows the fill', async () => {
    const { stdout } = await run('bash', ['-c', snippet('curl')], { env });
    expect(stdout).to.match(/"filled":\{"totalSz":"0\.001"/);
    expect(stdout).to.match(/"dir":"Open Long"/);
  });

  for (const client of ['ccxt', '@nktkas/hyperliquid']) {
    it(`${client} buys at the market`, async () => {
      const file = join(room, 'snippet.mjs');
      writeFileSync(file, snippet(client));
      const { stdout } = await run(process.execPath, [file], { env });
      expect(stdout).to.match(/0\.001/);
    });
  }

  it('hyperliquid-python-sdk buys at the market', async () => {
    expect(existsSync(PYTHON), `${PYTHON} is made by bin/test`).to.equal(true);
    const { stdout } = await run(PYTHON, ['-c', snippet('hyperliquid-python-sdk')], { env });
    expect(stdout).to.include("'filled'").and.to.include("'totalSz': '0.001'");
  });

  it('the account lines make an account and a key', async () => {
    const lines = snippet('An account of your own')
      .replace(/^API=.*/, `API=${stack.baseUrl}`)
      .split('\n');
    const { stdout: registered } = await run('bash', ['-c', lines.slice(0, 2).join('\n')], { env });
    const token: string = JSON.parse(registered).access_token;
    const { stdout: key } = await run('bash', ['-c', [lines[0], ...lines.slice(2)].join('\n')], {
      env: { ...env, ACCESS_TOKEN: token },
    });
    expect(JSON.parse(key).api_key).to.match(/^pe_/);
  });

  it('names only options that bin/start has', async () => {
    const { stdout: help } = await run(join(project, 'bin', 'start'), ['--help']);
    for (const [option] of readme.slice(0, readme.indexOf('## The first order')).matchAll(/--[a-z]+/g))
      expect(help).to.include(option);
  });
});
