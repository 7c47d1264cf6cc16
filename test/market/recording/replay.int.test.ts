// A recording is played again: the same books and trades, with current times.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { pino } from 'pino';
import { Connector } from '../../../src/market/connector.ts';
import type { VenueMeta } from '../../../src/market/domain/asset.ts';
import type { BookChange, MarketTrade, VenueCandle } from '../../../src/market/domain/feed.ts';
import { type Player, startPlayer } from '../../../src/market/recording/play.ts';
import { type RecordedLine, startRecorder } from '../../../src/market/recording/record.ts';
import { requestInfo } from '../../../src/shared/venue/requestInfo.ts';
import { NO_LIMITS, OpeningPace } from '../../../src/shared/venue/venueSocket.ts';
import { startEmulator, type TestMarket } from '../../support/market.ts';
import { until } from '../../support/until.ts';

const log = pino({ level: 'silent' });
const PRICES = ['60010.0', '60011.0', '60012.0'];

/** The messages about BTC that a connector hears from a server. */
const listeners: { stop(): void }[] = [];

function listen(url: string): {
  books: BookChange[];
  trades: MarketTrade[];
  past: MarketTrade[];
  meta: VenueMeta[];
  stop(): void;
} {
  const heard = { books: [] as BookChange[], trades: [] as MarketTrade[], past: [] as MarketTrade[], meta: [] as VenueMeta[] };
  const connector = new Connector({
    log,
    url,
    pace: new OpeningPace(NO_LIMITS, Math.random),
    ask: (body, request) => requestInfo({ url, body, ...request }),
    now: Date.now,
    handlers: {
      onMeta: (meta) => heard.meta.push(meta),
      onChange: (change) => {
        if (change.type === 'book' && change.coin === 'BTC') heard.books.push(change);
      },
      onTrades: ({ coin, trades }, { isPast }) => {
        if (coin === 'BTC') heard[isPast ? 'past' : 'trades'].push(...trades);
      },
      onStatus: () => undefined,
    },
  });
  connector.start();
  listeners.push(connector);
  return { ...heard, stop: () => connector.stop() };
}

