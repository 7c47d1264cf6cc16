import { expect } from 'chai';
import fc from 'fast-check';
import { fromSnapshot, toSnapshot } from '../../../src/actors/core/account/accountCodec.ts';
import { balanceOf } from '../../../src/actors/core/margin/margin.ts';
import { FILL_MODELS, type Terms } from '../../../src/actors/core/messages/terms.ts';
import { Decimal } from '../../../src/shared/domain/decimal.ts';
import { NEWEST_FORMAT } from '../../../src/shared/domain/formats.ts';
import type { TradeLimits } from '../../../src/shared/domain/limits.ts';
import { stateHashOf } from '../../../src/shared/stateHash.ts';
import { INVARIANTS } from '../../proof/invariants/all.ts';
import { Moment } from '../../proof/life.ts';
import { randomLife, toSteps } from '../../proof/randomSteps.ts';
import {
  ACCOUNT_ID,
  book,
  cancel,
  leverage,
  mark,
  modify,
  place,
  placeGroup,
  type Scenario,
  type Step,
  stop,
  trade,
  wait,
} from '../../support/scenario.ts';
import { figures, NOT_MIRRORED, Pair, WHAT_IF } from '../../support/whatIfPair.ts';

const BOOK = book('SOL', [['99.9', '5'], ['99.5', '40']], [['100', '50']]); // biome-ignore format: one line reads as a book
const bid = place({ size: '10', limitPrice: '99.5' });
/** All fills of an account. */
const fillsOf = ({ entries }: Scenario): string[] =>
  entries
    .flatMap(({ events }) => events)
    .flatMap((event) =>
      event.type === 'orderFilled' ? [`${event.side} ${event.size} @ ${event.price} ${event.liquidity}`] : [],
    );

