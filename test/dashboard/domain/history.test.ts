import { expect } from 'chai';
import type { LabDraw } from '../../../src/dashboard/api/contract.ts';
import {
  isRefused,
  orderLife,
  sourceWords,
  statusWords,
  twapStatusWords,
} from '../../../src/dashboard/domain/account/orderLife.ts';
import { mergePayments, readPayment } from '../../../src/dashboard/domain/account/payments.ts';
import { sidesOf } from '../../../src/dashboard/domain/account/sideTotals.ts';
import { doneShare, leftMs, newestChanges, readTwap, type WireTwapState } from '../../../src/dashboard/domain/account/twap.ts';
import type { OpenPosition } from '../../../src/dashboard/domain/account/wireAccount.ts';
import { sumOf } from '../../../src/dashboard/domain/exactSums.ts';
import { between, countdown, duration, negated } from '../../../src/dashboard/domain/texts.ts';
import { labWords } from '../../../src/dashboard/pages/trading/labWords.ts';

describe('the life of an order', () => {
  const placed = { placedMs: 10, triggerCondition: null, status: 'filled', statusMs: 40, fillTimesMs: [] };
  const namesOf = (facts: Parameters<typeof orderLife>[0]): string[] =>
    orderLife(facts).map(({ type, timeMs }) => `${type} ${timeMs}`);

  it('begins with the placing, has each fill in the order of time, and ends as the order stands', () => {
    expect(namesOf({ ...placed, fillTimesMs: [40, 20] })).to.deep.equal(['placed 10', 'fill 20', 'fill 40', 'status 40']);
    const [, first] = orderLife({ ...placed, fillTimesMs: [40, 20] });
    expect(first).to.include({ index: 1 });
  });

  it('says when a trigger fired where that is known: by the status, or by the first fill', () => {
    const trigger = { ...placed, triggerCondition: 'Price below 90' };
    expect(namesOf({ ...trigger, status: 'triggered', statusMs: 30 })).to.deep.equal(['placed 10', 'triggered 30']);
    const waiting = { ...placed, status: 'triggered', statusMs: 30, fillTimesMs: [30, 40] };
    expect(namesOf(waiting)).to.deep.equal(['placed 10', 'triggered 30', 'fill 30', 'fill 40']);
    expect(namesOf({ ...trigger, fillTimesMs: [40] })).to.deep.equal(['placed 10', 'triggered 40', 'fill 40', 'status 40']);
    expect(namesOf({ ...trigger, status: 'canceled' })).to.deep.equal(['placed 10', 'status 40']);
  });
});

describe('words for what the exchange tells in names', () => {
  it('a name without words stands for itself', () => {
    expect([sourceWords('adl'), statusWords('filled'), twapStatusWords('unheardOf')]).to.deep.equal([
      'adl',
      'filled',
      'unheardOf',
    ]);
    expect(sourceWords('takeOver')).to.equal('Taken over by the house');
  });

  it('every refusal is one', () => {
    expect(['rejected', 'tickRejected', 'canceled'].map(isRefused)).to.deep.equal([true, true, false]);
  });

  it('lengths of time', () => {
    expect([0, 5_000, 65_000, 3_600_000, 273_600_000].map(duration)).to.deep.equal(['0 s', '5 s', '1 min 5 s', '1 h', '3 d 4 h']);
    expect([-1, 1, 65_000, 3_723_000].map(countdown)).to.deep.equal(['0:00', '0:01', '1:05', '1:02:03']);
    expect([between(5, 5), between(5, 125), between(0, 8_000)]).to.deep.equal(['at once', '+ 120 ms', '+ 8 s']);
  });
});

describe('sums of a selection', () => {
  const position = (side: 'long' | 'short', notional: string, fundingPaid: string): OpenPosition => ({
    coin: 'SOL',
    side,
    size: '1',
    entryPrice: '1',
    notional,
    unrealizedPnl: '-0.1',
    returnOnEquity: '0',
    leverage: 1,
    marginMode: 'cross',
    marginUsed: '0.2',
    liquidationPrice: null,
    fundingPaid,
  });

  it('are exact by side, and a side without a position is left out', () => {
    const sides = sidesOf([position('long', '0.1', '0.000001'), position('long', '0.2', '-3'), position('short', '7', '0')]);
    expect(sides.map(({ side, count, notional, fundingReceived }) => [side, count, notional, fundingReceived])).to.deep.equal([
      ['long', 2, '0.3', '2.999999'],
      ['short', 1, '7', '0'],
    ]);
    expect(sides[0]).to.include({ unrealizedPnl: '-0.2', marginUsed: '0.4' });
    expect(sidesOf([])).to.deep.equal([]);
  });

  it('a number with the other sign; nothing has none', () => {
    expect(['1.5', '-0.000001', '0.0', '-0.0'].map(negated)).to.deep.equal(['-1.5', '0.000001', '0.0', '0.0']);
    expect(sumOf(['0.1', '0.2', '-0.3'])).to.equal('0');
  });
});

