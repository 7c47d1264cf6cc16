// Chooses the source of prices: the real venue if it answers, else the emulator, with a visible line; or the one that
// --market names. The emulator and the player of recordings are processes with the venue's protocol, so the exchange
// itself sees no difference.
import { join } from 'node:path';
import { freePort } from './ports.mjs';
import { PROJECT_DIR } from './project.mjs';
import { Refusal } from './refusal.mjs';
import { sayLoud } from './say.mjs';
import { Service } from './service.mjs';
import { waitFor } from './wait.mjs';

const VENUE = 'https://api.hyperliquid.xyz';
const VENUE_WITHIN_MS = 5000;
const OWN_WITHIN_MS = 30_000;

/**
 * Begun before everything else, for it takes no part of ours: by the time its answer is needed it is there.
 * @param {import('./options.mjs').StartOptions} options
 * @returns {Promise<boolean>} whether the venue answers
 */
export async function probeVenue({ market }) {
  if (market !== undefined && market !== 'live') return false;
  return answers(venueUrl(), VENUE_WITHIN_MS);
}

/**
 * @param {import('./options.mjs').StartOptions} options
 * @param {boolean} venueAnswers
 * @throws {Refusal} when the venue was asked for by hand and does not answer
 */
export function requireVenue({ market }, venueAnswers) {
  if (market !== 'live' || venueAnswers) return;
  throw new Refusal(
    `The venue at ${venueUrl()} does not answer within 5 s: try later, or leave --market live away to trade on the emulator.`,
  );
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {import('./options.mjs').StartOptions} options
 * @param {object} context
 * @param {boolean} context.venueAnswers
 * @param {(service: Service) => void} context.onService
 * @param {AbortSignal} context.signal
 * @returns {Promise<{ source: 'live' | 'emulated' | 'replay', url: string }>}
 */
export async function startMarketSource(data, options, { venueAnswers, onService, signal }) {
  if (venueAnswers) return { source: 'live', url: venueUrl() };
  if (options.market === undefined) {
    sayLoud(`The venue at ${venueUrl()} does not answer: prices are EMULATED, they are nobody's real prices.`);
  }
  const source = options.market === 'replay' ? 'replay' : 'emulated';
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const own =
    source === 'replay'
      ? { name: 'replay', script: 'replay.js', args: ['--file', options.recording ?? ''] }
      : { name: 'emulator', script: join('emulator', 'main.js'), args: [] };
  const script = join(PROJECT_DIR, 'dist', 'market', own.script);
  const args = ['--enable-source-maps', script, '--port', String(port), ...own.args];
  const service = new Service({ name: own.name, data, program: process.execPath, args, port });
  onService(service);
  service.start();
  const isUp = await waitFor(async () => ((await answers(url, 2000)) ? true : service.deaths > 3 ? false : undefined), {
    withinMs: OWN_WITHIN_MS,
    signal,
  });
  if (!isUp)
    throw new Refusal(`The market source ${source} did not start; its log is ${service.logFile}:\n${service.lastLines()}`);
  return { source, url };
}

const venueUrl = () => process.env['MARKET_URL'] || VENUE;

/**
 * @param {string} url
 * @param {number} withinMs
 */
async function answers(url, withinMs) {
  try {
    const response = await fetch(`${url.replace(/\/+$/, '')}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"meta"}',
      signal: AbortSignal.timeout(withinMs),
    });
    const meta = /** @type {{ universe?: unknown }} */ (await response.json());
    return response.ok && Array.isArray(meta.universe);
  } catch {
    return false; // no network, no such host, no answer in time, or something else lives there
  }
}