describe('recording: what was written is played', () => {
  const dir = mkdtempSync(join(tmpdir(), 'recording-'));
  const file = join(dir, 'market.jsonl.gz');
  let venue: TestMarket;
  let player: Player | undefined;

  before(async () => {
    venue = await startEmulator();
    const recorder = await startRecorder({ log, url: venue.url, file, coins: ['BTC', 'ETH'], now: Date.now });
    const heard = listen(venue.url);
    await until(() => heard.books.length > 0 && heard.past.length > 0);
    for (const ask of PRICES) {
      await venue.control({ op: 'setBook', coin: 'BTC', bids: [['60000.0', '1.0']], asks: [[ask, '1.0']] });
      await venue.control({ op: 'trade', coin: 'BTC', px: ask, sz: '0.25', side: 'B' });
    }
    await until(() => heard.trades.length === PRICES.length);
    heard.stop();
    expect(await recorder.stop()).to.be.greaterThan(15);
    await venue.stop();
  });

  afterEach(async () => {
    for (const listener of listeners.splice(0)) listener.stop();
    await player?.stop();
    player = undefined;
  });

  after(() => rmSync(dir, { recursive: true }));

  const recorded = (): RecordedLine[] =>
    gunzipSync(readFileSync(file))
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as RecordedLine);

  it('holds answers first, then frames in the order of receiving', () => {
    const lines = recorded();
    const firstFrame = lines.findIndex((line) => 'frame' in line);
    expect(lines.slice(0, firstFrame).map((line) => 'request' in line && line.request.type)).to.include('metaAndAssetCtxs');
    expect(lines.slice(firstFrame).every((line) => 'frame' in line)).to.equal(true);
    const times = lines.map(({ atMs }) => atMs);
    expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
  });

  it('plays the same books and trades with fresh times', async () => {
    const startedMs = Date.now();
    player = await startPlayer({ file, port: 0, speed: 1, atEnd: 'loop', now: Date.now });
    const heard = listen(player.url);
    await until(() => PRICES.every((price) => [...heard.past, ...heard.trades].some((trade) => trade.price === price)));
    for (const book of heard.books) expect(book.timeMs).to.be.within(startedMs - 10_000, Date.now() + 10);
    await until(() => heard.books.some((book) => book.asks[0]?.[0] === PRICES[1]));
    expect(heard.meta[0]?.universe).to.have.length(228);
    const ids = [...heard.past, ...heard.trades].map(({ tid }) => tid);
    expect(new Set(ids).size).to.equal(ids.length);
    heard.stop();
  });

  it('plays round and round, each round with trade ids of its own', async () => {
    player = await startPlayer({ file, port: 0, speed: 20, atEnd: 'loop', now: Date.now });
    const heard = listen(player.url);
    const last = (): number[] => heard.trades.filter(({ price }) => price === PRICES.at(-1)).map(({ tid }) => tid);
    await until(() => last().length >= 2);
    expect(new Set(last()).size).to.equal(last().length);
    heard.stop();
  });

  it('ends when told to, and answers with what it has played', async () => {
    player = await startPlayer({ file, port: 0, speed: 100, atEnd: 'stop', now: Date.now });
    await player.ended;
    const ask = (body: object): Promise<unknown> => requestInfo({ url: player?.url ?? '', body, timeoutMs: 5000 });
    expect(await ask({ type: 'l2Book', coin: 'BTC' })).to.have.nested.property('levels[0][0].px', '60000.0');
    expect(await ask({ type: 'l2Book', coin: 'BTC', nSigFigs: 2 })).to.have.nested.property('levels[0].length', 1);
    expect(await ask({ type: 'recentTrades', coin: 'BTC' })).to.have.nested.property('[0].px', PRICES.at(-1));
    const request = { coin: 'BTC', interval: '1m', startTime: Date.now() - 120_000 };
    const candles = (await ask({ type: 'candleSnapshot', req: request })) as VenueCandle[];
    expect(candles.at(-1)?.c).to.equal(PRICES.at(-1));
    for (const type of ['metaAndAssetCtxs', 'spotMeta', 'perpDexs', 'allMids', 'exchangeStatus'])
      expect(await ask({ type }), type).to.not.equal(null);
  });

  it('has the past of the coins recorded: candles and funding rates that end now', async () => {
    player = await startPlayer({ file, port: 0, speed: 1, atEnd: 'stop', now: Date.now });
    const ask = (body: object): Promise<unknown> => requestInfo({ url: player?.url ?? '', body, timeoutMs: 5000 });
    for (const coin of ['BTC', 'ETH']) {
      for (const [interval, stepMs, count] of [
        ['1m', 60_000, 720],
        ['15m', 900_000, 48],
        ['1h', 3_600_000, 168],
        ['1d', 86_400_000, 7],
      ] as const) {
        const rows = (await ask({ type: 'candleSnapshot', req: { coin, interval, startTime: 0 } })) as VenueCandle[];
        expect(rows.length, interval).to.be.within(count, count + 2);
        expect(rows.slice(1).map(({ t }) => t)).to.deep.equal(rows.slice(0, -1).map(({ t }) => t + stepMs));
        expect(rows.at(-1)?.t).to.be.within(Date.now() - 2 * stepMs, Date.now());
      }
      const fundings = (await ask({ type: 'fundingHistory', coin, startTime: 0 })) as { time: number }[];
      expect(fundings).to.have.length(24);
      expect(fundings.at(-1)?.time).to.be.within(Date.now() - 3_700_000, Date.now());
    }
    expect(await ask({ type: 'fundingHistory', coin: 'SOL', startTime: 0 })).to.deep.equal([]);
  });

  it('refuses a file that is no recording', async () => {
    const failure = await startPlayer({ file: `${dir}/none`, port: 0, speed: 1, atEnd: 'stop', now: Date.now }).catch(
      (e: Error) => e,
    );
    expect(failure).to.be.instanceOf(Error);
  });
});