describe('a what-if: a fork under other terms that receives the commands of its source', () => {
  describe('fill model', () => {
    const cases: readonly {
      readonly says: string;
      readonly move: Step;
      readonly fills: Record<(typeof FILL_MODELS)[number], string[]>;
    }[] = [
      {
        says: 'a trade at the price, smaller than the queue',
        move: trade('SOL', ['sell', '99.5', '6']),
        fills: { touch: ['buy 6 @ 99.5 maker'], queue: [], probable: [], pessimistic: [] },
      },
      {
        says: 'a trade at the price, 4 beyond the queue of 40',
        move: trade('SOL', ['sell', '99.5', '44']),
        fills: {
          touch: ['buy 10 @ 99.5 maker'],
          queue: ['buy 4 @ 99.5 maker'],
          probable: ['buy 4 @ 99.5 maker'],
          pessimistic: [],
        },
      },
      {
        says: 'a trade through the price',
        move: trade('SOL', ['sell', '99.4', '7']),
        fills: {
          touch: ['buy 7 @ 99.5 maker'],
          queue: ['buy 7 @ 99.5 maker'],
          probable: ['buy 7 @ 99.5 maker'],
          pessimistic: ['buy 7 @ 99.5 maker'],
        },
      },
      {
        says: 'a trade above the price',
        move: trade('SOL', ['sell', '99.6', '70']),
        fills: { touch: [], queue: [], probable: [], pessimistic: [] },
      },
      {
        says: 'a book whose asks have come to the price',
        move: book('SOL', [['99', '5']], [['99.5', '3']]),
        fills: {
          touch: ['buy 3 @ 99.5 maker'],
          queue: ['buy 3 @ 99.5 maker'],
          probable: ['buy 3 @ 99.5 maker'],
          pessimistic: [],
        },
      },
      {
        says: 'a book whose asks are below the price',
        move: book('SOL', [['99', '5']], [['99.4', '2'], ['99.5', '3']]), // biome-ignore format: one line reads as a book
        fills: {
          touch: ['buy 5 @ 99.5 maker'],
          queue: ['buy 5 @ 99.5 maker'],
          probable: ['buy 5 @ 99.5 maker'],
          pessimistic: ['buy 2 @ 99.5 maker'],
        },
      },
    ];
    for (const { says, move, fills } of cases)
      for (const fillModel of FILL_MODELS)
        it(`${fillModel}: ${says}`, () => {
          const pair = new Pair({ fillModel }, BOOK).given(bid, wait(10), move);
          expect(fillsOf(pair.whatIf)).to.deep.equal(fills[fillModel]);
          expect(fillsOf(pair.source)).to.deep.equal(fills.queue);
        });
  });

  it('why an order is still open is told by the fill model', () => {
    const reason = (fillModel: Terms['fillModel']) => {
      const pair = new Pair(fillModel ? { fillModel } : {}, BOOK).given(bid);
      pair.whatIf.when({ type: 'query', query: { kind: 'whyOpen', target: { oid: pair.whatIf.oid() } } });
      const { outcome } = pair.whatIf;
      return outcome?.type === 'answer' && outcome.answer.kind === 'whyOpen' && outcome.answer.why?.reason;
    };
    expect([undefined, ...FILL_MODELS].map(reason)).to.deep.equal([
      ...['inQueue', 'inQueue', 'inQueue', 'frontOfQueue', 'waitsForBeyond'],
    ]);
  });

  it('fees: its own rates, of both sides; the source has its own', () => {
    const pair = new Pair({ fees: { maker: '0', taker: '0.001' } }, BOOK);
    pair.given(place({ size: '2', limitPrice: '100', tif: 'ioc' }));
    expect(pair.whatIf.account.totals.feesUsd.toString()).to.equal('0.2');
    expect(pair.source.account.totals.feesUsd.toString()).to.equal('0.09');
    pair.given(bid, wait(10), trade('SOL', ['sell', '99.4', '7']));
    expect(pair.whatIf.account.totals.feesUsd.toString()).to.equal('0.2');
    expect(pair.source.account.totals.feesUsd.toString()).to.equal('0.194475');
  });

  it('leverage: of coins that it has something in at once, of others with the first order; a mode that comes is taken without its leverage', () => {
    const pair = new Pair({ leverage: 3 }, BOOK, leverage(2, 10), place({ size: '2', limitPrice: '100', tif: 'ioc' }));
    expect(pair.whatIf.account.positions.get(2)?.leverage).to.equal(3);
    expect(pair.source.account.positions.get(2)?.leverage).to.equal(10);
    pair.given(place({ asset: 0, size: '0.01', limitPrice: '60000' }));
    expect(pair.whatIf.account.leverage.get(0)).to.deep.equal({ marginMode: 'cross', leverage: 3 });
    pair.given(leverage(0, 15));
    expect([pair.source, pair.whatIf].map(({ account }) => account.leverage.get(0)?.leverage)).to.deep.equal([15, 3]);
  });

  it('latency: commands wait for it, and a cancel may come too late', () => {
    const pair = new Pair({ latency: { seed: 7, submit: 100, cancel: 300 } }, BOOK);
    pair.given(bid);
    expect([pair.source, pair.whatIf].map(({ account }) => account.orders.size)).to.deep.equal([1, 0]);
    pair.given(wait(100), wait(0));
    const oid = pair.source.oid();
    expect(pair.whatIf.oid()).to.equal(oid);
    pair.given(cancel({ target: { oid } }), wait(200), trade('SOL', ['sell', '99.4', '7']));
    expect(pair.source.account.orders.size).to.equal(0);
    expect(pair.whatIf.account.positions.get(2)?.signedSize.toString()).to.equal('7');
    pair.given(wait(200), wait(0));
    expect(pair.whatIf.account.orders.size).to.equal(0);
  });

  it('a command that comes again, too early, or from another account changes nothing', () => {
    const pair = new Pair({}, BOOK).given(bid);
    const { seq } = pair.whatIf.account;
    const command = { type: 'cancelOrders', cancels: [{ asset: 2, target: { oid: pair.source.oid() } }] } as const;
    for (const number of [1, 3, 0]) pair.whatIf.when({ type: 'mirrored', of: ACCOUNT_ID, number, command });
    pair.whatIf.when({ type: 'mirrored', of: WHAT_IF, number: 2, command });
    expect([pair.whatIf.account.seq, pair.whatIf.account.orders.size]).to.deep.equal([seq, 1]);
    pair.whatIf.when({ type: 'mirrored', of: ACCOUNT_ID, number: 2, command });
    expect(pair.whatIf.account.orders.size).to.equal(0);
  });

  it('a what-if that is too far behind receives no more, and its source goes on', () => {
    const { source } = new Pair({}, BOOK);
    source.when({ type: 'addMirror', to: ACCOUNT_ID });
    const cancels = Array.from({ length: 300 }, () => cancel({ target: { oid: 1 } }));
    for (const [at, command] of cancels.entries()) {
      source.when(command);
      source.when({ type: 'settleMirror', to: ACCOUNT_ID, through: at + 1 });
    }
    const [slow, quick] = source.account.mirrors?.to ?? [];
    expect(slow).to.include({ account: WHAT_IF, through: 0, ended: 'lagging' });
    expect(quick).to.include({ account: ACCOUNT_ID, through: 300 }).and.not.have.property('ended');
    expect(source.account.mirrors?.waiting).to.deep.equal([]);
    source.when({ type: 'addMirror', to: WHAT_IF });
    expect(source.account.mirrors?.to[0], 'it would have a gap').to.include({ ended: 'lagging' });
  });

  it('one that was reset takes no more; a source that is reset sends no more', () => {
    const pair = new Pair({}, BOOK);
    pair.source.when({ type: 'settleMirror', to: WHAT_IF, through: 0, ended: true });
    expect(pair.source.account.mirrors?.to).to.deep.include({ account: WHAT_IF, start: 0, through: 0, ended: 'gone' });
    const other = new Pair({}, BOOK);
    other.source.when({ type: 'resetAccount', plan: 'basic', balanceUsd: '10000' });
    other.source.when(bid);
    expect(other.source.account.mirrors).to.equal(undefined);
    expect(other.whatIf.account.orders.size).to.equal(0);
  });

  describe('limits of the key that sends', () => {
    /** The commands that the source's key with these limits has sent on. */
    const mirrored = ({ source }: Pair) =>
      source.entries
        .flatMap(({ events }) => events)
        .flatMap((event) => (event.type === 'commandMirrored' ? [event.command] : []));
    const limited = (limits: TradeLimits, terms: Terms = {}): Pair => {
      const pair = new Pair(terms, BOOK);
      pair.source.key = { keyId: 'key_1', ...limits };
      return pair;
    };
    const both = ({ source, whatIf }: Pair) => [source, whatIf].map(({ account }) => account.orders.size);

    it('what they refuse is no command of the what-if either, alone, in a batch and in a family', () => {
      const pair = limited({ orderUsd: '500' });
      pair.given(place({ size: '10', limitPrice: '99' }));
      expect([mirrored(pair), both(pair)]).to.deep.equal([[], [0, 0]]);
      const orders = ['4', '10', '5'].flatMap((size) => {
        const order = place({ size, limitPrice: '99' });
        return order.type === 'placeOrders' ? order.orders : [];
      });
      pair.given({ type: 'placeOrders', orders, grouping: 'na' });
      const [sent] = mirrored(pair);
      expect(sent?.type === 'placeOrders' && sent.orders.map(({ size }) => size)).to.deep.equal(['4', '5']);
      expect([...pair.whatIf.account.orders.keys()]).to.deep.equal([...pair.source.account.orders.keys()]);
      pair.given(placeGroup('normalTpsl', { size: '10', limitPrice: '99' }, stop('90', { size: '10' })));
      expect([mirrored(pair).length, both(pair)]).to.deep.equal([1, [2, 2]]);
    });

    it('a modify, a TWAP and a leverage beyond them change neither', () => {
      const pair = limited({ orderUsd: '500', leverage: 10 }).given(leverage(2, 5), place({ size: '4', limitPrice: '99' }));
      const oid = pair.source.oid();
      pair.given(modify({ target: { oid }, order: { size: '10', limitPrice: '99' } }));
      pair.given({ type: 'startTwap', asset: 2, side: 'buy', size: '10', minutes: 5, reduceOnly: false, randomize: false });
      pair.given(leverage(2, 15));
      expect(mirrored(pair).map(({ type }) => type)).to.deep.equal(['updateLeverage', 'placeOrders']);
      expect([pair.whatIf.oid(), pair.whatIf.account.twaps.size]).to.deep.equal([oid, 0]);
      expect(pair.whatIf.account.leverage.get(2)?.leverage).to.equal(5);
    });

    it('the what-if is not measured by them: a leverage of its terms above the key’s is no refusal', () => {
      const pair = limited({ leverage: 20 }, { leverage: 50 }).given(leverage(2, 5), place({ size: '4', limitPrice: '99' }));
      expect(both(pair)).to.deep.equal([1, 1]);
    });
  });

  it('house rules are copied when it begins; one that it breaks closes there alone, and later changes go nowhere', () => {
    const rules = { dailyLoss: { usd: '30', act: 'close' } } as const;
    const pair = new Pair({ fees: { maker: '0', taker: '0.01' } }, BOOK, { type: 'setHouseRules', rules });
    expect(pair.whatIf.account.house?.rules).to.deep.equal(rules);
    const { seq } = pair.source.account;
    // 4,000 USD: a fee of 40 USD there, of 1.8 USD here.
    pair.given(place({ size: '40', limitPrice: '100', tif: 'ioc' }));
    expect(pair.whatIf.account.house?.breaches.map(({ rule }) => rule)).to.deep.equal(['dailyLoss']);
    expect(fillsOf(pair.whatIf)).to.deep.equal(['buy 40 @ 100 taker', 'sell 5 @ 99.9 taker', 'sell 35 @ 99.5 taker']);
    expect(fillsOf(pair.source)).to.deep.equal(['buy 40 @ 100 taker']);
    expect([pair.source.account.house?.breaches, pair.source.account.positions.get(2)?.signedSize.toString()]).to.deep.equal([
      [],
      '40',
    ]);
    const types = new Set(
      pair.source.entries.filter((entry) => entry.seq > seq).flatMap(({ events }) => events.map(({ type }) => type)),
    );
    expect([...types].filter((type) => type.startsWith('house') && type !== 'housePeakRaised')).to.deep.equal([]);
    pair.given({ type: 'setHouseRules', rules: null });
    expect([pair.source.account.house, pair.whatIf.account.house?.rules]).to.deep.equal([undefined, rules]);
  });

  it('no more than four receive at a time', () => {
    const { source } = new Pair({}, BOOK);
    for (let n = 2; n <= 4; n++) source.when({ type: 'addMirror', to: `0x${String(n).repeat(40)}` }).thenOutcomes('done');
    source.when({ type: 'addMirror', to: `0x${'5'.repeat(40)}` });
    expect(source.outcome).to.deep.equal({
      type: 'refused',
      text: 'Too many what-ifs receive the commands of this account. Limit is 4.',
    });
  });

  it('under the same terms it is its source, step by step, in any life', () =>
    fc.assert(
      fc.property(randomLife, (life) => {
        const pair = new Pair({});
        for (const step of life.filter(({ kind }) => !NOT_MIRRORED.has(kind)))
          for (const part of toSteps(step, pair.source)) {
            pair.when(part);
            expect(figures(pair.whatIf.account)).to.deep.equal(figures(pair.source.account));
          }
      }),
      { numRuns: 60 },
    )).timeout(600_000);

  const anyTerms: fc.Arbitrary<Terms> = fc.record(
    {
      leverage: fc.integer({ min: 1, max: 50 }),
      fillModel: fc.constantFrom(...FILL_MODELS),
      latency: fc.record({ seed: fc.nat(9), submit: fc.integer({ min: 0, max: 500 }), cancel: fc.integer({ min: 0, max: 500 }) }),
    },
    { requiredKeys: [] },
  );
  /** Invariants that hold for any account, whatever its terms and whoever sends its commands. */
  const OF_ANY = new Set(['invariant 18', 'invariant 19', 'invariant 20', 'invariant 30']);

  it('under any terms margin invariants hold, and its journal folds to its state, in any life', () =>
    fc.assert(
      fc.property(randomLife, anyTerms, (life, terms) => {
        const pair = new Pair(terms);
        const watches = INVARIANTS.filter(({ name }) => OF_ANY.has(name)).map(({ watch }) => watch());
        expect(watches.length).to.equal(OF_ANY.size);
        for (const step of life.filter(({ kind }) => !NOT_MIRRORED.has(kind))) {
          const entries = pair.whatIf.entries.length;
          const before = fromSnapshot(toSnapshot(pair.whatIf.account, NEWEST_FORMAT));
          for (const part of toSteps(step, pair.source)) pair.when(part);
          const moment = new Moment(pair.whatIf, { step, before, entries });
          for (const watch of watches) watch(moment);
        }
        const { account } = pair.whatIf;
        const { netDepositsUsd, realizedPnlUsd, feesUsd, fundingUsd } = account.totals;
        const closed = netDepositsUsd.plus(realizedPnlUsd).minus(feesUsd).plus(fundingUsd);
        expect(balanceOf(account).minus(closed).abs().lte(new Decimal('0.01')), 'balance').to.equal(true);
        expect(stateHashOf(fromSnapshot(toSnapshot(account, NEWEST_FORMAT)))).to.equal(stateHashOf(account));
      }),
      { numRuns: 40 },
    )).timeout(600_000);

  it('a mark that liquidates under one leverage leaves the other account alone', () => {
    const isolated = (value: number) => leverage(2, value, 'isolated');
    const pair = new Pair({ leverage: 2 }, BOOK).given(isolated(10), place({ size: '10', limitPrice: '100', tif: 'ioc' }));
    pair.given(book('SOL', [['92', '100']], [['93', '5']]), mark('SOL', '92'));
    expect(pair.source.account.positions.size).to.equal(0);
    expect(pair.whatIf.account.positions.get(2)?.signedSize.toString()).to.equal('10');
  });
});
