// Thousands of accounts, opened and filled through a gateway of the bench's own, without HTTP, users and passwords,
// which these benches do not measure.

import { pino } from 'pino';
import type { AccountCommand } from '../../src/actors/core/messages/command.ts';
import type { OrderOutcome } from '../../src/actors/core/messages/commandOutcome.ts';
import type { OrderRequest } from '../../src/actors/core/messages/order.ts';
import { CommandGateway } from '../../src/api/accounts/gateway/commandGateway.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { connectRedis } from '../../src/shared/redis/redis.ts';
import { newestFormats } from '../../test/support/formats.ts';
import type { Stack } from '../../test/support/stack.ts';

const DEPOSIT_USD = '1000000';
/** Commands in flight: enough to keep the actors busy, far from any deadline. */
const AT_ONCE = 64;

export interface BenchGateway {
  send: CommandGateway['send'];
  stop(): Promise<void>;
}

export async function startGateway(stack: Stack, env: Readonly<Record<string, string>> = {}): Promise<BenchGateway> {
  const log = pino({ level: 'silent' });
  const url = stack.redisStore.url;
  const redis = connectRedis({ url, name: 'bench', log });
  const subscriber = connectRedis({ url, name: 'bench-replies', log });
  const formats = newestFormats;
  const gateway = new CommandGateway({
    redis,
    subscriber,
    formats,
    config: readConfig(env),
    log,
    realNow: Date.now,
    nodeId: 'bench',
  });
  await gateway.start();
  return {
    send: (accountId, command, options) => gateway.send(accountId, command, options),
    stop: async () => {
      await gateway.stop();
      redis.disconnect();
      subscriber.disconnect();
    },
  };
}

export const accountIds = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `0x${(n + 1).toString(16).padStart(40, '0')}`);

/** Opens the accounts and lets each place one batch of orders. @throws when an order neither rests nor fills */
export async function openAccounts(
  gateway: BenchGateway,
  ids: readonly string[],
  ordersOf: (n: number) => readonly OrderRequest[],
): Promise<void> {
  let next = 0;
  const openNext = async (): Promise<void> => {
    for (let n = next++; n < ids.length; n = next++) {
      const id = ids[n] as string;
      await gateway.send(id, { type: 'openAccount', depositUsd: DEPOSIT_USD }, { requestId: 'bench' });
      await placeOrders(gateway, id, ordersOf(n));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, openNext));
}

async function placeOrders(gateway: BenchGateway, id: string, orders: readonly OrderRequest[]): Promise<void> {
  const command: AccountCommand = { type: 'placeOrders', orders, grouping: 'na' };
  const outcome = await gateway.send(id, command, { requestId: 'bench' });
  const placed: readonly OrderOutcome[] = outcome.type === 'orders' ? outcome.orders : [];
  if (placed.length === 0 || placed.some(({ type }) => type === 'error')) throw new Error(JSON.stringify(outcome));
}
