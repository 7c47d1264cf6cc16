// Plays a recording through a server of the venue's protocol, in real time or faster, once or in rounds.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { pause } from '../../shared/waiting.ts';
import { ExchangeSubscriptions } from '../venue/subscriptions.ts';
import { startVenueServer } from '../venue/venueServer.ts';
import { Playback, shiftedTime, type TimeShift } from './playback.ts';
import type { RecordedLine } from './record.ts';

export interface PlayOptions {
  readonly file: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** 1 = as it was; N = N times as fast. */
  readonly speed: number;
  /** The act at the end of the file: the player begins again, or sends nothing more. */
  readonly atEnd: 'loop' | 'stop';
  readonly now: () => number;
}

export interface Player {
  readonly url: string;
  /** With `stop`, resolves when the recording has been played; rejects when the file cannot be read further. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Between two rounds, so that the times of the next lie after those of the last. */
const PAUSE_MS = 1000;

/** @throws Error when the file cannot be read or holds no recorded market */
export async function startPlayer(options: PlayOptions): Promise<Player> {
  const { file, now, port } = options;
  const playback = new Playback({ now });
  const subscriptions = new ExchangeSubscriptions(playback);
  // The listing, which every client reads before it connects.
  let recordedMs = now();
  for await (const line of readLines(file)) {
    recordedMs = line.atMs;
    if (!('request' in line)) break;
    playback.onAnswer(line);
  }
  const first: TimeShift = { recordedMs, playedMs: now(), speed: options.speed };
  playback.begin(first);
  if (((await playback.info({ type: 'meta' })) as { universe: unknown[] }).universe.length === 0) {
    throw new Error(`${file} is no recording of a market`);
  }
  const server = await startVenueServer({ exchange: playback, subscriptions, port, now });
  const abort = new AbortController();
  return {
    url: server.url,
    ended: playRounds(options, { playback, subscriptions, signal: abort.signal }, first),
    stop: async () => {
      abort.abort();
      await server.stop();
    },
  };
}

interface Parts {
  readonly playback: Playback;
  readonly subscriptions: ExchangeSubscriptions;
  readonly signal: AbortSignal;
}

async function playRounds(options: PlayOptions, parts: Parts, first: TimeShift): Promise<void> {
  let shift = first;
  for (let round = options.now(); !parts.signal.aborted; round++) {
    await playOnce(options, parts, { ...shift, round });
    if (options.atEnd === 'stop') return;
    await pause(PAUSE_MS, parts.signal);
    shift = { ...first, playedMs: options.now() };
    parts.playback.begin(shift);
  }
}

/** @param shift with `round`, a number that no other round has: it keeps the trade ids of rounds apart */
async function playOnce(
  options: PlayOptions,
  { playback, subscriptions, signal }: Parts,
  shift: TimeShift & { readonly round: number },
): Promise<void> {
  const { now } = options;
  for await (const line of readLines(options.file)) {
    if (signal.aborted) return;
    if (!('frame' in line)) continue;
    const dueMs = shiftedTime(line.atMs, shift);
    if (dueMs > now()) await pause(dueMs - now(), signal);
    const { coin, frame } = playback.onFrame(line.frame, shift);
    subscriptions.push({ channel: frame.channel, coin, data: () => frame.data });
  }
}

async function* readLines(file: string): AsyncGenerator<RecordedLine> {
  const source = createReadStream(file);
  const input = file.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  source.on('error', (error) => input.destroy(error));
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line !== '') yield JSON.parse(line) as RecordedLine;
  }
}
