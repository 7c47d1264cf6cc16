// Compares one account as the journal has it with MongoDB, with every answer of the API, and with a second bookkeeping of
// its money: the same everywhere, to the last micro-USD.
import { expect } from 'chai';
import { type FillRow, HISTORY_KINDS } from '../../../src/actors/core/messages/historyRows.ts';
import { Fraction } from '../fraction.ts';
import { LedgerOracle } from '../ledgerOracle.ts';
import type { Stack, TestAccount } from '../stack.ts';
import { COINS } from './coins.ts';
import { type AccountPast, fillsOf, fundingOf, orderRowsOf } from './pastOfAccount.ts';
import type { StoredPast } from './stored.ts';

/** Rows that the API gives at once. */
const ROWS_SHOWN_MAX = 2000;
/** Orders of an account that are asked for one by one. */
const ORDERS_ASKED_MAX = 12;
const NOTHING = Fraction.of('0');

export function checkStored(past: AccountPast, stored: StoredPast): void {
  for (const kind of HISTORY_KINDS) {
    const rows = past.rows.filter((row) => row.kind === kind).map(({ number, row }) => ({ kind, number, row }));
    expect(
      rows.map(({ number }) => number),
      `numbers of ${kind}`,
    ).to.deep.equal(rows.map((_, i) => i));
    // By way of JSON: that is what a stored row is.
    expect(stored.rows[kind], `${kind} in MongoDB`).to.deep.equal(JSON.parse(JSON.stringify(rows)));
  }
  const ended = orderRowsOf(past).filter(({ status }) => status !== 'open');
  const byOid = (a: { order: { oid: number } }, b: { order: { oid: number } }): number => a.order.oid - b.order.oid;
  expect(stored.orderEnds.toSorted(byOid), 'ended orders in MongoDB').to.deep.equal(ended.toSorted(byOid));
  const cloids = new Map<string, number>();
  for (const { order } of ended) if (order.cloid !== undefined) cloids.set(order.cloid, order.oid);
  expect([...stored.cloids].toSorted(), 'cloids in MongoDB').to.deep.equal([...cloids].toSorted());
}

export async function checkAnswers(stack: Stack, account: TestAccount, past: AccountPast): Promise<void> {
  const ask = (type: string, fields: object = {}) => stack.ask(account.apiKey, { type, user: account.address, ...fields });
  const [fills, history, open, state, ledger] = await Promise.all([
    ask('userFills'),
    ask('historicalOrders'),
    ask('openOrders'),
    ask('clearinghouseState'),
    ask('userNonFundingLedgerUpdates', { startTime: 0 }),
  ]);
  const shown = (fills as WireFill[]).map(fromWire);
  const ownFills = fillsOf(past).toReversed().slice(0, ROWS_SHOWN_MAX).map(toFigures);
  expect(shown, 'userFills').to.deep.equal(ownFills);
  const ownHistory = orderRowsOf(past)
    .toReversed()
    .slice(0, ROWS_SHOWN_MAX)
    .map(({ order, status, timeMs }) => `${order.oid} ${order.cloid} ${status} ${timeMs}`);
  expect((history as WireStatus[]).map(statusText), 'historicalOrders').to.deep.equal(ownHistory);
  const ownOpen = [...past.account.orders.values()].map(({ oid, size, limitPrice }) => [oid, plain(size), plain(limitPrice)]);
  const openNow = (open as { oid: number; sz: string; limitPx: string }[]).map(({ oid, sz, limitPx }) => [
    oid,
    plain(sz),
    plain(limitPx),
  ]);
  expect(openNow.toSorted(byFirst), 'openOrders').to.deep.equal(ownOpen.toSorted(byFirst));
  expect(ledger, 'deposits').to.have.length(1);
  checkMoney(past, ledger[0].delta.usdc, fills.length < ROWS_SHOWN_MAX ? (fills as WireFill[]) : undefined, state);
  await checkOrderStatus(past, ask);
}

/** Newest orders by cloid, the last word on each. */
async function checkOrderStatus(
  past: AccountPast,
  ask: (type: string, fields: object) => Promise<WireOrderStatus>,
): Promise<void> {
  for (const { order, status } of orderRowsOf(past).slice(-ORDERS_ASKED_MAX)) {
    if (order.cloid === undefined) continue;
    const answer = await ask('orderStatus', { oid: order.cloid });
    expect(answer.order?.order.oid, `orderStatus of ${order.cloid}`).to.equal(order.oid);
    const last = orderRowsOf(past).findLast((row) => row.order.oid === order.oid);
    expect(answer.order?.status, `orderStatus of ${order.cloid}`).to.equal(last?.status ?? status);
  }
}

