// The result that an example must have at the exchange: a canceled order, a filled order, and nothing left.
import { expect } from 'chai';
import type { Stack, TestAccount } from '../support/stack.ts';

/** @throws AssertionError when the account has not traded, or has orders or positions left */
export async function requireTraded(stack: Stack, { apiKey }: Pick<TestAccount, 'apiKey'>): Promise<void> {
  const ask = async (type: string) => (await stack.info(apiKey, { type })).body;
  const history: { status: string }[] = await ask('historicalOrders');
  expect(history.map(({ status }) => status)).to.include.members(['open', 'canceled', 'filled']);
  const fills: { dir: string }[] = await ask('userFills');
  expect(fills.map(({ dir }) => dir)).to.include.members(['Open Long', 'Close Long']);
  expect(await ask('openOrders')).to.deep.equal([]);
  expect((await ask('clearinghouseState')).assetPositions).to.deep.equal([]);
}
