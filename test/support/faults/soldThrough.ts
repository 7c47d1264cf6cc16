// A large order that rests in the way of public trades: its fills must equal the trades, one by one, under any owner
// of the account. Says whether a trade was missed or counted twice.
import { expect } from 'chai';
import { orderAction } from '../orderWire.ts';
import { until } from '../until.ts';
import { SOL } from './coins.ts';
import type { FaultStack, Load } from './faultStack.ts';

export async function soldThrough(
  { stack, tap }: FaultStack,
  { trading }: Load,
): Promise<{ /** To be called when the trading has ended. */ expectAll: () => Promise<void> }> {
  const account = await stack.register();
  const { body } = await stack.act(account.apiKey, orderAction(SOL.asset, { px: '98.5', sz: '1000' }));
  const oid = body.response.data.statuses[0].resting?.oid;
  expect(oid, JSON.stringify(body)).to.be.a('number');
  // Trades that were on their way when the order was accepted may or may not concern it; those after the next ones do.
  const soldSince = trading.sold.size;
  await until(() => trading.sold.size >= soldSince + 3);
  const uncertain = new Set(trading.sold.keys());
  return {
    expectAll: async () => {
      const certain = [...trading.sold.keys()].filter((tid) => !uncertain.has(tid));
      const filled = (): [tid: number | undefined, hundredths: number][] => {
        const { before, after } = tap.entriesOf(account.address);
        const events = [...before, ...after].flatMap((entry) => entry.events);
        return events.flatMap((event) =>
          event.type === 'orderFilled' && event.oid === oid
            ? [[event.evidence.tradeTid, Math.round(Number(event.size) * 100)] as [number | undefined, number]]
            : [],
        );
      };
      await until(async () => {
        await tap.read();
        const tids = new Set(filled().map(([tid]) => tid));
        return certain.every((tid) => tids.has(tid));
      });
      const fills = filled();
      expect(new Set(fills.map(([tid]) => tid)).size, 'trades that filled it').to.equal(fills.length);
      for (const [tid = 0, size] of fills) expect(size, `hundredths of trade ${tid}`).to.equal(trading.sold.get(tid));
    },
  };
}
