import { expect } from 'chai';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import type { DelistingChange } from '../../src/market/domain/feed.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
const entry = { name: 'BTC', szDecimals: 5, maxLeverage: 40 };
const listed = { type: 'meta', meta: { universe: [entry] } } as const;
const delisted = { type: 'meta', meta: { universe: [{ ...entry, isDelisted: true }] } } as const;
const delisting: DelistingChange = { type: 'delisting', coin: 'BTC', timeMs: Date.now(), price: '65100.5' };

describe('delisting: a coin leaves the list while actors run, and while none does', () => {
  let bench: ActorBench;
  let gateway: CommandGateway;
  let next = 0;

  before(async () => {
    bench = await ActorBench.start({ HISTORY_DELAY_MS: '200', JOURNAL_LAG_MS: '500', SHARDS: '1' });
    gateway = await bench.startGateway();
  });
  after(() => bench.stop());
  beforeEach(async () => {
    await bench.market.keep('meta', listed);
    await bench.market.publish([listed]);
    await bench.market.refresh();
    await bench.startOnlyPod();
  });
  afterEach(async () => {
    for (const pod of bench.pods) await bench.stopPod(pod);
  });

  /** 0.1 BTC long at 65,001 and two orders below. */
  const withPosition = async (): Promise<string> => {
    next += 1;
    const account = accountName(next);
    await gateway.send(account, commands.open, ask);
    const outcome = await gateway.send(account, commands.place({ size: '0.1', limitPrice: '65100' }), ask);
    expect(outcome).to.have.nested.property('orders[0].type', 'filled');
    const resting = { size: '0.01', limitPrice: '60000', type: { kind: 'limit', timeInForce: 'gtc' } } as const;
    for (let n = 0; n < 2; n++) await gateway.send(account, commands.place(resting), ask);
    return account;
  };

  const leave = async (): Promise<void> => {
    await bench.market.keep('meta', delisted);
    await bench.market.keep('delisting:BTC', delisting);
  };

  const isFlat = async (account: string): Promise<boolean> => {
    const answer = answerOf(await gateway.send(account, commands.state, ask));
    return answer.kind === 'accountState' && answer.state.positions.length === 0;
  };

  const fillsOf = async (account: string) => {
    const answer = answerOf(await gateway.send(account, commands.fills, ask));
    return answer.kind === 'history' ? answer.rows.map(({ row }) => row) : [];
  };

  /** One settlement, whoever asks how often. */
  const expectSettled = async (account: string): Promise<void> => {
    await until(() => isFlat(account));
    const fills = await fillsOf(account);
    expect(fills).to.have.length(2);
    expect(fills[1]).to.include({ direction: 'Settlement', price: '65100.5', size: '0.1', closedPnl: '9.95', fee: '0' });
    const refused = await gateway.send(account, commands.place({ size: '0.1', limitPrice: '65100' }), ask);
    expect(refused).to.have.nested.property('orders[0].text', 'Trading is halted. asset=0');
    const { state } = answerOf(await gateway.send(account, commands.state, ask)) as { state?: { withdrawable: string } };
    // 10,000 - 6,500.1 - 2.925045 + 6,510.05
    expect(state?.withdrawable).to.equal('10007.024955');
  };

  it('edge 90: at once when the venue says so, whatever comes first, and once however often it says it', async () => {
    const accounts = [await withPosition(), await withPosition()];
    await leave();
    await bench.market.publish([delisting]);
    await bench.market.publish([delisted]);
    for (const account of accounts) await expectSettled(account);
    await bench.market.publish([delisted, delisting]);
    for (const pod of bench.pods) await bench.stopPod(pod);
    await bench.startOnlyPod();
    for (const account of accounts) await expectSettled(account);
  });

  it('edge 90: it happened while the actors were down', async () => {
    const account = await withPosition();
    for (const pod of bench.pods) await bench.stopPod(pod);
    await leave();
    await bench.startOnlyPod();
    await expectSettled(account);
  });
});
