// One address is followed over a connection to the emulated venue: the frames of the connection in their order, and the commands
// that the account gets. Answers to questions are this test's own.
import { expect } from 'chai';
import pino from 'pino';
import { AddressFollower } from '../../../src/features/copies/addressFollower.ts';
import type { Facts } from '../../../src/features/copies/factTeller.ts';
import { NO_LIMITS, OpeningPace } from '../../../src/shared/venue/venueSocket.ts';
import { control, startEmulator, type TestMarket } from '../../support/market.ts';
import { until } from '../../support/until.ts';

const SOURCE = `0x${'cd'.repeat(20)}`;
const NOW_MS = 1_800_000_000_000;

type Question = { readonly type: string; readonly startTime?: number };

const wireFill = (tid: number, time: number, fields: object = {}) => ({
  ...{ coin: 'SOL', px: '100', sz: '1', side: 'B', time, startPosition: '0.0', oid: 1000 + tid, crossed: true, fee: '0.0', tid },
  ...fields,
});
const wireOrder = (oid: number) => ({
  ...{ oid, coin: 'SOL', side: 'B', limitPx: '95', sz: '4', origSz: '4', timestamp: NOW_MS, reduceOnly: false, isTrigger: false },
  ...{ triggerPx: '0.0', isPositionTpsl: false, orderType: 'Limit', tif: 'Gtc', cloid: null, children: [] },
});

