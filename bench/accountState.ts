// Questions about accounts, 10 connections, beside a bare stack that gives answers of the same size: 500 accounts with 10
// positions in turn while the marks move every second, at rest and while each trades once a second; without positions, beside a
// Koa hello too; 100 open orders, the newest 100 fills, the leverage of a coin. BENCH_ACCOUNTS says how many accounts, BENCH_CASES which
// of the cases. `node --import tsx bench/accountState.ts`

import { setTimeout as pause } from 'node:timers/promises';
import { wireOrder } from '../test/support/orderWire.ts';
import type { TestAccount } from '../test/support/stack.ts';
import { type Asked, conversationsOf } from './support/accountQuestions.ts';
import { BENCH_COINS, registerAccounts, startExchange } from './support/exchange.ts';
import { compare } from './support/sideBySide.ts';

const CONNECTIONS = 10;
const POSITIONS = 10;
const ORDERS = 100;
const FILLS = 100;
const { BENCH_ACCOUNTS = '500', BENCH_CASES = '' } = process.env;
/** Market orders are this far through the mark, so that they fill in any book. */
const THROUGH = 1.03;
const MARKS_EVERY_MS = 1000;
/** Accounts are at rest when the books have renewed what their fills took. */
const REST_MS = 40_000;
/** Accounts that are made ready at once. */
const PREPARED_AT_ONCE = 16;

interface Case {
  readonly asked: Asked;
  readonly accounts: readonly TestAccount[];
  /** The bare stack answers with a word. */
  readonly isHello?: true;
}

const stack = await startExchange();
const { body: meta } = await stack.info((await stack.register()).apiKey, { type: 'meta' });
const held: { readonly coin: string; readonly asset: number; readonly mid: number; readonly decimals: number }[] = [];

try {
  const accounts = await registerAccounts(stack, Number(BENCH_ACCOUNTS));
  const [first] = accounts as [TestAccount];
  await chooseCoins(first);
  const flat = await registerAccounts(stack, CONNECTIONS);
  const many = await registerAccounts(stack, CONNECTIONS);
  await eachOf(accounts, openPositions);
  await eachOf(many, async (account) => {
    await trade(account, FILLS);
    await rest(account, ORDERS);
  });
  const state = { type: 'clearinghouseState', has: '"assetPositions"' };
  const cases: Record<string, Case> = {
    clearinghouseState10: { asked: state, accounts },
    clearinghouseState10trading: { asked: { ...state, tradesEveryMs: 1000 }, accounts },
    clearinghouseState0: { asked: state, accounts: flat },
    clearinghouseState0hello: { asked: state, accounts: flat, isHello: true },
    openOrders100: { asked: { type: 'openOrders', has: '"limitPx"' }, accounts: many },
    userFills100: { asked: { type: 'userFills', has: '"closedPnl"' }, accounts: many },
    activeAssetData: { asked: { type: 'activeAssetData', fields: { coin: 'ETH' }, has: '"maxTradeSzs"' }, accounts },
  };
  const marks = setInterval(() => void moveMarks(), MARKS_EVERY_MS);
  await pause(REST_MS);
  for (const [name, { asked, accounts: those, isHello }] of Object.entries(cases)) {
    if (BENCH_CASES !== '' && !BENCH_CASES.split(',').includes(name)) continue;
    const [{ apiKey }] = those as [TestAccount];
    const { body: sample } = await stack.info(apiKey, { type: asked.type, ...asked.fields });
    const answers = { [asked.type]: isHello ? asked.has : sample, order: { status: 'ok', response: { filled: '"filled"' } } };
    const result = await compare(stack, answers, conversationsOf(those, asked, CONNECTIONS));
    console.log(JSON.stringify({ [name]: result }));
  }
  clearInterval(marks);
} finally {
  await stack.stop();
}

async function eachOf(accounts: readonly TestAccount[], prepare: (account: TestAccount) => Promise<void>): Promise<void> {
  for (let i = 0; i < accounts.length; i += PREPARED_AT_ONCE) {
    await Promise.all(accounts.slice(i, i + PREPARED_AT_ONCE).map(prepare));
  }
}

/** The first coins whose orders fill: the positions of all accounts are in them. */
async function chooseCoins(account: TestAccount): Promise<void> {
  const { body: mids } = await stack.info(account.apiKey, { type: 'allMids' });
  for (const [asset, { name: coin, szDecimals: decimals, isDelisted }] of meta.universe.entries()) {
    if (held.length === POSITIONS) return;
    if (isDelisted === true || mids[coin] === undefined) continue;
    const one = { coin, asset, mid: Number(mids[coin]), decimals };
    if (await fill(account, one)) held.push(one);
  }
  throw new Error(`only ${held.length} coins fill`);
}

async function openPositions(account: TestAccount): Promise<void> {
  for (const one of held) if (!(await fill(account, one))) throw new Error(`an order of ${one.coin} did not fill`);
}

async function fill({ apiKey }: TestAccount, { asset, mid, decimals }: (typeof held)[number]): Promise<boolean> {
  const px = String(Number((mid * THROUGH).toPrecision(3)));
  const sz = (Math.ceil((12 / mid) * 10 ** decimals) / 10 ** decimals).toFixed(decimals);
  const action = { type: 'order', orders: [wireOrder(asset, { px, sz, tif: 'Ioc' })], grouping: 'na' };
  const { body } = await stack.exchange(apiKey, action);
  return body.response?.data?.statuses?.[0]?.filled !== undefined;
}

async function trade({ apiKey }: TestAccount, times: number): Promise<void> {
  const [{ asset, ask, bid, size }] = BENCH_COINS;
  const orders = Array.from({ length: times }, (_, i) =>
    wireOrder(asset, { px: i % 2 === 0 ? ask : bid, sz: size, tif: 'Ioc', buy: i % 2 === 0 }),
  );
  await stack.exchange(apiKey, { type: 'order', orders, grouping: 'na' });
}

async function rest({ apiKey }: TestAccount, count: number): Promise<void> {
  const [{ asset, size, bid }] = BENCH_COINS;
  const orders = Array.from({ length: count }, (_, i) => wireOrder(asset, { px: String(Number(bid) - 1000 - i), sz: size }));
  await stack.exchange(apiKey, { type: 'order', orders, grouping: 'na' });
}

/** Each mark a little up or down. */
async function moveMarks(): Promise<void> {
  const up = 1 + (Math.random() - 0.5) / 1000;
  const moves = held.map(({ coin, mid }) =>
    stack.market.control({ op: 'setPrice', coin, px: String(Number((mid * up).toPrecision(5))) }),
  );
  await Promise.all(moves);
}
