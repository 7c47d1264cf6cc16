// Five bots on five sub-accounts of one user at once: stock clients that name theirs (`vaultAddress`), and stock clients with a key that is
// bound to it.
import * as nktkas from '@nktkas/hyperliquid';
import ccxt from 'ccxt';
import { expect } from 'chai';
import { PrivateKeySigner } from 'nktkas-hyperliquid-0-30/signing';
import { Decimal } from '../../src/shared/domain/decimal.ts';
import type { TestAccount } from '../support/stack.ts';
import { type Client, inProcess } from './client.ts';
import { startPythonClient } from './pythonClient.ts';
import { addressOf, COIN, type SharedStack, sharedStack } from './sharedStack.ts';

const SYMBOL = `${COIN}/USDC:USDC`;
const PRIVATE_KEY = `0x${'11'.repeat(32)}` as const;
const wallet = new PrivateKeySigner(PRIVATE_KEY);
const ORDERS = 6;
const FUNDS_USD = 1500;

interface Bot {
  /** Buys, or sells, so many coins at the market. */
  trade(isBuy: boolean, size: number): Promise<unknown>;
  /** Sizes and fees of the account's fills, as the client shows them. */
  fills(): Promise<readonly { readonly size: string; readonly fee: string }[]>;
}

describe('five bots on five sub-accounts of one user', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let account: TestAccount;
  let subs: string[];
  let bots: Bot[];
  const clients: Client[] = [];

  const python = async (options: object): Promise<Client> => {
    const client = await startPythonClient('sdk', { privateKey: PRIVATE_KEY, skipWs: true, ...options });
    clients.push(client);
    return client;
  };
  const ccxtOf = (url: string, walletAddress: string): Client =>
    inProcess(
      new ccxt.hyperliquid({
        walletAddress,
        privateKey: PRIVATE_KEY,
        urls: { api: { public: url, private: url } },
        enableRateLimit: false,
      }),
    );
  const ofCcxt = (client: Client, params: object): Bot => ({
    trade: (isBuy, size) => client.call('createOrder', SYMBOL, 'market', isBuy ? 'buy' : 'sell', size, 100, params),
    fills: async () =>
      (await client.call('fetchMyTrades', SYMBOL)).map(({ info }: { info: { sz: string; fee: string } }) => ({
        size: info.sz,
        fee: info.fee,
      })),
  });
  const ofNktkas = (url: string, user: `0x${string}`, defaultVaultAddress?: `0x${string}`): Bot => {
    const transport = new nktkas.HttpTransport({ apiUrl: `${url}/` });
    const exchange = new nktkas.ExchangeClient({
      transport,
      wallet: wallet as never,
      ...(defaultVaultAddress && { defaultVaultAddress }),
    });
    const info = new nktkas.InfoClient({ transport });
    return {
      trade: (b, size) =>
        exchange.order({
          orders: [{ a: 5, b, p: b ? '101' : '99', s: String(size), r: false, t: { limit: { tif: 'Ioc' } } }],
          grouping: 'na',
        }),
      fills: async () => (await info.userFills({ user })).map(({ sz, fee }) => ({ size: sz, fee })),
    };
  };
  const ofPython = (client: Client, user: string): Bot => ({
    trade: async (isBuy, size) => {
      const answer = await client.call('exchange.order', COIN, isBuy, size, isBuy ? 101 : 99, { limit: { tif: 'Ioc' } });
      expect(answer.status, JSON.stringify(answer)).to.equal('ok');
    },
    fills: async () =>
      (await client.call('info.user_fills', user)).map(({ sz, fee }: { sz: string; fee: string }) => ({ size: sz, fee })),
  });

  before(async () => {
    shared = await sharedStack();
    const { stack, clientUrl } = shared;
    account = await stack.register();
    const url = addressOf(account, clientUrl);
    const transport = new nktkas.HttpTransport({ apiUrl: `${url}/` });
    const master = new nktkas.ExchangeClient({ transport, wallet: wallet as never });
    subs = [];
    for (let n = 1; n <= 5; n++) {
      const { response } = await master.createSubAccount({ name: `bot ${n}` });
      subs.push(response.data);
      await master.subAccountTransfer({ subAccountUser: response.data, isDeposit: true, usd: FUNDS_USD * 1_000_000 });
    }
    await master.subAccountModify({ subAccountUser: subs[0] as `0x${string}`, name: 'ccxt' });
    const bound = async (address: string): Promise<string> => {
      const made = await stack.call('POST', '/v1/auth/api-keys', {
        token: account.token,
        body: { name: 'bot', account: address },
      });
      return addressOf({ apiKey: made.body.api_key }, clientUrl);
    };
    const [first, second, third, fourth, fifth] = subs as [
      `0x${string}`,
      `0x${string}`,
      `0x${string}`,
      `0x${string}`,
      `0x${string}`,
    ];
    // Each of the two clients with a bound key names another account of the same user.
    bots = [
      ofCcxt(ccxtOf(url, first), { vaultAddress: first }),
      ofNktkas(url, second, second),
      ofPython(await python({ baseUrl: url, vaultAddress: third }), third),
      ofCcxt(ccxtOf(await bound(fourth), first), { vaultAddress: first }),
      ofNktkas(await bound(fifth), second, second),
    ];
  });

  after(() => Promise.all(clients.map((client) => client.close())));

  it('trade at the same time: each account has its own fills, and their sum is exact', async () => {
    const sizeOf = (bot: number, order: number): number => (bot + 1) / 10 + order;
    const lives = bots.map(async (bot, n) => {
      for (let order = 0; order < ORDERS; order++) await bot.trade(order % 2 === 0, sizeOf(n, order));
    });
    await Promise.all(lives);
    let feesUsd = new Decimal(0);
    for (const [n, bot] of bots.entries()) {
      const fills = await bot.fills();
      const filled = fills.reduce((sum, { size }) => sum.plus(size), new Decimal(0));
      const wanted = Array.from({ length: ORDERS }, (_, order) => sizeOf(n, order)).reduce(
        (sum, size) => sum.plus(size),
        new Decimal(0),
      );
      expect(filled.toString(), `bot ${n}`).to.equal(wanted.toString());
      feesUsd = fills.reduce((sum, { fee }) => sum.plus(fee), feesUsd);
    }
    const { stack } = shared;
    const { accounts, total } = (await stack.call('GET', '/v1/exchanges/perpx/account/group', { key: account.apiKey })).body;
    expect(accounts.map(({ name }: { name: string | null }) => name)).to.deep.equal([
      null,
      'ccxt',
      'bot 2',
      'bot 3',
      'bot 4',
      'bot 5',
    ]);
    expect(accounts[0].balance, 'the master’s account').to.equal(`${10_000 - 5 * FUNDS_USD}.0`);
    const realized = accounts.reduce((sum: Decimal, one: { realized_pnl: string }) => sum.plus(one.realized_pnl), new Decimal(0));
    const balance = new Decimal(10_000).plus(realized).minus(feesUsd);
    expect(new Decimal(total.balance).toString()).to.equal(balance.toString());
    expect((await stack.info(account.apiKey, { type: 'userFills' })).body, 'of the master').to.deep.equal([]);
  });
});
