// How far an account is below its peak outlives money that comes and goes, a reset too: a key that may trade may do both, and lifts no rule
// of its owner by it.
import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import type { AnswerOf } from '../../../src/actors/core/messages/queryAnswer.ts';
import { tradingRules } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import type { AccountLimits } from '../../../src/shared/domain/limits.ts';
import { book, given, mark, place, type Scenario } from '../../support/scenario.ts';

const SOL = 2;
const OTHER = `0x${'ab'.repeat(20)}`;
const rules = (wanted: AccountLimits): AccountCommand => ({ type: 'setHouseRules', rules: wanted });
const reset = (balanceUsd: string): AccountCommand => ({ type: 'resetAccount', plan: 'basic', balanceUsd });
const send = (usd: string): AccountCommand => ({ type: 'sendTransfer', to: OTHER, usd });
const receive = (usd: string, number = 1): AccountCommand => ({
  ...{ type: 'receiveTransfer', from: OTHER, number, after: number - 1, usd },
});
const shown = ({ account, market }: Scenario) =>
  tradingRules.answerQuery(account, { kind: 'houseRules' }, { market, nowMs: market.nowMs }) as AnswerOf<'houseRules'>;
const breaches = ({ account }: Scenario) => (account.house?.breaches ?? []).map(({ rule, coin }) => coin ?? rule);

/** 500.950225 USD of 10,000 are lost: 10 SOL for 1,000.5 and a fee of 0.450225, at a mark of 50. 9,499.049775 are left, 94.99 % of the peak. */
const fallen = (house: AccountLimits) =>
  given(
    rules(house),
    place({ size: '10', limitPrice: '100.2', tif: 'ioc' }),
    book('SOL', [['50', '50']], [['50.1', '50']]),
    mark('SOL', '50'),
  );
const DRAWDOWN = { drawdown: { percent: '6', act: 'refuse' } } as const;
const text = (found: string) =>
  `House rule of this account: drawdown of ${found} %, limit 6 %. Only reduce-only orders. asset=${SOL}`;

describe('a drawdown outlives a reset', () => {
  it('one that is broken stays broken, until the rules are set again', () => {
    const scenario = fallen({ drawdown: { percent: '5', act: 'refuse' } }).given(reset('10000'));
    expect(breaches(scenario)).to.deep.equal(['drawdown']);
    scenario
      .when(place({ limitPrice: '40' }))
      .thenOutcomes(`House rule of this account: drawdown of 5.0095 %, limit 5 %. Only reduce-only orders. asset=${SOL}`);
    scenario.given(rules({ drawdown: { percent: '5', act: 'refuse' } }));
    scenario.when(place({ limitPrice: '40' })).thenOutcomes('resting');
  });

  it('one that is not is as near as before: 5.0095 % of another balance', () => {
    const scenario = fallen(DRAWDOWN).given(reset('1000'));
    expect(shown(scenario).house).to.deep.include({ drawdownPercent: '5.0095', breaches: [] });
    // 1,000 are 94.99049775 % of 1,052.737089: 6 % below that are 989.572864. 10 SOL for 501, a fee of 0.22545: at 49 they have cost 11.22545.
    scenario.given(place({ size: '10', limitPrice: '50.1', tif: 'ioc' }), mark('SOL', '49.2'));
    expect(breaches(scenario)).to.deep.equal([]);
    scenario.given(mark('SOL', '49'));
    expect(breaches(scenario)).to.deep.equal(['drawdown']);
  });

  it('at its peak it begins at its peak', () => {
    const scenario = given(rules(DRAWDOWN), reset('5000'));
    expect(shown(scenario).house).to.deep.include({ drawdownPercent: '0', breaches: [] });
    expect(scenario.account.house?.peakUsd.toString()).to.equal('0');
  });

  it('coins and hours that were broken are so after it, too', () => {
    const scenario = given(
      place({ size: '1', limitPrice: '100.2', tif: 'ioc' }),
      rules({ coins: { only: ['BTC'], act: 'warn' } }),
    );
    expect(breaches(scenario.given(reset('10000')))).to.deep.equal(['SOL']);
  });
});

