// Forks of a large account, one after the other, then a what-if that receives its commands, and then comparisons of both, beside a neighbour
// of the same shard that cancels one order after the other. Prints what the neighbour waits for its owner, how long the owner's loop is held
// by the one command that begins a fork, and what the comparisons have read. `node --import tsx bench/fork.ts [--seconds 4]`
import { parseArgs } from 'node:util';
import { emptyAccount } from '../src/actors/core/account/account.ts';
import { fromSnapshot, toSnapshot } from '../src/actors/core/account/accountCodec.ts';
import { decide, recordEntry } from '../src/features/rules.ts';
import { NEWEST_FORMAT } from '../src/shared/domain/formats.ts';
import { ShardIds } from '../src/shared/domain/shards.ts';
import { stateHashOf } from '../src/shared/stateHash.ts';
import { FixtureMarket } from '../test/support/fixtureMarket.ts';
import { wireOrder } from '../test/support/orderWire.ts';
import { deposit, place, Scenario } from '../test/support/scenario.ts';
import type { TestAccount } from '../test/support/stack.ts';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { round } from './support/load.ts';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '4' } } });
const SECONDS = Number(values.seconds);
/** As many resting orders as an account may have. */
const ORDERS = 1000;
const BATCH = 50;
const ACCOUNT = '/v1/exchanges/perpx/account';

const stack = await startExchange({ env: { SHARDS: '1' } });
try {
  const [large, neighbour] = await registerAccounts(stack, 2);
  if (large === undefined || neighbour === undefined) throw new Error('no accounts');
  for (let at = 0; at < ORDERS; at += BATCH) {
    const orders = Array.from({ length: BATCH }, (_, n) => wireOrder(0, { px: String(20_000 + at + n), sz: '0.001' }));
    await stack.act(large.apiKey, { type: 'order', orders, grouping: 'na' });
  }
  const fork = (body: object) => stack.call('POST', `${ACCOUNT}/fork`, { key: large.apiKey, body });
  const seq = 1 + ORDERS / BATCH;
  const alone = await waits(neighbour, () => false);
  const took: number[] = [];
  const besideForks = await waits(neighbour, async (isOver) => {
    for (let n = 0; n < 8 && !isOver(); n++) {
      const beganMs = performance.now();
      const { status, body } = await fork({ name: `fork ${n}`, seq });
      if (status !== 200) throw new Error(JSON.stringify(body));
      took.push(performance.now() - beganMs);
    }
  });
  const trading = async (isOver: () => boolean): Promise<void> => {
    while (!isOver()) await stack.exchange(large.apiKey, { type: 'cancel', cancels: [{ a: 0, o: 1 }] });
  };
  const besideTrader = await waits(neighbour, trading);
  const whatIf = (await fork({ name: 'what if', seq, what_if: {} })).body.address as string;
  const besideWhatIf = await waits(neighbour, trading);
  const compared: { readonly ms: number; readonly entries: number }[] = [];
  const besideCompare = await waits(neighbour, async (isOver) => {
    while (!isOver()) {
      const beganMs = performance.now();
      const { status, body } = await stack.call('GET', `${ACCOUNT}/compare?with=${whatIf}`, { key: large.apiKey });
      if (status !== 200) throw new Error(JSON.stringify(body));
      compared.push({ ms: performance.now() - beganMs, entries: body.entries_read });
    }
  });
  const compares = {
    count: compared.length,
    longestMs: round(Math.max(...compared.map(({ ms }) => ms)), 1),
    entries: Math.max(...compared.map(({ entries }) => entries)),
  };
  const forksMs = { count: took.length, longest: round(Math.max(...took), 1) };
  console.log(
    JSON.stringify(
      {
        bench: 'fork',
        orders: ORDERS,
        beginUs: beginMicros(),
        forksMs,
        compares,
        alone,
        besideForks,
        besideTrader,
        besideWhatIf,
        besideCompare,
      },
      null,
      2,
    ),
  );
} finally {
  await stack.stop();
}

/** @param meanwhile ends when `isOver` says so, or before */
async function waits(of: TestAccount, meanwhile: (isOver: () => boolean) => unknown) {
  let isOver = false;
  const other = Promise.resolve(meanwhile(() => isOver));
  const ms: number[] = [];
  const endMs = performance.now() + SECONDS * 1000;
  while (performance.now() < endMs) {
    const beganMs = performance.now();
    await stack.exchange(of.apiKey, { type: 'cancel', cancels: [{ a: 0, o: 1 }] });
    ms.push(performance.now() - beganMs);
  }
  isOver = true;
  await other;
  ms.sort((a, b) => a - b);
  const at = (share: number): number => round(ms[Math.floor(share * (ms.length - 1))] ?? 0, 2);
  return { asked: ms.length, p50Ms: at(0.5), p99Ms: at(0.99), longestMs: at(1) };
}

/** Microseconds that deciding and folding `beginFork` of such an account take: the best of ten. */
function beginMicros(): number {
  const market = new FixtureMarket();
  const source = new Scenario(market).given(deposit('100000000'));
  for (let at = 0; at < ORDERS; at += BATCH)
    source.given(
      place(...Array.from({ length: BATCH }, (_, n) => ({ asset: 0, size: '0.01', limitPrice: String(20_000 + at + n) }))),
    );
  const text = toSnapshot(source.account, NEWEST_FORMAT);
  const hash = stateHashOf(fromSnapshot(text));
  const micros = Array.from({ length: 10 }, () => {
    const command = { type: 'beginFork', of: source.account.id, seq: source.account.seq, hash, state: JSON.parse(text) } as const;
    const context = {
      nowMs: market.nowMs,
      market,
      ids: new ShardIds({ shard: 0, shards: 1, counter: 0 }),
      format: NEWEST_FORMAT,
      stateHashOf,
    };
    const beganMs = performance.now();
    const decided = decide(emptyAccount('0xfork'), command, context);
    if (decided.outcome.type !== 'done') throw new Error(JSON.stringify(decided.outcome));
    recordEntry(emptyAccount('0xfork'), { ...decided, timeMs: market.nowMs }, market);
    return (performance.now() - beganMs) * 1000;
  });
  return Math.round(Math.min(...micros));
}
