import { expect } from 'chai';
import { fromSnapshot, toSnapshot } from '../../../../src/actors/core/account/accountCodec.ts';
import { Draft } from '../../../../src/actors/core/fold/draft.ts';
import { rowsOf } from '../../../../src/actors/core/history/rowsOfEvents.ts';
import { payPendingFunding } from '../../../../src/actors/core/liquidation/payFunding.ts';
import { pendingFunding, pendingOfPosition } from '../../../../src/actors/core/margin/fundingPayments.ts';
import { withdrawable } from '../../../../src/actors/core/margin/margin.ts';
import type { ShardCommand } from '../../../../src/actors/core/messages/shardCommand.ts';
import { mustStayInMemory } from '../../../../src/actors/core/mustStayInMemory.ts';
import { PIPELINE } from '../../../../src/features/rules.ts';
import { NEWEST_FORMAT } from '../../../../src/shared/domain/formats.ts';
import { ShardIds } from '../../../../src/shared/domain/shards.ts';
import { HOUR_MS } from '../../../../src/shared/domain/units.ts';
import { addMargin, deposit, leverage, type MarketMove, place, Scenario } from '../../../support/scenario.ts';

type Settlement = Extract<ShardCommand, { type: 'settleFunding' }>;

const ETH = 1;
const DAY = '2026-11-20T';
const ms = (clock: string): number => Date.parse(clock.length > 12 ? clock : `${DAY}${clock}Z`);

/** The market at a moment of the day: books and marks of ETH are fresh, at 2000. */
const at =
  (clock: string): MarketMove =>
  (market) => {
    market.nowMs = ms(clock) - 1;
    market.setPrices('ETH', { mark: '2000' });
    return market.setBook('ETH', { bids: [['2000', '500']], asks: [['2000.1', '500']] });
  };

const buy = (size: string) => place({ asset: ETH, side: 'buy', limitPrice: '2000.1', size, tif: 'ioc' });
const sell = (size: string) => place({ asset: ETH, side: 'sell', limitPrice: '2000', size, tif: 'ioc' });

/** The settlement of the hours after `after` up to `through`, at one rate and oracle price each. */
function settlement(through: string, { hours = 8, rate = '0.0000125', oracle = '2000' } = {}): Settlement {
  const throughMs = ms(through);
  const coins = { ETH: [rate, oracle] as const };
  return {
    type: 'settleFunding',
    throughMs,
    hours: Array.from({ length: hours }, (_, i) => ({ hourMs: throughMs - i * HOUR_MS, coins })).reverse(),
  };
}

const start = (): Scenario => new Scenario().given(at('00:30:00'), deposit('10000'));
const rows = (scenario: Scenario) => scenario.entries.flatMap(rowsOf).flatMap((row) => (row.kind === 'funding' ? [row.row] : []));
/** USD by which the last step changed the cash. */
function paid(scenario: Scenario, command: ShardCommand): string {
  const before = scenario.account.cash;
  scenario.asked(command);
  return scenario.account.cash.minus(before).toString();
}

