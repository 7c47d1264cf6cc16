// Lists the files of the trading rules that one order runs through: the files of src/actors/core with a function
// that is executed while one IOC order that fills is decided and folded. A reader who follows that order reads them
// all, so their number is watched like a speed. Prints each file with its lines, and the count last: `node --import
// tsx bench/filesOfAnOrder.ts`.
import { readFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Account, emptyAccount } from '../src/actors/core/account/account.ts';
import { decide } from '../src/actors/core/decide.ts';
import { recordEntry } from '../src/actors/core/fold/recordEntry.ts';
import type { AccountCommand } from '../src/actors/core/messages/command.ts';
import { NEWEST_FORMAT } from '../src/shared/domain/formats.ts';
import { ShardIds } from '../src/shared/domain/ids.ts';
import { FixtureMarket } from '../test/support/fixtureMarket.ts';

const DOMAIN = fileURLToPath(new URL('../src/actors/core/', import.meta.url));

const market = new FixtureMarket();
const ids = new ShardIds({ shard: 0, shards: 16, counter: 0 });

/** One command, decided and folded, as the actor does it. */
function run(account: Account, command: AccountCommand): Account {
  const { events, requests } = decide(account, command, { nowMs: market.nowMs, market, ids, format: NEWEST_FORMAT });
  return recordEntry(account, { timeMs: market.nowMs, requests, events }, market).account;
}

/** Buys 1 SOL: at the best ask at once, or on the book below the best bid. */
function buy(limitPrice: string, timeInForce: 'ioc' | 'gtc'): AccountCommand {
  const type = { kind: 'limit', timeInForce } as const;
  const order = { asset: 2, side: 'buy', limitPrice, size: '1', reduceOnly: false, type } as const;
  return { type: 'placeOrders', orders: [order], grouping: 'na' };
}

/** Files of the domain, relative to it, with a function that `work` has executed; loading a file does not count. */
async function filesOf(work: () => void): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(({ url }) => url.startsWith('file:') && fileURLToPath(url).startsWith(DOMAIN))
    .filter(({ functions }) => functions.some(({ ranges: [range] }) => range && range.startOffset > 0 && range.count > 0))
    .map(({ url }) => relative(DOMAIN, fileURLToPath(url)))
    .sort();
}

/** The account before the order: opened, with a position that an earlier order has bought, and an order on the book. */
const earlier: readonly AccountCommand[] = [{ type: 'openAccount', depositUsd: '10000' }, buy('100', 'ioc'), buy('99', 'gtc')];
const account = earlier.reduce(run, emptyAccount('reader'));
let after = account;
const files = await filesOf(() => {
  after = run(account, buy('100', 'ioc'));
});
if (after.rowCounts.fills !== 2) throw new Error('the order did not fill');
for (const file of files) {
  const lines = readFileSync(`${DOMAIN}${file}`, 'utf8').split('\n').length - 1;
  console.log(`${String(lines).padStart(4)} ${file}`);
}
console.log(`${files.length} files`);
