import { expect } from 'chai';
import type { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { tradingRules } from '../../src/features/rules.ts';
import { ActorBench, accountName, answerOf, commands } from '../support/actorBench.ts';
import { contextOf } from '../support/scriptedMarket.ts';
import { until } from '../support/until.ts';

const ask = { requestId: 'r' };
/** Opens a long of 0.001 BTC and protects it below 60,000. */
const stop = commands.place({
  side: 'sell',
  limitPrice: '55000',
  reduceOnly: true,
  type: { kind: 'trigger', triggerPrice: '60000', isMarket: true, tpsl: 'sl' },
});

describe('shard: marks fire what waits for them, once, whoever owns the shard', () => {
  let bench: ActorBench;
  let gateway: CommandGateway;

  before(async () => {
    bench = await ActorBench.start();
    gateway = await bench.startGateway();
  });
  after(() => bench.stop());

  beforeEach(async () => {
    for (const pod of bench.pods) await bench.stopPod(pod);
    await bench.market.setMark('BTC', '65000');
    await bench.market.refresh();
  });

  const protect = async (account: string): Promise<void> => {
    await gateway.send(account, commands.open, ask);
    await gateway.send(account, commands.place(), ask);
    expect(await gateway.send(account, stop, ask)).to.have.nested.property('orders[0].type', 'resting');
  };
  const fills = async (account: string): Promise<number> => {
    const answer = answerOf(await gateway.send(account, commands.fills, ask));
    return answer.kind === 'history' ? answer.total : -1;
  };
  /** Statuses of the account's orders since its stop was placed. */
  const statuses = async (account: string): Promise<string[]> => {
    const question = { type: 'query', query: { kind: 'history', rows: 'orders', want: { limit: 1000 } } } as const;
    const answer = answerOf(await gateway.send(account, question, ask));
    if (answer.kind !== 'history') throw new Error('not a history');
    return answer.rows.flatMap((row) => (row.kind === 'orders' && row.row.order.trigger ? [row.row.status] : []));
  };

  it('a mark at the trigger fires, another coin or a mark before it does not', async () => {
    await bench.startOnlyPod();
    const account = accountName(1);
    await protect(account);
    await bench.market.setMark('BTC', '60001');
    expect(await fills(account)).to.equal(1);
    await bench.market.setMark('BTC', '60000');
    await until(async () => (await fills(account)) === 2);
    expect(await statuses(account)).to.deep.equal(['open', 'triggered', 'filled']);
  });

  it('the next owner fires what the one before has seen and not done, by the mark of now', async () => {
    const blind = await bench.startOnlyPod({ rules: { decideMarket: () => ({ events: [] }) } });
    const account = accountName(2);
    await protect(account);
    await bench.market.setMark('BTC', '59000');
    expect(await fills(account)).to.equal(1);
    await bench.stopPod(blind);
    await bench.startOnlyPod();
    await until(async () => (await fills(account)) === 2);
    expect(await statuses(account)).to.deep.equal(['open', 'triggered', 'filled']);
  });

  it('what has fired does not fire again in the next owner’s hands', async () => {
    const first = await bench.startOnlyPod();
    const account = accountName(3);
    await protect(account);
    await bench.market.setMark('BTC', '59000');
    await until(async () => (await fills(account)) === 2);
    await bench.stopPod(first);
    await bench.startOnlyPod();
    await bench.market.setMark('BTC', '58000');
    expect(await fills(account)).to.equal(2);
    expect(await statuses(account)).to.deep.equal(['open', 'triggered', 'filled']);
  });

  it('a mark that no message brought is found when the view is loaded anew', async () => {
    await bench.startOnlyPod();
    const account = accountName(4);
    await protect(account);
    await bench.market.keep('ctx:BTC', contextOf({ coin: 'BTC', markPrice: '59000' }));
    bench.market.skipMessage();
    await bench.market.publish([]);
    await until(async () => (await fills(account)) === 2);
  });

  it('an owner that comes late to an old mark fires nothing by it', async () => {
    const first = await bench.startOnlyPod();
    const account = accountName(5);
    await protect(account);
    await bench.stopPod(first);
    const old = { ...contextOf({ coin: 'BTC', markPrice: '59000' }), timeMs: Date.now() - 700_000 };
    await bench.market.keep('ctx:BTC', old);
    await bench.startOnlyPod();
    expect(await fills(account)).to.equal(1);
    await bench.market.setMark('BTC', '59000');
    await until(async () => (await fills(account)) === 2);
  });

  it('many accounts fire at one mark, each once, over several commits', async () => {
    await bench.startOnlyPod({ rules: { decideMarket: tradingRules.decideMarket } });
    const accounts = Array.from({ length: 60 }, (_, i) => accountName(100 + i));
    await Promise.all(accounts.map(protect));
    await bench.market.setMark('BTC', '59000');
    await until(async () => (await Promise.all(accounts.map(fills))).every((count) => count === 2));
  });
});