describe('a drawdown outlives that all of the money goes', () => {
  for (const [name, leaves] of Object.entries({
    'sent to another account': (usd: string) => send(usd),
    'of a sub-account that is reset': () => reset('0'),
  })) {
    it(`${name}: nothing is broken while it is away, and what comes back is as far below its peak`, () => {
      const scenario = fallen(DRAWDOWN).given(
        place({ side: 'sell', size: '10', limitPrice: '50', tif: 'ioc', reduceOnly: true }),
      );
      const left = scenario.account.cash.toString();
      expect(left).to.equal('9498.824775');
      const before = shown(scenario).house?.drawdownPercent;
      expect(before).to.equal('5.0118');
      scenario.given(leaves(left));
      expect(scenario.account.cash.toString()).to.equal('0');
      expect(breaches(scenario)).to.deep.equal([]);
      scenario.account = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
      scenario.given(receive('1'), receive('3999', 2));
      expect(shown(scenario).house).to.deep.include({ drawdownPercent: before, breaches: [] });
      expect(scenario.account.house?.shareKept).to.equal(undefined);
      // 4,000 are 94.98824775 % of 4,211.0473, 6 % below that are 3,958.38: 41.6 may be lost, and 50 are.
      scenario.given(place({ size: '50', limitPrice: '50.1', tif: 'ioc' }), mark('SOL', '49.1'));
      expect(breaches(scenario)).to.deep.equal(['drawdown']);
    });
  }

  it('a broken one is broken when it comes back', () => {
    const scenario = fallen({ drawdown: { percent: '5', act: 'refuse' } });
    scenario.given(place({ side: 'sell', size: '10', limitPrice: '50', tif: 'ioc', reduceOnly: true }));
    scenario.given(send(scenario.account.cash.toString()), receive('9000'));
    expect(breaches(scenario)).to.deep.equal(['drawdown']);
  });
});

describe('a rule that is not found broken yet', () => {
  const one = { size: '1', limitPrice: '40' };

  it('the order of a batch that breaks it is the last that opens: 10 bought for 1,000.5 and a fee of 0.450225 are a loss of 0.950225', () => {
    const batch = place({ size: '10', limitPrice: '100.2', tif: 'ioc' }, one);
    given(rules({ dailyLoss: { usd: '0.950226', act: 'refuse' } }))
      .when(batch)
      .thenOutcomes('filled 10 @ 100.05', 'resting');
    given(rules({ dailyLoss: { usd: '0.950225', act: 'refuse' } }))
      .when(batch)
      .thenOutcomes(
        'filled 10 @ 100.05',
        `House rule of this account: 0.950225 USD lost since 00:00 UTC, limit 0.950225 USD. Only reduce-only orders. asset=${SOL}`,
      );
  });

  for (const [rule, house] of Object.entries({
    dailyLoss: { dailyLoss: { usd: '400', act: 'refuse' } },
    drawdown: { drawdown: { percent: '4', act: 'refuse' } },
  } satisfies Record<string, AccountLimits>)) {
    it(`${rule}: a mark that jumps over it and reaches a trigger opens nothing by it`, () => {
      const opens = { size: '5', limitPrice: '60', trigger: { price: '55', tpsl: 'tp' } } as const;
      const scenario = given(rules(house), place({ size: '10', limitPrice: '100.2', tif: 'ioc' }), place(opens));
      scenario.given(book('SOL', [['50', '50']], [['50.1', '50']])).when(mark('SOL', '50'));
      scenario.thenFills().thenStatuses('triggered', 'rejected').thenPosition('SOL', '10');
      expect(breaches(scenario)).to.deep.equal([rule]);
    });
  }

  it('is refused in the words of the rule', () => {
    fallen(DRAWDOWN)
      .given(mark('SOL', '40'))
      .when(place({ limitPrice: '30' }))
      .thenOutcomes(text('6.0095'));
  });
});
