// The documentation of a running exchange: each command, frame and program that /docs, /docs/websocket and /llms.txt print is
// run as it is printed. The test puts in the key, and the e-mail address that readers choose.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { WebSocket } from 'ws';
import { Shell } from '../pages/shell.ts';
import type { TestAccount } from '../support/stack.ts';
import { requireStreamContract } from '../support/streamContract.ts';
import { findPython } from './pythonClient.ts';
import { addressOf, sharedStack } from './sharedStack.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));

/** The answers of the steps, in the order of the page. */
const ANSWERS: readonly RegExp[] = [
  /^$/,
  /"filled":\{"totalSz":"0\.001"/,
  /"dir":"Open Long"/,
  /"status":"fill".*"levels":\[\{/,
  /"szi":"0\.001"/,
  /"resting":\{"oid":\d+/,
  /"cloid":"0x1234567890abcdef1234567890abcdef"/,
  /"statuses":\["success"\]/,
  /"filled":\{"totalSz":"0\.001"/,
  /"positions":\[\]/,
  /"api_key":"pe_/,
];

describe('the documentation of a running exchange', function () {
  this.timeout(600_000);
  let url: string;
  let account: TestAccount;
  let base: string;
  let room: string;

  before(async () => {
    const { stack } = await sharedStack();
    url = stack.baseUrl;
    account = await stack.register();
    base = addressOf(account, url);
    room = mkdtempSync(join(project, 'var', 'guide-'));
    symlinkSync(join(project, 'node_modules'), join(room, 'node_modules'));
  });
  after(() => rmSync(room, { recursive: true, force: true }));

  const page = async (path: string): Promise<string> => (await fetch(`${url}${path}`)).text();
  const blocks = async (path: string, kind: string): Promise<string[]> =>
    [...(await page(path)).matchAll(new RegExp(`<pre class="${kind}">([^<]*)</pre>`, 'g'))].map(([, code = '']) => plain(code));
  const env = (): NodeJS.ProcessEnv => ({ ...process.env, BASE: base });
  const node = async (code: string): Promise<string> => {
    writeFileSync(join(room, 'bot.mjs'), code);
    return (await run(process.execPath, ['bot.mjs'], { cwd: room, env: env() })).stdout;
  };
  const fenced = async (language: string): Promise<string[]> =>
    [...(await page('/llms.txt')).matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(
      ([, code = '']) => code,
    );

  it('/docs: the steps, one after the other in one shell', async () => {
    const steps = await blocks('/docs', 'step');
    expect(steps[0]).to.include(`API=${url}\n`);
    expect(steps).to.have.length(ANSWERS.length);
    const shell = new Shell(room, process.env);
    try {
      for (const [at, step] of steps.entries())
        expect((await shell.run(withOwn(step), room)).trim(), step).to.match(ANSWERS[at] as RegExp);
    } finally {
      await shell.close();
    }
  });

  it('/llms.txt prints the same steps', async () => {
    expect((await fenced('sh')).map((code) => code.trimEnd())).to.deep.equal(await blocks('/docs', 'step'));
  });

  it('/llms.txt: its programs buy and listen', async () => {
    const [ccxt = '', stream = '', ...more] = await fenced('js');
    expect(more).to.deep.equal([]);
    expect(await node(ccxt)).to.match(/^0\.001 \d/);
    expect(channelsOf(await node(stream)))
      .to.include.members(['bbo', 'userFills'])
      .and.not.include('error');
    const [python = ''] = await fenced('python');
    const { stdout } = await run(findPython(), ['-c', python], {
      env: { ...env(), PATH: `${dirname(findPython())}:${process.env['PATH']}` },
    });
    expect(stdout).to.include("'filled'");
  });

  it('/docs/websocket: its program is that of /llms.txt', async () => {
    expect(await blocks('/docs/websocket', 'program')).to.deep.equal([(await fenced('js'))[1]]);
  });

  it('/docs/websocket: each frame is answered as the contract has it', async () => {
    const frames = await blocks('/docs/websocket', 'frame');
    expect(frames.length).to.be.above(25);
    const socket = new WebSocket(`${base.replace('http', 'ws')}/ws`);
    const answered: string[] = [];
    await new Promise<void>((resolve, reject) => {
      socket.on('error', reject);
      socket.on('open', () => {
        for (const frame of frames) socket.send(frame);
      });
      socket.on('message', (text) => {
        const message = JSON.parse(String(text));
        try {
          requireStreamContract(message);
          expect(message.channel, String(text)).not.to.equal('error');
        } catch (error) {
          reject(error as Error);
        }
        if (!['subscriptionResponse', 'pong', 'post'].includes(message.channel)) return;
        answered.push(message.data?.subscription?.type ?? message.channel);
        if (answered.length === frames.length) resolve();
      });
    });
    socket.close();
    const asked = frames
      .map((text) => JSON.parse(text))
      .map(({ method, subscription }) => subscription?.type ?? (method === 'ping' ? 'pong' : method));
    expect(answered).to.have.members(asked);
  });

  const withOwn = (code: string): string =>
    code.replace('YOUR_KEY', account.apiKey).replace('bot@example.com', `guide-${crypto.randomUUID()}@example.com`);
});

const channelsOf = (printed: string): string[] =>
  printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).channel);

const plain = (html: string): string =>
  html
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
