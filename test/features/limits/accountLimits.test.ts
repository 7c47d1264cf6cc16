// House rules of an account, each on both sides of its boundary by numbers computed by hand, and what follows: a warning, refusals, or
// everything closed by the book.
import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { wakePricesOfLimits } from '../../../src/features/limits/rules/limitMarks.ts';
import { tradingRules } from '../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import type { AccountLimits, RuleAct } from '../../../src/shared/domain/limits.ts';
import { START_MS } from '../../support/fixtureMarket.ts';
import { book, given, leverage, mark, modify, place, type Scenario, stop, trade, wait } from '../../support/scenario.ts';

const SOL = 2;
const DAY_MS = 86_400_000;
/** 22:13:20 UTC, the beginning of a scenario. */
const MINUTE = Math.floor((START_MS % DAY_MS) / 60_000);

const rules = (wanted: AccountLimits | null): AccountCommand => ({ type: 'setHouseRules', rules: wanted });
const buy = (size: string, limitPrice = '100.2') => place({ size, limitPrice, tif: 'ioc' });
const bids = (...levels: readonly (readonly [string, string])[]) => book('SOL', levels, [['200', '50']]);
const lossText = (lost: string, max: string) =>
  `House rule of this account: ${lost} USD lost since 00:00 UTC, limit ${max} USD. Only reduce-only orders. asset=${SOL}`;
const drawdownText = (found: string, max: string) =>
  `House rule of this account: drawdown of ${found} %, limit ${max} %. Only reduce-only orders. asset=${SOL}`;
const breaches = ({ account }: Scenario) => (account.house?.breaches ?? []).map(({ rule, coin, found }) => [rule, coin, found]);

/** 10 SOL for 1,000.5 USD and a fee of 0.450225. */
const longOf10 = (house: AccountLimits) => given(rules(house), buy('10'));

