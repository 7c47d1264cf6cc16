// ccxt.pro as its registry publishes it, for the tests of streams. Only the addresses, which hold the key, are ours.
import ccxt from 'ccxt';
import type { TestAccount } from '../support/stack.ts';
import { type Client, inProcess } from './client.ts';
import { addressOf, type SharedStack } from './sharedStack.ts';

/**
 * A client that is ready to watch. Its caller closes it.
 * @param rateLimit the client's own pace: ms between requests, and 20 times as long before a request that the venue counts as 20;
 * stock is 50
 */
export async function ccxtPro({ clientUrl }: SharedStack, account: TestAccount, rateLimit?: number): Promise<Client> {
  const url = addressOf(account, clientUrl);
  const exchange = new ccxt.pro.hyperliquid({
    walletAddress: `0x${'11'.repeat(20)}`,
    privateKey: `0x${'11'.repeat(32)}`,
    urls: { api: { public: url, private: url, ws: { public: `${url.replace(/^http/, 'ws')}/ws` } } },
    enableRateLimit: rateLimit !== undefined,
    ...(rateLimit !== undefined && { rateLimit }),
    newUpdates: true,
    // Of messages that come at once the client shows a waiting caller the first alone, and the next wait is in vain.
    options: { ws: { options: { allowSynchronousEvents: false } } },
  });
  const client = inProcess(exchange);
  // The client wants it before it opens an address without TLS.
  await client.call('loadHttpProxyAgent');
  await client.call('loadMarkets');
  return { ...client, close: () => client.call('close') };
}
