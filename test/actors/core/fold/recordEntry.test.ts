import { expect } from 'chai';
import { emptyAccount } from '../../../../src/actors/core/account/account.ts';
import { toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import type { EquityRow } from '../../../../src/actors/core/messages/historyRows.ts';
import { overview } from '../../../../src/actors/core/views/overview.ts';
import { applyEntry } from '../../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { ACCOUNT_ID, given, mark, place, type Scenario } from '../../../support/scenario.ts';

const equityRows = ({ entries }: Scenario): EquityRow[] =>
  entries.flatMap(rowsOf).flatMap((numbered) => (numbered.kind === 'equity' ? [numbered.row] : []));
const last = (scenario: Scenario): EquityRow | undefined => equityRows(scenario).at(-1);

describe('equityNote: what an account is worth when its money or positions change', () => {
  const bought = () => given(place({ size: '3', limitPrice: '100' }));

  it('a fill is a point at the marks of its moment: 3 at 100 cost a fee of 0.135', () => {
    expect(last(bought())).to.deep.include({ accountValue: '9999.865', balance: '9999.865', openPositions: 1 });
  });

  it('an order without a fill notes nothing', () => {
    const scenario = bought();
    const before = equityRows(scenario).length;
    scenario.when(place({ limitPrice: '90' }));
    expect(equityRows(scenario)).to.have.length(before);
  });

  it('a sample tells the marks of its moment, once a period and only of accounts with positions', () => {
    const scenario = bought();
    const periodMs = scenario.market.nowMs + 1000;
    scenario.market.nowMs = periodMs + 5;
    scenario.given(mark('SOL', '110')).when({ type: 'sampleEquity', periodMs });
    expect(last(scenario)).to.deep.include({ timeMs: periodMs + 5, openPositions: 1, netDepositsUsd: '10000.0' });
    const { accountValue, balance } = last(scenario) as EquityRow;
    expect(Number(accountValue) - Number(balance)).to.be.closeTo(30, 1e-9);
    const noted = equityRows(scenario).length;
    scenario.when({ type: 'sampleEquity', periodMs });
    expect(equityRows(scenario)).to.have.length(noted);
    expect(given().when({ type: 'sampleEquity', periodMs }).entries).to.have.length(given().entries.length);
  });

  it('a replay counts what the live fold counted', () => {
    const { entries, account } = bought().when({ type: 'sampleEquity', periodMs: Number.MAX_SAFE_INTEGER });
    const parsed: typeof entries = JSON.parse(JSON.stringify(entries));
    expect(toSnapshot(parsed.reduce(applyEntry, emptyAccount(ACCOUNT_ID)), NEWEST_FORMAT)).to.equal(
      toSnapshot(account, NEWEST_FORMAT),
    );
    expect(account.rowCounts.equity).to.equal(equityRows({ entries } as Scenario).length);
  });

  it('account value is balance and unrealized PnL, and the balance is deposits, gains, funding less fees', () => {
    const scenario = bought()
      .given(mark('SOL', '110'))
      .given(place({ side: 'sell', size: '1', limitPrice: '99' }));
    const { overview: view } = overview(scenario.account, scenario.market, scenario.market.nowMs);
    const number = (text: string): number => Number(text);
    expect(number(view.state.marginSummary.accountValue)).to.be.closeTo(number(view.balance) + number(view.unrealizedPnl), 1e-9);
    const { netDepositsUsd, realizedPnlUsd, fundingUsd, feesUsd } = view;
    expect(number(view.balance)).to.be.closeTo(
      number(netDepositsUsd) + number(realizedPnlUsd) + number(fundingUsd) - number(feesUsd),
      1e-9,
    );
    expect(realizedPnlUsd).to.equal('-0.1');
  });
});