describe('house rules: the loss of a day', () => {
  for (const act of ['warn', 'refuse'] as const) {
    it(`${act}: at a mark of 90, 100.950225 USD are lost; a limit of 100.95 is broken there and not at 90.01`, () => {
      const scenario = longOf10({ dailyLoss: { usd: '100.95', act } });
      scenario.when(mark('SOL', '90.01')).thenEvents();
      scenario.when(mark('SOL', '90')).thenEvents({ type: 'houseRuleBroken', rule: 'dailyLoss', found: '100.950225' });
      scenario
        .when(place({ size: '1', limitPrice: '90' }))
        .thenOutcomes(act === 'warn' ? 'resting' : lossText('100.950225', '100.95'));
    });
  }

  it('stays broken when the account recovers, until the next day, which is measured from midnight', () => {
    const scenario = longOf10({ dailyLoss: { usd: '100', act: 'refuse' } }).given(mark('SOL', '90'), mark('SOL', '110'));
    scenario.when(place({ limitPrice: '99' })).thenOutcomes(lossText('100.950225', '100'));
    scenario.when(wait(DAY_MS - (START_MS % DAY_MS))).thenEvents({ type: 'dayBegun' });
    scenario
      .given(mark('SOL', '110'), bids(['109.9', '5']))
      .when(place({ limitPrice: '99' }))
      .thenOutcomes('resting');
    // Gained 99.049775 by midnight: with a mark of 100.1 it has 0.049775, so 99 are lost and at 100, 100.
    scenario.when(mark('SOL', '100.1')).thenEvents();
    scenario.when(mark('SOL', '100')).thenEvents({ type: 'houseRuleBroken', rule: 'dailyLoss', found: '100' });
  });

  it('an owner that was away at midnight begins the day when it is back, by its marks then, before it judges', () => {
    const scenario = longOf10({ dailyLoss: { usd: '100', act: 'close' } }).given(mark('SOL', '95'));
    // 50.950225 were lost on the day before. Three hours of the next one pass, and the first mark comes before the account is woken.
    const nextDayMs = scenario.market.nowMs - (scenario.market.nowMs % DAY_MS) + DAY_MS;
    scenario
      .when((market) => {
        market.advance(nextDayMs + 3 * 3_600_000 - market.nowMs);
        return market.setPrices('SOL', { mark: '90' });
      })
      .thenEvents({ type: 'dayBegun', startMs: nextDayMs, resultUsd: '-100.950225' })
      .thenPosition('SOL', '10');
    scenario.when(mark('SOL', '80.01')).thenEvents();
    // 10 at 90 less 10 at 80.
    scenario
      .given(bids(['79.9', '20']))
      .when(mark('SOL', '80'))
      .thenFills('sell 10 @ 79.9 taker')
      .thenPosition('SOL', '0');
    expect(breaches(scenario)).to.deep.equal([['dailyLoss', undefined, '100']]);
  });

  it('refuses what opens in every way, and lets reduce-only pass', () => {
    const scenario = longOf10({ dailyLoss: { usd: '100', act: 'refuse' } });
    scenario.given(
      place({ size: '2', limitPrice: '89' }),
      place({ ...stop('80', { reduceOnly: false, size: '12', limitPrice: '70' }) }),
    );
    scenario.given(mark('SOL', '90'), bids(['89.9', '5'], ['89.8', '10']));
    const [resting] = scenario.account.orders.keys();
    const text = lossText('100.950225', '100');
    scenario.when(place({ size: '1', limitPrice: '88' }, { size: '1', side: 'sell', limitPrice: '95' })).thenOutcomes(text, text);
    scenario
      .when(modify({ target: { oid: resting ?? 0 }, order: { size: '3', limitPrice: '89' } }))
      .thenOutcomes(`Error placing new order during modify: ${text}`);
    scenario.thenOpen('buy 2 @ 89');
    scenario.when({ type: 'startTwap', asset: SOL, side: 'buy', size: '10', minutes: 5, reduceOnly: false, randomize: false });
    expect(scenario.outcome).to.deep.equal({ type: 'twapRefused', text });
    scenario
      .when(place({ side: 'sell', size: '1', limitPrice: '89', tif: 'ioc', reduceOnly: true }))
      .thenOutcomes('filled 1 @ 89.9');
    scenario
      .when(trade('SOL', ['sell', '88.9', '5']))
      .thenFills()
      .thenEnds('canceled');
    scenario.when(mark('SOL', '79')).thenStatuses('triggered', 'rejected');
  });

  it('closes all by the book, walking it, and refuses from then on', () => {
    const scenario = longOf10({ dailyLoss: { usd: '100', act: 'close' } }).given(
      place({ size: '1', limitPrice: '80' }, { asset: 0, size: '0.001', limitPrice: '40000' }),
    );
    scenario.given(bids(['89.9', '4'], ['89.8', '10'])).when(mark('SOL', '90'));
    scenario.thenFills('sell 4 @ 89.9 taker', 'sell 6 @ 89.8 taker').thenPosition('SOL', '0').thenOpen();
    scenario.thenEnds('canceled', 'canceled', 'filled');
    scenario.when(place({ limitPrice: '80' })).thenOutcomes(lossText('100.950225', '100'));
  });

  it('closes what the book takes, and the rest with the next marks, never the same liquidity twice', () => {
    const scenario = longOf10({ dailyLoss: { usd: '100', act: 'close' } });
    scenario
      .given(bids(['89.9', '4']))
      .when(mark('SOL', '90'))
      .thenFills('sell 4 @ 89.9 taker')
      .thenPosition('SOL', '6');
    expect(wakePricesOfLimits(scenario.account, scenario.market)).to.deep.equal([{ asset: SOL, when: 'falls', price: Infinity }]);
    scenario.when(mark('SOL', '90')).thenEvents();
    scenario
      .given(bids(['89.9', '5']))
      .when(mark('SOL', '90'))
      .thenFills('sell 1 @ 89.9 taker')
      .thenPosition('SOL', '5');
    scenario
      .given(bids(['91', '20']))
      .when(mark('SOL', '90'))
      .thenFills('sell 5 @ 91 taker')
      .thenPosition('SOL', '0');
    expect(wakePricesOfLimits(scenario.account, scenario.market)).to.deep.equal([]);
  });

  it('waits for fresh marks and books', () => {
    const scenario = longOf10({ dailyLoss: { usd: '100', act: 'close' } });
    scenario
      .given(bids(['89.9', '20']), wait(20_000))
      .when({ type: 'scanLiquidation' })
      .thenEvents();
    scenario.when(mark('SOL', '90')).thenEvents({ type: 'houseRuleBroken', rule: 'dailyLoss' }).thenPosition('SOL', '10');
    scenario
      .given(bids(['89.9', '20']))
      .when(mark('SOL', '90'))
      .thenFills('sell 10 @ 89.9 taker');
  });

  it('a loss that an order makes by its fee and the spread is found in its own entry', () => {
    const scenario = given(rules({ dailyLoss: { usd: '0.9', act: 'close' } }));
    // Mark 100: 10 for 1,000.5, fee 0.450225: 0.950225 lost.
    scenario.when(buy('10')).thenFills('buy 5 @ 100 taker', 'buy 5 @ 100.1 taker', 'sell 5 @ 99.9 taker', 'sell 5 @ 99.8 taker');
    scenario.thenPosition('SOL', '0');
  });
});

