import { expect } from 'chai';
import fc from 'fast-check';
import { placeAfterBook, restingUnder } from '../../../../src/actors/core/fills/queuePosition.ts';
import type { AccountCommand } from '../../../../src/actors/core/messages/command.ts';
import type { FillModel } from '../../../../src/actors/core/messages/terms.ts';
import { Decimal } from '../../../../src/shared/domain/decimal.ts';
import { FixtureMarket } from '../../../support/fixtureMarket.ts';
import { Fraction } from '../../../support/fraction.ts';
import { book, deposit, modify, place, Scenario, trade, wait } from '../../../support/scenario.ts';

const under = (model: FillModel): AccountCommand => ({ type: 'setTerms', terms: model === 'queue' ? {} : { fillModel: model } });
const shows = (size: string) => book('SOL', [['99.9', '5'], ['99.5', size]], [['100', '5']]); // biome-ignore format: one line reads as a book
const bid = place({ size: '10', limitPrice: '99.5' });
const given = (model: FillModel) => new Scenario().given(deposit('10000'), under(model), shows('40'), bid, wait(10));

const modelsOf = ({ events }: Scenario): (FillModel | undefined)[] =>
  events.flatMap((event) => (event.type === 'orderFilled' ? [event.evidence.model] : []));

describe('fill models of resting orders', () => {
  it('EX-3.6 rule 3.6: 20 join behind 40, 30 cancel: 24 of them by the power law, and none for sure', () => {
    const [queue, probable] = (['queue', 'probable'] as const).map((model) => given(model).given(shows('60'), wait(10)));
    expect([queue?.ahead, probable?.ahead]).to.deep.equal([['40'], ['40']]);
    for (const scenario of [queue, probable]) scenario?.given(shows('30'), wait(10));
    expect([queue?.ahead, probable?.ahead]).to.deep.equal([['30'], ['16']]);
    for (const scenario of [queue, probable]) scenario?.when(trade('SOL', ['sell', '99.5', '20']));
    queue?.thenFills();
    probable?.thenFills('buy 4 @ 99.5 maker');
    expect(queue?.ahead).to.deep.equal(['10']);
  });

  it('EX-3.6b the share is cut to the lot, and what is behind cannot lose more than there is', () => {
    const scenario = given('probable').given(shows('60'), wait(10), shows('30'), wait(10), shows('29'), wait(10));
    // 16 of 30 ahead: 256 / (256 + 196) = 0.5663… of 1.
    expect(scenario.ahead).to.deep.equal(['15.44']);
    scenario.given(shows('1'), wait(10));
    expect(scenario.ahead).to.deep.equal(['0']);
  });

  it('a trade at the price takes from the front, and no cancel is made of it', () => {
    const scenario = given('probable').given(shows('60'), wait(10), trade('SOL', ['sell', '99.5', '15']), shows('45'), wait(10));
    expect(scenario.ahead).to.deep.equal(['25']);
    scenario.given(shows('45'), wait(10), shows('80'), wait(10), trade('SOL', ['sell', '99.5', '25']), shows('55'), wait(10));
    expect(scenario.ahead).to.deep.equal(['0']);
  });

  it('touch fills with any trade at the price, pessimistic with none; the evidence names the model, but for queue', () => {
    const at = trade('SOL', ['sell', '99.5', '6']);
    const through = trade('SOL', ['sell', '99.4', '6']);
    const fills = (model: FillModel, move: typeof at) => modelsOf(given(model).when(move));
    expect([fills('touch', at), fills('pessimistic', at), fills('queue', at)]).to.deep.equal([['touch'], [], []]);
    expect(fills('pessimistic', through)).to.deep.equal(['pessimistic']);
    expect(fills('probable', through)).to.deep.equal(['probable']);
    expect(fills('queue', through)).to.deep.equal([undefined]);
    const crossed = book('SOL', [['99', '5']], [['99.4', '2'], ['99.5', '3']]); // biome-ignore format: one line reads as a book
    expect(
      given('pessimistic')
        .when(crossed)
        .events.filter(({ type }) => type === 'orderFilled'),
    ).to.have.length(1);
    expect(modelsOf(given('touch').when(crossed))).to.deep.equal(['touch']);
  });

  it('a model holds for orders accepted after the change; what a modify places is one', () => {
    const scenario = given('queue').given(under('touch'), place({ size: '10', limitPrice: '99.5' }), wait(10));
    scenario.when(trade('SOL', ['sell', '99.5', '6'])).thenFills();
    expect(scenario.ahead).to.deep.equal(['34', '40']);
    const oid = scenario.oid();
    scenario.given(modify({ target: { oid }, order: { size: '10', limitPrice: '99.5' } }), wait(10));
    const models = [...scenario.account.orders.values()].map(({ resting }) => resting.model);
    expect(models).to.deep.equal(['touch', 'touch']);
  });

  it('one trade is a budget for all own orders, whatever their models are', () => {
    const scenario = given('touch').given(under('pessimistic'), bid, under('queue'), bid, wait(10));
    scenario.when(trade('SOL', ['sell', '99.5', '100'])).thenFills('buy 10 @ 99.5 maker', 'buy 10 @ 99.5 maker');
    expect(modelsOf(scenario)).to.deep.equal(['touch', undefined]);
  });

  it('rule 3.6: agrees with exact rationals on any cancels, stays within the level, and never moves back', () => {
    const market = new FixtureMarket();
    const tenths = fc.integer({ min: 1, max: 5000 });
    fc.assert(
      fc.property(tenths, fc.array(fc.nat(8000), { minLength: 1, maxLength: 12 }), (first, sizes) => {
        const text = (size: number): string => new Decimal(size).div(10).toString();
        let place = { ahead: text(first), ...restingUnder('probable', text(first)) };
        for (const size of sizes) {
          market.setBook('SOL', { bids: size === 0 ? [['99', '1']] : [['99.5', text(size)]], asks: [['100', '5']] });
          const shown = market.book(2);
          if (shown === undefined) throw new Error('the coin has a book');
          const resting = { ...place, acceptedFeedTimeMs: 0, acceptedTick: '0-0' };
          const after = placeAfterBook(resting, shown, { side: 'buy', limitPrice: new Decimal('99.5'), sizeDecimals: 2 });
          const { takenOff: _, ...seen } = after;
          expect(seen).to.deep.equal({ ahead: wanted(place, text(size)), shown: text(size) });
          place = { ...place, ...after };
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** The law once more, in rationals. */
function wanted({ ahead, shown = '0' }: { readonly ahead: string; readonly shown?: string }, now: string): string {
  const [front, before, after] = [Fraction.of(ahead), Fraction.of(shown), Fraction.of(now)];
  const least = (a: Fraction, b: Fraction): Fraction => (a.compare(b) < 0 ? a : b);
  const gone = before.minus(after);
  if (gone.sign() <= 0) return least(front, after).text();
  const behind = before.minus(front);
  const [f, b] = [front.times(front), behind.times(behind)];
  const left = front.minus(gone.times(f).over(f.plus(b)).cut(2));
  return least(left.sign() < 0 ? Fraction.of(0) : left, after).text();
}
