// Stock clients with a key that has a failure lab: they see what the venue would send, in their own terms, and need no change.
import * as nktkas from '@nktkas/hyperliquid';
import ccxt from 'ccxt';
import { expect } from 'chai';
import { PrivateKeySigner } from 'nktkas-hyperliquid-0-30/signing';
import { wireOrder } from '../support/orderWire.ts';
import type { TestAccount } from '../support/stack.ts';
import { type Client, inProcess, raisedBy } from './client.ts';
import { startPythonClient } from './pythonClient.ts';
import { addressOf, COIN, type SharedStack, sharedStack } from './sharedStack.ts';

const SYMBOL = `${COIN}/USDC:USDC`;
/** Of the coin. */
const ASSET = 5;
const PRIVATE_KEY = `0x${'11'.repeat(32)}` as const;
/** Below every bid: it rests. */
const PRICE = 90;
const REFUSED = `0xdead${'0'.repeat(28)}`;
const LOST = `0xbeef${'0'.repeat(28)}`;
const SCRIPTS = [
  { cloidPrefix: '0xdead', refuse: 'insufficientMargin' },
  { cloidPrefix: '0xbeef', loseAnswer: true },
];

interface Bot {
  /** Buys one coin at 90, named by `cloid`. */
  order(cloid?: string): Promise<unknown>;
  openOrders(): Promise<readonly unknown[]>;
  close(): Promise<void>;
}

/** The error that a client raises for each of them. */
interface Raises {
  readonly refused: string;
  readonly 429: string;
  readonly 500: string;
  readonly none: string;
}

const clients: Readonly<Record<string, { connect(url: string, user: string): Promise<Bot>; raises: Raises }>> = {
  ccxt: {
    connect: async (url, walletAddress) => {
      const client = inProcess(
        new ccxt.hyperliquid({
          walletAddress,
          privateKey: PRIVATE_KEY,
          urls: { api: { public: url, private: url } },
          enableRateLimit: false,
        }),
      );
      return {
        order: (clientOrderId) =>
          client.call('createOrder', SYMBOL, 'limit', 'buy', 1, PRICE, clientOrderId === undefined ? {} : { clientOrderId }),
        openOrders: () => client.call('fetchOpenOrders', SYMBOL),
        close: () => client.close(),
      };
    },
    raises: { refused: 'InsufficientFunds', 429: 'RateLimitExceeded', 500: 'ExchangeNotAvailable', none: 'NetworkError' },
  },
  nktkas: {
    connect: async (url, user) => {
      const transport = new nktkas.HttpTransport({ apiUrl: `${url}/` });
      const exchange = inProcess(new nktkas.ExchangeClient({ transport, wallet: new PrivateKeySigner(PRIVATE_KEY) as never }));
      const info = inProcess(new nktkas.InfoClient({ transport }));
      return {
        order: (cloid) =>
          exchange.call('order', {
            orders: [wireOrder(ASSET, { px: String(PRICE), sz: '1', ...(cloid !== undefined && { cloid }) })],
            grouping: 'na',
          }),
        openOrders: () => info.call('openOrders', { user }),
        close: async () => undefined,
      };
    },
    raises: { refused: 'ApiRequestError', 429: 'HttpRequestError', 500: 'HttpRequestError', none: 'HttpRequestError' },
  },
  'hyperliquid-python-sdk': {
    connect: async (baseUrl, user) => {
      const client: Client = await startPythonClient('sdk', { baseUrl, privateKey: PRIVATE_KEY, skipWs: true });
      return {
        order: async (cloid) => {
          const named = cloid === undefined ? [] : [false, { cloid }];
          const { response } = await client.call('exchange.order', COIN, true, 1, PRICE, { limit: { tif: 'Gtc' } }, ...named);
          return response.data.statuses;
        },
        openOrders: () => client.call('info.open_orders', user),
        close: () => client.close(),
      };
    },
    raises: { refused: '', 429: 'ClientError', 500: 'ServerError', none: 'ConnectionError' },
  },
};

for (const [name, { connect, raises }] of Object.entries(clients)) {
  describe(`${name} under a failure lab`, function () {
    this.timeout(600_000);
    let shared: SharedStack;
    let account: TestAccount;
    let bot: Bot;
    let keyId: string;

    before(async () => {
      shared = await sharedStack();
      account = await shared.stack.register();
      keyId = (await shared.stack.call('GET', '/v1/auth/api-keys', { token: account.token })).body.api_keys[0].id;
      bot = await connect(addressOf(account, shared.clientUrl), account.address);
      // The client sends its one-time questions before.
      expect(await bot.openOrders()).to.deep.equal([]);
    });
    after(() => bot?.close());

    const lab = async (body: object): Promise<void> => {
      const { status } = await shared.stack.call('PUT', `/v1/auth/api-keys/${keyId}/lab`, { token: account.token, body });
      expect(status).to.equal(200);
    };

    it('latency: an order waits, and is answered as ever', async () => {
      await lab({ latency: { submit: 60, cancel: 60, answer: 40 } });
      const startMs = performance.now();
      await bot.order();
      expect(performance.now() - startMs).to.be.at.least(100);
      expect(await bot.openOrders()).to.have.length(1);
    });

    it('a script refuses one order in the venue’s words, another’s answer is lost after it was placed', async () => {
      await lab({ scripts: SCRIPTS, timeoutMs: 1 });
      const answer = await bot.order(REFUSED).catch((error: Error) => error);
      expect(answer instanceof Error ? answer.message : JSON.stringify(answer)).to.contain('Insufficient margin to place order');
      if (raises.refused !== '') expect(answer).to.include({ kind: raises.refused });
      expect((await raisedBy(bot.order(LOST))).kind).to.equal(raises.none);
      expect(await bot.openOrders()).to.have.length(2);
    });

    for (const fault of ['429', '500'] as const) {
      it(`${fault}: raises ${raises[fault]}, and nothing is done`, async () => {
        await lab({ faults: { [fault]: 1 } });
        const { kind, message } = await raisedBy(bot.order());
        expect(kind, message).to.equal(raises[fault]);
        await lab({ faults: {} });
        expect(await bot.openOrders()).to.have.length(2);
      });
    }

    it(`no answer: raises ${raises.none}, and the order is there`, async () => {
      await lab({ faults: { timeoutAfterEffect: 1 }, timeoutMs: 20 });
      const { kind, message } = await raisedBy(bot.order());
      expect(kind, message).to.equal(raises.none);
      await lab({ faults: {} });
      expect(await bot.openOrders()).to.have.length(3);
    });
  });
}
