// ccxt as its registries publish it, in Node and in Python: the same calls, the same expectations. Only the address,
// which holds the key, is ours; the wallet is arbitrary.
import ccxt from 'ccxt';
import { expect } from 'chai';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { type Client, inProcess, raisedBy } from './client.ts';
import { startPythonClient } from './pythonClient.ts';
import { addressOf, moveTriggerCoin, type SharedStack, sharedStack, TRIGGER_COIN } from './sharedStack.ts';

const SYMBOL = 'SOL/USDC:USDC';
const QUIET_SYMBOL = 'AVAX/USDC:USDC';
const TRIGGER_SYMBOL = `${TRIGGER_COIN}/USDC:USDC`;
const CLOID = `0x${'c0'.repeat(16)}`;
const HOUR_MS = 3_600_000;
/** Its own pace would be a second for each question. */
const options = (url: string) => ({
  walletAddress: `0x${'11'.repeat(20)}`,
  privateKey: `0x${'11'.repeat(32)}`,
  urls: { api: { public: url, private: url } },
  enableRateLimit: false,
});

const languages: Readonly<Record<string, (url: string, more?: object) => Promise<Client>>> = {
  Node: async (url, more) => inProcess(new ccxt.hyperliquid({ ...options(url), ...more })),
  Python: (url, more) => startPythonClient('ccxt', { ...options(url), ...more }),
};

