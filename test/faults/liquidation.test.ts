import { expect } from 'chai';
import type { PositionDocument } from '../../src/actors/shardPosition.ts';
import { Decimal, ZERO } from '../../src/shared/domain/decimal.ts';
import { collections } from '../../src/shared/mongo.ts';
import { BTC, setBooks } from '../support/faults/coins.ts';
import { orderAction } from '../support/orderWire.ts';
import { type Stack, startStack, type TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';

const ACCOUNTS = 12;
const DEPOSITS = new Decimal(10_000).times(ACCOUNTS);
/** Each step endangers more accounts; the last one leaves none of them anything. */
const MARKS = ['64150', '64000', '63000'];

interface WireFill {
  readonly tid: number;
  readonly px: string;
  readonly sz: string;
  readonly side: 'A' | 'B';
  readonly fee: string;
  readonly startPosition: string;
  readonly liquidation?: { readonly method: string };
}

describe('kill -9 of the actors in the middle of a cascade of liquidations', function () {
  this.timeout(120_000);
  let stack: Stack;
  let accounts: TestAccount[];

  before(async () => {
    const env = { SHARDS: '4', LEASE_TTL_MS: '1000', MARKET_MAX_AGE_MS: '36000000', HISTORY_DELAY_MS: '300' };
    stack = await startStack({ env });
    await setBooks(stack.market);
    accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => stack.register()));
    await Promise.all(accounts.map((account, n) => openLong(account, 5 + n / ACCOUNTS)));
  });
  after(() => stack.stop());

  const openLong = async (account: TestAccount, size: number): Promise<void> => {
    const leverage = { type: 'updateLeverage', asset: BTC.asset, isCross: true, leverage: 40 };
    expect((await stack.exchange(account.apiKey, leverage)).body.status).to.equal('ok');
    const order = orderAction(BTC.asset, { px: '66000', sz: size.toFixed(3), tif: 'Ioc' });
    const { body } = await stack.exchange(account.apiKey, order);
    expect(body.response.data.statuses[0]).to.have.property('filled');
  };
  const info = async ({ apiKey, address }: TestAccount, type: string) => (await stack.info(apiKey, { type, user: address })).body;
  const worth = async (account: TestAccount): Promise<Decimal> =>
    new Decimal((await info(account, 'clearinghouseState')).marginSummary.accountValue);
  const isFlat = async (account: TestAccount): Promise<boolean> =>
    (await info(account, 'clearinghouseState')).assetPositions?.length === 0;
  const houseCash = async (): Promise<Decimal> => {
    const shards = await stack.mongo.db.collection<PositionDocument>(collections.shards).find().toArray();
    return shards.reduce((sum, { house }) => sum.plus(house?.cashUsd ?? 0), ZERO);
  };

  it('every position is liquidated once, and accounts, house and market add up to the last micro-USD', async () => {
    for (const px of MARKS) {
      await stack.market.control({ op: 'setMark', coin: BTC.coin, px });
      await stack.kill('actors-0');
      await stack.restart('actors-0');
    }
    for (const account of accounts) await until(() => isFlat(account), 40_000);

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
    await until(async () => (await houseCash()).toString() === wanted, 20_000);
  });
});
