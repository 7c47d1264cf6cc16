// The memory of views of accounts at an API node after all their questions were answered, beside what VIEWS_MAX_BYTES counts
// for them. `node --expose-gc --import tsx bench/viewMemory.ts`
import type { Outcome } from '../src/actors/core/messages/queryAnswer.ts';
import type { AccountGateway } from '../src/api/accounts/accountGateway.ts';
import { KeptHistory } from '../src/api/accounts/views/accountReading.ts';
import { AccountViews } from '../src/api/accounts/views/accountViews.ts';
import { answerInfo } from '../src/api/info/answerInfo.ts';
import { tradingRules } from '../src/features/rules.ts';
import { ExchangeInMemory } from '../test/support/exchangeInMemory.ts';
import { newestFormats } from '../test/support/formats.ts';
import { gatewayOf } from '../test/support/gatewayOf.ts';
import { wireOrder } from '../test/support/orderWire.ts';
import { accountIds } from './support/accounts.ts';
import { round } from './support/load.ts';

/** Views of each size, asked for the leverage of so many coins; the more there are, the less the rest of the process matters. */
const SIZES = [
  { positions: 0, openOrders: 0, fills: 0, coins: 0, views: 2000 },
  { positions: 0, openOrders: 0, fills: 0, coins: 16, views: 2000 },
  { positions: 10, openOrders: 0, fills: 0, coins: 0, views: 500 },
  { positions: 10, openOrders: 20, fills: 0, coins: 0, views: 500 },
  { positions: 0, openOrders: 500, fills: 0, coins: 0, views: 40 },
  { positions: 10, openOrders: 0, fills: 100, coins: 0, views: 100 },
];
const QUESTIONS = ['clearinghouseState', 'openOrders', 'frontendOpenOrders', 'userFees', 'clearinghouseState'];
const DEEP = '1000000000';

const { gc } = globalThis;
if (!gc) throw new Error('run with --expose-gc');
const collect = () => void gc?.();

for (const size of SIZES) {
  const exchange = await traded(size);
  const { views, ask } = nodeOf(exchange);
  const ids = accountIds(size.views);
  collect();
  const before = process.memoryUsage().heapUsed;
  for (const id of ids) await ask(id, size);
  collect();
  const bytes = (process.memoryUsage().heapUsed - before) / size.views;
  const counted = views.figures.bytes / size.views;
  if (views.figures.size !== size.views) throw new Error('not all of them are views');
  console.log(JSON.stringify({ case: nameOf(size), bytes: Math.round(bytes), counted, ratio: round(counted / bytes, 2) }));
}

function nameOf(size: (typeof SIZES)[number]): string {
  const { views: _views, ...parts } = size;
  const named = Object.entries(parts).flatMap(([name, count]) => (count > 0 ? [`${count} ${name}`] : []));
  return named.length === 0 ? 'a flat account' : named.join(', ');
}

/** An account with so many positions, orders and fills. */
async function traded({ positions, openOrders, fills }: (typeof SIZES)[number]): Promise<ExchangeInMemory> {
  const exchange = new ExchangeInMemory();
  const coins = Array.from({ length: 16 }, (_, asset) => exchange.coinOf(asset));
  for (const coin of coins) exchange.setMarket(coin, { mark: '100', bids: [['99.9', DEEP]], asks: [['100.1', DEEP]] });
  const order = (asset: number, px: string, tif: 'Gtc' | 'Ioc') => wireOrder(asset, { px, sz: '1', tif });
  const orders = [
    ...Array.from({ length: Math.max(positions, fills) }, (_, n) => order(n % positions, '101', 'Ioc')),
    ...Array.from({ length: openOrders }, (_, n) => order(n % 10, String(90 - Math.floor(n / 10)), 'Gtc')),
  ];
  exchange.nowMs += 1;
  if (orders.length > 0) await exchange.exchange({ type: 'order', orders, grouping: 'na' });
  return exchange;
}

/** A node where every account is a copy of the exchange's. */
function nodeOf(exchange: ExchangeInMemory) {
  const plain = exchange.services;
  const gateway = gatewayOf(async (id, command, options) => withId(await plain.gateway.send(id, command, options), id));
  const parts = { gateway, market: exchange.market, formats: newestFormats, config: { VIEWS_MAX_BYTES: 1e9 }, log: plain.log };
  const views = new AccountViews({
    ...parts,
    rules: tradingRules,
    versions: { read: async () => exchange.version },
    now: () => exchange.nowMs,
  });
  const copied = {
    ...plain.history,
    latest: async (...asked: Parameters<typeof plain.history.latest>) => copyOf(await plain.history.latest(...asked)),
  };
  const historyOf = (asked: Pick<AccountGateway, 'ask'>) => {
    const latest = async (...wanted: Parameters<typeof plain.history.latest>) => {
      await asked.ask(wanted[0].accountId, { kind: 'history', rows: wanted[1], want: { limit: 1000 } }, { requestId: '' });
      return copied.latest(...wanted);
    };
    return { ...copied, latest };
  };
  const history = new KeptHistory({ views, gateway: views, historyOf, onKept: () => undefined });
  const services = { ...plain, gateway: { ...gateway, ask: views.ask.bind(views) }, history };
  const ask = async (accountId: string, { fills, coins }: (typeof SIZES)[number]): Promise<void> => {
    const call = { ...exchange.call, caller: { ...exchange.call.caller, accountId, address: accountId } };
    const types = fills > 0 ? [...QUESTIONS, 'userFills'] : QUESTIONS;
    const ofCoins = Array.from({ length: coins }, (_, asset) => exchange.coinOf(asset));
    const bodies = [
      ...types.map((type) => ({ type })),
      ...ofCoins.map((coin) => ({ type: 'activeAssetData', user: accountId, coin })),
    ];
    for (let round = 0; round < 3; round++) {
      for (const body of bodies) await answerInfo(body, call, services);
    }
  };
  return { views, ask };
}

/** As it comes over the wire: no two accounts share anything. */
function withId(outcome: Outcome, id: string): Outcome {
  const copy = copyOf(outcome);
  if (copy.type === 'answer' && copy.answer.kind === 'accountView' && copy.answer.view)
    Object.assign(copy.answer.view.state, { id });
  return copy;
}

function copyOf<Value>(value: Value): Value {
  return JSON.parse(JSON.stringify(value)) as Value;
}