describe('funding payments', () => {
  const payment = (timeMs: number, coin: string, usdc = '-0.1') =>
    readPayment(timeMs, { coin, usdc, szi: '1.0', fundingRate: '0.0000125', nSamples: 8 });

  it('come newest first, and one that comes twice is there once', () => {
    const known = [payment(8, 'BTC'), payment(8, 'ETH')];
    const merged = mergePayments(known, [payment(8, 'ETH', '-0.1'), payment(16, 'SOL'), payment(0, 'BTC')]);
    expect(merged.map(({ timeMs, coin }) => `${timeMs} ${coin}`)).to.deep.equal(['16 SOL', '8 BTC', '8 ETH', '0 BTC']);
    expect(merged[0]).to.include({ usd: '-0.1', hours: 8, rate: '0.0000125' });
  });
});

describe('TWAPs', () => {
  const state: WireTwapState = {
    coin: 'ETH',
    side: 'A',
    sz: '2.0',
    executedSz: '0.5',
    executedNtl: '1000.0',
    minutes: 10,
    reduceOnly: false,
    randomize: false,
    timestamp: 60_000,
    trigger: { px: '1900.0', above: false },
    stopPx: null,
  };

  it('have a share that is done and a time that is left, which never is below nothing', () => {
    const twap = readTwap(5, state);
    expect(doneShare(twap)).to.equal(0.25);
    expect([leftMs(twap, 60_000), leftMs(twap, 9_999_999)]).to.deep.equal([600_000, 0]);
    expect(twap).to.include({ side: 'sell', trigger: 'mark below 1900.0' });
    expect(doneShare(readTwap(5, { ...state, sz: '0.0' }))).to.equal(0);
  });

  it('are there once, at their newest change', () => {
    const change = (twapId: number, time: number, status: string) => ({ twapId, time, state, status: { status } });
    const past = newestChanges([change(5, 30, 'finished'), change(6, 20, 'waitingForTrigger'), change(5, 10, 'activated')]);
    expect(past.map(({ twapId, status, changedMs }) => [twapId, status, changedMs])).to.deep.equal([
      [5, 'finished', 30_000],
      [6, 'waitingForTrigger', 20_000],
    ]);
    const [failed] = newestChanges([{ twapId: 7, time: 1, state, status: { status: 'error', description: 'No liquidity.' } }]);
    expect(failed?.error).to.equal('No liquidity.');
  });
});

const DRAW: LabDraw = {
  ...{ act: 'place', keyId: 'key_1', number: 3, time: 1, draw: 0.25, fault: null, delayMs: null, answerMs: null, script: null },
} as LabDraw;
const SCRIPT = { cloidPrefix: null, draw: null, refuse: null, fillPercent: null, fillAfterMs: null, neverFill: false };

describe('labWords', () => {
  const cases: readonly (readonly [Partial<LabDraw>, string])[] = [
    [{}, 'The order met nothing: request 3, draw 0.2500.'],
    [{ act: 'cancel', delayMs: 300, answerMs: 40 }, 'A cancel waited 300 ms, was answered 40 ms late: request 3, draw 0.2500.'],
    [{ fault: 'timeoutAfterEffect' }, 'The order met timeoutAfterEffect: request 3, draw 0.2500.'],
    [
      { script: { ...SCRIPT, cloidPrefix: '0xde', neverFill: true, fillPercent: 0 } },
      'The order is never filled, filled 0 % at once at most: request 3, draw 0.2500, script 0xde.',
    ],
    [{ script: { ...SCRIPT, draw: 0.1, fillPercent: 33 } }, 'The order filled 33 % at once at most: request 3, draw 0.2500.'],
    [
      { script: { ...SCRIPT, cloidPrefix: '0xa', refuse: 'halted', fillAfterMs: 5 } },
      'The order was refused (halted), was held for 5 ms: request 3, draw 0.2500, script 0xa.',
    ],
  ];
  for (const [fields, words] of cases) it(words, () => expect(labWords({ ...DRAW, ...fields })).to.equal(words));
});
