// The cost of a tick when no account is in danger, when some are, and when all have house rules that are far away: accounts with three positions each in one
// shard's risk index, and a new mark of every coin. CPU time of one core. `node --import tsx bench/liquidation.ts`

import { type Account, emptyAccount, type Position } from '../src/actors/core/account/account.ts';
import type { LimitsState } from '../src/actors/core/account/limits.ts';
import { foundTrip } from '../src/actors/core/margin/position.ts';
import { RiskIndex } from '../src/actors/engine/index/markIndex.ts';
import { decideShardCommand, tradingRules } from '../src/features/rules.ts';
import type { AssetContext, ContextChange } from '../src/market/domain/feed.ts';
import { LiveMarket } from '../src/market/domain/liveMarket.ts';
import { Decimal, ZERO } from '../src/shared/domain/decimal.ts';
import { NEWEST_FORMAT } from '../src/shared/domain/formats.ts';
import { ShardIds } from '../src/shared/domain/shards.ts';
import { accountIds } from './support/accounts.ts';
import { quantile, round } from './support/load.ts';

const ACCOUNTS = [1000, 10_000, 100_000];
const IN_DANGER = [0, 10, 100];
const POSITIONS = 3;
const COINS = 200;
const TICKS = 100;
const PRICE = 100;
/** Largest move of a mark from one tick to the next; the accounts' own distance is 7 % and more. */
const MOVE = 0.0005;
const TIME_MS = 1_700_000_000_000;
/** House rules that no account here comes near to. */
const FAR_RULES: LimitsState = {
  rules: { dailyLoss: { usd: '1000', act: 'close' }, drawdown: { percent: '90', act: 'close' } },
  ...{ peakUsd: new Decimal(1000), turnedMs: TIME_MS, breaches: [] },
};

const market = new LiveMarket({ maxAgeMs: 15_000 });
const universe = Array.from({ length: COINS }, (_, n) => ({ name: coinOf(n), szDecimals: 2, maxLeverage: 20 }));
market.apply({ type: 'meta', meta: { universe } });
for (let asset = 0; asset < COINS; asset++) market.apply(markOf(asset, PRICE));

const rows = ACCOUNTS.flatMap((accounts) => [
  ...IN_DANGER.map((inDanger) => measure(accounts, { inDanger })),
  measure(accounts, { inDanger: 0, house: FAR_RULES }),
]);
console.log(JSON.stringify({ liquidation: { coins: COINS, positions: POSITIONS, ticks: TICKS, rows } }));

function measure(accounts: number, { inDanger, house }: { readonly inDanger: number; readonly house?: LimitsState }) {
  const held = new Map<string, Account>();
  for (const [n, id] of accountIds(accounts).entries()) {
    const account = accountOf(id, n, n < inDanger ? 0.024 : 0.1);
    held.set(id, house === undefined ? account : { ...account, house });
  }
  const index = new RiskIndex();
  const armMicros = cpuMicros(() => {
    for (const [id, account] of held) index.set(id, tradingRules.wakePrices(account, market));
  });
  let woken = 0;
  const ticks: number[] = [];
  for (let tick = 0; tick < TICKS; tick++) {
    const price = PRICE * (1 + (tick % 2 === 0 ? MOVE : -MOVE));
    const changes = universe.map((_, asset) => markOf(asset, price));
    ticks.push(
      cpuMicros(() => {
        for (const [asset, change] of changes.entries()) {
          market.apply(change);
          for (const id of index.wokenBy(asset, Number(change.context.markPx))) {
            woken += 1;
            const account = held.get(id) as Account;
            check(account);
            index.set(id, tradingRules.wakePrices(account, market));
          }
        }
      }) / 1000,
    );
  }
  const scanMicros = cpuMicros(() => {
    for (const account of held.values()) check(account);
  });
  ticks.sort((a, b) => a - b);
  return {
    accounts,
    inDanger,
    hasRules: house !== undefined,
    wokenPerTick: round(woken / TICKS, 1),
    tickP50Ms: round(quantile(ticks, 0.5), 3),
    tickP99Ms: round(quantile(ticks, 0.99), 3),
    armMicrosPerAccount: round(armMicros / accounts, 1),
    scanMicrosPerAccount: round(scanMicros / accounts, 1),
  };
}

/** Accounts in danger find an empty book, so each tick checks them again: the bench measures a check that can do nothing. */
function check(account: Account): void {
  const ids = new ShardIds({ shard: 0, shards: 16, counter: 0 });
  decideShardCommand(account, { type: 'scanLiquidation' }, { nowMs: TIME_MS, market, ids, format: NEWEST_FORMAT });
}

/** Long in three coins at 20x, with an equity of this share of the notional; maintenance is 2.5 %. */
function accountOf(id: string, n: number, equity: number): Account {
  const positions = new Map<number, Position>();
  for (let i = 0; i < POSITIONS; i++) {
    const asset = (n * POSITIONS + i) % COINS;
    const funding = { allTime: ZERO, sinceOpen: ZERO, sinceChange: ZERO };
    const trip = foundTrip(new Decimal(10), new Decimal(10 * PRICE), TIME_MS);
    const size = { signedSize: new Decimal(10), entryNotional: new Decimal(10 * PRICE) };
    positions.set(asset, { asset, coin: coinOf(asset), ...size, marginMode: 'cross', leverage: 20, rawUsd: ZERO, funding, trip });
  }
  const notional = POSITIONS * 10 * PRICE;
  return { ...emptyAccount(id), seq: 1, timeMs: TIME_MS, cash: new Decimal(notional * (equity - 1)), positions };
}

function coinOf(n: number): string {
  return `COIN${n}`;
}

function markOf(asset: number, price: number): ContextChange {
  const markPx = price.toFixed(4);
  const context: AssetContext = {
    funding: '0.0000125',
    openInterest: '1',
    prevDayPx: markPx,
    dayNtlVlm: '0',
    premium: '0',
    oraclePx: markPx,
    markPx,
    midPx: null,
    impactPxs: null,
  };
  return { type: 'context', coin: coinOf(asset), timeMs: TIME_MS, context };
}

function cpuMicros(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}
