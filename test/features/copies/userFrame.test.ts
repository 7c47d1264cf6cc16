// The venue's answers and frames about the fills and orders of an address: recorded ones are read, and an account that follows
// takes each fill of a recorded history once. The venue's own forms stand where nothing was recorded (`userFills` over the
// WebSocket).
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { SourceFill } from '../../../src/actors/core/messages/importReport.ts';
import { readFillsAnswer, readUserFrame } from '../../../src/features/copies/userFrame.ts';
import { toAskedOpening, toOpenings, UnreadableAnswer } from '../../../src/features/copies/venueAddress.ts';
import { stateHashOf } from '../../../src/shared/stateHash.ts';
import { FixtureMarket } from '../../support/fixtureMarket.ts';
import { deposit, Scenario } from '../../support/scenario.ts';

const SOURCE = `0x${'cd'.repeat(20)}`;
const HISTORIES = [
  'userFills.2026',
  'userFills.cloid-rebate',
  'userFills.liquidation-builder',
  'userFillsByTime',
  'userFillsByTime.empty',
];
/** Fills had no tid then. */
const HISTORIES_OF_2023 = ['userFills', 'userFillsByTime.2023'];

const recorded = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../fixtures/hyperliquid/${name}.json`, import.meta.url), 'utf8')).response;

const FILL = {
  ...{
    coin: 'SOL',
    px: '99.5',
    sz: '4',
    side: 'B',
    time: 1_700_000_000_001,
    startPosition: '0.0',
    dir: 'Open Long',
    closedPnl: '0.0',
  },
  ...{ hash: '0x00', oid: 50, crossed: true, fee: '0.1791', tid: 1, feeToken: 'USDC', twapId: null },
};
const frame = (channel: string, data: unknown): string => JSON.stringify({ channel, data });
const closesOf = (fields: object): boolean | undefined => readFillsAnswer([{ ...FILL, ...fields }]).fills[0]?.closes;

const TOLD = { type: 'followSource', id: 'mir_1', term: 1, ended: [], opened: [] } as const;
/** An account that has followed the address from its beginning. */
const following = (): Scenario =>
  new Scenario(new FixtureMarket()).given(
    deposit('0'),
    {
      ...{ type: 'importAccount', source: SOURCE, scale: '1', takenAtMs: 1, accountValue: '1000000' },
      ...{ positions: [], orders: [], left: [] },
    },
    { type: 'followAddress', id: 'mir_1', source: SOURCE, sinceMs: 1, orders: [] },
  );
const heardOf = ({ entries }: Scenario): number[] =>
  entries.flatMap(({ events }) => events.flatMap((event) => (event.type === 'sourceFilled' ? [event.tid] : [])));

describe('userFrame: what the venue tells of an address', () => {
  it('a fill, over the WebSocket and asked for', () => {
    const fill = {
      ...{ tid: 1, oid: 50, coin: 'SOL', side: 'buy', price: '99.5', size: '4', fee: '0.1791', timeMs: 1_700_000_000_001 },
      liquidity: 'taker',
    };
    const told = readUserFrame(
      frame('userFills', { isSnapshot: true, user: SOURCE, fills: [FILL, { ...FILL, coin: '@107' }] }),
      SOURCE,
    );
    expect(told, 'spot is left out').to.deep.equal([{ type: 'fill', fill }]);
    expect(readFillsAnswer([FILL])).to.deep.equal({ count: 1, lastMs: fill.timeMs, fills: [fill] });
  });

  it('of spot and outcomes only the time is read: dust has no price, a settled outcome one of 0; a snapshot is put in the order of time', () => {
    const dust = { coin: '@142', time: 1_700_000_000_009, px: '0.0', sz: '0.0', tid: 0, dir: 'Spot Dust Conversion' };
    const outcome = { coin: '#120', time: 1_700_000_000_008, px: '0', sz: '5.0', dir: 'Settlement' };
    const newestFirst = [dust, outcome, { ...FILL, tid: 3 }, { ...FILL, tid: 2 }, { ...FILL, time: FILL.time - 1 }];
    const { count, lastMs, fills } = readFillsAnswer(newestFirst);
    expect([count, lastMs, fills.map(({ tid }) => tid)]).to.deep.equal([5, dust.time, [1, 2, 3]]);
    const told = readUserFrame(frame('userFills', { isSnapshot: true, user: SOURCE, fills: newestFirst }), SOURCE);
    expect(told?.map((each) => each.type === 'fill' && each.fill.tid)).to.deep.equal([1, 2, 3]);
    expect(readFillsAnswer([])).to.deep.equal({ count: 0, lastMs: undefined, fills: [] });
    for (const bad of [{ coin: '@142' }, { coin: 5, time: 1 }, { coin: '@142', time: -1 }, null])
      expect(() => readFillsAnswer([bad])).to.throw(UnreadableAnswer);
  });

  it('a liquidation, a settlement and a netting of vaults are fills as others; two settlements of one moment are two', () => {
    const liquidation = { liquidatedUser: SOURCE, markPx: '99.1', method: 'market' };
    const forced = [
      { ...FILL, side: 'A', startPosition: '4.0', dir: 'Liquidated Cross Long', liquidation },
      { ...FILL, tid: 0, oid: 51, side: 'A', startPosition: '4.0', dir: 'Settlement' },
      { ...FILL, tid: 0, oid: 52, coin: 'ISO', side: 'A', startPosition: '4.0', dir: 'Settlement' },
      { ...FILL, tid: 0, oid: 53, side: 'A', startPosition: '9.0', dir: 'Net Child Vaults' },
      { ...FILL, tid: 9, oid: 54, side: 'A', startPosition: '9.0', dir: 'Auto-Deleveraging' },
    ];
    const { fills } = readFillsAnswer(forced);
    expect(fills.map(({ closes }) => closes)).to.deep.equal([true, true, true, true, true]);
    const scenario = following().given({ ...TOLD, fills }, { ...TOLD, fills });
    expect(heardOf(scenario)).to.deep.equal([0, 0, 0, 1, 9]);
  });

  it('a frame about another address is none of it, in whatever letters the venue writes it', () => {
    const about = (user: string) => readUserFrame(frame('userFills', { user, fills: [FILL] }), SOURCE);
    expect(about(`0x${'CD'.repeat(20)}`)).to.deep.equal(about(SOURCE));
    expect(about(SOURCE)).to.have.length(1);
    expect(about(`0x${'ce'.repeat(20)}`)).to.equal(undefined);
  });

  it('what makes a position smaller closes; what turns it round opens', () => {
    expect(closesOf({ startPosition: '4.0', side: 'A' })).to.equal(true);
    expect(closesOf({ startPosition: '3.9', side: 'A' })).to.equal(undefined);
    expect(closesOf({ startPosition: '-4.0' })).to.equal(true);
    expect(closesOf({ startPosition: '4.0' })).to.equal(undefined);
  });

  it('orders: open, filled, or over in whatever way; a trigger that fires is none of them', () => {
    const statuses = ['open', 'filled', 'canceled', 'marginCanceled', 'tickRejected', 'triggered'];
    const updates = statuses.map((status, oid) => ({ order: { coin: 'SOL', oid }, status, statusTimestamp: 1 }));
    expect(readUserFrame(frame('orderUpdates', updates), SOURCE)?.map((each) => 'state' in each && each.state)).to.deep.equal([
      ...['open', 'filled', 'over', 'over', 'over'],
    ]);
    const frames = recorded('ws.orderUpdates') as object[];
    expect(
      frames.flatMap((each) => readUserFrame(JSON.stringify(each), SOURCE)),
      'an order of spot',
    ).to.deep.equal([]);
    expect(readUserFrame('{"channel":"pong"}', SOURCE)).to.deep.equal([]);
  });

  it('an order that was asked for, while it is open', () => {
    expect(toAskedOpening(recorded('info.orderStatus.filled'))).to.equal(undefined);
    expect(toAskedOpening(recorded('info.orderStatus.unknownOid'))).to.equal(undefined);
    const { order } = recorded('info.orderStatus.filled') as { order: { order: object } };
    const opening = toAskedOpening({ status: 'order', order: { ...order, status: 'open' } });
    expect(opening).to.include({ originalSize: '0.0025', placedAtMs: 1755857898644 });
    expect(opening?.order).to.include({ oid: 37907159219, coin: 'ETH', side: 'buy', limitPrice: '4650.4' });
  });

  it('all that is open, children too, with their numbers once', () => {
    const { openings, open } = toOpenings(recorded('info.frontendOpenOrders'));
    expect([...open].sort()).to.deep.equal([3184595905, 3184595906, 3184595907]);
    expect(openings.map(({ order, originalSize }) => [order.oid, originalSize])).to.deep.equal([[3184595905, '12.5']]);
  });

  const unreadable: [name: string, fields: object][] = [
    ['a price of 0', { px: '0.0' }],
    ['no number', { sz: 'NaN' }],
    ['a number that is no text', { px: 5 }],
    ['another side', { side: 'C' }],
    ['a tid below 0', { tid: -1 }],
    ['no fee', { fee: null }],
    ['a coin of 65 characters', { coin: 'x'.repeat(65) }],
  ];
  for (const [name, fields] of unreadable)
    it(`a fill is unreadable: ${name}`, () => {
      expect(() => readFillsAnswer([FILL, { ...FILL, ...fields }])).to.throw(UnreadableAnswer);
      expect(() => readUserFrame(frame('userFills', { user: SOURCE, fills: [{ ...FILL, ...fields }] }), SOURCE)).to.throw(
        UnreadableAnswer,
      );
    });
  it('other frames that cannot be read', () => {
    for (const data of [null, {}, [{ order: { coin: 'SOL' }, status: 'open' }], [{ order: { coin: 'SOL', oid: 1 } }]])
      expect(() => readUserFrame(frame('orderUpdates', data), SOURCE)).to.throw(UnreadableAnswer);
    expect(() => readUserFrame('{', SOURCE)).to.throw(SyntaxError);
  });

  for (const name of HISTORIES_OF_2023)
    it(`the recorded history ${name} has the form of 2023, which is read no more`, () =>
      expect(() => readFillsAnswer(recorded(`info.${name}`))).to.throw(UnreadableAnswer, "must have required property 'tid'"));

  for (const name of HISTORIES)
    it(`the recorded history ${name} is followed: each fill is heard of once, in one piece or in many`, () => {
      const { count, fills } = readFillsAnswer(recorded(`info.${name}`) ?? []);
      const oldestFirst = [...fills].sort((a, b) => a.timeMs - b.timeMs || a.tid - b.tid);
      expect(count).to.be.at.least(fills.length);
      const followed = (pieces: readonly (readonly SourceFill[])[]): Scenario =>
        following().given(...pieces.map((some) => ({ ...TOLD, fills: some })));
      const tids = [...new Set(oldestFirst.map(({ tid }) => tid))];
      const whole = followed([fills, fills]);
      const pieces = followed(oldestFirst.flatMap((fill) => [[fill], [fill]]));
      expect(heardOf(whole)).to.deep.equal(tids);
      expect(heardOf(pieces)).to.deep.equal(tids);
      const before = stateHashOf(whole.account);
      whole.given({ ...TOLD, fills });
      expect(stateHashOf(whole.account)).to.equal(before);
    });
});
