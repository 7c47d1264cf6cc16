// Chooses the source of prices: the real venue if it answers, else the emulator, with a visible line; or the source that --market
// names. The emulator and the player of recordings are processes with the venue's protocol, so the exchange itself sees no
// difference.
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
/** In found.json. */
const REMEMBERED = 'market';
const LOOPBACK = 'http://127.0.0.1';

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
 * @typedef {{ name: 'live' | 'emulated' | 'replay', url: string }} Source `url` of one that is not live: any on this machine
 * The source that was asked for; else the source of the start before, for other prices would move the accounts' positions; else the
 * venue, or the emulator where the venue does not answer.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {import('./options.mjs').StartOptions} options
 * @param {boolean} venueAnswers
 * @returns {Source}
 * @throws {Refusal} where a variable wants another source
 */
export function chooseSource(data, { market }, venueAnswers) {
  const before = data.recall(REMEMBERED);
  const isBefore = market === undefined && (before === 'live' || before === 'emulated');
  const name = isBefore ? before : (market ?? (venueAnswers ? 'live' : 'emulated'));
  if (isBefore && name === 'live' && !venueAnswers)
    sayLoud(`The venue at ${venueUrl()} does not answer: orders are refused until it does.`);
  else if (isBefore && name === 'emulated' && venueAnswers)
    sayLoud('Prices stay EMULATED, as at the start before; --market live changes that.');
  else if (market === undefined && !venueAnswers)
    sayLoud(`The venue at ${venueUrl()} does not answer: prices are EMULATED, they are nobody's real prices.`);
  if (process.env['CONTROL'] === 'on' && name !== 'emulated')
    throw new Refusal('CONTROL=on moves an emulated market: give --market emulated beside it.');
  return { name, url: name === 'live' ? venueUrl() : LOOPBACK };
}

/**
 * For the next start.
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {Source} source
 */
export function rememberSource(data, { name }) {
  if (name !== 'replay' && name !== data.recall(REMEMBERED)) data.remember(REMEMBERED, name);
}

/**
 * @param {import('./dataFolder.mjs').DataFolder} data
 * @param {import('./options.mjs').StartOptions} options
 * @param {object} context
 * @param {Source} context.source
 * @param {(service: Service) => void} context.onService
 * @param {AbortSignal} context.signal
 * @returns {Promise<{ source: Source['name'], url: string }>}
 */
export async function startMarketSource(data, options, { source: { name: source, url: venue }, onService, signal }) {
  if (source === 'live') return { source, url: venue };
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
