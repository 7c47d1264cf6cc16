import { expect } from 'chai';
import { BTC } from '../support/faults/coins.ts';
import type { FaultStack } from '../support/faults/faultStack.ts';
import { Random, scenario } from '../support/faults/seeds.ts';
import { sharedFaults } from '../support/faults/sharedFaults.ts';
import { type OrderFields, orderAction } from '../support/orderWire.ts';
import type { TestAccount } from '../support/stack.ts';

const ORDERS = 64;
const REFUSED = { error: `Insufficient margin to place order. asset=${BTC.asset}` };

describe('64 orders at once for a margin that admits fewer', function () {
  this.timeout(600_000);
  let faults: FaultStack;

  sharedFaults.use((shared) => {
    faults = shared;
  });

  /** An account with 10,000 USD and 10x on BTC. */
  const trader = async (): Promise<TestAccount> => {
    const account = await faults.stack.register();
    const leverage = { type: 'updateLeverage', asset: BTC.asset, isCross: true, leverage: 10 };
    expect((await faults.stack.act(account.apiKey, leverage)).body.status).to.equal('ok');
    return account;
  };
  const sendAll = async (account: TestAccount, orders: readonly OrderFields[]): Promise<object[]> => {
    const answers = await Promise.all(orders.map((order) => faults.stack.act(account.apiKey, orderAction(BTC.asset, order))));
    return answers.map(({ body }) => body.response.data.statuses[0]);
  };
  const refused = (statuses: readonly object[]): object[] => statuses.filter((status) => 'error' in status);
  const state = (account: TestAccount) => faults.stack.ask(account.apiKey, { type: 'clearinghouseState', user: account.address });

  // 0.05 at 60,000 and 10x hold 300 USD: 33 x 300 = 9,900, the 34th would make 10,200 of 10,000.
  scenario('resting: 33 rest', async () => {
    const account = await trader();
    const statuses = await sendAll(account, Array(ORDERS).fill({ px: '60000', sz: '0.05' }));
    expect(refused(statuses)).to.deep.equal(Array(ORDERS - 33).fill(REFUSED));
    const open = await faults.stack.ask(account.apiKey, { type: 'openOrders', user: account.address });
    expect(open).to.have.length(33);
    expect((await state(account)).withdrawable).to.equal('100.0');
  });

  // 0.05 at the mark of 65,000 and 10x need 325 USD. The first walks 0.002 at 65,010, 0.01 at 65,020 and 0.038 at 65,030:
  // 3,251.36 USD; the others find 65,030 only: 3,251.50. Fees 1.463112 and 29 x 1.463175, paid above the mark 1.36 and
  // 29 x 1.50. So 30 leave 10,000 - 88.755187 = 9,911.244813 against 9,750 needed, and 31 would need 10,075.
  scenario('immediate: 30 fill', async () => {
    const account = await trader();
    const statuses = await sendAll(account, Array(ORDERS).fill({ px: '66000', sz: '0.05', tif: 'Ioc' }));
    expect(refused(statuses)).to.deep.equal(Array(ORDERS - 30).fill(REFUSED));
    const { marginSummary, assetPositions } = await state(account);
    expect(assetPositions[0].position.szi).to.equal('1.5');
    expect(marginSummary).to.include({ accountValue: '9911.244813', totalMarginUsed: '9750.0' });
  });

  scenario('both kinds mixed, of any size: never more than there is', async (seed) => {
    const random = new Random(seed);
    const account = await trader();
    const orders = Array.from({ length: ORDERS }, (): OrderFields => {
      const sz = (0.01 * random.whole(1, 12)).toFixed(2);
      return random.chance(0.5) ? { px: String(random.whole(55_000, 64_000)), sz } : { px: '66000', sz, tif: 'Ioc' };
    });
    const statuses = await sendAll(account, orders);
    expect(refused(statuses)).not.to.deep.equal([]);
    const { marginSummary } = await state(account);
    const held = orders.reduce((sum, { px, sz, tif }, i) => {
      const isResting = tif !== 'Ioc' && !refused([statuses[i] as object]).length;
      return isResting ? sum + (Number(px) * Number(sz)) / 10 : sum;
    }, 0);
    const free = Number(marginSummary.accountValue) - Number(marginSummary.totalMarginUsed) - held;
    expect(free).to.be.at.least(-1e-6);
    for (const [i, { px, sz }] of orders.entries()) {
      const fits = (Number(px) * Number(sz)) / 10 < free - 20;
      if (fits) expect(statuses[i], `an order of ${sz} at ${px} fits into ${free}`).not.to.have.property('error');
    }
  });
});