describe('settleFunding: what a settlement pays (rule 6.4)', () => {
  it('EX-6.2: long 2 ETH at oracle 2000 pays 0.05 in an hour', () => {
    const scenario = start().given(buy('2'), at('01:10:00'));
    expect(paid(scenario, settlement('01:00:00', { hours: 1 }))).to.equal('-0.05');
    expect(rows(scenario)).to.deep.equal([
      { timeMs: ms('01:00:00'), coin: 'ETH', usd: '-0.05', signedSize: '2', fundingRate: '0.0000125', hours: 1 },
    ]);
  });

  it('EX-6.2: short 15 at rate 0.00000625 receives 2.378343', () => {
    const scenario = new Scenario().given(at('00:30:00'), deposit('1000000'), sell('15'));
    const command = settlement('01:00:00', { hours: 1, rate: '0.00000625', oracle: '25368.9920' });
    expect(paid(scenario, command)).to.equal('2.378343');
  });

  it('EX-6.2: an isolated position pays from its bucket, and its liquidation price moves', () => {
    const scenario = start().given(leverage(ETH, 10, 'isolated'), buy('2'));
    const bucket = scenario.account.positions.get(ETH)?.rawUsd;
    expect(paid(scenario, settlement('01:00:00', { hours: 1 }))).to.equal('0');
    expect(
      scenario.account.positions
        .get(ETH)
        ?.rawUsd.minus(bucket ?? 0)
        .toString(),
    ).to.equal('-0.05');
  });

  it('EX-6.3: long 2 ETH for three hours, long 1 for five: 0.275 in one row', () => {
    const scenario = start().given(buy('2'), at('03:30:00'), sell('1'), at('08:00:05'));
    expect(paid(scenario, settlement('08:00:00'))).to.equal('-0.275');
    expect(rows(scenario)).to.deep.equal([
      { timeMs: ms('08:00:00'), coin: 'ETH', usd: '-0.275', signedSize: '1.375', fundingRate: '0.0000125', hours: 8 },
    ]);
  });

  it('each hour is cut toward zero by itself', () => {
    const scenario = start().given(buy('0.01'));
    // 0.01 * 2000 * 0.00001234 = 0.0002468 an hour.
    expect(paid(scenario, settlement('08:00:00', { rate: '0.00001234' }))).to.equal('-0.001968');
    expect(paid(scenario, settlement('16:00:00', { rate: '-0.00001234' }))).to.equal('0.001968');
  });

  it('the venue’s condensed rows: averages over the hours with a position', () => {
    const scenario = start().given(buy('40'), at('01:30:00'), buy('0.2'), at('02:30:00'), buy('0.2'));
    scenario.asked(settlement('03:00:00', { hours: 3, rate: '-0.00029319' }));
    expect(rows(scenario)[0]).to.include({ signedSize: '40.2', fundingRate: '-0.00029319', hours: 3 });
  });

  it('edge 73: open 07:59:59.999, close 08:00:00.001 pays the 08:00 hour only', () => {
    const scenario = start().given(at('07:59:59.999'), buy('2'), at('08:00:00.001'), sell('2'));
    expect(paid(scenario, settlement('08:00:00'))).to.equal('-0.05');
    expect(rows(scenario)[0]).to.include({ hours: 1, signedSize: '2' });
  });

  it('edge 73: open and close within one hour pays nothing', () => {
    const scenario = start().given(at('07:10:00'), buy('2'), at('07:50:00'), sell('2'));
    expect(scenario.asked(settlement('08:00:00')).events).to.deep.equal([]);
    expect(mustStayInMemory(scenario.account)).to.equal(false);
  });

  it('a fill at exactly the hour counts for the next hour', () => {
    const scenario = start().given(at('08:00:00.000'), buy('2'));
    expect(scenario.asked(settlement('08:00:00')).events).to.deep.equal([]);
    const closed = start().given(at('07:30:00'), buy('2'), at('08:00:00.000'), sell('2'));
    expect(paid(closed, settlement('08:00:00'))).to.equal('-0.05');
  });

  it('edge 74: closed at 07:30 after holding since 00:30 pays seven hours at 08:00 though flat', () => {
    const scenario = start().given(buy('2'), at('07:30:00'), sell('2'));
    expect([mustStayInMemory(scenario.account), scenario.account.positions.size]).to.deep.equal([true, 0]);
    expect(paid(scenario, settlement('08:00:00'))).to.equal('-0.35');
    expect(rows(scenario)[0]).to.include({ hours: 7 });
    expect(mustStayInMemory(scenario.account)).to.equal(false);
  });

  it('edge 75: a negative rate pays a long, a rate of 0 gives a row without value', () => {
    const scenario = start().given(buy('2'));
    expect(paid(scenario, settlement('08:00:00', { rate: '-0.0000125' }))).to.equal('0.4');
    expect(paid(scenario, settlement('16:00:00', { rate: '0.0' }))).to.equal('0');
    expect(rows(scenario)[1]).to.include({ usd: '0', hours: 8 });
  });

  it('edge 75: an hour without a rate keeps the coin waiting; late, it keeps itself and the hours after it', () => {
    const scenario = start().given(buy('2'));
    const gap = settlement('08:00:00');
    const withGap = { ...gap, hours: gap.hours.filter(({ hourMs }) => hourMs !== ms('05:00:00')) };
    scenario.when(withGap).thenEvents();
    expect(paid(scenario, { ...withGap, late: true })).to.equal('-0.2');
    scenario.when({ ...withGap, late: true }).thenEvents();
    expect(paid(scenario, settlement('16:00:00', { hours: 16 }))).to.equal('-0.6');
    expect(rows(scenario).map(({ hours }) => hours)).to.deep.equal([4, 12]);
  });

  it('edge 76, invariant 24: twice or three hours late gives the same rows and the same cash', () => {
    const trading = [buy('2'), at('03:30:00'), sell('1')];
    const inTime = start()
      .given(...trading, at('08:00:01'))
      .asked(settlement('08:00:00'));
    const late = start()
      .given(...trading, at('09:30:00'), buy('5'), at('10:30:00'), sell('5'), at('11:00:00'))
      .asked(settlement('08:00:00'));
    const twice = start()
      .given(...trading, at('08:00:01'))
      .asked(settlement('08:00:00'))
      .asked(settlement('08:00:00'));
    expect(rows(late)).to.deep.equal(rows(inTime));
    expect(rows(twice)).to.deep.equal(rows(inTime));
    expect(twice.account.cash.toString()).to.equal(inTime.account.cash.toString());
    expect(twice.events).to.deep.equal([]);
  });

  it('invariant 24: hour by hour comes to the same as at once', () => {
    const trading = [buy('2'), at('03:30:00'), sell('3')];
    const once = start()
      .given(...trading)
      .asked(settlement('08:00:00'));
    const hourly = start().given(...trading);
    for (let hour = 1; hour <= 8; hour++) hourly.asked(settlement(`0${hour}:00:00`, { hours: 1 }));
    expect(hourly.account.cash.toString()).to.equal(once.account.cash.toString());
    expect(rows(hourly)).to.have.length(8);
  });
});

