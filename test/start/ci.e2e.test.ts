// `bin/start --ci` as a program starts it: what it prints, what is there, and what is left.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Venue } from '../../src/market/emulator/venue.ts';
import { orderAction } from '../support/orderWire.ts';
import { isAlive, running, StartCommand } from '../support/startCommand.ts';
import { until } from '../support/until.ts';

const SEED = 7;
/** Another time than that of the start: a seed's market is the same whenever it begins. */
const BEGINS_MS = Date.UTC(2026, 2, 3, 4, 5, 6, 789);

const unheard = { emit: () => undefined, emitOfUser: () => undefined };

/** The line on stdout. */
interface Ready {
  readonly baseUrl: string;
  readonly exchangeUrl: string;
  readonly controlUrl: string;
  readonly apiKey: string;
  readonly account: { readonly address: string; readonly email: string; readonly password: string };
  readonly dashboardUrl: string;
  readonly logs: string;
}

describe('bin/start --ci', function () {
  this.timeout(600_000);
  let command: StartCommand;
  let ready: Ready;
  const started = async (one: StartCommand): Promise<Ready> => {
    await until(() => one.stdout.endsWith('\n') || one.ended !== undefined);
    expect(one.ended, one.output).to.equal(undefined);
    return JSON.parse(one.stdout);
  };
  before(async () => {
    command = new StartCommand(['--ci', '--seed', String(SEED)]);
    ready = await started(command);
  });
  after(() => command.abandon());

  // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
  const post = async (url: string, body: object, headers: Record<string, string> = {}): Promise<any> => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) };
    return (await fetch(url, init)).json();
  };
  // biome-ignore lint/suspicious/noExplicitAny: as above
  const info = (body: object): Promise<any> => post(`${ready.exchangeUrl}/info`, body);
  const control = (body: object) => post(ready.controlUrl, body, { 'x-api-key': ready.apiKey });

  it('prints one line of JSON for a program, and nothing else on stdout', () => {
    expect(command.stdout.trimEnd().split('\n')).to.have.length(1);
    expect(ready).to.have.all.keys(
      ...[
        'baseUrl',
        'exchangeUrl',
        'controlUrl',
        'apiKey',
        'account',
        'dashboardUrl',
        'seed',
        'moving',
        'pid',
        'logs',
        'seconds',
      ],
    );
    expect(ready.account).to.have.all.keys('address', 'userId', 'email', 'password');
  });

  const requireMarketOfSeed = async ({ exchangeUrl } = ready): Promise<void> => {
    const venue = new Venue({ seed: SEED, isQuiet: true, beginsMs: BEGINS_MS, now: () => BEGINS_MS, ...unheard });
    const ask = (body: object) => post(`${exchangeUrl}/info`, body);
    expect(await ask({ type: 'allMids' })).to.deep.equal(venue.mids());
    const { levels } = await ask({ type: 'l2Book', coin: 'BTC' });
    const { bids, asks } = venue.coin('BTC')?.book ?? {};
    const shown = levels.map((side: { px: string; sz: string; n: number }[]) => side.map(({ px, sz, n }) => [px, sz, n]));
    expect(shown).to.deep.equal([bids, asks]);
  };

  it('has the market of its seed, which stands still until a control call moves it', () => requireMarketOfSeed());

  it('runs all roles in one process, which is started again after a kill -9 with the same market', async () => {
    const folder = dirname(ready.logs);
    expect(running(folder)).to.have.all.keys('redis', 'mongo', 'exchange');
    const { exchange = 0 } = running(folder);
    process.kill(exchange, 'SIGKILL');
    await until(() => (running(folder)['exchange'] ?? exchange) !== exchange);
    await until(async () => (await fetch(`${ready.baseUrl}/health`).catch(() => undefined))?.status === 200);
    await requireMarketOfSeed();
  });

  it('its account trades with its key, moves the market and time, and its link opens the dashboard', async () => {
    const book = { coin: 'BTC', bids: [{ px: '60000', sz: '1' }], asks: [{ px: '60001', sz: '1' }] };
    expect(await control({ action: 'setPrice', coin: 'BTC', px: '60000' })).to.include({ status: 'ok', shown: true });
    expect(await control({ action: 'setBook', ...book })).to.include({ status: 'ok', shown: true });
    const action = orderAction(0, { px: '60001', sz: '0.1', tif: 'Ioc' });
    const { response } = await post(`${ready.exchangeUrl}/exchange`, { action, nonce: 1 });
    expect(response.data.statuses[0].filled).to.include({ totalSz: '0.1', avgPx: '60001.0' });
    const before = await info({ type: 'exchangeStatus' });
    expect(await control({ action: 'advance', ms: 60_000 })).to.include({ status: 'ok', shown: true });
    expect((await info({ type: 'exchangeStatus' })).time - before.time).to.be.at.least(60_000);
    const token = new URL(ready.dashboardUrl).hash.replace('#token=', '');
    const session = await fetch(`${ready.baseUrl}/v1/auth/session/link`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: ready.baseUrl, 'x-requested-with': 'dashboard' },
      body: JSON.stringify({ link_token: token }),
    });
    expect(session.status, await session.text()).to.equal(200);
  });

  it('starts from what the image has, too, which has no sources and builds nothing', async () => {
    const image = mkdtempSync(join(tmpdir(), 'paper-image-'));
    layOut(image);
    const other = new StartCommand(['--ci', '--seed', String(SEED)], {}, image);
    try {
      await requireMarketOfSeed(await started(other));
      expect(other.output).to.not.match(/Installing|Building/);
    } finally {
      other.signal('SIGTERM');
      expect(await other.end(), other.output).to.equal(0);
      rmSync(image, { recursive: true });
    }
  });

  it('ends cleanly at SIGTERM, and leaves nothing', async () => {
    const folder = dirname(ready.logs);
    const pids = Object.values(running(folder));
    command.signal('SIGTERM');
    expect(await command.end(), command.output).to.equal(0);
    expect(command.stdout.trimEnd().split('\n')).to.have.length(1);
    expect(pids.filter(isAlive)).to.deep.equal([]);
    expect(existsSync(folder)).to.equal(false);
  });
});

/** The files of the stage `ci` of the Dockerfile. What is made there by npm is that of this checkout. */
function layOut(image: string): void {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const stages = readFileSync(join(root, 'Dockerfile'), 'utf8').split(/^FROM /m);
  const stage = stages.find((text) => / AS ci$/m.test(text)) ?? '';
  expect(stage).to.include('ENTRYPOINT ["node", "tools/start/main.mjs", "--ci"]');
  for (const [, name = ''] of stage.matchAll(/^COPY (?:--from=build \/app\/)?(\S+) \S+$/gm)) {
    if (name.startsWith('--from')) continue;
    if (['node_modules', 'dist'].includes(name)) symlinkSync(join(root, name), join(image, name));
    else cpSync(join(root, name), join(image, name), { recursive: true });
  }
  // A machine without a mongod has looked for one to download before; the image has one.
  mkdirSync(join(image, 'var'));
  const found = join(root, 'var', 'found.json');
  if (existsSync(found)) cpSync(found, join(image, 'var', 'found.json'));
}
