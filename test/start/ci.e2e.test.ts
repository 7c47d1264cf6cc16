// `bin/start --ci` as a program starts it: its output, its files, and its remains.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { Venue } from '../../src/market/emulator/venue.ts';
import { orderAction, wireOrder } from '../support/orderWire.ts';
import { dataFolder, isAlive, running, StartCommand } from '../support/startCommand.ts';
import { until } from '../support/until.ts';

const SEED = 7;
const HOUR_MS = 3_600_000;
/** How long the spike of examples/scenarios/funding-spike.yaml lasts. */
const SPIKE_HOURS = 8;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
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

  /** The output of `bin/scenario` and its status. */
  const scenario = async (name: string, ...words: string[]): Promise<{ status: number; text: string }> => {
    const file = name.includes('/') ? name : join(ROOT, 'examples', 'scenarios', `${name}.yaml`);
    const args = [file, '--url', ready.baseUrl, '--key', ready.apiKey, ...words];
    return promisify(execFile)(join(ROOT, 'bin', 'scenario'), args).then(
      ({ stdout }) => ({ status: 0, text: stdout }),
      ({ code, stderr }) => ({ status: code, text: stderr }),
    );
  };
  const runs = async (name: string, ...words: string[]): Promise<void> => {
    const { status, text } = await scenario(name, ...words);
    expect(status, text).to.equal(0);
    expect(JSON.parse(text).scenario.name).to.equal(name);
  };
  const midOf = async (coin: string): Promise<number> => Number((await info({ type: 'allMids' }))[coin]);
  const assetOf = async (coin: string): Promise<number> =>
    (await info({ type: 'meta' })).universe.findIndex(({ name }: { name: string }) => name === coin);
  const act = (action: object) => post(`${ready.exchangeUrl}/exchange`, { action, nonce: 1 });
  const order = async (coin: string, fields: Parameters<typeof orderAction>[1]) =>
    (await act(orderAction(await assetOf(coin), fields))).response.data.statuses[0];
  const user = () => ready.account.address;

  it('flash-crash: a resting order fills on the way down, and the price is back after it', async () => {
    const before = await midOf('BTC');
    const px = String(Math.floor(before * 0.9));
    expect(await order('BTC', { px, sz: '0.01' })).to.have.property('resting');
    await runs('flash-crash', '--until', 'bottom');
    expect((await midOf('BTC')) / before).to.be.closeTo(0.8, 0.001);
    const [{ px: filledAt }] = await info({ type: 'userFills', user: user() });
    expect(Number(filledAt)).to.equal(Number(px));
    await runs('flash-crash', '--after', 'bottom');
    expect((await midOf('BTC')) / before).to.be.closeTo(0.97, 0.001);
  });

  it('stale-feed: orders are refused for old data, and fill again after it', async () => {
    await runs('stale-feed', '--until', 'stale');
    expect((await order('BTC', { px: '99999', sz: '0.001', tif: 'Ioc' })).error).to.match(/stale|old/i);
    await runs('stale-feed', '--after', 'stale');
    expect(await order('BTC', { px: '99999', sz: '0.001', tif: 'Ioc' })).to.have.property('filled');
  });

  it('429-storm: the same requests meet the same 429, until it is over', async () => {
    const storm = async (): Promise<number[]> => {
      const statuses: number[] = [];
      await runs('429-storm', '--until', 'storm');
      for (let at = 0; at < 12; at++) {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"type":"exchangeStatus"}' };
        statuses.push((await fetch(`${ready.exchangeUrl}/info`, init)).status);
      }
      return statuses;
    };
    const statuses = await storm();
    expect(new Set(statuses)).to.deep.equal(new Set([200, 429]));
    expect(await storm()).to.deep.equal(statuses);
    await runs('429-storm', '--after', 'storm');
    expect(await info({ type: 'exchangeStatus' })).to.have.property('time');
  });

  it('funding-spike: what is held pays 0.4 % an hour, whatever the hour at which the run began', async () => {
    const hourOf = async (): Promise<number> => Math.floor((await info({ type: 'exchangeStatus' })).time / HOUR_MS);
    let hour: number;
    do {
      hour = await hourOf();
      await runs('funding-spike', '--until', 'spike');
    } while (hour !== (await hourOf()));
    await runs('funding-spike', '--after', 'spike');
    const rows = await info({ type: 'userFunding', user: user(), startTime: hour * HOUR_MS + 1 });
    expect(rows).to.not.be.empty;
    for (const { time, delta } of rows) {
      // A payment is for up to eight hours: only hours that ended while the spike lasted cost 0.4 %.
      const ended = Array.from({ length: delta.nSamples }, (_, ago) => time / HOUR_MS - ago);
      const spiked = ended.filter((end) => end > hour && end <= hour + SPIKE_HOURS).length;
      expect(spiked, JSON.stringify(rows)).to.be.above(0);
      expect(Number(delta.fundingRate) * delta.nSamples, JSON.stringify(rows)).to.be.closeTo(0.004 * spiked, 0.0005);
      expect(Number(delta.usdc)).to.be.below(0);
    }
  });

  it('gap: a stop between the two prices fills far below its trigger', async () => {
    const before = await midOf('ETH');
    const at = (share: number): string => String(Math.floor(before * share));
    expect(await order('ETH', { px: at(1.05), sz: '0.1', tif: 'Ioc' })).to.have.property('filled');
    const sale = wireOrder(await assetOf('ETH'), { buy: false, px: at(0.6), sz: '0.1', reduceOnly: true });
    const stop = { ...sale, t: { trigger: { isMarket: true, triggerPx: at(0.97), tpsl: 'sl' } } };
    expect((await act({ type: 'order', orders: [stop], grouping: 'na' })).status).to.equal('ok');
    await runs('gap');
    const [{ coin, px }] = await info({ type: 'userFills', user: user() });
    expect(coin).to.equal('ETH');
    expect(Number(px) / before).to.be.closeTo(0.92, 0.005);
  });

  it('thin-book: an order of 10,000 USD gets what two levels of 2,000 have', async () => {
    await runs('thin-book', '--until', 'thin');
    const levels = async (): Promise<number[]> =>
      (await info({ type: 'l2Book', coin: 'ETH' })).levels.map((side: unknown[]) => side.length);
    expect(await levels()).to.deep.equal([2, 2]);
    const mid = await midOf('ETH');
    const { filled } = await order('ETH', { px: String(Math.ceil(mid * 1.05)), sz: (10_000 / mid).toFixed(2), tif: 'Ioc' });
    expect(Number(filled.totalSz) * mid).to.be.closeTo(4000, 100);
    await runs('thin-book', '--after', 'thin');
    expect(await levels()).to.deep.equal([10, 10]);
  });

  it('trending-day: the price is about 7 % higher, half a day later', async () => {
    const [before, { time }] = [await midOf('BTC'), await info({ type: 'exchangeStatus' })];
    await runs('trending-day');
    expect((await midOf('BTC')) / before).to.be.closeTo(1.07, 0.003);
    expect((await info({ type: 'exchangeStatus' })).time - time).to.be.at.least(11 * HOUR_MS);
  });

  it('venue-outage: the exchange is back by itself, 2 % lower, and trades', async () => {
    const before = await midOf('BTC');
    await runs('venue-outage');
    expect((await midOf('BTC')) / before).to.be.closeTo(0.98, 0.005);
    const px = String(Math.ceil((await midOf('BTC')) * 1.01));
    expect(await order('BTC', { px, sz: '0.001', tif: 'Ioc' })).to.have.property('filled');
  });

  it('delisting: the position is settled, the order has ended, and the coin is off the list', async () => {
    const mid = await midOf('DOGE');
    const px = (share: number): string => String(Number((mid * share).toPrecision(4)));
    expect(await order('DOGE', { px: px(1.05), sz: '1000', tif: 'Ioc' })).to.have.property('filled');
    expect(await order('DOGE', { px: px(0.7), sz: '1000' })).to.have.property('resting');
    await runs('delisting');
    const { assetPositions } = await info({ type: 'clearinghouseState', user: user() });
    expect(assetPositions.map(({ position }: { position: { coin: string } }) => position.coin)).to.not.include('DOGE');
    const open: { coin: string }[] = await info({ type: 'openOrders', user: user() });
    expect(open.filter(({ coin }) => coin === 'DOGE')).to.deep.equal([]);
    const { universe } = await info({ type: 'meta' });
    expect(universe[await assetOf('DOGE')]).to.include({ isDelisted: true });
  });

  it('what comes behind a delisting can be run apart', () => runs('delisting', '--after', 'delisted'));

  it('liquidation-cascade takes a leveraged long over', async () => {
    await runs('thin-book', '--after', 'thin');
    const px = String(Math.ceil((await midOf('SOL')) * 1.1));
    await control({ action: 'scenario', file: 'name: full\nsteps: [{ action: market, coin: SOL, percent: 0 }]' });
    const size = String(Math.floor(60_000 / Number(px)));
    const leverage = { type: 'updateLeverage', asset: await assetOf('SOL'), isCross: true, leverage: 20 };
    expect((await act(leverage)).status).to.equal('ok');
    const bought = await order('SOL', { px, sz: size, tif: 'Ioc' });
    expect(bought, JSON.stringify(bought)).to.have.property('filled');
    await runs('liquidation-cascade');
    const fills = await info({ type: 'userFills', user: user() });
    expect(fills.some(({ liquidation }: { liquidation?: unknown }) => liquidation !== undefined)).to.equal(true);
  });

  it('a file that is wrong is refused by line and field, and changes nothing', async () => {
    const file = join(ready.logs, 'wrong.yaml');
    writeFileSync(
      file,
      'name: wrong\nsteps:\n  - { action: setPrice, coin: BTC, px: "1" }\n  - { action: setPrice, coin: BTC, px: 2 }\n',
    );
    const before = await midOf('BTC');
    const { status, text } = await scenario(file);
    expect([status, text]).to.deep.equal([
      1,
      'Failed to deserialize the JSON body into the target type: the file, line 4: steps[1].px must be a decimal string\n',
    ]);
    expect(await midOf('BTC')).to.equal(before);
    expect((await scenario('gap', '--until', 'nowhere')).text).to.match(/until must be the name/);
    expect((await scenario(join(ready.logs, 'none.yaml'))).text).to.match(/ENOENT/);
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

  it('with --data the next start has the same account, in which nothing was traded', async () => {
    const data = dataFolder();
    try {
      const lines: Ready[] = [];
      for (const _ of ['first', 'second']) {
        const one = new StartCommand(['--ci', '--data', data]);
        const { exchangeUrl, ...line } = await started(one);
        lines.push({ exchangeUrl, ...line });
        expect(await post(`${exchangeUrl}/info`, { type: 'userFills' })).to.deep.equal([]);
        one.signal('SIGTERM');
        expect(await one.end(), one.output).to.equal(0);
      }
      const [first, second] = lines;
      expect([second?.apiKey, second?.account]).to.deep.equal([first?.apiKey, first?.account]);
    } finally {
      rmSync(data, { recursive: true });
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

/** The files of the stage `ci` of the Dockerfile. The packages that npm makes there are the packages of this checkout. */
function layOut(image: string): void {
  const stages = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split(/^FROM /m);
  const stage = stages.find((text) => / AS ci$/m.test(text)) ?? '';
  expect(stage).to.include('ENTRYPOINT ["node", "tools/start/main.mjs", "--ci"]');
  for (const [, name = ''] of stage.matchAll(/^COPY (?:--from=build \/app\/)?(\S+) \S+$/gm)) {
    if (name.startsWith('--from')) continue;
    if (['node_modules', 'dist'].includes(name)) symlinkSync(join(ROOT, name), join(image, name));
    else cpSync(join(ROOT, name), join(image, name), { recursive: true });
  }
  // A machine without a mongod has looked for one to download before; the image has one.
  mkdirSync(join(image, 'var'));
  const found = join(ROOT, 'var', 'found.json');
  if (existsSync(found)) cpSync(found, join(image, 'var', 'found.json'));
}
