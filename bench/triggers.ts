// The cost of a new mark for a shard where many orders wait for a mark: a mark that reaches no order, and a mark that reaches a
// hundred orders, which fire and fill. `node --import tsx bench/triggers.ts`

import { type Account, emptyAccount } from '../src/actors/core/account/account.ts';
import { toEntry } from '../src/actors/core/fold/recordEntry.ts';
import type { AccountEvent } from '../src/actors/core/messages/event.ts';
import { TriggerIndex } from '../src/actors/engine/index/markIndex.ts';
import { applyEntry, decideMarket } from '../src/features/rules.ts';
import { LiveMarket } from '../src/market/domain/liveMarket.ts';
import { NEWEST_FORMAT } from '../src/shared/domain/formats.ts';
import { ShardIds } from '../src/shared/domain/shards.ts';
import { accountIds } from './support/accounts.ts';
import { round } from './support/load.ts';

const WAITING = [1000, 10_000, 100_000];
const ORDERS_PER_ACCOUNT = 10;
/** Orders wait at this many prices: 10,000.1, 10,000.2, … */
const PRICES = 1000;
const MARKS = 2000;
const FIRED = 100;
const TIME_MS = 1_700_000_000_000;

const market = new LiveMarket({ maxAgeMs: Number.MAX_SAFE_INTEGER });
market.apply({ type: 'meta', meta: { universe: [{ name: 'BTC', szDecimals: 5, maxLeverage: 40 }], marginTables: [] } });
market.apply({ type: 'book', coin: 'BTC', timeMs: TIME_MS, bids: [['9999', '100000', 1]], asks: [['10000', '100000', 1]] });
const ids = new ShardIds({ shard: 0, shards: 1, counter: 1_000_000 });
let oid = 0;

const results = WAITING.map(measure);
console.log(JSON.stringify({ triggers: results }));

function measure(waiting: number): object {
  const index = new TriggerIndex();
  const accounts = new Map<string, Account>();
  const perPrice = waiting / PRICES;
  for (const id of accountIds(waiting / ORDERS_PER_ACCOUNT)) {
    const account = waitingAccount(id);
    accounts.set(id, account);
    index.add(account);
  }
  const quiet = timed(MARKS, (n) => {
    setMark(9000 + (n % 900));
    if (index.affectedBy(0, 9000 + (n % 900)).size > 0) throw new Error('a mark that reaches nobody woke somebody');
  });

  // From here on each mark reaches the orders of some more prices.
  const marks = Math.max(1, Math.floor(waiting / FIRED / 10));
  let fired = 0;
  const firing = timed(marks, (n) => {
    const price = 10_000 + ((n + 1) * FIRED) / perPrice / 10;
    setMark(price);
    for (const id of index.affectedBy(0, price)) {
      const account = accounts.get(id);
      if (!account) throw new Error('an account is missing');
      const { events } = decideMarket(account, contextOf(price), { nowMs: TIME_MS, market, ids, format: NEWEST_FORMAT });
      fired += events.filter(({ type }) => type === 'orderTriggered').length;
      const after = applyEntry(account, toEntry(account, { timeMs: TIME_MS, events }));
      accounts.set(id, after);
      index.update(after, events);
    }
  });
  if (fired < (marks * FIRED) / 2) throw new Error(`only ${fired} orders fired`);
  return { waiting, quietMarkUs: round(quiet, 1), firedPerMark: fired / marks, firedOrderUs: round((firing * marks) / fired, 1) };
}

/** Microseconds a turn. */
function timed(turns: number, turn: (n: number) => void): number {
  const from = process.hrtime.bigint();
  for (let n = 0; n < turns; n++) turn(n);
  return Number(process.hrtime.bigint() - from) / 1000 / turns;
}

function waitingAccount(id: string): Account {
  const events: AccountEvent[] = [{ type: 'accountOpened', depositUsd: '1000000' }];
  for (let n = 0; n < ORDERS_PER_ACCOUNT; n++) {
    oid += 1;
    const price = (10_000 + ((oid % PRICES) + 1) / 10).toString();
    const size = { size: '0.01', originalSize: '0.01', filledSize: '0' };
    events.push({
      type: 'triggerPlaced',
      order: {
        ...{ oid, asset: 0, coin: 'BTC', side: 'buy', limitPrice: '11000', ...size, reduceOnly: false },
        ...{ timeInForce: 'ioc', placedAtMs: TIME_MS, trigger: { price, tpsl: 'sl', isMarket: true } },
      },
      waitsFor: 'mark',
    });
  }
  const account = emptyAccount(id);
  return applyEntry(account, toEntry(account, { timeMs: TIME_MS, events }));
}

function setMark(price: number): void {
  market.apply(contextOf(price));
}

function contextOf(price: number) {
  const px = String(price);
  const unused = { funding: '0', openInterest: '0', prevDayPx: px, dayNtlVlm: '0', premium: null, impactPxs: null };
  return { type: 'context', coin: 'BTC', timeMs: TIME_MS, context: { ...unused, oraclePx: px, markPx: px, midPx: px } } as const;
}
