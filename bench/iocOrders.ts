// Orders that fill at once (Ioc), buys and sells in turn: 64 accounts on 64 connections for throughput, then one connection
// for latency. Every answer is checked to be a fill. `node --import tsx bench/iocOrders.ts`
import type { TestAccount } from '../test/support/stack.ts';
import { registerAccounts, startExchange } from './support/exchange.ts';
import { IocOrders, iocAction } from './support/iocOrders.ts';
import { compare } from './support/sideBySide.ts';

const CONNECTIONS = 64;

const stack = await startExchange();
try {
  const accounts = await registerAccounts(stack, CONNECTIONS);
  const [first] = accounts as [TestAccount];
  const { body: sample } = await stack.exchange(first.apiKey, iocAction(true));
  const ofAccounts = (some: readonly TestAccount[]) => (baseUrl: string) => some.map((one) => new IocOrders(baseUrl, one));
  const many = await compare(stack, { order: sample }, ofAccounts(accounts));
  const one = await compare(stack, { order: sample }, ofAccounts([first]));
  console.log(JSON.stringify({ iocOrders64: many, iocOrders1: one }));
} finally {
  await stack.stop();
}
