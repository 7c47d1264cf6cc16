// From a public trade to the fill that it makes: 50,000 orders rest on one coin, and each trade goes through exactly one order.
// Measured from the call that makes the venue trade to the journal's entry. `node --import tsx bench/tickToFill.ts`
import { Redis } from 'ioredis';
import type { OrderRequest } from '../src/actors/core/messages/order.ts';
import { until } from '../test/support/until.ts';
import { accountIds, openAccounts, startGateway } from './support/accounts.ts';
import { BENCH_COINS, startExchange } from './support/exchange.ts';
import { readJournals } from './support/journalReader.ts';
import { quantile, round } from './support/load.ts';

const ACCOUNTS = 500;
const ORDERS_PER_ACCOUNT = 100;
/** One trade each. The orders that they hit belong to different accounts and rest above all others, a cent apart. */
const TICKS = 400;
const TICK_EVERY_MS = 20;
const TOP_PRICE = 99.5;
const OTHERS_BELOW = 90;
const OTHER_PRICES = 4000;
/** From then on a fill counts as missed. */
const SOL = BENCH_COINS[2];

const hitPrice = (tick: number): string => String(Number((TOP_PRICE - tick / 100).toFixed(2)));
const tradePrice = (tick: number): string => (TOP_PRICE - tick / 100 - 0.005).toFixed(3);
const otherPrice = (n: number): string => (OTHERS_BELOW - (n % OTHER_PRICES) / 100).toFixed(2);

const stack = await startExchange();
const gateway = await startGateway(stack);
const tail = new Redis(stack.redisStore.url);
try {
  await stack.market.control({ op: 'setBook', coin: SOL.coin, bids: bookSide(SOL.bid, -0.01), asks: bookSide(SOL.ask, 0.01) });
  await openAccounts(gateway, accountIds(ACCOUNTS), (n) =>
    Array.from({ length: ORDERS_PER_ACCOUNT }, (_, i) => restingBuy(i === 0 && n < TICKS ? hitPrice(n) : otherPrice(n * 7 + i))),
  );
  const filledAtMs = new Map<string, number>();
  await followFills((price) => filledAtMs.set(price, performance.now()));
  const tradedAtMs: number[] = [];
  for (let tick = 0; tick < TICKS; tick++) {
    tradedAtMs.push(performance.now());
    await stack.market.control({ op: 'trade', coin: SOL.coin, px: tradePrice(tick), sz: '1', side: 'A', keepBook: true });
    await new Promise((resolve) => setTimeout(resolve, TICK_EVERY_MS));
  }
  await until(() => filledAtMs.size >= TICKS).catch(() => undefined); // told as missed
  const latencies = tradedAtMs.flatMap((atMs, tick) => {
    const filledMs = filledAtMs.get(hitPrice(tick));
    return filledMs === undefined ? [] : [filledMs - atMs];
  });
  const sorted = latencies.toSorted((a, b) => a - b);
  const result = {
    restingOrders: ACCOUNTS * ORDERS_PER_ACCOUNT,
    ticks: TICKS,
    missed: TICKS - sorted.length,
    p50Ms: round(quantile(sorted, 0.5), 2),
    p99Ms: round(quantile(sorted, 0.99), 2),
    maxMs: round(quantile(sorted, 1), 2),
  };
  console.log(JSON.stringify({ tickToFill: result }));
} finally {
  tail.disconnect();
  await gateway.stop();
  await stack.stop();
}

/** As many levels as the venue shows: nobody knows the queue of an order beyond them. */
function bookSide(best: string, step: number): [price: string, size: string][] {
  return Array.from({ length: 20 }, (_, level) => [(Number(best) + level * step).toFixed(2), '1000']);
}

function restingBuy(limitPrice: string): OrderRequest {
  return {
    asset: SOL.asset,
    side: 'buy',
    limitPrice,
    size: SOL.size,
    reduceOnly: false,
    type: { kind: 'limit', timeInForce: 'gtc' },
  };
}

/** Tells the limit price of every resting order that is filled from now on. */
function followFills(onFill: (price: string) => void): Promise<void> {
  return readJournals(tail, (entries) => {
    for (const event of entries.flatMap(({ events }) => events)) {
      if (event.type === 'orderFilled' && event.liquidity === 'maker') onFill(event.price);
    }
  });
}
