// Limits of one API key, each on both sides of its boundary, with the numbers that the refusal tells; and every way round them.
import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { accountValue } from '../../../src/actors/core/margin/margin.ts';
import type { AccountCommand } from '../../../src/actors/core/messages/command.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import type { TradeLimits } from '../../../src/shared/domain/limits.ts';
import {
  book,
  cancel,
  deposit,
  leverage,
  mark,
  modify,
  place,
  placeGroup,
  Scenario,
  stop,
  trade,
  wait,
} from '../../support/scenario.ts';

const SOL = 2;
const DAY_MS = 86_400_000;
const rate = (sent: number, max: number) =>
  `Orders a minute of this API key: ${sent} sent in the last 60 s, limit ${max}. asset=${SOL}`;
const loss = (lost: string, max: string) =>
  `Daily loss limit of this API key: ${lost} USD lost since 00:00 UTC, limit ${max} USD. Only reduce-only orders. asset=${SOL}`;
const value = (usd: string, max: string) => `Order value ${usd} USD is above the limit of this API key: ${max} USD. asset=${SOL}`;
const tooHigh = (x: number, max: number) => `Leverage ${x}x is above the limit of this API key: ${max}x. asset=${SOL}`;

/** An account with 10,000 USD whose commands come from a key with these limits. */
function limited(limits: TradeLimits, keyId = 'key_1'): Scenario {
  const scenario = new Scenario().given(deposit('10000'), wait(0));
  scenario.key = { keyId, ...limits };
  return scenario;
}

const buy = (size: string, limitPrice = '100.2') => place({ size, limitPrice, tif: 'ioc' });
/** Time goes on, and the market is as fresh as before. */
const later = (ms: number) => [
  wait(ms),
  mark('SOL', '100'),
  book(
    'SOL',
    [
      ['99.9', '5'],
      ['99.8', '10'],
    ],
    [
      ['100', '5'],
      ['100.1', '10'],
    ],
  ),
];
const twap = (size: string, fields: Partial<Extract<AccountCommand, { type: 'startTwap' }>> = {}): AccountCommand => ({
  ...{ type: 'startTwap', asset: SOL, side: 'buy', size, minutes: 5, reduceOnly: false, randomize: false },
  ...fields,
});

describe('limits of a key: the largest order', () => {
  it('size times limit price: 10 at 99 is 990 USD; 10.11 at 99 is 1,000.89 USD, above 1,000', () => {
    const scenario = limited({ orderUsd: '1000' });
    scenario.when(place({ size: '10', limitPrice: '99' })).thenOutcomes('resting');
    scenario
      .when(place({ size: '10.11', limitPrice: '99' }))
      .thenOutcomes(value('1000.89', '1000'))
      .thenStatuses('rejected');
    scenario.when(place({ size: '9.9', limitPrice: '101', tif: 'ioc' })).thenOutcomes('filled 9.9 @ 100.0494');
  });

  it('at the very limit it passes, one lot more is refused: 10 at 100 are 1,000 USD, 10.01 are 1,001', () => {
    limited({ orderUsd: '1000' })
      .when(place({ size: '10.01' }, { size: '10' }))
      .thenOutcomes(value('1001', '1000'), 'filled 5 @ 100');
    const scenario = limited({ orderUsd: '1000' }).given(place({ limitPrice: '99' }));
    const to = (size: string) => modify({ target: { oid: scenario.oid() }, order: { size, limitPrice: '80' } });
    scenario.when(to('12.51')).thenOutcomes(`Error placing new order during modify: ${value('1000.8', '1000')}`);
    scenario.when(to('12.5')).thenOpen('buy 12.5 @ 80');
  });

  it('a sell is worth at least the best bid, 99.9: 10.02 far below it are 1,000.998 USD', () => {
    const scenario = limited({ orderUsd: '1000' });
    scenario.when(place({ side: 'sell', size: '10.02', limitPrice: '50', tif: 'ioc' })).thenOutcomes(value('1000.998', '1000'));
    scenario.when(place({ side: 'sell', size: '10', limitPrice: '50', tif: 'ioc' })).thenOutcomes('filled 10 @ 99.85');
  });

  it('a trigger is worth the higher of its two prices', () => {
    const scenario = limited({ orderUsd: '1000' });
    const above = (size: string) => place({ size, limitPrice: '120', trigger: { price: '110', tpsl: 'sl' } });
    scenario.when(above('8.34')).thenOutcomes(value('1000.8', '1000'));
    scenario.when(above('8.33')).thenOutcomes('resting');
  });

  it('each order of a batch is asked alone, and a refused one stops none', () => {
    limited({ orderUsd: '1000' })
      .when(place({ limitPrice: '99' }, { size: '11', limitPrice: '99' }, { limitPrice: '98' }))
      .thenOutcomes('resting', value('1089', '1000'), 'resting');
  });

  it('a TWAP is one order at the mid, 100: 10.01 are 1,001 USD', () => {
    const scenario = limited({ orderUsd: '1000' });
    scenario.when(twap('10.01'));
    expect(scenario.outcome).to.deep.equal({ type: 'twapRefused', text: value('1001', '1000') });
    expect(scenario.when(twap('10')).outcome?.type).to.equal('twapRunning');
  });

  it('a modify beyond it leaves the old order where it is', () => {
    const scenario = limited({ orderUsd: '1000' }).given(place({ limitPrice: '99' }));
    scenario
      .when(modify({ target: { oid: scenario.oid() }, order: { size: '11', limitPrice: '99' } }))
      .thenOutcomes(`Error placing new order during modify: ${value('1089', '1000')}`)
      .thenOpen('buy 1 @ 99');
  });

  it('a bracket is asked for its parent; what only reduces is of any size', () => {
    const scenario = limited({ orderUsd: '1000' });
    const bracket = (size: string) => placeGroup('normalTpsl', { size, limitPrice: '99' }, stop('90', { size }));
    scenario.when(bracket('11')).thenOutcomes(value('1089', '1000'), value('1089', '1000'));
    scenario.when(bracket('10')).thenOutcomes('resting', 'waitingForFill');
    const long = limited({ orderUsd: '1000' }).given(buy('9'), buy('9'));
    long.when(place({ side: 'sell', size: '18', limitPrice: '99', tif: 'ioc', reduceOnly: true })).thenPosition('SOL', '0');
  });
});