describe('addressFollower: what an account is told of its address', () => {
  let market: TestMarket;
  before(async () => {
    market = await startEmulator();
  });
  after(() => market.stop());

  const send = (channel: string, data: unknown) => control(market.url, { op: 'send', text: JSON.stringify({ channel, data }) });
  const sendFills = (...fills: object[]) => send('userFills', { user: SOURCE, fills });
  const sendUpdate = (oid: number, status: string) => send('orderUpdates', [{ order: { coin: 'SOL', oid }, status }]);

  /** @param answers to the first questions of each type; the last stands for all that come after it */
  async function following(answers: Readonly<Record<string, readonly unknown[]>>, check: (parts: Followed) => Promise<void>) {
    const told: Facts[] = [];
    const asked: Question[] = [];
    const left = new Map(Object.entries(answers).map(([type, all]) => [type, [...all]]));
    const follower = new AddressFollower({
      ...{ log: pino({ level: 'silent' }), url: market.url, pace: new OpeningPace(NO_LIMITS, () => 0), address: SOURCE },
      venue: {
        askPatiently: (body) => {
          const question = body as Question;
          asked.push(question);
          const [first, ...others] = left.get(question.type) ?? [[]];
          if (others.length > 0) left.set(question.type, others);
          return Promise.resolve(first);
        },
      },
      ...{ payer: 'ann', throughMs: NOW_MS - 60_000, now: () => NOW_MS, onRefused: () => undefined, onHearing: () => undefined },
      tell: (facts) => {
        told.push(facts);
        return Promise.resolve(true);
      },
    });
    follower.start();
    try {
      await check({ follower, told, asked, tids: () => told.flatMap(({ fills }) => fills.map(({ tid }) => tid)) });
    } finally {
      await follower.stop();
    }
  }
  interface Followed {
    readonly follower: AddressFollower;
    readonly told: readonly Facts[];
    readonly asked: readonly Question[];
    readonly tids: () => number[];
  }
  const untilCaughtUp = ({ follower }: Followed) => until(() => follower.hearing.isCaughtUp);

  it('a fill of a minute ahead is told, over the connection and asked for; one of a millisecond more waits', async () => {
    const early = [wireFill(3, NOW_MS + 60_001), wireFill(2, NOW_MS + 60_000), wireFill(1, NOW_MS + 59_999)];
    await following({ userFillsByTime: [[], early, []] }, async (parts) => {
      await untilCaughtUp(parts);
      // The early one makes it ask, and what it is answered has the same three.
      await sendFills(...early);
      await untilCaughtUp(parts);
      await until(() => parts.tids().length >= 4);
      expect([...parts.tids()].sort()).to.deep.equal([1, 1, 2, 2]);
    });
  });

  it('a frame with the newest first is told oldest first, all of it', async () => {
    await following({}, async (parts) => {
      await untilCaughtUp(parts);
      const tids = Array.from({ length: 120 }, (_, at) => at);
      await sendFills(...tids.map((tid) => wireFill(tid, NOW_MS - 1000 + tid)).reverse());
      await until(() => parts.tids().length >= 120);
      expect(parts.tids()).to.deep.equal(tids);
      expect(Math.max(...parts.told.map(({ fills }) => fills.length))).to.equal(50);
    });
  });

  it('a fill that comes after a newer one is told, up to ten seconds late; a gap is asked about from ten seconds before the newest', async () => {
    await following({}, async (parts) => {
      await untilCaughtUp(parts);
      await sendFills(wireFill(1, NOW_MS));
      await sendFills(wireFill(2, NOW_MS - 10_001));
      await sendFills(wireFill(3, NOW_MS - 10_000));
      await until(() => parts.tids().includes(3));
      expect(parts.tids()).to.deep.equal([1, 3]);
      await send('userFills', 'garbled');
      await until(() => parts.asked.filter(({ type }) => type === 'userFillsByTime').length === 2);
      expect(parts.asked.flatMap(({ startTime = [] }) => startTime)).to.deep.equal([NOW_MS - 70_000, NOW_MS - 10_000]);
    });
  });

  it('a full page of spot alone is no end of the answer', async () => {
    const spot = Array.from({ length: 2000 }, (_, tid) => wireFill(tid, NOW_MS - 50_000 + tid, { coin: '@107' }));
    await following({ userFillsByTime: [spot, [wireFill(7, NOW_MS - 40_000)], []] }, async (parts) => {
      await untilCaughtUp(parts);
      expect(parts.tids()).to.deep.equal([7]);
      expect(parts.asked.flatMap(({ startTime = [] }) => startTime)).to.deep.equal([NOW_MS - 70_000, NOW_MS - 48_001]);
    });
  });

  it('an order whose end was heard is not opened by an answer that is older', async () => {
    const answers = {
      orderStatus: [{ status: 'order', order: { status: 'open', order: wireOrder(5) } }],
      frontendOpenOrders: [[], [wireOrder(5), wireOrder(6)]],
    };
    await following(answers, async (parts) => {
      await untilCaughtUp(parts);
      await sendUpdate(5, 'open');
      await until(() => parts.told.some(({ opened }) => opened.length > 0));
      await sendUpdate(5, 'canceled');
      await until(() => parts.told.some(({ ended }) => ended.includes(5)));
      await send('orderUpdates', 'garbled');
      await until(() => parts.told.some(({ open }) => open?.includes(6)));
      await untilCaughtUp(parts);
      expect(parts.told.map(({ open }) => open)).to.deep.include([6]);
      expect(parts.told.flatMap(({ opened }) => opened.map(({ order }) => order.oid))).to.deep.equal([5, 6]);
    });
  });

  it('nor is a child whose end was heard, whether its order is asked for alone or with all', async () => {
    const child = (oid: number) => ({ ...wireOrder(oid), isTrigger: true, triggerPx: '90', orderType: 'Stop Market', tif: null });
    const parent = (oid: number, ...children: number[]) => ({ ...wireOrder(oid), children: children.map(child) });
    const answers = {
      orderStatus: [{ status: 'order', order: { status: 'open', order: parent(5, 51, 52) } }],
      frontendOpenOrders: [[], [parent(6, 61, 62)]],
    };
    await following(answers, async (parts) => {
      const opened = () => parts.told.flatMap(({ opened: all }) => all.map(({ order }) => [order, ...(order.children ?? [])]));
      const oids = () => opened().map((family) => family.map(({ oid }) => oid));
      await untilCaughtUp(parts);
      await sendUpdate(51, 'canceled');
      await sendUpdate(5, 'open');
      await until(() => opened().length === 1);
      await sendUpdate(62, 'canceled');
      await send('orderUpdates', 'garbled');
      await until(() => opened().length === 2);
      expect(oids()).to.deep.equal([
        [5, 52],
        [6, 61],
      ]);
    });
  });
});
