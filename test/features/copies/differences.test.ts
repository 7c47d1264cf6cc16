// The comparison of an account and its what-if, on lives that the rules have decided, with numbers computed by hand.
import { expect } from 'chai';
import fc from 'fast-check';
import { balanceOf } from '../../../src/actors/core/margin/margin.ts';
import type { AccountEntry } from '../../../src/actors/core/messages/entry.ts';
import { FILL_MODELS, type Terms } from '../../../src/actors/core/messages/terms.ts';
import {
  type AccountDifference,
  type Both,
  type Comparing,
  differencesOf,
  reasonOf,
} from '../../../src/features/copies/rules/differences.ts';
import { factText, type JournalFact } from '../../../src/features/copies/rules/facts.ts';
import { ComparedSide } from '../../../src/features/copies/rules/side.ts';
import { randomLife, toSteps } from '../../proof/randomSteps.ts';
import { ACCOUNT_ID, book, cancel, leverage, mark, place, trade, wait } from '../../support/scenario.ts';
import { figures, NOT_MIRRORED, Pair, WHAT_IF } from '../../support/whatIfPair.ts';

const LIVE: Both<ReadonlySet<string>> = [new Set(), new Set([ACCOUNT_ID])];
const ALL = { untilMs: Number.POSITIVE_INFINITY, settledMs: Number.POSITIVE_INFINITY };
const ENDED: Both<ReadonlySet<string>> = [new Set(), new Set()];

function sideOf(entries: readonly AccountEntry[], terms: Terms): ComparedSide {
  const side = new ComparedSide({ startOf: () => 0, hasLeverage: terms.leverage === undefined });
  for (const entry of entries) side.add(entry);
  return side;
}

const sidesOf = ({ source, whatIf, forkedAt }: Pair, terms: Terms, afterMs = 0): Both<ComparedSide> => [
  sideOf(
    source.entries.filter(({ seq, timeMs }) => seq > forkedAt && timeMs > afterMs),
    terms,
  ),
  sideOf(
    whatIf.entries.filter(({ timeMs }) => timeMs > afterMs),
    terms,
  ),
];

