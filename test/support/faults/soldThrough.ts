// A large order that rests where the public trades go through: what it has been filled must be what was sold, trade by
// trade, whoever owned the account at the time. Says whether a trade was missed or counted twice.
import { expect } from 'chai';
import { orderAction } from '../orderWire.ts';
import { until } from '../until.ts';
import { SOL } from './coins.ts';
import type { FaultStack, Load } from './faultStack.ts';

export async function soldThrough(
  { stack }: FaultStack,
  { trading }: Load,
): Promise<{ /** To be called when the trading has ended. */ expectAll: () => Promise<void> }> {
  const account = await stack.register();
  const soldBefore = new Set(trading.sold.keys());
  const { body } = await stack.exchange(account.apiKey, orderAction(SOL.asset, { px: '98.5', sz: '1000' }));
  const oid = body.response.data.statuses[0].resting?.oid;
  expect(oid, JSON.stringify(body)).to.be.a('number');
  // Trades that were on their way when the order was accepted may or may not concern it; those after the next ones do.
  const soldSince = trading.sold.size;
  await until(() => trading.sold.size >= soldSince + 3);
  const certain = new Set(trading.sold.keys());
  return {
    expectAll: async () => {
      const sum = (tids: Iterable<number>): number => [...tids].reduce((total, tid) => total + (trading.sold.get(tid) ?? 0), 0);
      const after = [...trading.sold.keys()].filter((tid) => !certain.has(tid));
      const possible = [...trading.sold.keys()].filter((tid) => !soldBefore.has(tid));
      const filled = async (): Promise<number> => {
        const fills = await stack.info(account.apiKey, { type: 'userFills', user: account.address });
        expect(fills.status).to.equal(200);
        return (fills.body as { oid: number; sz: string }[]).reduce(
          (total, fill) => total + (fill.oid === oid ? Math.round(Number(fill.sz) * 100) : 0),
          0,
        );
      };
      await until(async () => (await filled()) >= sum(after));
      expect(await filled(), 'hundredths filled').to.be.within(sum(after), sum(possible));
    },
  };
}