describe('house rules: drawdown', () => {
  it('from the highest value: 10,000 rise to 10,099.049775; 1 % of it, 100.99049775, is reached at 99.9 and not at 99.91', () => {
    const scenario = longOf10({ drawdown: { percent: '1', act: 'refuse' } });
    scenario.when(mark('SOL', '110')).thenEvents({ type: 'housePeakRaised', peakUsd: '99.049775' });
    scenario.when(mark('SOL', '99.91')).thenEvents();
    scenario.when(mark('SOL', '99.9')).thenEvents({ type: 'houseRuleBroken', rule: 'drawdown', found: '1.0001' });
    scenario.when(place({ limitPrice: '99' })).thenOutcomes(drawdownText('1.0001', '1'));
  });

  it('a peak is noted in steps of a thousandth: 10 USD of 10,000', () => {
    const scenario = longOf10({ drawdown: { percent: '5', act: 'warn' } });
    scenario.when(mark('SOL', '101')).thenEvents();
    scenario.when(mark('SOL', '101.2')).thenEvents({ type: 'housePeakRaised', peakUsd: '11.049775' });
  });

  it('money that comes and goes is neither gain nor loss', () => {
    const scenario = given(rules({ drawdown: { percent: '10', act: 'close' } }));
    scenario.when({ type: 'setBalance', balanceUsd: '5000' });
    expect(breaches(scenario)).to.deep.equal([]);
    scenario.when({ type: 'setBalance', balanceUsd: '20000' });
    expect(
      tradingRules.answerQuery(scenario.account, { kind: 'houseRules' }, { market: scenario.market, nowMs: START_MS }),
    ).to.deep.include({
      house: { rules: { drawdown: { percent: '10', act: 'close' } }, breaches: [], drawdownPercent: '0' },
    });
  });

  it('money that comes hides no drawdown, and money that goes makes none: 505.950225 of 10,000 USD stay 5.0595 %', () => {
    const scenario = longOf10({ drawdown: { percent: '5.06', act: 'close' } }).given(mark('SOL', '49.5'));
    const told = () =>
      tradingRules.answerQuery(scenario.account, { kind: 'houseRules' }, { market: scenario.market, nowMs: START_MS }) as {
        house: { drawdownPercent: string };
      };
    // 10,000 - 0.450225 - 1,000.5 + 495 = 9,494.049775 USD: half of it goes, 4,747.024887 stay, and the peak is 5,000.
    scenario.given({ type: 'sendTransfer', to: `0x${'ab'.repeat(20)}`, usd: '4747.024888' });
    expect(scenario.account.totals.netDepositsUsd.toString()).to.equal('5252.975112');
    expect(told().house.drawdownPercent).to.equal('5.0595');
    expect(scenario.account.house?.peakUsd.toString()).to.equal('-252.975113');
    scenario.given({ type: 'creditPlan', usd: '14241.074663' });
    // 18,988.09955 USD are twice what it had, so the peak is 20,000.
    expect(told().house.drawdownPercent).to.equal('5.0595');
    expect(breaches(scenario)).to.deep.equal([]);
    // 5 USD less are 1,016.90045 below it.
    scenario.given(mark('SOL', '49'));
    expect(breaches(scenario)).to.deep.equal([['drawdown', undefined, '5.0845']]);
  });

  it('begins anew when the rules are set again', () => {
    const house = { drawdown: { percent: '1', act: 'refuse' } } as const;
    const scenario = longOf10(house).given(mark('SOL', '110'), mark('SOL', '95'));
    expect(breaches(scenario)).to.deep.equal([['drawdown', undefined, '1.4853']]);
    scenario.given(rules(house));
    expect(breaches(scenario)).to.deep.equal([]);
  });
});