/** In one go. */
function allOf(sides: Both<ComparedSide>, comparing: Comparing): AccountDifference[] {
  const steps = differencesOf(sides, comparing);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const textOf = (fact: JournalFact | undefined): string | null => (fact === undefined ? null : factText(fact));

/** `[reason, act of the source, act of the what-if, both states]` of each difference. */
function shown(pair: Pair, terms: Terms, { live = LIVE, afterMs }: { live?: typeof LIVE; afterMs?: number } = {}) {
  const sides = sidesOf(pair, terms, afterMs);
  const found = allOf(sides, { ...ALL, afterMs, live });
  return found.map((difference, at) => {
    const { why } = reasonOf(difference, { sides, termsOf: [() => undefined, () => terms], hasEarlier: at > 0 });
    return [why, ...difference.facts.map(textOf), ...difference.before.map(textOf)];
  });
}

const BOOK = book('SOL', [['99.9', '5'], ['99.5', '40']], [['100', '50']]); // biome-ignore format: one line reads as a book
const bid = place({ size: '10', limitPrice: '99.5' });
const rests = 'rests at 99.5, 10 left';

describe('where an account and its what-if first differ, and why', () => {
  it('the fill model: a trade of 6 at the price fills behind a queue of 40 under touch alone', () => {
    const terms = { fillModel: 'touch' } as const;
    const pair = new Pair(terms, BOOK).given(bid, wait(10), trade('SOL', ['sell', '99.5', '6']));
    // 6 at 99.5 and 0.015 %: 0.08955 USD.
    expect(shown(pair, terms)).to.deep.equal([['fill_model', null, 'buy 6 at 99.5, maker, fee 0.08955 USD', rests, rests]]);
    // The next 44 meet 34 that are left of the queue: 10 are the source's. The what-if has 4 to fill.
    pair.given(wait(10), trade('SOL', ['sell', '99.5', '44']));
    expect(shown(pair, terms)).to.deep.equal([
      ['fill_model', 'buy 10 at 99.5, maker, fee 0.14925 USD', 'buy 6 at 99.5, maker, fee 0.08955 USD', rests, rests],
    ]);
  });

  it('lost: what one account did in entries that count no more, until its next one; what came before and after is its own', () => {
    const pair = new Pair({}, BOOK).given(bid, wait(10), bid, wait(10), bid);
    const [first, second, third] = pair.source.entries.filter(({ events }) => events.some(({ type }) => type === 'orderRested'));
    if (first === undefined || second === undefined || third === undefined) throw new Error('three orders rest');
    expect([second.timeMs > first.timeMs, third.timeMs > second.timeMs]).to.deep.equal([true, true]);
    const side = new ComparedSide({ startOf: () => 0, hasLeverage: true });
    side.add(first);
    side.addLost(ACCOUNT_ID, { type: 'entriesLost', from: second.seq, to: second.seq }, second.timeMs);
    side.add(third);
    const sides = [side, sidesOf(pair, {})[1]] as const;
    const told = allOf(sides, { ...ALL, afterMs: undefined, live: ENDED }).map((difference, at) => {
      const { why } = reasonOf(difference, { sides, termsOf: [() => undefined, () => ({})], hasEarlier: at > 0 });
      return [why, ...difference.facts.map(textOf)];
    });
    expect(told).to.have.deep.members([
      ['lost', `entries ${second.seq} to ${second.seq} count no more`, null],
      ['lost', null, rests],
    ]);
    expect([first, second, third].map(({ timeMs }) => side.hasLost(timeMs))).to.deep.equal([false, true, false]);
  });

  it('fees: the same fill, 0.09 USD here and 0.2 USD there', () => {
    const terms = { fees: { maker: '0', taker: '0.001' } };
    const pair = new Pair(terms, BOOK).given(place({ size: '2', limitPrice: '100', tif: 'ioc' }));
    expect(shown(pair, terms)).to.deep.equal([
      ['fees', 'buy 2 at 100, taker, fee 0.09 USD', 'buy 2 at 100, taker, fee 0.2 USD', null, null],
    ]);
  });

  it('leverage: an order that one of them has no margin for, whichever of them it is', () => {
    const big = place({ size: '150', limitPrice: '99.5' });
    const refused = 'refused (perpMarginRejected): Insufficient margin to place order.';
    const low = new Pair({ leverage: 1 }, BOOK, leverage(2, 10)).given(big);
    expect(shown(low, { leverage: 1 })).to.deep.equal([['leverage', 'rests at 99.5, 150 left', refused, null, null]]);
    // The order of the source has no id to pass on: it is found by its command.
    const high = new Pair({ leverage: 10 }, BOOK, leverage(2, 1)).given(big, big);
    const ended = high.source.entries.flatMap(({ events }) => events).find((event) => event.type === 'orderEnded');
    expect(ended?.order.oid).not.to.equal(high.whatIf.oid());
    expect(shown(high, { leverage: 10 })).to.deep.equal(
      [1, 2].map(() => ['leverage', refused, 'rests at 99.5, 150 left', null, null]),
    );
  });

  it('leverage: a mark that liquidates under one of them', () => {
    const terms = { leverage: 2 };
    const pair = new Pair(terms, BOOK).given(leverage(2, 10, 'isolated'), place({ size: '10', limitPrice: '100', tif: 'ioc' }));
    expect(shown(pair, terms)).to.deep.equal([]);
    pair.given(book('SOL', [['92', '100']], [['93', '5']]), mark('SOL', '92'));
    const [first, ...more] = shown(pair, terms);
    expect(first?.slice(0, 3)).to.deep.equal(['leverage', 'liquidation order: sell 10 at 92, taker, fee 0.414 USD', null]);
    expect(more).to.deep.equal([]);
  });

  it('latency: the cancel waited 300 ms and came too late', () => {
    const terms = { latency: { seed: 7, submit: 100, cancel: 300 } };
    const pair = new Pair(terms, BOOK).given(bid, wait(100), wait(0));
    expect(shown(pair, terms)).to.deep.equal([]);
    pair.given(
      cancel({ target: { oid: pair.source.oid() } }),
      wait(200),
      trade('SOL', ['sell', '99.4', '7']),
      wait(100),
      wait(0),
    );
    expect(shown(pair, terms)).to.deep.equal([
      ['latency', 'ended (canceled), 0 of 10 filled', 'buy 7 at 99.5, maker, fee 0.104475 USD', rests, rests],
    ]);
  });

  it('a command of one of them alone; one that is still to come is no difference', () => {
    const pair = new Pair({}, BOOK).given(bid);
    pair.source.when(place({ size: '1', limitPrice: '99' }));
    expect(shown(pair, {})).to.deep.equal([]);
    expect(shown(pair, {}, { live: ENDED })).to.deep.equal([['command', 'rests at 99, 1 left', null, null, null]]);
    pair.whatIf.when(place({ size: '2', limitPrice: '98' }));
    expect(shown(pair, {})).to.deep.equal([['command', null, 'rests at 98, 2 left', null, null]]);
    const reset = new Pair({}, BOOK).given(bid);
    reset.source.when({ type: 'settleMirror', to: WHAT_IF, through: 1, ended: true });
    reset.source.when(cancel({ target: { oid: reset.source.oid() } }));
    expect(shown(reset, {}, { live: ENDED })).to.deep.equal([
      ['command', 'ended (canceled), 0 of 10 filled', null, rests, rests],
    ]);
  });

  it('what the limits of its key refused at the source is a command of the source alone', () => {
    const pair = new Pair({}, BOOK);
    pair.source.key = { keyId: 'key_1', orderUsd: '500' };
    pair.given(place({ size: '10', limitPrice: '99' }, { size: '4', limitPrice: '99' }));
    expect(shown(pair, {})).to.deep.equal([['command', 'refused', null, null, null]]);
  });

  it('money that came to one of them alone', () => {
    const pair = new Pair({}, BOOK).given(bid);
    pair.source.when({ type: 'sendTransfer', to: WHAT_IF, usd: '12.5' });
    expect(shown(pair, {})).to.deep.equal([['own_money', '12.5 USD went to another account', null, null, null]]);
  });

  it('what one of them did a moment ago is left to the next time', () => {
    const terms = { fillModel: 'touch' } as const;
    const pair = new Pair(terms, BOOK).given(bid, wait(10), trade('SOL', ['sell', '99.5', '6']));
    const at = pair.whatIf.account.timeMs;
    const found = (untilMs: number, settledMs: number) =>
      allOf(sidesOf(pair, terms), { untilMs, settledMs, afterMs: undefined, live: LIVE }).length;
    expect([found(at - 1, at), found(at, at - 1), found(at, at)]).to.deep.equal([0, 0, 1]);
  });

  it('from a later time on, orders that were placed before are left out, and those after it are compared', () => {
    const terms = { fees: { maker: '0', taker: '0.001' } };
    const ioc = place({ size: '2', limitPrice: '100', tif: 'ioc' });
    const pair = new Pair(terms, BOOK).given(bid, ioc, wait(1000));
    const afterMs = pair.source.account.timeMs;
    pair.given(wait(1000), trade('SOL', ['sell', '99.4', '7']), ioc);
    expect(shown(pair, terms).map(([, mine]) => mine)).to.deep.equal([
      'buy 2 at 100, taker, fee 0.09 USD',
      'buy 7 at 99.5, maker, fee 0.104475 USD',
      'buy 2 at 100, taker, fee 0.09 USD',
    ]);
    expect(shown(pair, terms, { afterMs })).to.deep.equal([
      ['fees', 'buy 2 at 100, taker, fee 0.09 USD', 'buy 2 at 100, taker, fee 0.2 USD', null, null],
    ]);
  });

  it('of many orders they come in steps of 64 stories: a node serves others in between', () => {
    const terms = { fees: { maker: '0', taker: '0' } } as const;
    const pair = new Pair(terms, book('SOL', [['99.9', '100000']], [['100', '100000']]));
    const orders = Array.from({ length: 100 }, () => ({ size: '0.1', limitPrice: '100', timeInForce: 'ioc' }) as const);
    for (let n = 0; n < 6; n++) pair.given(place(...orders));
    const steps = differencesOf(sidesOf(pair, terms), { ...ALL, afterMs: undefined, live: ENDED });
    let turns = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) turns += 1;
    // The report sorts 600 orders, and then compares them: each time nine times 64, and 24.
    expect([turns, step.value.length]).to.deep.equal([18, 600]);
  });

  it('under the same terms there is none, in any life', () =>
    fc.assert(
      fc.property(randomLife, (life) => {
        const pair = new Pair({});
        for (const step of life.filter(({ kind }) => !NOT_MIRRORED.has(kind)))
          for (const part of toSteps(step, pair.source)) pair.when(part);
        expect(shown(pair, {})).to.deep.equal([]);
      }),
      { numRuns: 40 },
    )).timeout(600_000);

  it('fees that the user of one of them has changed: the same fill, and another fee', () => {
    const pair = new Pair({}, BOOK).given({ type: 'setTerms', terms: { fees: { kind: 'own', maker: '-0.0001', taker: '0' } } });
    pair.given(bid, wait(10), trade('SOL', ['sell', '99.4', '10']));
    expect(shown(pair, {})).to.deep.equal([
      ['fees', 'buy 10 at 99.5, maker, fee -0.0995 USD', 'buy 10 at 99.5, maker, fee 0.14925 USD', rests, rests],
    ]);
  });

  const anyTerms: fc.Arbitrary<Terms> = fc.record(
    {
      fees: fc.constantFrom({ maker: '0', taker: '0.001' }, { maker: '0.0001', taker: '0.0002' }),
      leverage: fc.integer({ min: 1, max: 50 }),
      fillModel: fc.constantFrom(...FILL_MODELS),
      latency: fc.record({ seed: fc.nat(9), submit: fc.integer({ min: 0, max: 500 }), cancel: fc.integer({ min: 0, max: 500 }) }),
    },
    { requiredKeys: [] },
  );

  it('accounts that are not the same have a difference, and it is the same from either side, in any life under any terms', () =>
    fc.assert(
      fc.property(randomLife, anyTerms, (life, terms) => {
        const pair = new Pair(terms);
        for (const step of life.filter(({ kind }) => !NOT_MIRRORED.has(kind)))
          for (const part of toSteps(step, pair.source)) pair.when(part);
        const [a, b] = sidesOf(pair, terms);
        const options = { ...ALL, afterMs: undefined };
        const found = allOf([a, b], { ...options, live: LIVE });
        const turned = allOf([b, a], { ...options, live: [LIVE[1], LIVE[0]] });
        expect(turned.map(sorted).sort()).to.deep.equal(found.map(({ facts: [x, y], ...rest }) => sorted({ ...rest, facts: [y, x] })).sort()); // biome-ignore format: one line reads as a comparison
        const money = [pair.source, pair.whatIf].map(({ account }) => {
          const { positions, fees } = figures(account);
          // How much of it is margin of a position goes by the leverage.
          return JSON.stringify([
            balanceOf(account).toString(),
            positions.map(([asset, size, notional]) => [asset, size, notional]),
            fees,
          ]);
        });
        if (found.length === 0) expect(money[0]).to.equal(money[1]);
        expect(found.map(({ timeMs }) => timeMs)).to.deep.equal(found.map(({ timeMs }) => timeMs).sort((x, y) => x - y));
      }),
      { numRuns: 40 },
    )).timeout(600_000);
});

const sorted = ({ facts, timeMs }: Pick<AccountDifference, 'facts' | 'timeMs'>): string =>
  JSON.stringify([timeMs, facts.map((fact) => [textOf(fact), fact?.seq])]);
