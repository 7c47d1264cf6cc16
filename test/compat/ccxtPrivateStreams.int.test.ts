// ccxt.pro: the messages about the user's own account, and orders over the socket.
import { expect } from 'chai';
import type { TestAccount } from '../support/stack.ts';
import { ccxtPro } from './ccxtPro.ts';
import type { Client } from './client.ts';
import { moveTriggerCoin, type SharedStack, sharedStack, TRIGGER_COIN } from './sharedStack.ts';

const SYMBOL = `${TRIGGER_COIN}/USDC:USDC`;

describe('ccxt.pro: private streams', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let account: TestAccount;
  let client: Client;

  before(async () => {
    shared = await sharedStack();
    account = await shared.stack.register();
    client = await ccxtPro(shared, account);
    await moveTriggerCoin(shared, account.apiKey, 101);
    await moveTriggerCoin(shared, account.apiKey, 100);
  });
  after(() => client?.close());

  const watch = (method: string, ...args: unknown[]) => client.call(method, ...args);

  it('watches orders that it creates, edits and cancels over the socket', async () => {
    const opened = watch('watchOrders', SYMBOL);
    const { id } = await watch('createOrderWs', SYMBOL, 'limit', 'buy', 1, 90);
    const [open] = await opened;
    expect(open).to.include({ id, symbol: SYMBOL, status: 'open', side: 'buy', price: 90, amount: 1, filled: 0 });

    const replaced = watch('watchOrders', SYMBOL);
    const edited = await watch('editOrderWs', id, SYMBOL, 'limit', 'buy', 2, 91);
    expect((await replaced).at(-1)).to.include({ id: edited.id, status: 'open', price: 91, amount: 2 });

    const ended = watch('watchOrders', SYMBOL);
    await watch('cancelOrderWs', edited.id, SYMBOL);
    expect((await ended).at(-1)).to.include({ id: edited.id, status: 'canceled', filled: 0 });
    await watch('unWatchOrders');
  });

  it('watches its trades', async () => {
    const traded = watch('watchMyTrades', SYMBOL);
    await watch('createOrderWs', SYMBOL, 'limit', 'buy', 2, 101, { timeInForce: 'Ioc' });
    let [trade] = (await traded).slice(-1);
    while (trade === undefined) [trade] = (await watch('watchMyTrades', SYMBOL)).slice(-1);
    expect(trade).to.include({ symbol: SYMBOL, side: 'buy', price: 100.1, amount: 2 });
    await watch('unWatchMyTrades');
  });

  it('watches positions and the balance', async () => {
    const [position] = await watch('watchPositions');
    expect(position).to.include({ symbol: SYMBOL, side: 'long', contracts: 2, entryPrice: 100.1 });
    const changed = watch('watchPositions');
    await watch('createOrderWs', SYMBOL, 'limit', 'buy', 1, 101, { timeInForce: 'Ioc' });
    let [later] = await changed;
    while (later.contracts !== 3) [later] = await watch('watchPositions');

    const balance = await watch('watchBalance', { type: 'swap' });
    expect(balance.USDC.total).to.be.closeTo(10_000 - 0.3 - 3 * 100.1 * 0.00045, 0.001);
    expect((await watch('watchBalance', { type: 'spot' })).total).to.deep.equal({});
    await watch('unWatchBalance', { type: 'spot' });
  });

  it('has the newest fill as the newest one, also when it begins to watch after it', async () => {
    for (const amount of [3, 4]) {
      await watch('createOrder', SYMBOL, 'limit', 'buy', amount, 101, { timeInForce: 'Ioc' });
      await watch('createOrder', SYMBOL, 'limit', 'sell', amount, 99, { timeInForce: 'Ioc' });
    }
    const late = await ccxtPro(shared, account);
    try {
      const trades: { side: string; amount: number }[] = await late.call('watchMyTrades', SYMBOL);
      expect(trades.map(({ side, amount }) => `${side} ${amount}`)).to.deep.equal([
        'buy 2',
        'buy 1',
        'buy 3',
        'sell 3',
        'buy 4',
        'sell 4',
      ]);
    } finally {
      await late.close();
    }
  });

  it('shows after a reset the order canceled and the position gone', async () => {
    const [position] = await watch('watchPositions');
    expect(position).to.include({ symbol: SYMBOL, contracts: 3 });
    const opened = watch('watchOrders', SYMBOL);
    const { id } = await watch('createOrder', SYMBOL, 'limit', 'buy', 1, 90);
    expect((await opened).at(-1)).to.include({ id, status: 'open' });
    const ended = watch('watchOrders', SYMBOL);
    const reset = await fetch(`${shared.stack.baseUrl}/v1/exchanges/perpx/account/reset`, {
      method: 'POST',
      headers: { 'x-api-key': account.apiKey },
    });
    expect(reset.status).to.equal(200);
    expect((await ended).at(-1)).to.include({ id, status: 'canceled', filled: 0 });
    let positions = await watch('watchPositions');
    while (positions.length > 0) positions = await watch('watchPositions');
    expect((await watch('watchBalance', { type: 'swap' })).USDC.total).to.equal(10_000);
  });
});