/**
 * Folds the fills once more, in exact rationals and from the API's own answer where that is complete. Funding is taken as it was paid:
 * a test may run when it is settled.
 */
function checkMoney(past: AccountPast, depositUsd: string, wireFills: readonly WireFill[] | undefined, state: WireState): void {
  const oracle = new LedgerOracle();
  oracle.deposit(depositUsd);
  const fills = wireFills ? wireFills.toReversed().map(fromWire) : fillsOf(past).map(toFigures);
  for (const fill of fills) {
    const coin = coinOf(fill.coin);
    const { side, price, size, liquidity } = fill;
    const numbers = oracle.fill({
      ...{ asset: coin.asset, side, price, size, liquidity },
      ...{ marginMode: 'cross', leverage: 20, markPrice: coin.mark, sizeDecimals: coin.sizeDecimals },
    });
    expect(
      { fee: plain(numbers.fee), closedPnl: plain(numbers.closedPnl), startPosition: plain(numbers.startPosition) },
      `fill ${fill.tid}`,
    ).to.deep.equal({
      fee: fill.fee,
      closedPnl: fill.closedPnl,
      startPosition: fill.startPosition,
    });
  }
  for (const { coin, usd } of fundingOf(past)) oracle.fund(coinOf(coin).asset, Fraction.of(usd), NOTHING);
  expect(oracle.isConserved, 'money is conserved').to.equal(true);
  expect(plain(past.account.cash.toFixed()), 'cash').to.equal(plain(oracle.cash));
  const held = oracle.assets.map((asset) => [asset, plain(oracle.position(asset)?.signedSize ?? '0')]);
  const shown = state.assetPositions.map(({ position }) => [coinOf(position.coin).asset, plain(position.szi)]);
  expect(shown.toSorted(byFirst), 'positions').to.deep.equal(held.toSorted(byFirst));
  const worth = oracle.assets.reduce(
    (sum, asset) => sum.plus(Fraction.of(oracle.position(asset)?.signedSize ?? '0').times(Fraction.of(markOf(asset)))),
    Fraction.of(oracle.cash),
  );
  expect(plain(state.marginSummary.totalRawUsd), 'raw USD').to.equal(plain(oracle.cash));
  expect(plain(state.marginSummary.accountValue), 'account value').to.equal(worth.text());
}

interface WireFill {
  readonly coin: string;
  readonly px: string;
  readonly sz: string;
  readonly side: 'A' | 'B';
  readonly time: number;
  readonly startPosition: string;
  readonly closedPnl: string;
  readonly oid: number;
  readonly tid: number;
  readonly crossed: boolean;
  readonly fee: string;
  readonly cloid?: string;
}

interface WireStatus {
  readonly order: { readonly oid: number; readonly cloid: string | null };
  readonly status: string;
  readonly statusTimestamp: number;
}

interface WireOrderStatus {
  readonly order?: WireStatus;
}

interface WireState {
  readonly marginSummary: { readonly accountValue: string; readonly totalRawUsd: string };
  readonly assetPositions: readonly { readonly position: { readonly coin: string; readonly szi: string } }[];
}

const toFigures = (fill: FillRow) => ({
  ...{ coin: fill.coin, tid: fill.tid, oid: fill.oid, cloid: fill.cloid, side: fill.side, timeMs: fill.timeMs },
  ...{ price: plain(fill.price), size: plain(fill.size), fee: plain(fill.fee), closedPnl: plain(fill.closedPnl) },
  ...{ startPosition: plain(fill.startPosition), liquidity: fill.liquidity },
});

const fromWire = (fill: WireFill): ReturnType<typeof toFigures> => ({
  ...{ coin: fill.coin, tid: fill.tid, oid: fill.oid, cloid: fill.cloid, timeMs: fill.time },
  side: fill.side === 'B' ? 'buy' : 'sell',
  ...{ price: plain(fill.px), size: plain(fill.sz), fee: plain(fill.fee), closedPnl: plain(fill.closedPnl) },
  startPosition: plain(fill.startPosition),
  liquidity: fill.crossed ? 'taker' : 'maker',
});

const statusText = ({ order, status, statusTimestamp }: WireStatus): string =>
  `${order.oid} ${order.cloid} ${status} ${statusTimestamp}`;

/** A number's text without padding, so that texts can be compared. */
const plain = (text: string): string => Fraction.of(text).text();

const byFirst = ([a]: readonly unknown[], [b]: readonly unknown[]): number => Number(a) - Number(b);

function coinOf(name: string): (typeof COINS)[number] {
  const coin = COINS.find(({ coin }) => coin === name);
  if (!coin) throw new Error(`no coin ${name} in this market`);
  return coin;
}

const markOf = (asset: number): string => COINS.find((coin) => coin.asset === asset)?.mark ?? '0';
