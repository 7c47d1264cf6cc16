// The cost of round trips for an account with 200,000 fills: a page of the list (with excursions that nobody has asked for yet, and
// with stored ones), the figures of a range of time, and beside these analytics, which read fills. Each beside the same of an
// account with a thousandth of them, in the same run. `node --import tsx bench/roundTrips.ts [--trips 20000] [--fills 10]` (fills
// of a trip)
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { orderAction } from '../test/support/orderWire.ts';
import type { TestAccount } from '../test/support/stack.ts';
import { BENCH_COINS, registerAccounts, startExchange } from './support/exchange.ts';
import { quantile, round } from './support/load.ts';

const { values } = parseArgs({
  options: { trips: { type: 'string', default: '20000' }, fills: { type: 'string', default: '10' } },
});
const [TRIPS, FILLS] = [Number(values.trips), Number(values.fills)];
const FEW = TRIPS / 1000;
const [, , SOL] = BENCH_COINS;
/** So little is lost by each trip that an account lasts for the whole bench. */
const [BID, ASK, SIZE] = ['99.99', '100.01', 0.11];
const ORDERS_MAX = 500;
const TIMES = 15;
/** Until MongoDB has what was traded. */
const SETTLES_MS = 20_000;
/** One account writes more here than any may in a minute. */
const JOURNAL_BOUNDS = { JOURNAL_MAX_BYTES: `${2 ** 30}`, JOURNAL_ACCOUNT_MAX_BYTES: `${2 ** 30}`, JOURNAL_LAG_MS: '1000' };

const stack = await startExchange({ env: { SHARDS: '1', LOG_LEVEL: 'warn', ...JOURNAL_BOUNDS } });
try {
  const deep = '1000000000';
  await stack.market.control({ op: 'setBook', coin: SOL.coin, bids: [[BID, deep]], asks: [[ASK, deep]] });
  const [few, many] = (await registerAccounts(stack, 2)) as [TestAccount, TestAccount];
  await trade(few, FEW);
  await trade(many, TRIPS / 2);
  // Entries of one command have one time: the next half begins later.
  const { last_closed: end = '' } = (await read(many, 'round-trips/figures')).body;
  await trade(many, TRIPS / 2);
  await pause(SETTLES_MS);
  const whole = 'round-trips/figures';
  const half = `round-trips/figures?end_time=${end}`;
  const counted = await Promise.all([whole, half].map(async (path) => (await read(many, path)).body.trades));
  if (counted.join() !== [TRIPS, TRIPS / 2].join()) throw new Error(`trips: ${counted}`);
  const rows = {
    listNew: await beside('round-trips?limit=20', 1),
    list: await beside('round-trips?limit=20'),
    figures: await beside(whole),
    figuresOfRange: await beside(half),
    // Kept for 5 s, so asked once.
    analytics: await beside('analytics?period=all', 1),
  };
  console.log(JSON.stringify({ roundTrips: { trips: TRIPS, fills: TRIPS * FILLS, few: FEW, rows } }));

  /** The median of both accounts, ms, in turns. */
  async function beside(path: string, times = TIMES) {
    const took = { few: [] as number[], many: [] as number[] };
    for (let i = 0; i < times; i++) {
      took.few.push((await read(few, path)).ms);
      took.many.push((await read(many, path)).ms);
    }
    const [fewMs, manyMs] = [took.few, took.many].map((of) => quantile(Float64Array.from(of).sort(), 0.5)) as [number, number];
    return { fewMs: round(fewMs, 1), manyMs: round(manyMs, 1), ratio: round(manyMs / fewMs, 2) };
  }
} finally {
  await stack.stop();
}

async function trade({ apiKey }: TestAccount, trips: number): Promise<void> {
  const buys = Array.from({ length: FILLS - 1 }, () => ({ buy: true, px: ASK, sz: String(SIZE), tif: 'Ioc' as const }));
  const trip = [...buys, { buy: false, px: BID, sz: (SIZE * (FILLS - 1)).toFixed(2), tif: 'Ioc' as const }];
  const atOnce = Math.max(1, Math.floor(ORDERS_MAX / FILLS));
  for (let left = trips; left > 0; left -= atOnce) {
    const orders = Array.from({ length: Math.min(left, atOnce) }, () => trip).flat();
    const answer = await stack.exchange(apiKey, orderAction(SOL.asset, ...orders));
    const filled = JSON.stringify(answer).split('"filled"').length - 1;
    if (filled !== orders.length) throw new Error(`${filled} of ${orders.length} orders filled`);
  }
}

async function read({ apiKey }: TestAccount, path: string) {
  const startMs = performance.now();
  const answer = await fetch(`${stack.baseUrl}/v1/exchanges/perpx/account/${path}`, { headers: { 'x-api-key': apiKey } });
  const body = (await answer.json()) as { trades?: number; last_closed?: string };
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(body)}`);
  return { ms: performance.now() - startMs, body };
}
