// The programs of examples/programs, as a user runs them, against the running service.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { findPython } from '../compat/pythonClient.ts';
import { addressOf, COIN, type SharedStack, sharedStack } from '../compat/sharedStack.ts';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const runFile = promisify(execFile);
const project = fileURLToPath(new URL('../..', import.meta.url));
const programOf = (name: string): string => join(project, 'examples', 'programs', `${name}.mjs`);

describe('example programs', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let account: TestAccount;
  before(async () => {
    shared = await sharedStack();
  });
  beforeEach(async () => {
    account = await shared.stack.register();
  });

  /** @returns the text that it prints */
  async function run(name: string, ...args: readonly string[]): Promise<string> {
    const env = { ...process.env, API: shared.clientUrl, EMAIL: account.email, PASSWORD: account.password };
    return (await runFile(process.execPath, [programOf(name), ...args], { env })).stdout;
  }
  const ask = (type: string, user = account.address) => shared.stack.ask(account.apiKey, { type, user });

  it('failureLab: five orders through refusals and lost answers, each once; nothing is left of them', async () => {
    const printed = await run('failureLab');
    expect(printed)
      .to.match(/refused: 429/)
      .and.match(/no answer/)
      .and.match(/^5 orders, 5 open$/m);
    expect(await ask('openOrders')).to.deep.equal([]);
    const orders: { order: { cloid: string }; status: string }[] = await ask('historicalOrders');
    expect(orders.filter(({ status }) => status === 'canceled')).to.have.length(5);
    expect(new Set(orders.map(({ order }) => order.cloid)).size).to.equal(5);
  });

  it('whatIf: the same orders without fees', async () => {
    const printed = await run('whatIf');
    const fees: { fee: string }[] = await ask('userFills');
    const paid = fees.reduce((sum, { fee }) => sum + Number(fee), 0).toFixed(6);
    expect(printed).to.contain(`fees: ${paid}, without: 0.000000`);
    expect(Number(paid)).to.be.greaterThan(0);
    expect(printed).to.match(/^first difference, because of fees: .*, and there: /m);
  });

  it('mirror: begins with an address of the venue, and says what its next fill has cost here', async () => {
    const { market } = shared.stack;
    const source = `0x${'5a'.repeat(20)}`;
    const positions = [{ coin: COIN, szi: '10', entryPx: '100', leverage: 10 }];
    await market.control({ op: 'setUser', user: source, balance: '10000', positions });
    const env = { ...process.env, API: shared.clientUrl, EMAIL: account.email, PASSWORD: account.password };
    const child = spawn(process.execPath, [programOf('mirror'), source, '0.5'], { env });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (data) => {
        printed += data;
      });
    const ended = once(child, 'exit');
    await until(() => printed.includes(`follows ${source}`) || child.exitCode !== null);
    // It buys 1 at 100: half of it costs 0.05 USD more at the ask of here. 0.022522 of fees in place of 0.0225.
    const buy = { act: 'place', coin: COIN, side: 'B', px: '100', sz: '1', oid: 1, tif: 'Ioc' } as const;
    await market.control({ op: 'userAct', user: source, do: buy });
    await market.control({ op: 'userAct', user: source, do: { act: 'fill', oid: 1, crossed: true } });
    expect(await ended, printed).to.deep.equal([0, null]);
    expect(printed).to.match(/^it would begin with 5000\.0 USD, 1 positions and 0 orders$/m);
    expect(printed).to.match(/^buy 0\.5 SOL at 100\.0, here 0\.5 at 100\.1: delay 0\.05 USD \(10\.0 bp\), price 0\.0 USD/m);
    expect(printed).to.match(/^all of it: 0\.05002\d* USD/m);
  });

  it('agent: an order above the limit of its key is refused with the numbers, a smaller one fills', async () => {
    const printed = await run('agent');
    expect(printed).to.match(/^1000 USD, entry \d+: Order value [\d.]+ USD is above the limit of this API key: 100 USD/m);
    expect(printed).to.match(/^50 USD, entry \d+: filled at \d/m);
    expect(await ask('userFills')).not.to.deep.equal([]);
  });

  it('journal: saved, chained, and recomputed by the program that has none of our code', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'journal-'));
    try {
      const file = join(folder, 'journal.jsonl');
      const printed = await run('journal', file);
      expect(printed).to.match(/lines, chain [0-9a-f]{12}, balance 10000\.0, state h2:[0-9a-f]+/);
      const { stdout } = await runFile(findPython(), [join(project, 'tools', 'verify', 'verify_journal.py'), file]);
      expect(stdout).to.contain('10000');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('webhook: a signed message is told once, another’s is refused', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const child = spawn(process.execPath, [programOf('webhook')], { env: { ...process.env, SECRET: secret, PORT: '0' } });
    let printed = '';
    child.stdout.on('data', (data) => {
      printed += data;
    });
    try {
      await until(() => /listens at \d+/.test(printed));
      const url = `http://127.0.0.1:${/listens at (\d+)/.exec(printed)?.[1]}`;
      const body = JSON.stringify({ type: 'fill', data: { side: 'buy', size: '1', coin: 'BTC', price: '50000' } });
      const send = async (by: string, id: string): Promise<number> => {
        const now = new Date();
        const headers = {
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
          'webhook-signature': new Webhook(by).sign(id, now, body),
        };
        return (await fetch(url, { method: 'POST', headers, body })).status;
      };
      expect(await send(secret, 'a')).to.equal(204);
      expect(await send(secret, 'a')).to.equal(204);
      expect(await send(`whsec_${Buffer.alloc(24, 8).toString('base64')}`, 'b')).to.equal(401);
      await until(() => printed.includes('refused'));
      expect(printed.match(/buy 1 BTC at 50000/g)).to.have.length(1);
    } finally {
      child.kill();
      await once(child, 'exit');
    }
  });

  it('sub-accounts: two bots trade apart, also when they are run again, and the sum is that of all', async () => {
    const program = join(project, 'examples', 'sub-accounts', 'bots.mjs');
    const env = { ...process.env, BASE: addressOf(account, shared.clientUrl) };
    for (const size of ['0.001', '0.002']) {
      const { stdout } = await runFile(process.execPath, [program], { env });
      expect(stdout).to.match(
        /^up bought 0.001 at [\d.]+, worth [\d.]+\ndown sold 0.001 at [\d.]+, worth [\d.]+\nmaster 9000\.0\n/,
      );
      const values = [...stdout.matchAll(/^(?:master|up|down) ([\d.]+)$/gm)].map(([, value]) => Number(value));
      expect(Number(/^together ([\d.]+)$/m.exec(stdout)?.[1])).to.be.closeTo(
        values.reduce((sum, one) => sum + one, 0),
        0.000_01,
      );
      const made = await shared.stack.ask(account.apiKey, { type: 'subAccounts', user: account.address });
      // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
      const held = made.map((one: any) => [one.name, one.clearinghouseState.assetPositions[0].position.szi]);
      expect(held).to.have.deep.members([...[['up', size]], ...[['down', `-${size}`]]]);
    }
  });
});
