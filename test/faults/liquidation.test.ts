import { expect } from 'chai';
import type { JournalPositionDocument } from '../../src/actors/engine/journal/journalPosition.ts';
import { Decimal, ZERO } from '../../src/shared/domain/decimal.ts';
import { collections } from '../../src/shared/mongo/mongo.ts';
import { shardKeys } from '../../src/shared/redis/keys.ts';
import { BTC, ETH, setBooks } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const SHARDS = 4;
const ACCOUNTS = 12;
const DEPOSITS = new Decimal(10_000).times(ACCOUNTS);
/** Stops of each account, a third of them for each mark of ETH. */
const STOPS = 24;
const STOP_SIZE = '0.01';
const ETH_MARKS = ['2004', '2012', '2020'];
/** Each step endangers more accounts; the last one leaves none of them anything. */
const MARKS = ['64150', '64000', '63000'];

interface WireFill {
  readonly oid: number;
  readonly tid: number;
  readonly px: string;
  readonly sz: string;
  readonly side: 'A' | 'B';
  readonly fee: string;
  readonly startPosition: string;
  readonly liquidation?: { readonly method: string };
}

describe('kill -9 of the actors in the middle of what a mark sets off', function () {
  this.timeout(600_000);
  let stack: Stack;
  let accounts: TestAccount[];

  before(async () => {
    const env = { SHARDS: String(SHARDS), LEASE_TTL_MS: '1000', MARKET_MAX_AGE_MS: '36000000', HISTORY_DELAY_MS: '300' };
    stack = await startStack({ env });
    await setBooks(stack.market);
    accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => stack.register()));
  });
  after(() => stack.stop());

  const openLong = async (account: TestAccount, size: number): Promise<void> => {
    const leverage = { type: 'updateLeverage', asset: BTC.asset, isCross: true, leverage: 40 };
    expect((await stack.act(account.apiKey, leverage)).body.status).to.equal('ok');
    const order = orderAction(BTC.asset, { px: '66000', sz: size.toFixed(3), tif: 'Ioc' });
    const { body } = await stack.act(account.apiKey, order);
    expect(body.response.data.statuses[0]).to.have.property('filled');
  };
  const info = ({ apiKey, address }: TestAccount, type: string) => stack.ask(apiKey, { type, user: address });
  const worth = async (account: TestAccount): Promise<Decimal> =>
    new Decimal((await info(account, 'clearinghouseState')).marginSummary.accountValue);
  const isFlat = async (account: TestAccount): Promise<boolean> =>
    (await info(account, 'clearinghouseState')).assetPositions.length === 0;
  const houseCash = async (): Promise<Decimal> => {
    const shards = await stack.mongo.db.collection<JournalPositionDocument>(collections.shards).find().toArray();
    return shards.reduce((sum, { house }) => sum.plus(house?.cashUsd ?? 0), ZERO);
  };

  const commits = async (): Promise<number> => {
    const heads = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => stack.redis.hget(shardKeys.head(shard), 'n')));
    return heads.reduce((sum, head) => sum + Number(head), 0);
  };

  /** Until the first commit of what the mark has set off, and no further. */
  const cutOff = async (coin: string, px: string): Promise<void> => {
    const before = await commits();
    await stack.market.control({ op: 'setMark', coin, px });
    while ((await commits()) === before) await new Promise((resolve) => setImmediate(resolve));
    await stack.kill('actors-0');
    await stack.restart('actors-0');
  };

  it('every trigger fires once, and fills what it is for', async () => {
    const stops = Array.from({ length: STOPS }, (_, n) => ({
      a: ETH.asset,
      b: true,
      p: '2200',
      s: STOP_SIZE,
      r: false,
      t: { trigger: { isMarket: true, triggerPx: (2001 + n * 0.8).toFixed(1), tpsl: 'sl' } },
    }));
    const place = { type: 'order', orders: stops, grouping: 'na' };
    for (const answer of await Promise.all(accounts.map(({ apiKey }) => stack.act(apiKey, place)))) {
      expect(answer.body.response.data.statuses).to.have.length(STOPS);
    }
    for (const px of ETH_MARKS) await cutOff(ETH.coin, px);
    await stack.market.control({ op: 'setMark', coin: ETH.coin, px: '2022' });
    for (const account of accounts) {
      await until(async () => (await info(account, 'openOrders')).length === 0);
      const changes: { order: { oid: number }; status: string }[] = await info(account, 'historicalOrders');
      const byOid = new Map<number, string[]>();
      for (const { order, status } of changes.toReversed()) byOid.set(order.oid, [...(byOid.get(order.oid) ?? []), status]);
      expect(byOid.size).to.equal(STOPS);
      for (const steps of byOid.values()) expect(steps).to.deep.equal(['open', 'triggered', 'filled']);
      const bought = new Map<number, Decimal>();
      for (const { oid, sz } of (await info(account, 'userFills')) as WireFill[]) {
        bought.set(oid, (bought.get(oid) ?? ZERO).plus(sz));
      }
      expect(new Set([...bought].map(([, sz]) => sz.toString()))).to.deep.equal(new Set([STOP_SIZE]));
      const { assetPositions } = await info(account, 'clearinghouseState');
      expect(assetPositions[0].position.szi).to.equal(new Decimal(STOP_SIZE).times(STOPS).toString());
      const close = orderAction(ETH.asset, { buy: false, px: '1900', sz: assetPositions[0].position.szi, tif: 'Ioc' });
      expect((await stack.act(account.apiKey, close)).body.response.data.statuses[0]).to.have.property('filled');
    }
  });

  it('every position is liquidated once, and accounts, house and market add up to the last micro-USD', async () => {
    await Promise.all(accounts.map((account, n) => openLong(account, 5 + n / ACCOUNTS)));
    for (const px of MARKS) {
      // Nothing is left for the last one to be sold to.
      if (px === MARKS.at(-1))
        await stack.market.control({ op: 'setBook', coin: BTC.coin, bids: [['60000', '1']], asks: [['65000', '500']] });
      await cutOff(BTC.coin, px);
    }
    for (const account of accounts) await until(() => isFlat(account));

    const fills: WireFill[] = [];
    for (const account of accounts) {
      const own: WireFill[] = (await info(account, 'userFills')).toReversed();
      let position = ZERO;
      for (const { startPosition, side, sz } of own) {
        expect(position.eq(startPosition), `${startPosition} follows ${position.toString()}`).to.equal(true);
        position = side === 'B' ? position.plus(sz) : position.minus(sz);
      }
      expect(position.isZero()).to.equal(true);
      const liquidations = (await info(account, 'userNonFundingLedgerUpdates')).filter(
        ({ delta }: { delta: { type: string } }) => delta.type === 'liquidation',
      );
      expect(liquidations.length).to.be.within(1, own.filter(({ liquidation }) => liquidation).length);
      expect((await worth(account)).isNeg()).to.equal(false);
      fills.push(...own);
    }
    expect(new Set(fills.map(({ tid }) => tid)).size).to.equal(fills.length);
    expect(fills.some(({ liquidation }) => liquidation?.method === 'backstop')).to.equal(true);

    const traded = fills.filter(({ liquidation }) => liquidation?.method !== 'backstop');
    const market = traded.reduce((sum, { side, px, sz }) => sum.plus(new Decimal(px).times(side === 'B' ? sz : `-${sz}`)), ZERO);
    const worths = await Promise.all(accounts.map(worth));
    const wanted = worths.reduce((left, usd) => left.minus(usd), DEPOSITS.minus(market)).toString();
    await until(async () => (await houseCash()).toString() === wanted);
  });
});
