// What the venue tells of the fills and orders of an address: recorded answers and frames are read, and an account that follows takes each
// fill of a recorded history once. The venue's own forms stand where nothing was recorded (`userFills` over the WebSocket).
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { SourceFill } from '../../../src/actors/domain/messages/answers/sourceFacts.ts';
import { toAskedOpening, toOpenings, UnreadableAnswer } from '../../../src/api/import/venueAddress.ts';
import { readFillsAnswer, readUserFrame } from '../../../src/api/mirror/userFrame.ts';
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
    expect(readFillsAnswer([FILL])).to.deep.equal({ count: 1, fills: [fill] });
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
      const followed = (pieces: readonly (readonly SourceFill[])[]): Scenario => {
        const scenario = new Scenario(new FixtureMarket()).given(
          deposit('0'),
          {
            ...{ type: 'importAccount', source: SOURCE, scale: '1', takenAtMs: 1, accountValue: '1000000' },
            ...{ positions: [], orders: [], left: [] },
          },
          { type: 'followAddress', id: 'mir_1', source: SOURCE, sinceMs: 1, orders: [] },
        );
        for (const some of pieces)
          scenario.given({ type: 'followSource', id: 'mir_1', term: 1, fills: some, ended: [], opened: [] });
        return scenario;
      };
      const heardOf = ({ entries }: Scenario): number[] =>
        entries.flatMap(({ events }) => events.flatMap((event) => (event.type === 'sourceFilled' ? [event.tid] : [])));
      const tids = [...new Set(oldestFirst.map(({ tid }) => tid))];
      const whole = followed([fills, fills]);
      const pieces = followed(oldestFirst.flatMap((fill) => [[fill], [fill]]));
      expect(heardOf(whole)).to.deep.equal(tids);
      expect(heardOf(pieces)).to.deep.equal(tids);
      const before = stateHashOf(whole.account);
      whole.given({ type: 'followSource', id: 'mir_1', term: 1, fills, ended: [], opened: [] });
      expect(stateHashOf(whole.account)).to.equal(before);
    });
});