for (const [language, connect] of Object.entries(languages)) {
  describe(`ccxt (${language})`, function () {
    this.timeout(600_000);
    let shared: SharedStack;
    let account: TestAccount;
    let client: Client;

    before(async () => {
      shared = await sharedStack();
      account = await shared.stack.register();
      client = await connect(addressOf(account, shared.clientUrl));
    });

    after(() => client?.close());

    const placeResting = async (price: number, params = {}): Promise<string> =>
      (await client.call('createOrder', SYMBOL, 'limit', 'buy', 1, price, params)).id;

    it('loads the markets', async () => {
      const markets = await client.call('loadMarkets');
      expect(markets[SYMBOL]).to.deep.include({ swap: true, active: true, contractSize: 1 });
      expect(markets[SYMBOL].precision).to.deep.equal({ amount: 0.01, price: 0.01 });
      expect(markets[SYMBOL].limits.leverage.max).to.equal(20);
      const listed = await client.call('fetchMarkets');
      expect(listed.map(({ symbol }: { symbol: string }) => symbol)).to.include.members(Object.keys(markets));
      expect(await client.call('fetchCurrencies')).to.have.property('USDC');
    });

    it('reads the balance', async () => {
      const { USDC } = await client.call('fetchBalance');
      expect(USDC).to.deep.equal({ free: 10_000, used: 0, total: 10_000 });
      expect((await client.call('fetchBalance', { type: 'spot' })).total).to.deep.equal({});
    });

    it('sets leverage and margin mode', async () => {
      expect((await client.call('setLeverage', 10, SYMBOL)).status).to.equal('ok');
      expect((await client.call('setMarginMode', 'isolated', QUIET_SYMBOL, { leverage: 5 })).status).to.equal('ok');
    });

    it('buys at the market and sees position, balance and fills', async () => {
      const order = await client.call('createOrder', SYMBOL, 'market', 'buy', 2, 100);
      expect(order).to.include({ amount: 2, filled: 2, average: 100.15 });

      const position = await client.call('fetchPosition', SYMBOL);
      expect(position).to.include({ side: 'long', contracts: 2, entryPrice: 100.15, leverage: 10, marginMode: 'cross' });
      expect(await client.call('fetchPositions')).to.deep.equal([position]);
      const { USDC } = await client.call('fetchBalance');
      // 10000 - 2 * 0.15 to the mark - 0.045045 and 0.04509 of fees
      expect(USDC).to.deep.equal({ free: 9979.609865, used: 20, total: 9999.609865 });

      const fills = await client.call('fetchMyTrades', SYMBOL);
      expect(fills.map(numbersOfFill)).to.deep.equal([
        { side: 'buy', takerOrMaker: 'taker', price: 100.1, amount: 1, fee: 0.045045 },
        { side: 'buy', takerOrMaker: 'taker', price: 100.2, amount: 1, fee: 0.04509 },
      ]);
      const [{ timestamp }] = fills;
      expect(await client.call('fetchMyTrades', SYMBOL, timestamp)).to.deep.equal(fills);
      expect(await client.call('fetchMyTrades', SYMBOL, timestamp + 1)).to.deep.equal([]);
    });

    it('is let alone about its builder fee, and not charged for it', async () => {
      const order = await client.call('createOrder', SYMBOL, 'market', 'sell', 1, 100);
      const [fill] = (await client.call('fetchMyTrades', SYMBOL)).filter((one: { order: string }) => one.order === order.id);
      expect(fill.fee.cost).to.equal(0.044955); // 99.9 * 0.00045, cut
      expect(fill.info).not.to.have.property('builderFee');
    });

    it('rests a limit order, finds it by both ids, edits it and cancels it', async () => {
      const id = await placeResting(90, { clientOrderId: CLOID });
      const shown = { id, clientOrderId: CLOID, symbol: SYMBOL, side: 'buy', type: 'limit', price: 90, amount: 1, remaining: 1 };
      expect(await client.call('fetchOrder', id, SYMBOL)).to.include({ ...shown, status: 'open', timeInForce: 'GTC' });
      expect(await client.call('fetchOrder', null, SYMBOL, { clientOrderId: CLOID })).to.include(shown);
      expect(await client.call('fetchOpenOrders', SYMBOL)).to.have.length(1);

      const edited = await client.call('editOrder', id, SYMBOL, 'limit', 'buy', 0.5, 91, { clientOrderId: CLOID });
      const [open, ...others] = await client.call('fetchOpenOrders');
      expect(others).to.deep.equal([]);
      expect(open).to.include({ id: edited.id, price: 91, amount: 0.5, clientOrderId: CLOID });

      expect((await client.call('cancelOrder', edited.id, SYMBOL)).status).to.equal('success');
      expect((await client.call('fetchOrder', edited.id, SYMBOL)).status).to.equal('canceled');
    });

    it('cancels by client order id, and several at once', async () => {
      await placeResting(90, { clientOrderId: CLOID });
      await client.call('cancelOrder', null, SYMBOL, { clientOrderId: CLOID });
      const orders = [90, 91].map((price) => ({ symbol: SYMBOL, type: 'limit', side: 'buy', amount: 1, price }));
      const placed = await client.call('createOrders', orders);
      const ids = placed.map(({ id }: { id: string }) => id);
      expect(await client.call('cancelOrders', ids, SYMBOL)).to.have.length(2);
      await client.call('cancelOrdersForSymbols', [{ id: await placeResting(92), symbol: SYMBOL }]);
      const [edited] = await client.call('editOrders', [{ ...orders[0], id: await placeResting(92), price: 93 }]);
      await client.call('cancelOrder', edited.id, SYMBOL);
      expect(await client.call('fetchOpenOrders')).to.deep.equal([]);
    });

    it('sees a resting order filled by a trade of the market', async () => {
      const { last } = await client.call('fetchTicker', QUIET_SYMBOL);
      const price = Number((last / 2).toPrecision(2));
      const { id } = await client.call('createOrder', QUIET_SYMBOL, 'limit', 'buy', 10, price, { postOnly: true });
      const trade = { coin: 'AVAX', px: String(price / 2), sz: '100', side: 'A', keepBook: true } as const;
      await shared.stack.market.control({ op: 'trade', ...trade });
      await until(async () => (await client.call('fetchOrder', id, QUIET_SYMBOL)).status === 'closed');
      const [fill] = (await client.call('fetchMyTrades', QUIET_SYMBOL)).map(numbersOfFill);
      expect(fill).to.deep.include({ takerOrMaker: 'maker', price, amount: 10 });
      expect(await client.call('fetchPosition', QUIET_SYMBOL)).to.include({ marginMode: 'isolated', leverage: 5, contracts: 10 });
    });

    it('adds margin to an isolated position and takes it out', async () => {
      const rawUsd = async (): Promise<number> => {
        const position = await client.call('fetchPosition', QUIET_SYMBOL);
        return Math.round(Number(position.info.position.leverage.rawUsd) * 1e6);
      };
      const before = await rawUsd();
      expect(await client.call('addMargin', QUIET_SYMBOL, 10.5)).to.include({ marginMode: 'isolated' });
      expect((await rawUsd()) - before).to.equal(10_500_000);
      expect(await client.call('reduceMargin', QUIET_SYMBOL, 0.5)).to.include({ marginMode: 'isolated' });
      expect((await rawUsd()) - before).to.equal(10_000_000);
      expect((await client.call('fetchPositions')).map(({ marginMode }: { marginMode: string }) => marginMode)).to.have.members([
        'cross',
        'isolated',
      ]);
    });

    it('places stops and take-profits, alone, for an order and for a position, and sees them fire', async () => {
      const { apiKey } = account;
      const waiting = async () =>
        (await client.call('fetchOpenOrders', TRIGGER_SYMBOL)).map(
          ({ triggerPrice }: { triggerPrice?: number | null }) => triggerPrice ?? undefined,
        );
      const place = (type: string, side: string, amount: number, price: number, params = {}) =>
        client.call('createOrder', TRIGGER_SYMBOL, type, side, amount, price, params);
      await moveTriggerCoin(shared, apiKey, 100);

      // An entry stop, then a stop and a take-profit of what it has bought.
      const entry = await place('market', 'buy', 2, 105, { triggerPrice: 105 });
      const found = await client.call('fetchOrder', entry.id, TRIGGER_SYMBOL);
      expect(found).to.include({ status: 'open', triggerPrice: 105, stopLossPrice: 105, side: 'buy', remaining: 2 });
      await moveTriggerCoin(shared, apiKey, 106);
      await until(async () => (await client.call('fetchOrder', entry.id, TRIGGER_SYMBOL)).status === 'closed');
      const stopped = await place('market', 'sell', 2, 95, { stopLossPrice: 95, reduceOnly: true });
      await place('limit', 'sell', 2, 116, { takeProfitPrice: 115, reduceOnly: true });
      expect(await waiting()).to.have.members([95, 115]);
      // It sends no `a`, without which a modify places no trigger order: the stop stays.
      const moved = { stopLossPrice: 96, reduceOnly: true };
      const raised = await raisedBy(client.call('editOrder', stopped.id, TRIGGER_SYMBOL, 'market', 'sell', 2, 96, moved));
      expect(raised.message).to.contain('Modify without always_place');
      expect(await waiting()).to.have.members([95, 115]);
      await client.call('cancelOrder', stopped.id, TRIGGER_SYMBOL);
      await moveTriggerCoin(shared, apiKey, 115);
      await until(async () => (await waiting())[0] === undefined);
      const [resting] = await client.call('fetchOpenOrders', TRIGGER_SYMBOL);
      expect(resting).to.include({ price: 116, remaining: 2, status: 'open' });
      await place('market', 'sell', 2, 115, { reduceOnly: true });
      expect(await waiting()).to.deep.equal([]);

      // An order with both, which fire one for the other, and the two of a position.
      const stopLoss = { triggerPrice: 110, type: 'market' };
      const takeProfit = { triggerPrice: 120, type: 'market' };
      expect(await place('market', 'buy', 1, 115, { stopLoss, takeProfit })).to.include({ filled: 1 });
      expect(await waiting()).to.have.members([110, 120]);
      await moveTriggerCoin(shared, apiKey, 120);
      await until(async () => (await waiting()).length === 0);
      const ended = (await client.call('fetchCanceledAndClosedOrders', TRIGGER_SYMBOL)).map(
        ({ info }: { info: { status: string } }) => info.status,
      );
      expect(ended).to.include.members(['filled', 'siblingFilledCanceled']);
      await place('market', 'buy', 1, 120);
      await place('market', 'buy', 1, 120, { grouping: 'positionTpsl', stopLoss, takeProfit: { triggerPrice: 130 } });
      expect(await waiting()).to.have.members([110, 130]);
      await place('market', 'sell', 1, 120, { reduceOnly: true });
      expect(await waiting()).to.deep.equal([]);
    });

    it('runs a TWAP and sets the dead man’s switch', async () => {
      const { id } = await client.call('createTwapOrder', SYMBOL, 'BUY', 2.2, HOUR_MS / 12);
      expect(Number(id)).to.be.above(0);
      expect((await client.call('cancelAllOrdersAfter', 600_000)).status).to.equal('ok');
    });

    it('lists what became of its orders', async () => {
      const statuses = async (method: string): Promise<string[]> => [
        ...new Set((await client.call(method, SYMBOL)).map(({ status }: { status: string }) => status) as string[]),
      ];
      expect(await statuses('fetchClosedOrders')).to.deep.equal(['closed']);
      expect(await statuses('fetchCanceledOrders')).to.deep.equal(['canceled']);
      expect(await statuses('fetchCanceledAndClosedOrders')).to.have.members(['closed', 'canceled']);
      expect(await statuses('fetchOrders')).to.have.members(['closed', 'canceled']);
    });

    it('reads tickers, book, trades and candles', async () => {
      expect(await client.call('fetchTicker', SYMBOL)).to.include({ bid: 99.9, ask: 100.1, last: 100 });
      const tickers = await client.call('fetchTickers');
      expect(Object.keys(tickers)).to.include.members([SYMBOL, QUIET_SYMBOL, 'PURR/USDC']);
      const book = await client.call('fetchOrderBook', SYMBOL);
      expect([book.bids[0], book.asks[0]]).to.deep.equal([
        [99.9, 50],
        [100.1, 1],
      ]);
      // With a wallet set, this client shows the wallet's own trades here.
      expect(await client.call('fetchTrades', SYMBOL)).to.deep.equal(await client.call('fetchMyTrades', SYMBOL));
      const since = Date.now() - 24 * HOUR_MS;
      const candles = await client.call('fetchOHLCV', SYMBOL, '1h', since, 5);
      expect(candles).to.have.length(5);
      for (const [, open, high, low, close] of candles) {
        expect(low).to.be.at.most(Math.min(open, close));
        expect(high).to.be.at.least(Math.max(open, close));
      }
      expect((await client.call('fetchOHLCV', SYMBOL, '15m')).length).to.be.above(1000);
    });

    it('reads funding, interest and fees', async () => {
      expect(await client.call('fetchFundingRate', SYMBOL)).to.include({ interval: '1h', markPrice: 100, indexPrice: 100 });
      expect(await client.call('fetchFundingRates', [SYMBOL])).to.have.all.keys(SYMBOL);
      const rates = await client.call('fetchFundingRateHistory', SYMBOL, Date.now() - 24 * HOUR_MS);
      expect(rates.length).to.be.within(23, 24);
      expect((await client.call('fetchOpenInterest', SYMBOL)).openInterestAmount).to.be.above(0);
      expect(await client.call('fetchOpenInterests', [SYMBOL])).to.have.all.keys(SYMBOL);
      expect(await client.call('fetchTradingFee', SYMBOL)).to.include({ maker: 0.00015, taker: 0.00045 });
      expect(await client.call('fetchFundingHistory', SYMBOL)).to.deep.equal([]);
    });

    it('reads time, status and ledger', async () => {
      expect(Math.abs((await client.call('fetchTime')) - Date.now())).to.be.below(10_000);
      expect((await client.call('fetchStatus')).status).to.equal('ok');
      const [deposit] = await client.call('fetchDeposits');
      expect(deposit.amount).to.equal(10_000);
      expect((await client.call('fetchLedger')).map(({ type }: { type: string }) => type)).to.deep.equal(['deposit']);
      expect(await client.call('fetchWithdrawals')).to.deep.equal([]);
    });

    const refusals: { name: string; kind: string; call: () => Promise<unknown> }[] = [
      { name: 'too little margin', kind: 'InsufficientFunds', call: () => limitBuy(10_000, 90) },
      { name: 'too small', kind: 'InvalidOrder', call: () => limitBuy(0.01, 99) },
      // ccxt knows the text of the band with 80 % only.
      { name: 'too far away', kind: 'ExchangeError', call: () => limitBuy(10, 5) },
      { name: 'post only that would cross', kind: 'InvalidOrder', call: () => limitBuy(1, 105, { postOnly: true }) },
      { name: 'nothing to match', kind: 'InvalidOrder', call: () => limitBuy(1, 90, { timeInForce: 'IOC' }) },
      {
        name: 'reduce-only that would increase',
        kind: 'InvalidOrder',
        call: () => limitBuy(1, 99, { reduceOnly: true }),
      },
      { name: 'cancel of an unknown order', kind: 'OrderNotFound', call: () => client.call('cancelOrder', '1', SYMBOL) },
      { name: 'status of an unknown order', kind: 'OrderNotFound', call: () => client.call('fetchOrder', '1', SYMBOL) },
      { name: 'edit of an unknown order', kind: 'ExchangeError', call: () => edit('1') },
      { name: 'leverage above the maximum', kind: 'ExchangeError', call: () => client.call('setLeverage', 21, SYMBOL) },
      {
        name: 'unknown dex (400)',
        kind: 'ExchangeError',
        call: () => client.call('fetchFundingRates', [SYMBOL], { dex: 'xyz' }),
      },
      { name: 'unreadable order (400)', kind: 'ExchangeError', call: () => limitBuy(1, 90, { clientOrderId: 'mine' }) },
      { name: 'dead man’s switch too near', kind: 'ExchangeError', call: () => client.call('cancelAllOrdersAfter', 1000) },
      {
        name: 'TWAP of a minute',
        kind: 'ExchangeError',
        call: () => client.call('createTwapOrder', SYMBOL, 'BUY', 100, HOUR_MS / 60),
      },
      { name: 'spot order', kind: 'ExchangeError', call: () => client.call('createOrder', 'PURR/USDC', 'limit', 'buy', 100, 1) },
      {
        name: 'another margin mode with an open position',
        kind: 'ExchangeError',
        call: () => client.call('setMarginMode', 'cross', QUIET_SYMBOL, { leverage: 5 }),
      },
      { name: 'margin for a cross position', kind: 'ExchangeError', call: () => client.call('addMargin', SYMBOL, 10) },
      { name: 'more margin than is free', kind: 'ExchangeError', call: () => client.call('addMargin', QUIET_SYMBOL, 1e6) },
      { name: 'less margin than must stay', kind: 'ExchangeError', call: () => client.call('reduceMargin', QUIET_SYMBOL, 1e6) },
      { name: 'trigger that the mark has reached', kind: 'InvalidOrder', call: () => limitBuy(1, 100, { stopLossPrice: 100 }) },
      {
        name: 'transfer between wallets',
        kind: 'InsufficientFunds',
        call: () => client.call('transfer', 'USDC', 10, 'spot', 'swap'),
      },
      {
        name: 'withdrawal',
        kind: 'ExchangeError',
        call: () => client.call('withdraw', 'USDC', 10, `0x${'11'.repeat(20)}`),
      },
    ];
    const limitBuy = (amount: number, price: number, params = {}): Promise<unknown> =>
      client.call('createOrder', SYMBOL, 'limit', 'buy', amount, price, params);
    const edit = (id: string): Promise<unknown> => client.call('editOrder', id, SYMBOL, 'limit', 'buy', 1, 91);
    for (const { name, kind, call } of refusals) {
      it(`raises ${kind}: ${name}`, async () => {
        const raised = await raisedBy(call());
        expect(raised.kind, raised.message).to.equal(kind);
      });
    }

    it('makes a sub-account, and moves USD there and back', async () => {
      const { response } = await client.call('createSubAccount', 'second');
      const before = (await client.call('fetchBalance')).USDC.total;
      expect((await client.call('transfer', 'USDC', 12.5, 'main', response.data)).status).to.equal('ok');
      expect((await client.call('transfer', 'USDC', 2, response.data, 'main')).status).to.equal('ok');
      expect((await client.call('fetchBalance', { user: response.data })).USDC).to.deep.equal({
        free: 10.5,
        used: 0,
        total: 10.5,
      });
      expect((await client.call('fetchBalance')).USDC.total).to.be.closeTo(before - 10.5, 1e-6);
    });

    it('may send the key in a header instead', async () => {
      const url = `${shared.stack.baseUrl}/v1/exchanges/perpx`;
      const other = await connect(url, { headers: { 'X-API-Key': account.apiKey } });
      const position = await other.call('fetchPosition', SYMBOL);
      await other.close();
      expect(position).to.deep.equal(await client.call('fetchPosition', SYMBOL));
    });

    it('raises AuthenticationError for a wrong key', async () => {
      const stranger = await connect(addressOf({ apiKey: 'pe_000000000000000000000000' }, shared.clientUrl));
      const { kind } = await raisedBy(stranger.call('fetchTime'));
      await stranger.close();
      expect(kind).to.equal('AuthenticationError');
    });

    it('raises ExchangeError when the trial is over (403)', async () => {
      const expired = await shared.stack.register(shared.strictUrl);
      const late = await connect(addressOf(expired, shared.clientUrl));
      const { kind, message } = await raisedBy(late.call('fetchTime'));
      await late.close();
      expect(kind).to.equal('ExchangeError');
      expect(message).to.contain('trial_expired');
    });

    it('raises RateLimitExceeded past the limit of the plan', async () => {
      const { apiKey } = await shared.stack.register();
      const hasty = await connect(addressOf({ apiKey }, shared.strictUrl));
      const askOften = async (): Promise<void> => {
        for (let count = 0; count < 10; count++) await hasty.call('fetchTime');
      };
      const { kind } = await raisedBy(askOften());
      await hasty.close();
      expect(kind).to.equal('RateLimitExceeded');
    });
  });
}

interface Fill {
  readonly side: string;
  readonly takerOrMaker: string;
  readonly price: number;
  readonly amount: number;
  readonly fee: { readonly cost: number };
}

const numbersOfFill = ({ side, takerOrMaker, price, amount, fee }: Fill) => ({
  ...{ side, takerOrMaker, price, amount },
  fee: fee.cost,
});