describe('house rules: hours', () => {
  const outside = { fromMinute: 0, toMinute: MINUTE };
  const inside = { fromMinute: MINUTE, toMinute: MINUTE + 1 };

  it('refuses outside, and takes inside, to the minute', () => {
    const text = `House rule of this account: hours are 00:00 to 22:13 UTC. Only reduce-only orders. asset=${SOL}`;
    given(rules({ hours: { ...outside, act: 'refuse' } }))
      .when(place({ limitPrice: '99' }))
      .thenOutcomes(text);
    given(rules({ hours: { ...inside, act: 'refuse' } }))
      .when(place({ limitPrice: '99' }))
      .thenOutcomes('resting');
    given(rules({ hours: { fromMinute: 22 * 60, toMinute: 6 * 60, act: 'refuse' } }))
      .when(place({ limitPrice: '99' }))
      .thenOutcomes('resting');
  });

  it('closes all at the end of the hours', () => {
    const scenario = given(rules({ hours: { ...inside, act: 'close' } }), buy('10'), place({ limitPrice: '99' }));
    scenario.when(wait(59_990 - (scenario.market.nowMs % 60_000))).thenEvents();
    scenario.given(mark('SOL', '100'), bids(['99.9', '20']));
    scenario.when(wait(10)).thenFills('sell 10 @ 99.9 taker').thenPosition('SOL', '0').thenOpen();
    expect(breaches(scenario)).to.deep.equal([['hours', undefined, undefined]]);
  });

  it('over midnight, 22:00 to 06:00: takes until 05:59, ends what is open at 06:00, and takes again at 22:00', () => {
    const text = `House rule of this account: hours are 22:00 to 06:00 UTC. Only reduce-only orders. asset=${SOL}`;
    const scenario = given(
      rules({ hours: { fromMinute: 22 * 60, toMinute: 6 * 60, act: 'close' } }),
      place({ limitPrice: '99' }),
    );
    const nextDayMs = scenario.market.nowMs - (scenario.market.nowMs % DAY_MS) + DAY_MS;
    const hour = (hours: number, less = 0) => wait(nextDayMs + hours * 3_600_000 - less - scenario.market.nowMs);
    scenario.when(hour(0)).thenEvents().thenOpen('buy 1 @ 99');
    scenario.when(hour(6, 5000)).thenEvents();
    scenario
      .given(mark('SOL', '100'), bids(['99.9', '20']))
      .when(place({ limitPrice: '98' }))
      .thenOutcomes('resting');
    scenario.when(hour(6)).thenOpen().thenEnds('canceled', 'canceled');
    scenario.when(hour(22, 5000)).thenEvents();
    scenario
      .given(mark('SOL', '100'), bids(['99.9', '20']))
      .when(place({ limitPrice: '99' }))
      .thenOutcomes(text);
    scenario.when(hour(22));
    scenario
      .given(mark('SOL', '100'), bids(['99.9', '20']))
      .when(place({ limitPrice: '99' }))
      .thenOutcomes('resting');
    expect(breaches(scenario)).to.deep.equal([]);
  });

  it('warns once while something is open outside, and again after the hours have begun and ended', () => {
    const scenario = given(rules({ hours: { ...outside, act: 'warn' } }));
    scenario.when(place({ limitPrice: '99' })).thenOutcomes('resting');
    expect(breaches(scenario)).to.have.length(1);
    scenario.given(place({ limitPrice: '98' }));
    expect(breaches(scenario)).to.have.length(1);
    scenario.given(wait(DAY_MS - (START_MS % DAY_MS)));
    expect(breaches(scenario)).to.deep.equal([]);
    scenario.given(wait(MINUTE * 60_000));
    expect(breaches(scenario)).to.have.length(1);
  });
});

