import { expect } from 'chai';
import {
  type EquityNow,
  type EquityRows,
  equityCurve,
  largestLossShare,
} from '../../../../src/actors/core/history/equityCurve.ts';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import type { FillRow, FundingRow, LedgerRow } from '../../../../src/actors/core/messages/historyRows.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { book, given, leverage, mark, place, type Scenario } from '../../../support/scenario.ts';

const usd = (text: string) => new Decimal(text);
const deposit = (timeMs: number, text: string): LedgerRow => ({ timeMs, kind: 'deposit', usd: text });
const nothing: EquityRows = { fills: [], funding: [], ledger: [] };

/** `[time, account value, PnL since ever]`. */
function shown(rows: Partial<EquityRows>, now: EquityNow): [number, string, string][] {
  return equityCurve({ ...nothing, ...rows }, now).map(({ timeMs, accountValue, pnl }) => [
    timeMs,
    accountValue.toString(),
    pnl.toString(),
  ]);
}

const present = (timeMs: number, rawUsd: string, netDepositsUsd: string, positions: [string, Decimal][] = []): EquityNow => ({
  timeMs,
  rawUsd: usd(rawUsd),
  netDepositsUsd: usd(netDepositsUsd),
  positions: new Map(positions),
});

/** The curve by the rows of a scenario and its state of now. */
function told({ entries, account }: Scenario, state = account): { rows: EquityRows; rawUsd: Decimal } {
  const all = entries.flatMap((entry) => rowsOf(entry));
  const rows = {
    fills: all.flatMap((row) => (row.kind === 'fills' ? [row.row] : [])),
    funding: all.flatMap((row) => (row.kind === 'funding' ? [row.row] : [])),
    ledger: all.flatMap((row) => (row.kind === 'ledger' ? [row.row] : [])),
  };
  return { rows, rawUsd: [...state.positions.values()].reduce((total, { rawUsd }) => total.plus(rawUsd), state.cash) };
}

describe('equityCurve: an account from its rows', () => {
  it('EX-4.11: a deposit in between is no profit', () => {
    // 10000 became 10500 although 1000 were added: 500 were lost, here by a payment.
    const lost: FundingRow = { timeMs: 300, coin: 'SOL', usd: '-500', signedSize: '1', fundingRate: '0', hours: 1 };
    const rows = { ledger: [deposit(100, '10000'), deposit(200, '1000')], funding: [lost] };
    expect(shown(rows, present(400, '10500', '11000'))).to.deep.equal([
      [100, '10000', '0'],
      [200, '11000', '0'],
      [300, '10500', '-500'],
      [400, '10500', '-500'],
    ]);
  });

  it('a position is worth what its coin last traded at here, and its mark now', () => {
    const scenario = given(place({ size: '2', limitPrice: '100', tif: 'ioc' }));
    scenario.given(book('SOL', [['105', '9']], [['106', '9']]), mark('SOL', '104'));
    scenario.given(place({ side: 'sell', size: '1', limitPrice: '105', tif: 'ioc' }));
    const { rows, rawUsd } = told(scenario);
    const { timeMs } = scenario.account;
    const now = { timeMs, rawUsd, netDepositsUsd: usd('10000'), positions: new Map([['SOL', usd('104')]]) };
    // 2 at 100 with a fee of 0.09; then one of them at 105 with 0.04725, the other worth 105; now 104.
    const values = equityCurve(rows, now).map(({ accountValue }) => accountValue.toString());
    expect(values.slice(-3)).to.deep.equal(['9999.91', '10009.86275', '10008.86275']);
    expect(values.at(-1)).to.equal(new Decimal(scenario.state().marginSummary.accountValue).toString());
  });

  it('begins at the first price known where the older rows are missing', () => {
    const fill: FillRow = {
      tid: 1,
      oid: 1,
      coin: 'SOL',
      side: 'sell',
      price: '110',
      size: '1',
      timeMs: 500,
      startPosition: '3',
      direction: 'Close Long',
      closedPnl: '10',
      fee: '0.0495',
      liquidity: 'taker',
    };
    const now = present(900, '-90', '100', [['SOL', usd('224')]]);
    expect(shown({ fills: [fill] }, now)).to.deep.equal([
      [500, '130', '30'],
      [900, '134', '34'],
    ]);
  });

  it('is exact to the last micro-USD whatever thirds the entry price has, cross and isolated', () => {
    const scenario = given(leverage(2, 3, 'isolated'), book('SOL', [['90', '99']], [['100', '99']]));
    for (const [side, size] of [
      ['buy', '1.11'],
      ['buy', '0.37'],
      ['sell', '0.5'],
      ['sell', '2.5'],
      ['buy', '0.19'],
    ] as const) {
      scenario.given(place({ side, size, limitPrice: side === 'buy' ? '100' : '90', tif: 'ioc' }));
    }
    const { rows, rawUsd } = told(scenario);
    const now = { timeMs: scenario.account.timeMs, rawUsd, netDepositsUsd: usd('10000'), positions: new Map() };
    const [first] = equityCurve(rows, now);
    expect([first?.accountValue.toString(), first?.pnl.toString()]).to.deep.equal(['10000', '0']);
  });
});

describe('maxDrawdown: each pair of points has its own denominator', () => {
  const points = (...pairs: readonly (readonly [accountValue: string, pnl: string])[]) =>
    pairs.map(([accountValue, pnl], timeMs) => ({ timeMs, accountValue: usd(accountValue), pnl: usd(pnl) }));
  const cases = [
    { name: 'EX-4.11: from 200 at 1200 down to -100', points: points(['1000', '0'], ['1200', '200'], ['900', '-100']), want: '0.25' },
    { name: 'a later deposit is not a gain', points: points(['1000', '0'], ['2900', '-100']), want: '0.1' },
    { name: 'the smaller loss may be the larger share', points: points(['100', '0'], ['40', '-60'], ['1040', '-60'], ['900', '-200']), want: '3.5' },
    { name: 'nothing lost', points: points(['1000', '0'], ['1100', '100']), want: '0' },
    { name: 'no points', points: [], want: '0' },
    { name: 'a start without worth does not count', points: points(['0', '0'], ['-5', '-5']), want: '0' },
  ]; // biome-ignore format: a row per case
  for (const { name, points: curve, want } of cases) {
    it(name, () => expect(largestLossShare(curve).toString()).to.equal(want));
  }
});
