// The cost of following the market: the emulated venue with all its coins moving, a leader and a follower, each a
// process of its own. Prints the CPU time of each as a share of one core, as JSON. `node --import tsx bench/market.ts
// [seconds]`

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { type MarketChange, readMessage, readTrades, type TradesChange } from '../src/market/domain/feed.ts';
import { LiveMarket } from '../src/market/domain/liveMarket.ts';
import { startEmulator } from '../src/market/emulator/role.ts';
import { startMarket } from '../src/market/role.ts';
import { readConfig } from '../src/shared/config/config.ts';
import { FeedFollower } from '../src/shared/redis/feedFollower.ts';
import { newestFormats } from '../test/support/formats.ts';
import { startRedis } from '../test/support/stores.ts';

type PartName = 'venue' | 'leader' | 'follower';
type Part = (addresses: readonly string[]) => Promise<Reading>;
/** The counts of a part since its start. */
type Counts = Readonly<Record<string, number | string>>;
type Reading = () => Counts;

const WARM_UP_SECONDS = 5;
const log = pino({ level: 'silent' });

const parts: Readonly<Record<PartName, Part>> = {
  venue: async () => {
    const { url } = await startEmulator({ port: 0, seed: 1, isQuiet: false, now: Date.now });
    return () => ({ url });
  },
  leader: async ([redisUrl = '', venueUrl = '']) => {
    const config = readConfig({ MARKET_SOURCE: 'emulated', MARKET_URL: venueUrl });
    const redis = new Redis(redisUrl, { enableAutoPipelining: true });
    const role = await startMarket({ config, log, redis, formats: newestFormats, now: Date.now });
    return () => ({ frames: role.status().leader?.frames ?? 0, messages: role.status().leader?.flushes ?? 0 });
  },
  follower: async ([redisUrl = '']) => {
    const market = new LiveMarket({ maxAgeMs: 15_000 });
    const counted = { messages: 0, changes: 0 };
    const follower = new FeedFollower<MarketChange, TradesChange>({
      log,
      redis: new Redis(redisUrl),
      subscriber: new Redis(redisUrl),
      forms: { readMessage, readTrades },
      handlers: {
        onLoad: ({ fields, tick }) => market.load(fields, tick),
        onMessage: ({ changes }) => {
          counted.messages += 1;
          counted.changes += changes.length;
          for (const change of changes) market.apply(change);
        },
      },
    });
    await follower.start();
    return () => {
      const ages = market.ages(Date.now());
      return { ...counted, coins: market.rawMeta?.universe.length ?? 0, stale: ages.book.stale + ages.context.stale };
    };
  },
};

/** A part in a process of its own. */
class PartProcess {
  readonly #child: ChildProcess;

  constructor(name: PartName, addresses: readonly string[] = []) {
    this.#child = fork(new URL(import.meta.url), [name, ...addresses]);
  }

  /** The reading, and `cpuMs` used so far. */
  async read(): Promise<Counts> {
    this.#child.send('read');
    const [reading] = (await once(this.#child, 'message')) as [Counts];
    return reading;
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

async function runPart(name: PartName, addresses: readonly string[]): Promise<void> {
  const started = parts[name](addresses);
  process.on('disconnect', () => process.exit(0));
  process.on('message', () => {
    started.then((read) => {
      const { user, system } = process.cpuUsage();
      process.send?.({ ...read(), cpuMs: (user + system) / 1000 });
    }, fail);
  });
  await started;
}

async function measure(seconds: number): Promise<void> {
  const redis = await startRedis();
  const venue = new PartProcess('venue');
  const { url } = await venue.read();
  const leader = new PartProcess('leader', [redis.url, String(url)]);
  const follower = new PartProcess('follower', [redis.url]);
  const all: [PartName, PartProcess][] = Object.entries({ venue, leader, follower }) as [PartName, PartProcess][];
  const isComplete = (seen: Counts): boolean => seen['coins'] !== 0 && seen['stale'] === 0;
  while (!isComplete(await follower.read())) await pause(0.2);
  await pause(WARM_UP_SECONDS);
  const readAll = (): Promise<Counts[]> => Promise.all(all.map(([, part]) => part.read()));

  const before = await readAll();
  const startedAt = performance.now();
  await pause(seconds);
  const after = await readAll();
  const took = (performance.now() - startedAt) / 1000;

  const count = (index: number, field: string, readings = after): number => Number(readings[index]?.[field]);
  const perSecond = (index: number, field: string): number => (count(index, field) - count(index, field, before)) / took;
  const shares = all.map(([name], index) => [name, Number((perSecond(index, 'cpuMs') / 1000).toFixed(3))]);
  const result = {
    coins: count(2, 'coins'),
    seconds: Math.round(took),
    shareOfACore: Object.fromEntries(shares),
    perSecond: {
      frames: Math.round(perSecond(1, 'frames')),
      messages: Math.round(perSecond(2, 'messages')),
      changes: Math.round(perSecond(2, 'changes')),
    },
  };
  process.stdout.write(`${JSON.stringify({ market: result })}\n`);
  for (const [, part] of all) part.end();
  await redis.stop();
}

const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

const [word = '20', ...addresses] = process.argv.slice(2);
if (word in parts) runPart(word as PartName, addresses).catch(fail);
else measure(Number(word)).then(() => process.exit(0), fail);
