// Writes what the venue says into a file that can be played again: first its answers, then its frames as they come, one
// JSON object a line, gzip when the name ends in `.gz`.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Logger } from '../../shared/logger.ts';
import { requestInfo } from '../../shared/venueInfo.ts';
import type { VenueMeta } from '../domain/asset.ts';
import { SUBSCRIPTIONS_MAX, type Subscription, VenueSocket } from '../venueSocket.ts';

export interface RecordedFrame {
  readonly channel: string;
  readonly data: unknown;
}

/** A line of a recording; `atMs` is when it was received. */
export type RecordedLine =
  | { readonly atMs: number; readonly request: { readonly type: string }; readonly answer: unknown }
  | { readonly atMs: number; readonly frame: RecordedFrame };

/** Asked at the start; a venue that does not know one of them is recorded without it. */
const REQUESTS = [
  'metaAndAssetCtxs',
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

export interface RecorderOptions {
  readonly log: Logger;
  readonly url: string;
  readonly file: string;
  /** All listed coins when absent. */
  readonly coins?: readonly string[];
  readonly now: () => number;
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

  let listed: readonly string[] = [];
  for (const type of REQUESTS) {
    const request = { type };
    try {
      const answer = await requestInfo({ url, body: request, timeoutMs: TIMEOUT_MS });
      write({ atMs: now(), request, answer });
      if (type === 'metaAndAssetCtxs') listed = toListed((answer as [VenueMeta])[0]);
    } catch (error) {
      if (type === 'metaAndAssetCtxs') throw error;
      log.warn({ type, reason: error instanceof Error ? error.message : String(error) }, 'not recorded');
    }
  }

  const coins = options.coins === undefined ? listed : listed.filter((coin) => options.coins?.includes(coin));
  const subscriptions: Subscription[] = [
    { type: 'allMids' },
    ...coins.flatMap((coin) => COIN_FEEDS.map((type) => ({ type, coin }))),
  ];
  const sockets: VenueSocket[] = [];
  for (let i = 0; i < subscriptions.length; i += SUBSCRIPTIONS_MAX) {
    const socket = new VenueSocket({
      log,
      url: `${url.replace(/\/+$/, '').replace(/^http/, 'ws')}/ws`,
      subscriptions: subscriptions.slice(i, i + SUBSCRIPTIONS_MAX),
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
