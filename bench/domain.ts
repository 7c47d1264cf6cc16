// Measures the speed of the trading rules alone, and the size of an account in memory: one core, no Redis, no HTTP.
// Prints one line of JSON. `node --expose-gc --import tsx bench/domain.ts [--against <folder>]`, or the compiled file.
// The folder is another build of the project, with its node_modules: the bench of each runs in turns, BENCH_ROUNDS times.

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Account, emptyAccount } from '../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../src/actors/core/account/accountCodec.ts';
import type { AccountCommand } from '../src/actors/core/messages/command.ts';
import type { OrderRequest } from '../src/actors/core/messages/order.ts';
import { decide, recordEntry } from '../src/features/rules.ts';
import { NEWEST_FORMAT } from '../src/shared/domain/formats.ts';
import { ShardIds } from '../src/shared/domain/shards.ts';
import { BenchMarket } from './support/benchMarket.ts';
import { median } from './support/sideBySide.ts';

const COINS = 10;
const POSITIONS_HELD = 5;
const WARM_UP_ORDERS = 20_000;
const MEASURED_ORDERS = 100_000;
const ACCOUNTS_MEASURED = 2000;
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? '5');

const market = new BenchMarket(COINS);
const ids = new ShardIds({ shard: 0, shards: 16, counter: 0 });
let counter = 0;

function run(account: Account, command: AccountCommand): Account {
  const { events, requests } = decide(account, command, { nowMs: market.nowMs, market, ids, format: NEWEST_FORMAT });
  counter += 1;
  const id = { incarnation: 'bench', counter };
  return recordEntry(account, { timeMs: market.nowMs, command: id, requests, events }, market).account;
}

function order(fields: Partial<OrderRequest>): AccountCommand {
  const base: OrderRequest = {
    asset: 0,
    side: 'buy',
    limitPrice: '105',
    size: '0.2',
    reduceOnly: false,
    type: { kind: 'limit', timeInForce: 'ioc' },
  };
  return { type: 'placeOrders', orders: [{ ...base, ...fields }], grouping: 'na' };
}

function opened(positions: number, restingOrders: number, id = 'bench'): Account {
  let account = run(emptyAccount(id), { type: 'openAccount', depositUsd: '1000000' });
  for (let asset = 0; asset < positions; asset++) account = run(account, order({ asset, size: '1' }));
  const type = { kind: 'limit', timeInForce: 'gtc' } as const;
  for (let n = 0; n < restingOrders; n++) {
    account = run(account, order({ asset: n % COINS, limitPrice: `${99 - (n % 7)}.5`, size: '1.25', type }));
  }
  return account;
}

/** IOC orders that fill, buys and sells in turn over the held coins; per second of CPU time, so that a busy machine tells the same. */
function ordersPerSecond(): number {
  let account = opened(POSITIONS_HELD, 0);
  const commands = Array.from({ length: POSITIONS_HELD * 2 }, (_, n) =>
    order(n % 2 === 0 ? { asset: n >> 1 } : { asset: n >> 1, side: 'sell', limitPrice: '95' }),
  );
  const fill = (count: number) => {
    for (let n = 0; n < count; n++) {
      if (n % 50 === 0) market.move();
      account = run(account, commands[n % commands.length] ?? order({}));
    }
  };
  fill(WARM_UP_ORDERS);
  const before = account.rowCounts.fills;
  const start = process.cpuUsage();
  fill(MEASURED_ORDERS);
  const seconds = process.cpuUsage(start).user / 1e6;
  if (account.rowCounts.fills - before < MEASURED_ORDERS) throw new Error('not every order filled');
  return Math.round(MEASURED_ORDERS / seconds);
}

/** Heap of an account with 10 positions and 20 open orders as recovery makes it, bytes; 0 without --expose-gc. */
function bytesPerAccount(): number {
  if (!globalThis.gc) return 0;
  const text = toSnapshot(opened(10, 20), NEWEST_FORMAT);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const accounts = Array.from({ length: ACCOUNTS_MEASURED }, () => fromSnapshot(text));
  globalThis.gc();
  return Math.round((process.memoryUsage().heapUsed - before) / accounts.length);
}

/** Orders per second of this build and of the other one, medians of the rounds, and the median of their ratios. */
function compare(folder: string): Record<string, number | number[]> {
  const here = fileURLToPath(new URL('..', import.meta.url));
  const rounds = Array.from({ length: ROUNDS }, () => ({ ours: speedOf(here), theirs: speedOf(folder) }));
  const ratios = rounds.map(({ ours, theirs }) => ours / theirs);
  return {
    ordersPerSecond: median(rounds.map(({ ours }) => ours)),
    against: median(rounds.map(({ theirs }) => theirs)),
    ratio: median(ratios),
    ratios,
  };
}

function speedOf(folder: string): number {
  const text = execFileSync(process.execPath, ['--import', 'tsx', 'bench/domain.ts'], { cwd: folder, encoding: 'utf8' });
  return (JSON.parse(text) as { readonly ordersPerSecond: number }).ordersPerSecond;
}

const { against } = parseArgs({ options: { against: { type: 'string' } } }).values;
const figures = against ? compare(against) : { ordersPerSecond: ordersPerSecond(), bytesPerAccount: bytesPerAccount() };
console.log(JSON.stringify(figures));