describe('settleFunding: one coin waits alone', () => {
  const SOL = 2;
  const RATE = ['0.0000125', '2000'] as const;
  const buySol: MarketMove = (market) => {
    market.setPrices('SOL', { mark: '100' });
    return market.setBook('SOL', { bids: [['100', '500']], asks: [['100.1', '500']] });
  };
  const both = () =>
    start().given(buySol, buy('2'), place({ asset: SOL, side: 'buy', limitPrice: '100.1', size: '2', tif: 'ioc' }));
  /** Eight hours up to this one, of which ETH has no rate for one. */
  const without = (through: string, gap: string, late = false): Settlement => {
    const throughMs = ms(through);
    const hours = Array.from({ length: 8 }, (_, i) => throughMs - (7 - i) * HOUR_MS).map((hourMs) => ({
      hourMs,
      coins: hourMs === ms(gap) ? { SOL: RATE } : { ETH: RATE, SOL: RATE },
    }));
    return { type: 'settleFunding', throughMs, hours, ...(late && { late: true }) };
  };
  const whole = (through: string): Settlement => without(through, '23:00:00');
  const paidHours = (scenario: Scenario) =>
    rows(scenario).map(({ coin, hours, timeMs }) => `${coin} ${hours} ${new Date(timeMs).getUTCHours()}`);
  const known = (...hours: readonly string[]): MarketMove => {
    return (market) => {
      for (const hour of hours) market.setFunding('ETH', ms(`${hour}:00:00`), { rate: RATE[0], oracle: RATE[1] });
      return undefined;
    };
  };

  it('EX-6.4b: the coin with all rates is paid at once, the other one when its rate is known, both in rows of the settlement', () => {
    const scenario = both().given(at('08:00:01')).when(without('08:00:00', '04:00:00'));
    expect(paidHours(scenario)).to.deep.equal(['SOL 8 8']);
    scenario.when(without('08:00:00', '04:00:00')).thenEvents();
    scenario.given(at('08:20:00')).when(whole('08:00:00'));
    expect(paidHours(scenario)).to.deep.equal(['SOL 8 8', 'ETH 8 8']);
    expect(rows(scenario)[1]).to.include({ usd: '-0.4', signedSize: '2' });
    scenario.when(whole('08:00:00')).thenEvents();
  });

  it('EX-6.4b: late, the coin is paid up to the gap, and the rest when the rate is known', () => {
    const scenario = both()
      .given(at('08:45:01'))
      .when(without('08:00:00', '04:00:00', true));
    expect(paidHours(scenario)).to.deep.equal(['ETH 3 8', 'SOL 8 8']);
    scenario.when(without('08:00:00', '04:00:00', true)).thenEvents();
    scenario.given(at('12:00:01')).when({ ...whole('08:00:00'), late: true });
    scenario.given(at('16:00:01')).when(whole('16:00:00'));
    expect(paidHours(scenario)).to.deep.equal(['ETH 3 8', 'SOL 8 8', 'ETH 5 8', 'ETH 8 16', 'SOL 8 16']);
    scenario.when(whole('16:00:00')).thenEvents();
  });

  it('edge 75: the position of each hour pays, whatever becomes of it while the rate is away', () => {
    const scenario = both().given(at('08:00:01')).when(without('08:00:00', '04:00:00'));
    scenario.given(at('08:10:00'), sell('2'), at('08:15:00'), sell('1'), at('08:20:00'));
    expect(paid(scenario, whole('08:00:00'))).to.equal('-0.4');
    expect(scenario.account.positions.get(ETH)?.funding.sinceOpen.toString()).to.equal('0');
    // Short 1 from 09:00 to 16:00 gets 8 x 0.025, long 2 SOL pays 8 x 0.05.
    expect(paid(scenario.given(at('16:00:01')), whole('16:00:00'))).to.equal('-0.2');
    expect(paidHours(scenario)).to.deep.equal(['SOL 8 8', 'ETH 8 8', 'ETH 8 16', 'SOL 8 16']);
  });

  it('edge 75: who opens while the rate is away owes nothing for the hours before', () => {
    const scenario = start().given(at('08:10:00'), buy('2'));
    scenario.when(whole('08:00:00')).thenEvents();
  });

  it('edge 75: a reset while the rate is away settles what is known and forgets the rest', () => {
    const scenario = both().given(at('08:00:01')).when(without('08:00:00', '04:00:00'));
    scenario.given(known('01', '02', '03'), at('08:10:00'), { type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    const cash = scenario.account.cash.toString();
    const settled = scenario.events.find((event) => event.type === 'fundingSettled');
    expect(settled).to.include({ coin: 'ETH', usd: '-0.15', hours: 3, droppedToMs: ms('08:00:00') });
    scenario.when(whole('08:00:00')).thenEvents();
    expect(scenario.account.cash.toString()).to.equal(cash);
  });

  it('edge 75: a settlement that the waiting coin has missed is paid with the next one', () => {
    const scenario = both().given(at('08:00:01')).when(without('08:00:00', '04:00:00'));
    scenario.given(at('16:00:01')).when(without('16:00:00', '23:00:00'));
    expect(paidHours(scenario)).to.deep.equal(['SOL 8 8', 'SOL 8 16']);
    scenario.given(known('01', '02', '03', '04', '05', '06', '07', '08'), at('18:00:00')).when(whole('16:00:00'));
    expect(paidHours(scenario).slice(2)).to.deep.equal(['ETH 16 16']);
  });

  it('EX-6.4b: while the rate stays away nothing behind it is paid, and a gap of ten days is forgotten', () => {
    const scenario = both().given(at('08:45:01'), without('08:00:00', '04:00:00', true));
    const tenDays = 10 * 24 * HOUR_MS;
    const settledAt = (throughMs: number): ShardCommand => ({
      type: 'settleFunding',
      throughMs,
      hours: [5, 6, 7, 8].map((hour) => ({ hourMs: ms(`0${hour}:00:00`), coins: { ETH: RATE } })),
      late: true,
    });
    const sooner = ms('03:00:00') + tenDays;
    scenario.when(settledAt(sooner)).thenEvents();
    scenario.when(settledAt(sooner + HOUR_MS));
    scenario.thenEvents({ type: 'fundingSettled', coin: 'ETH', hours: 4, usd: '-0.2', droppedToMs: ms('04:00:00') });
    expect(scenario.account.funding.get(ETH)?.accruedToMs).to.equal(ms('08:00:00'));
  });
});

describe('settleFunding: where the money goes', () => {
  it('closed and opened again: the old position’s hours are cash’s, the new one’s the bucket’s', () => {
    const scenario = start().given(leverage(ETH, 10, 'isolated'), buy('2'), at('03:30:00'), sell('2'), at('05:30:00'), buy('1'));
    const bucket = scenario.account.positions.get(ETH)?.rawUsd;
    expect(paid(scenario, settlement('08:00:00'))).to.equal('-0.15');
    expect(
      scenario.account.positions
        .get(ETH)
        ?.rawUsd.minus(bucket ?? 0)
        .toString(),
    ).to.equal('-0.075');
    expect(rows(scenario)[0]).to.include({ usd: '-0.225', hours: 6 });
  });

  it('a flip begins a position of its own', () => {
    const scenario = start().given(leverage(ETH, 10, 'isolated'), buy('2'), at('03:30:00'), sell('3'));
    expect(paid(scenario, settlement('08:00:00'))).to.equal('-0.15');
    expect(scenario.account.positions.get(ETH)?.funding.sinceOpen.toString()).to.equal('-0.125');
  });

  it('EX-4.10 cumFunding: since ever, since opened, since the size changed; positive = paid', () => {
    const scenario = start().given(buy('2'), at('03:30:00'), sell('1'));
    scenario.asked(settlement('08:00:00'));
    const figures = () => {
      const funding = scenario.account.positions.get(ETH)?.funding;
      return funding && [funding.allTime, funding.sinceOpen, funding.sinceChange].map(String);
    };
    expect(figures()).to.deep.equal(['0.275', '0.275', '0.125']);
    scenario.given(at('09:30:00'), buy('1'));
    expect(figures()).to.deep.equal(['0.275', '0.275', '0']);
    scenario.given(at('10:30:00'), sell('2'), at('11:30:00'), sell('1'));
    expect(figures()).to.deep.equal(['0.275', '0', '0']);
    scenario.asked(settlement('16:00:00'));
    // 09:00 with 1, 10:00 with 2: of the position before; 12:00 to 16:00 short 1: received.
    expect(figures()).to.deep.equal(['0.225', '-0.125', '-0.125']);
  });

  it('invariant 27: folding the entries again and a snapshot in between give the same state', () => {
    const scenario = start().given(buy('2'), at('03:30:00'), sell('3'), at('05:30:00'), buy('1'));
    const restored = fromSnapshot(toSnapshot(scenario.account, NEWEST_FORMAT));
    expect(toSnapshot(restored, NEWEST_FORMAT)).to.equal(toSnapshot(scenario.account, NEWEST_FORMAT));
    const before = toSnapshot(scenario.asked(settlement('08:00:00')).account, NEWEST_FORMAT);
    expect(toSnapshot(fromSnapshot(before), NEWEST_FORMAT)).to.equal(before);
  });
});

describe('settleFunding: what follows from it', () => {
  it('edge 72: a payment that takes the equity below the maintenance margin liquidates in the same step', () => {
    const scenario = start().given(leverage(ETH, 10, 'isolated'), buy('2'));
    // The bucket holds about 400 USD, 2 % of 4000 must be in it: at 1840 there is 1 USD more than that.
    scenario.given((market) => {
      market.nowMs = ms('08:00:10') - 1;
      market.setPrices('ETH', { mark: '1838' });
      return market.setBook('ETH', { bids: [['1838', '500']], asks: [['1838.1', '500']] });
    });
    expect(scenario.account.positions.get(ETH)?.signedSize.toString()).to.equal('2');
    scenario.asked(settlement('08:00:00', { rate: '0.0001' }));
    expect(scenario.events.map(({ type }) => type)).to.include.members(['fundingSettled', 'orderFilled', 'liquidated']);
    expect(scenario.account.positions.size).to.equal(0);
  });
});

describe('pending funding', () => {
  const withRates = (scenario: Scenario, hours: readonly string[], rate = '0.0000125'): Scenario => {
    for (const hour of hours) scenario.market.setFunding('ETH', ms(hour), { rate, oracle: '2000' });
    return scenario;
  };
  const leaving = (scenario: Scenario): string => withdrawable(scenario.account, scenario.market).toString();

  it('a negative sum stays in the account, a positive one cannot leave before it is settled', () => {
    const scenario = start().given(buy('2'), at('02:30:00'));
    const free = Number(leaving(scenario));
    withRates(scenario, ['02:00:00']);
    expect(Number(leaving(scenario))).to.equal(free);
    withRates(scenario, ['01:00:00']);
    expect(Number(leaving(scenario))).to.be.closeTo(free - 0.1, 1e-9);
    withRates(scenario, ['03:00:00']);
    expect(Number(leaving(scenario.given(at('03:00:01'))))).to.be.closeTo(free - 0.15, 1e-9);
    const received = withRates(start().given(buy('2'), at('02:30:00')), ['01:00:00', '02:00:00'], '-0.0000125');
    expect(Number(leaving(received))).to.equal(free);
  });

  it('is no part of the account value, and stays after closing', () => {
    const scenario = withRates(start().given(buy('2')), ['01:00:00']).given(at('01:30:00'), sell('2'));
    const { cash } = scenario.account;
    expect(leaving(scenario)).to.equal(cash.minus('0.05').toString());
  });

  it('a removal of isolated margin leaves what is owed', () => {
    const scenario = start().given(leverage(ETH, 10, 'isolated'), buy('1'), addMargin(ETH, '100'), at('01:30:00'));
    withRates(scenario, ['01:00:00']);
    // 299.009955 in the bucket, 200 must stay, 0.025 are owed.
    scenario.when(addMargin(ETH, '-99')).thenOutcomes('Position does not have sufficient margin for reduction.');
    scenario.when(addMargin(ETH, '-98.984955')).thenOutcomes('done');
  });

  it('is the open position’s own only for the hours since it was opened', () => {
    const scenario = start().given(buy('2'), at('01:30:00'), sell('2'), buy('1'), at('02:30:00'));
    withRates(scenario, ['01:00:00', '02:00:00']);
    expect(pendingFunding(scenario.account, scenario.market).toString()).to.equal('-0.075');
    expect(pendingOfPosition(scenario.account, ETH, scenario.market).toString()).to.equal('-0.025');
  });

  describe('a balance that is set leaves none', () => {
    const flat = (...hours: string[]) => withRates(start().given(buy('2'), at('02:30:00'), sell('2')), hours);
    const settledLater = (scenario: Scenario) => scenario.given(at('08:00:01')).when(settlement('08:00:00')).thenEvents();

    it('EX-6.4: hours with a rate are paid first, and the balance is what was asked for', () => {
      const scenario = flat('01:00:00', '02:00:00');
      const { cash } = scenario.account;
      scenario.when({ type: 'setBalance', balanceUsd: '5000' }).thenOutcomes('balanceChanged');
      const changed = cash.minus('0.1').minus(5000).neg().toString();
      scenario.thenEvents({ type: 'fundingSettled', usd: '-0.1', hours: 2 }, { type: 'balanceAdjusted', usd: changed });
      expect(scenario.account.cash.toString()).to.equal('5000');
      settledLater(scenario);
      expect(rows(scenario)).to.have.length(1);
    });

    it('hours without a rate are dropped, without a row', () => {
      const scenario = flat('01:00:00').when({ type: 'setBalance', balanceUsd: '5000' });
      scenario.thenEvents(
        { type: 'fundingSettled', usd: '-0.05', hours: 1, droppedToMs: ms('02:00:00') },
        { type: 'balanceAdjusted' },
      );
      settledLater(scenario);
      expect(scenario.account.cash.toString()).to.equal('5000');
      const without = flat().when({ type: 'setBalance', balanceUsd: '5000' });
      without.thenEvents({ type: 'fundingSettled', usd: '0', hours: 0 }, { type: 'balanceAdjusted' });
      expect(rows(without)).to.have.length(0);
      settledLater(without);
    });

    it('what the payment itself has left is no change', () => {
      const scenario = flat('01:00:00', '02:00:00');
      const left = scenario.account.cash.minus('0.1').toString();
      scenario.when({ type: 'setBalance', balanceUsd: left }).thenEvents({ type: 'fundingSettled', usd: '-0.1' });
      expect(scenario.outcome).to.include({ type: 'balanceChanged', changeUsd: '0.0' });
    });

    it('a refused one leaves it as it was', () => {
      const scenario = withRates(start().given(buy('2'), at('02:30:00')), ['01:00:00']);
      scenario.when({ type: 'setBalance', balanceUsd: '5000' }).thenEvents();
      expect(pendingFunding(scenario.account, scenario.market).toString()).to.equal('-0.05');
    });
  });

  it('edge 77: what is known is settled at once, and the rest can be forgotten with the account', () => {
    const scenario = withRates(start().given(buy('2'), at('03:30:00')), ['01:00:00', '02:00:00']);
    const { market } = scenario;
    const context = {
      nowMs: market.nowMs,
      market,
      ids: new ShardIds({ shard: 0, shards: 1, counter: 0 }),
      format: NEWEST_FORMAT,
      pipeline: PIPELINE,
    };
    const kept = new Draft(scenario.account, context);
    payPendingFunding(kept, context);
    expect(kept.events).to.have.length(1);
    expect(kept.events[0]).to.include({ usd: '-0.1', hours: 2, timeMs: ms('02:00:00') });
    expect(kept.account.funding.get(ETH)?.accruedToMs).to.equal(ms('02:00:00'));
    const dropped = new Draft(scenario.account, context);
    payPendingFunding(dropped, context, { drop: true });
    expect(dropped.account.funding.get(ETH)?.accruedToMs).to.equal(ms('03:00:00'));
    payPendingFunding(dropped, context, { drop: true });
    expect(dropped.events).to.have.length(1);
  });
});
