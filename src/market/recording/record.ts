// Writes what the venue sends into a file that can be played again: first its answers, then its frames as they come. The answers about the
// past are candles and funding rates of the busiest coins, so that charts and indicators have data. The file has one JSON object a line
// and is gzip when its name ends in `.gz`.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../shared/domain/units.ts';
import type { Logger } from '../../shared/logger.ts';
import { requestInfo } from '../../shared/venue/requestInfo.ts';
import {
  OpeningPace,
  SUBSCRIPTIONS_MAX,
  VENUE_LIMITS,
  VenueSocket,
  type VenueSubscription,
} from '../../shared/venue/venueSocket.ts';
import type { VenueMeta } from '../domain/asset.ts';
import type { Interval } from '../domain/candleInterval.ts';
import type { AssetContext } from '../domain/feed.ts';
import { WeightWindow } from '../venue/venueServer.ts';

export interface RecordedFrame {
  readonly channel: string;
  readonly data: unknown;
}

/** A line of a recording; `atMs` is when it was received. */
export type RecordedLine =
  | { readonly atMs: number; readonly request: RecordedRequest; readonly answer: unknown }
  | { readonly atMs: number; readonly frame: RecordedFrame };

/** Asked at the start beside `metaAndAssetCtxs`; a venue that does not know one of them is recorded without it. */
const OTHER_REQUESTS = [
  'spotMeta',
  'spotMetaAndAssetCtxs',
  'allMids',
  'perpDexs',
  'outcomeMeta',
  'predictedFundings',
  'perpsAtOpenInterestCap',
  'maxMarketOrderNtls',
];
/** Channels that carry market data; acknowledgements and pongs are left out. */
const CHANNELS = new Set(['allMids', 'l2Book', 'bbo', 'trades', 'activeAssetCtx']);
const COIN_FEEDS = ['l2Book', 'trades', 'bbo', 'activeAssetCtx'] as const;
const TIMEOUT_MS = 10_000;
const REQUEST_WEIGHT = 20;
/** Of the 1200 that the venue allows an address in a minute. */
const WEIGHT_PER_MINUTE = 1000;

interface RecorderOptions {
  readonly log: Logger;
  readonly url: string;
  readonly file: string;
  /** All listed coins when absent; the past is then recorded of the busiest ones. */
  readonly coins?: readonly string[];
  readonly now: () => number;
  /** Stops the requests about the past, which take minutes for dozens of coins. */
  readonly signal?: AbortSignal;
}

/** Starts recording. `stop` ends the file properly and gives the number of its lines. */
export async function startRecorder(options: RecorderOptions): Promise<{ stop(): Promise<number> }> {
  const { log, url, file, now } = options;
  const target = createWriteStream(file);
  const out = file.endsWith('.gz') ? createGzip() : target;
  if (out !== target) out.pipe(target);
  let lines = 0;
  const write = (line: RecordedLine): void => {
    out.write(`${JSON.stringify(line)}\n`);
    lines += 1;
  };

  const { signal = new AbortController().signal } = options;
  const weights = new WeightWindow(WEIGHT_PER_MINUTE);
  const ask = async ({ request, weight }: WeighedRequest): Promise<unknown> => {
    for (let waitMs = weights.take(weight, now()); waitMs > 0; waitMs = weights.take(weight, now())) {
      await setTimeout(waitMs, undefined, { signal });
    }
    const answer = await requestInfo({ url, body: request, timeoutMs: TIMEOUT_MS, signal });
    write({ atMs: now(), request, answer });
    return answer;
  };
  /** Requests that the venue does not know are left out. */
  const askAll = async (requests: readonly WeighedRequest[]): Promise<void> => {
    for (const asked of requests) {
      if (signal.aborted) return;
      try {
        await ask(asked);
      } catch (error) {
        log.warn({ request: asked.request, reason: error instanceof Error ? error.message : String(error) }, 'not recorded');
      }
    }
  };

  const weighed = (type: string): WeighedRequest => ({ request: { type }, weight: REQUEST_WEIGHT });
  const market = (await ask(weighed('metaAndAssetCtxs'))) as [VenueMeta, AssetContext[]];
  await askAll(OTHER_REQUESTS.map(weighed));
  const listed = toListed(market[0]);
  const coins = options.coins === undefined ? listed : listed.filter((coin) => options.coins?.includes(coin));
  await askAll(pastRequests(options.coins === undefined ? busiestCoins(market) : coins, now()));
  const subscriptions: VenueSubscription[] = [
    { type: 'allMids' },
    ...coins.flatMap((coin) => COIN_FEEDS.map((type) => ({ type, coin }))),
  ];
  const sockets: VenueSocket[] = [];
  const pace = new OpeningPace(VENUE_LIMITS, Math.random);
  for (let i = 0; i < subscriptions.length; i += SUBSCRIPTIONS_MAX) {
    const socket = new VenueSocket({
      log,
      url: `${url.replace(/\/+$/, '').replace(/^http/, 'ws')}/ws`,
      subscriptions: subscriptions.slice(i, i + SUBSCRIPTIONS_MAX),
      pace,
      handlers: {
        onOpen: () => undefined,
        onDown: () => undefined,
        onText: (text) => {
          const frame = readVenueText(text);
          if (frame === undefined) log.warn({ text: text.slice(0, 200) }, 'frame not recorded');
          else if (CHANNELS.has(frame.channel)) write({ atMs: now(), frame });
        },
      },
    });
    socket.open();
    sockets.push(socket);
  }
  return {
    stop: async () => {
      for (const socket of sockets) socket.close();
      out.end();
      await finished(target);
      return lines;
    },
  };
}