describe('limits of a key: the largest leverage', () => {
  it('20x is the leverage of SOL at first: nothing is opened until it is 5x or less, and never set above', () => {
    const scenario = limited({ leverage: 5 });
    scenario.when(buy('1')).thenOutcomes(tooHigh(20, 5));
    scenario.when(leverage(SOL, 6)).thenOutcomes('Leverage 6x is above the limit of this API key: 5x.');
    scenario.given(leverage(SOL, 5)).when(buy('1')).thenOutcomes('filled 1 @ 100');
    scenario.when(leverage(SOL, 20)).thenOutcomes('Leverage 20x is above the limit of this API key: 5x.');
  });

  it('reduce-only orders pass, and a key without the limit sets what it likes', () => {
    const scenario = limited({ leverage: 20 }).given(buy('1'));
    scenario.key = { keyId: 'key_2', leverage: 3 };
    scenario.when(twap('9'));
    expect(scenario.outcome).to.deep.equal({ type: 'twapRefused', text: tooHigh(20, 3) });
    scenario.when(place({ side: 'sell', limitPrice: '99', tif: 'ioc', reduceOnly: true })).thenPosition('SOL', '0');
    scenario.key = undefined;
    scenario.when(leverage(SOL, 10)).thenOutcomes('done');
  });
});