describe('house rules: coins', () => {
  const text = 'House rule of this account: SOL is none of its coins, BTC, ETH. Only reduce-only orders. asset=2';
  const only = ['BTC', 'ETH'];

  it('refuses to open others, and closes what is open in them when it is set', () => {
    const scenario = given(buy('10'), place({ asset: 0, size: '0.001', limitPrice: '40000' }));
    scenario.when(rules({ coins: { only, act: 'close' } })).thenFills('sell 5 @ 99.9 taker', 'sell 5 @ 99.8 taker');
    scenario.thenPosition('SOL', '0').thenOpen('buy 0.001 @ 40000');
    scenario.when(place({ limitPrice: '99' }, { asset: 0, size: '0.001', limitPrice: '40001' })).thenOutcomes(text, 'resting');
  });

  it('warns once of each coin', () => {
    const scenario = given(rules({ coins: { only, act: 'warn' } }));
    scenario.when(place({ limitPrice: '99' }, { limitPrice: '98' })).thenOutcomes('resting', 'resting');
    scenario.given(place({ limitPrice: '97' }), {
      type: 'startTwap',
      asset: 6,
      side: 'buy',
      size: '20000',
      minutes: 5,
      reduceOnly: false,
      randomize: false,
    });
    expect(breaches(scenario).map(([rule, coin]) => `${rule} ${coin}`)).to.deep.equal(['coins SOL', 'coins CHEAP']);
  });
});

describe('house rules', () => {
  it('taken away, nothing is left of them', () => {
    const scenario = longOf10({ dailyLoss: { usd: '1', act: 'refuse' } }).given(mark('SOL', '90'), rules(null));
    expect(scenario.account.house).to.equal(undefined);
    scenario.when(place({ limitPrice: '89' })).thenOutcomes('resting');
  });

  it('no mark that wake prices do not name breaks a rule or is a peak', () => {
    fc.assert(
      fc.property(
        fc.record({
          usd: fc.integer({ min: 1, max: 300 }),
          percent: fc.integer({ min: 1, max: 400 }),
          marks: fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 900, max: 1100 })), { minLength: 1, maxLength: 8 }),
          isShort: fc.boolean(),
        }),
        ({ usd, percent, marks, isShort }) => {
          const scenario = given(
            leverage(SOL, 20, isShort ? 'isolated' : 'cross'),
            rules({
              dailyLoss: { usd: String(usd), act: 'warn' },
              drawdown: { percent: String(percent / 100), act: 'warn' },
            }),
            place({ size: '15', side: isShort ? 'sell' : 'buy', limitPrice: isShort ? '99' : '101', tif: 'ioc' }),
            place({ asset: 1, size: '0.5', limitPrice: '2001', tif: 'ioc' }),
          );
          for (const [isEth, tenths] of marks) {
            const asset = isEth ? 1 : SOL;
            const wakes = wakePricesOfLimits(scenario.account, scenario.market);
            const price = isEth ? tenths * 2 : tenths / 10;
            scenario.when(mark(isEth ? 'ETH' : 'SOL', String(price)));
            const happened = new Set(scenario.events.map(({ type }) => type));
            // A liquidation has a wake price of its own, and moves the value by what it trades.
            if (happened.has('liquidated') || !(happened.has('houseRuleBroken') || happened.has('housePeakRaised'))) continue;
            const woke = wakes.some(
              (wake) => wake.asset === asset && (wake.when === 'falls' ? price <= wake.price : price >= wake.price),
            );
            // Marks that no other has seen add up: the index asks for new wake prices only of accounts that it wakes.
            expect(woke, JSON.stringify({ price, wakes })).to.equal(true);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is the same after a restart, whatever has happened', () => {
    const acts: readonly RuleAct[] = ['warn', 'refuse', 'close'];
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 850, max: 1150 }), { minLength: 1, maxLength: 10 }),
        fc.constantFrom(...acts),
        (prices, act) => {
          const house = { dailyLoss: { usd: '40', act }, drawdown: { percent: '0.7', act } } as const;
          const scenario = given(rules(house), buy('12'));
          for (const price of prices) {
            const text = String(price / 10);
            scenario.given(bids([String(price / 10 - 0.1), '3']), mark('SOL', text));
            const restarted = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
            expect(restarted.house).to.deep.equal(scenario.account.house);
          }
          const { house: state, positions } = scenario.account;
          const lost = state?.breaches.some(({ rule }) => rule === 'dailyLoss' || rule === 'drawdown') === true;
          if (act === 'close' && lost) expect(Number(positions.get(SOL)?.signedSize ?? 0)).to.be.below(12);
          if (!lost) expect(positions.get(SOL)?.signedSize.toString()).to.equal('12');
        },
      ),
      { numRuns: 100 },
    );
  });
});