const toListed = (meta: VenueMeta): string[] =>
  meta.universe.filter((entry) => entry.isDelisted !== true).map((entry) => entry.name);

/** The frame that a text holds, or undefined when it holds none. */
function readVenueText(text: string): RecordedFrame | undefined {
  try {
    const frame = JSON.parse(text) as Partial<RecordedFrame> | null;
    return typeof frame?.channel === 'string' ? { channel: frame.channel, data: frame.data } : undefined;
  } catch {
    return undefined;
  }
}

/** Body of an `info` request. */
export type RecordedRequest = { readonly type: string } & Readonly<Record<string, unknown>>;

interface WeighedRequest {
  readonly request: RecordedRequest;
  /** As the venue counts it: 20, and one per so many rows. */
  readonly weight: number;
}

const HOURS_BACK_MS = 7 * DAY_MS;
const MINUTES_BACK_MS = 12 * HOUR_MS;
const FUNDING_BACK_MS = DAY_MS;
const BASE_WEIGHT = 20;
const CANDLES_PER_WEIGHT = 60;
const FUNDINGS_PER_WEIGHT = 20;
/** Coins whose past is asked for when none are named: as many as one minute's allowance is enough for. */
const COINS_BY_VOLUME = 10;

/** The coins with the largest volume of the day, largest first. */
export function busiestCoins([meta, contexts]: readonly [VenueMeta, readonly AssetContext[]]): string[] {
  return meta.universe
    .map(({ name, isDelisted }, index) => ({ name, isDelisted, volume: Number(contexts[index]?.dayNtlVlm ?? 0) }))
    .filter(({ isDelisted }) => isDelisted !== true)
    .sort((a, b) => b.volume - a.volume)
    .slice(0, COINS_BY_VOLUME)
    .map(({ name }) => name);
}

export function pastRequests(coins: readonly string[], nowMs: number): WeighedRequest[] {
  const candles = (coin: string, interval: Interval, { backMs, rowMs }: { backMs: number; rowMs: number }): WeighedRequest => ({
    request: { type: 'candleSnapshot', req: { coin, interval, startTime: nowMs - backMs, endTime: nowMs } },
    weight: BASE_WEIGHT + Math.ceil(backMs / rowMs / CANDLES_PER_WEIGHT),
  });
  return coins.flatMap((coin) => [
    candles(coin, '1h', { backMs: HOURS_BACK_MS, rowMs: HOUR_MS }),
    candles(coin, '1m', { backMs: MINUTES_BACK_MS, rowMs: MINUTE_MS }),
    {
      request: { type: 'fundingHistory', coin, startTime: nowMs - FUNDING_BACK_MS },
      weight: BASE_WEIGHT + Math.ceil(FUNDING_BACK_MS / HOUR_MS / FUNDINGS_PER_WEIGHT),
    },
  ]);
}