describe('limits of a key: orders a minute', () => {
  it('3 in any 60 s: the fourth waits until the first has been a minute ago', () => {
    const scenario = limited({ ordersPerMinute: 3 });
    scenario.when(place({ limitPrice: '99' }, { limitPrice: '98' })).thenOutcomes('resting', 'resting');
    scenario
      .given(...later(30_000))
      .when(place({ limitPrice: '97' }))
      .thenOutcomes('resting');
    scenario.when(place({ limitPrice: '96' })).thenOutcomes(rate(3, 3));
    scenario
      .given(...later(29_999))
      .when(place({ limitPrice: '96' }))
      .thenOutcomes(rate(3, 3));
    scenario.given(...later(1_001)).when(place({ limitPrice: '96' }, { limitPrice: '95' }, { limitPrice: '94' }));
    scenario.thenOutcomes('resting', 'resting', rate(3, 3));
  });

  it('counts what is refused later, modifies, reduce-only orders and TWAPs; not cancels, nor what this limit has refused', () => {
    const scenario = limited({ ordersPerMinute: 4 });
    scenario.when(place({ size: '0.01' })).thenStatuses('minTradeNtlRejected');
    scenario.given(place({ limitPrice: '99' }));
    scenario.given(modify({ target: { oid: scenario.oid() }, order: { limitPrice: '98' } }), twap('9'));
    scenario.when(place({ reduceOnly: true })).thenOutcomes(rate(4, 4));
    scenario.when(twap('9'));
    expect(scenario.outcome).to.deep.equal({ type: 'twapRefused', text: rate(4, 4) });
    scenario
      .when(modify({ target: { oid: scenario.oid() }, order: { limitPrice: '97' } }))
      .thenOutcomes(`Error placing new order during modify: ${rate(4, 4)}`)
      .thenOpen('buy 1 @ 98');
    scenario.when(cancel({ target: { oid: scenario.oid() } })).thenOutcomes('success');
  });

  it('each key has its own count, which outlives a restart and a reset of the account', () => {
    const scenario = limited({ ordersPerMinute: 1 }).given(place({ limitPrice: '99' }));
    scenario.account = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
    scenario.when(place({ limitPrice: '98' })).thenOutcomes(rate(1, 1));
    scenario.given({ type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    scenario.when(place({ limitPrice: '98' })).thenOutcomes(rate(1, 1));
    scenario.key = { keyId: 'key_2', ordersPerMinute: 1 };
    scenario.when(place({ limitPrice: '98' })).thenOutcomes('resting');
  });
});

describe('limits of a key: the loss of a day', () => {
  /**
   * 10 bought at 5 @ 100 and 5 @ 100.1, cost 1,000.5 USD, fee 0.045 % = 0.450225 USD. At a mark of 90 they are worth 900:
   * 1,000.5 + 0.450225 - 900 = 100.950225 USD lost.
   */
  const losing = (max: string) => limited({ dailyLossUsd: max }).given(buy('10'), mark('SOL', '90'));

  it('counts what is not realised and fees: 100.950225 USD lost; a limit of 100.950226 is not reached', () => {
    losing('100.950226')
      .when(place({ limitPrice: '80' }))
      .thenOutcomes('resting');
    losing('100.950225')
      .when(place({ limitPrice: '80' }))
      .thenOutcomes(loss('100.950225', '100.950225'));
  });

  it('reduce-only orders and cancels pass', () => {
    const scenario = losing('100');
    scenario.when(twap('9'));
    expect(scenario.outcome).to.deep.equal({ type: 'twapRefused', text: loss('100.950225', '100') });
    const close = place({ side: 'sell', size: '10', limitPrice: '99', tif: 'ioc', reduceOnly: true });
    scenario.when(close).thenPosition('SOL', '0');
  });

  it('deposits and withdrawals are neither loss nor gain; nor is a reset a way round', () => {
    const scenario = losing('100');
    scenario.given({ type: 'creditPlan', usd: '90000' });
    scenario.when(place({ limitPrice: '80' })).thenOutcomes(loss('100.950225', '100'));
    scenario.given({ type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    scenario.when(place({ limitPrice: '80' })).thenOutcomes(loss('100.950225', '100'));
  });

  it('a new UTC day begins with nothing lost, at the marks of midnight, also where no command comes', () => {
    const scenario = losing('100');
    const { nowMs } = scenario.market;
    scenario.given(wait(DAY_MS - (nowMs % DAY_MS) - 1));
    expect(scenario.events.map(({ type }) => type)).to.not.include('dayBegun');
    scenario.when(wait(1)).thenEvents({ type: 'dayBegun', startMs: nowMs - (nowMs % DAY_MS) + DAY_MS });
    scenario
      .given(...later(0), mark('SOL', '85'))
      .when(place({ limitPrice: '80' }))
      .thenOutcomes('resting');
    scenario
      .given(mark('SOL', '80'))
      .when(place({ limitPrice: '79' }))
      .thenOutcomes(loss('100', '100'));
  });

  it('what the key has sent before opens nothing any more: resting orders, triggers, slices', () => {
    const scenario = limited({ dailyLossUsd: '100' }).given(
      buy('10'),
      place({ size: '5', limitPrice: '89' }, { size: '5', limitPrice: '95', trigger: { price: '92', tpsl: 'tp' } }),
      twap('9'),
    );
    const lower = book('SOL', [['90.9', '20']], [['91.1', '20']]);
    scenario.given(lower).when(mark('SOL', '91')).thenFills('buy 5 @ 91.1 taker');
    const again = limited({ dailyLossUsd: '50' }).given(
      buy('10'),
      place({ size: '5', limitPrice: '89' }, { size: '5', limitPrice: '95', trigger: { price: '92', tpsl: 'tp' } }),
      twap('9'),
    );
    again.given(lower).when(mark('SOL', '91')).thenFills().thenStatuses('triggered', 'rejected');
    again.when(wait(0)).thenFills();
    expect(again.account.twaps.size).to.equal(0);
    again
      .when(trade('SOL', ['sell', '88', '50']))
      .thenFills()
      .thenEnds('canceled');
    again.thenPosition('SOL', '10');
  });
});

describe('limits of a key: deployments and other keys', () => {
  it('a key without limits of a day or a minute writes nothing', () => {
    const { account } = limited({ orderUsd: '1000', leverage: 20 }).given(place({ limitPrice: '99' }));
    expect([account.keyOrders, account.dayStart]).to.deep.equal([undefined, undefined]);
  });

  it('an action that waits for its latency is held to the limits of its key when it is decided', () => {
    const scenario = limited({ orderUsd: '1000' });
    const note = { key: 'key_1', on: 'exchange' as const, number: 1, atMs: 1, draw: 1, delayMs: 200 };
    const command = place({ size: '11', limitPrice: '99' });
    scenario.given({ type: 'inLab', note, command } as AccountCommand);
    scenario.key = undefined;
    scenario.when(wait(200)).thenStatuses('rejected').thenOpen();
  });

  it('a dry run tells the refusal and counts nothing', () => {
    const scenario = limited({ ordersPerMinute: 1, orderUsd: '1000' });
    const tried = place({ size: '11', limitPrice: '99' });
    scenario.when({ type: 'query', query: { kind: 'dryRun', command: tried as never } });
    expect(JSON.stringify(scenario.outcome)).to.include(value('1089', '1000'));
    scenario.when(place({ limitPrice: '99' })).thenOutcomes('resting');
  });
});

describe('limits of a key: no sequence of orders is beyond the limits', () => {
  const LIMITS = { orderUsd: '700', leverage: 10, dailyLossUsd: '40', ordersPerMinute: 6 };
  const size = fc.integer({ min: 1, max: 1500 }).map((lots) => String(lots / 100));
  const price = fc.integer({ min: 900, max: 1100 }).map((tenths) => String(tenths / 10));
  const side = fc.constantFrom('buy' as const, 'sell' as const);
  const tif = fc.constantFrom('gtc' as const, 'ioc' as const, 'alo' as const);
  const fields = fc.record({ side, size, limitPrice: price, tif, reduceOnly: fc.boolean() });
  const trigger = fc.record({ price, tpsl: fc.constantFrom('tp' as const, 'sl' as const), isMarket: fc.boolean() });
  type Did = (scenario: Scenario) => Parameters<Scenario['when']>[0];
  const step: fc.Arbitrary<Did> = fc.oneof(
    fc.array(fields, { minLength: 1, maxLength: 4 }).map((orders) => () => place(...orders)),
    fc.record({ fields, trigger }).map((one) => () => place({ ...one.fields, trigger: one.trigger })),
    fields.map(
      (one) => () =>
        placeGroup('normalTpsl', { ...one, reduceOnly: false }, stop('90', { side: one.side === 'buy' ? 'sell' : 'buy' })),
    ),
    fields.map((order) => ({ account }: Scenario) => {
      const oid = [...account.orders.keys(), ...account.triggers.keys()][0] ?? 1;
      return modify({ target: { oid }, order });
    }),
    fc.record({ size, side }).map((one) => () => twap(one.size, one)),
    fc.integer({ min: 1, max: 30 }).map((x) => () => leverage(SOL, x)),
    price.map((at) => () => mark('SOL', at)),
    fc.integer({ min: 900, max: 1090 }).map((tenths) => () => {
      const [bid, ask] = [String(tenths / 10), String((tenths + 1) / 10)];
      return book('SOL', [[bid, '20']], [[ask, '20']]);
    }),
    fc.record({ side, price, size }).map((one) => () => trade('SOL', [one.side, one.price, one.size])),
    fc.integer({ min: 0, max: 40_000 }).map((ms) => () => wait(ms)),
  );

  it('orders, batches, modifies, triggers, brackets, TWAPs, resting orders, restarts', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const scenario = limited(LIMITS);
        const sent: number[] = [];
        for (const [at, did] of steps.entries()) {
          const before = scenario.account;
          const lostBefore = before.dayStart?.resultUsd.minus(
            accountValue(before, scenario.market).minus(before.totals.netDepositsUsd),
          );
          const todo = did(scenario);
          const isOrder = typeof todo !== 'function';
          scenario.given(todo);
          for (const event of scenario.events) {
            if (event.type === 'keyOrderCounted') sent.push(event.second);
            if (event.type === 'leverageSet') expect(event.leverage).to.be.at.most(10);
            // Placed by this very command: reduce-only ones apart, none is larger, and none opens at more leverage.
            if (isOrder && (event.type === 'orderRested' || event.type === 'triggerPlaced') && !event.order.reduceOnly) {
              expect(Number(event.order.size) * Number(event.order.limitPrice)).to.be.at.most(700.000001);
              expect(scenario.account.leverage.get(SOL)?.leverage ?? 20).to.be.at.most(10);
            }
          }
          const opened = scenario.events.some((event) => event.type === 'orderFilled' && event.direction.startsWith('Open'));
          if (opened && isOrder && lostBefore) expect(lostBefore.lt(40), `opened after a loss of ${lostBefore}`).to.equal(true);
          if (at % 5 === 4) scenario.account = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
        }
        for (const second of sent) {
          expect(sent.filter((other) => other >= second && other < second + 60).length).to.be.at.most(6);
        }
      }),
      { numRuns: 150 },
    );
  });
});
