// @nktkas/hyperliquid: the last version for Node 20, and the last version with response schemas, which check every answer to both.
// Only the address, which holds the key, is ours; the wallet is arbitrary.
import * as current from '@nktkas/hyperliquid';
import * as currentUtils from '@nktkas/hyperliquid/utils';
import { expect } from 'chai';
import * as withSchemas from 'nktkas-hyperliquid-0-30';
import { PrivateKeySigner } from 'nktkas-hyperliquid-0-30/signing';
import * as withSchemasUtils from 'nktkas-hyperliquid-0-30/utils';
import { outsideTypes } from '../../src/api/info/fixedAnswers.ts';
import { wireOrder } from '../support/orderWire.ts';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { type Client, inProcess, raisedBy } from './client.ts';
import { CLOID, complaints, EXPLORER_TYPES, newerRequests, requests } from './clientSchemas.ts';
import { addressOf, COIN, moveTriggerCoin, type SharedStack, sharedStack, TRIGGER_COIN } from './sharedStack.ts';

const wallet = new PrivateKeySigner(`0x${'11'.repeat(32)}`);
const user = wallet.address;
const QUIET_COIN = 'AVAX';
const DAY_MS = 86_400_000;

/** Fields that the client wants before it sends a type that is not offered. */
const OUTSIDE_FIELDS = { outcome: 1, token: 0, tokenId: `0x${'00'.repeat(16)}`, vaultAddress: user };

interface Parts {
  readonly info: Client;
  readonly exchange: Client;
  /** The questions of the info client, each with whether it takes fields: without fields, the first argument is a signal. */
  readonly infoMethods: ReadonlyMap<string, { readonly takesFields: boolean }>;
  readonly assetOf: (coin: string) => number;
}

const versions: Readonly<Record<string, (apiUrl: string) => Promise<Parts>>> = {
  '0.33.3': async (apiUrl) => {
    const transport = new current.HttpTransport({ apiUrl });
    return toParts({
      info: new current.InfoClient({ transport }),
      exchange: new current.ExchangeClient({ transport, wallet: wallet as never }),
      symbols: await currentUtils.SymbolConverter.create({ transport }),
    });
  },
  '0.30.3': async (apiUrl) => {
    const transport = new withSchemas.HttpTransport({ apiUrl });
    return toParts({
      info: new withSchemas.InfoClient({ transport }),
      exchange: new withSchemas.ExchangeClient({ transport, wallet }),
      symbols: await withSchemasUtils.SymbolConverter.create({ transport }),
    });
  },
};

for (const [version, connect] of Object.entries(versions)) {
  describe(`@nktkas/hyperliquid ${version}`, function () {
    this.timeout(600_000);
    let shared: SharedStack;
    let account: TestAccount;
    let parts: Parts;
    let info: Client;
    let exchange: Client;
    let asset: number;

    before(async () => {
      shared = await sharedStack();
      account = await shared.stack.register();
      parts = await connect(`${addressOf(account, shared.clientUrl)}/`);
      ({ info, exchange } = parts);
      asset = parts.assetOf(COIN);
    });

    const order = async (...orders: object[]): Promise<{ oid: number; totalSz?: string; avgPx?: string }[]> => {
      const { response } = await exchange.call('order', { orders, grouping: 'na' });
      return response.data.statuses.map((status: object) => Object.values(status)[0]);
    };
    const openOids = async (): Promise<number[]> =>
      (await info.call('openOrders', { user })).map(({ oid }: { oid: number }) => oid);

    it('sets leverage', async () => {
      expect(asset).to.equal(5);
      await exchange.call('updateLeverage', { asset, isCross: true, leverage: 10 });
      await exchange.call('updateLeverage', { asset: parts.assetOf(QUIET_COIN), isCross: false, leverage: 5 });
      const { leverage } = await info.call('activeAssetData', { user, coin: COIN });
      expect(leverage).to.deep.equal({ type: 'cross', value: 10 });
    });

    it('buys at the market and sees position and fills', async () => {
      const [filled] = await order(wireOrder(asset, { px: '105', sz: '2', tif: 'FrontendMarket' }));
      expect(filled).to.include({ totalSz: '2.0', avgPx: '100.15' });
      const { assetPositions, withdrawable } = await info.call('clearinghouseState', { user });
      expect(assetPositions[0].position).to.include({ coin: COIN, szi: '2.0', entryPx: '100.15', marginUsed: '20.0' });
      expect(withdrawable).to.equal('9979.609865');
      const fills = await info.call('userFills', { user });
      expect(fills.map(({ px, oid }: { px: string; oid: number }) => [px, oid])).to.deep.equal([
        ['100.2', filled?.oid],
        ['100.1', filled?.oid],
      ]);
      const [{ time: startTime }] = fills;
      expect(await info.call('userFillsByTime', { user, startTime })).to.deep.equal(fills.toReversed());
      expect(await info.call('userFillsByTime', { user, startTime: startTime + 1 })).to.deep.equal([]);
    });

    it('rests orders, modifies and cancels them by both ids', async () => {
      const cloid = `0x${'c1'.repeat(16)}`;
      const [first, second] = await order(
        wireOrder(asset, { px: '90', sz: '1' }),
        wireOrder(asset, { px: '91', sz: '1', tif: 'Alo', cloid }),
      );
      expect(await openOids()).to.have.members([first?.oid, second?.oid]);
      await exchange.call('modify', { oid: first?.oid, order: wireOrder(asset, { px: '89', sz: '2' }) });
      const modifies = [{ oid: cloid, order: wireOrder(asset, { px: '92', sz: '1', cloid }) }];
      await exchange.call('batchModify', { modifies });
      const open = await info.call('frontendOpenOrders', { user });
      const shown = open.map(({ limitPx, origSz }: { limitPx: string; origSz: string }) => [limitPx, origSz]);
      expect(shown).to.have.deep.members([
        ['89.0', '2.0'],
        ['92.0', '1.0'],
      ]);
      const [moved] = open.filter((one: { cloid: string | null }) => one.cloid === null);
      const canceled = await exchange.call('cancel', { cancels: [{ a: asset, o: moved.oid }] });
      expect(canceled.response.data.statuses).to.deep.equal(['success']);
      await exchange.call('cancelByCloid', { cancels: [{ asset, cloid }] });
      expect(await openOids()).to.deep.equal([]);
      const { status, order: found } = await info.call('orderStatus', { user, oid: cloid });
      expect([status, found.status, found.order.cloid]).to.deep.equal(['order', 'canceled', cloid]);
      const ended = await info.call('historicalOrders', { user });
      expect(ended.map((one: { status: string }) => one.status)).to.include.members(['filled', 'canceled', 'open']);
    });

    it('sees a resting order filled by a trade of the market', async () => {
      const [resting] = await order(wireOrder(parts.assetOf(QUIET_COIN), { px: '2', sz: '10', cloid: CLOID }));
      const trade = { coin: QUIET_COIN, px: '1', sz: '100', side: 'A', keepBook: true } as const;
      await shared.stack.market.control({ op: 'trade', ...trade });
      await until(async () => (await info.call('orderStatus', { user, oid: resting?.oid })).order.status === 'filled');
      const [fill] = await info.call('userFills', { user });
      expect(fill).to.include({ coin: QUIET_COIN, px: '2.0', sz: '10.0', crossed: false, cloid: CLOID });
    });

    it('moves margin into an isolated position and out of it', async () => {
      const quiet = parts.assetOf(QUIET_COIN);
      const rawUsd = async (): Promise<string> => {
        const { assetPositions } = await info.call('clearinghouseState', { user });
        return assetPositions.find(({ position }: { position: { coin: string } }) => position.coin === QUIET_COIN).position
          .leverage.rawUsd;
      };
      // 10 bought at 2 with 5x: 4 moved in, 20 paid, and 0.003 of fee.
      expect(await rawUsd()).to.equal('-16.003');
      await exchange.call('updateIsolatedMargin', { asset: quiet, isBuy: true, ntli: 10_500_000 });
      expect(await rawUsd()).to.equal('-5.503');
      await exchange.call('updateIsolatedMargin', { asset: quiet, isBuy: true, ntli: -500_000 });
      expect(await rawUsd()).to.equal('-6.003');
    });

    it('places stops and take-profits, alone, for an order and for a position, and sees them fire', async () => {
      const coin = parts.assetOf(TRIGGER_COIN);
      const { apiKey } = account;
      const trigger = (triggerPx: string, tpsl: 'tp' | 'sl', sz: string, more: object = {}) => ({
        ...wireOrder(coin, { buy: false, px: '80', sz, reduceOnly: true }),
        t: { trigger: { isMarket: true, triggerPx, tpsl } },
        ...more,
      });
      const place = async (grouping: string, ...orders: object[]): Promise<unknown[]> =>
        (await exchange.call('order', { orders, grouping })).response.data.statuses;
      const waiting = async (): Promise<string[][]> =>
        (await info.call('frontendOpenOrders', { user }))
          .filter((one: { coin: string }) => one.coin === TRIGGER_COIN)
          .map(({ orderType, triggerCondition, sz }: Record<'orderType' | 'triggerCondition' | 'sz', string>) => [
            orderType,
            triggerCondition,
            sz,
          ]);
      await moveTriggerCoin(shared, apiKey, 100);

      const [bought, ...children] = await place(
        'normalTpsl',
        wireOrder(coin, { px: '105', sz: '2', tif: 'FrontendMarket' }),
        trigger('110', 'tp', '2'),
        trigger('90', 'sl', '2'),
      );
      expect(bought).to.have.nested.property('filled.totalSz', '2.0');
      expect(children).to.deep.equal(['waitingForTrigger', 'waitingForTrigger']);
      expect(await waiting()).to.deep.equal([
        ['Stop Market', 'Price below 90', '2.0'],
        ['Take Profit Market', 'Price above 110', '2.0'],
      ]);
      const [stopOrder] = await info.call('frontendOpenOrders', { user });
      // The client cannot send `a`, without which a modify places no trigger order.
      const moved = { type: 'modify', oid: stopOrder.oid, order: trigger('95', 'sl', '2'), a: true };
      expect((await shared.stack.exchange(apiKey, moved)).body).to.deep.equal({ status: 'ok', response: { type: 'default' } });
      await moveTriggerCoin(shared, apiKey, 94);
      await until(async () => (await waiting()).length === 0);
      const [closing] = await info.call('userFills', { user });
      expect(closing).to.include({ coin: TRIGGER_COIN, px: '93.9', sz: '2.0', dir: 'Close Long', crossed: true });
      const log = await info.call('historicalOrders', { user });
      expect(log.slice(0, 3).map((one: { status: string }) => one.status)).to.deep.equal([
        'filled',
        'siblingFilledCanceled',
        'triggered',
      ]);

      await order(wireOrder(coin, { px: '100', sz: '1', tif: 'Ioc' }));
      expect(await place('positionTpsl', trigger('80', 'sl', '0', { p: '75' }))).to.deep.equal(['waitingForTrigger']);
      await order(wireOrder(coin, { px: '100', sz: '1', tif: 'Ioc' }));
      const [position] = await info.call('frontendOpenOrders', { user });
      expect(position).to.include({ isPositionTpsl: true, isTrigger: true, sz: '0.0', origSz: '0.0', tif: null });
      await exchange.call('cancel', { cancels: [{ a: coin, o: position.oid }] });

      const entry = trigger('97', 'sl', '1', { b: true, r: false, p: '100', c: CLOID });
      expect((await place('na', entry))[0]).to.have.nested.property('resting.cloid', CLOID);
      await exchange.call('cancelByCloid', { cancels: [{ asset: coin, cloid: CLOID }] });
      await order(wireOrder(coin, { buy: false, px: '80', sz: '2', tif: 'Ioc', reduceOnly: true }));
      // Without a position a stop alone is placed, and judged when it fires; a stop for the whole position is refused.
      const alone = await place('na', trigger('90', 'sl', '1', { c: CLOID }));
      expect(alone[0]).to.have.nested.property('resting.cloid', CLOID);
      await exchange.call('cancelByCloid', { cancels: [{ asset: coin, cloid: CLOID }] });
      expect((await raisedBy(place('positionTpsl', trigger('90', 'sl', '1')))).message).to.match(
        /Reduce only order would increase position/,
      );
      expect(
        (await raisedBy(place('na', { ...entry, t: { trigger: { isMarket: true, triggerPx: '90', tpsl: 'sl' } } }))).message,
      ).to.match(/Invalid TP\/SL price/);
    });

    it('runs a TWAP and cancels it', async () => {
      const twap = { a: asset, b: true, s: '2.2', r: false, m: 5, t: true };
      const { response } = await exchange.call('twapOrder', { twap });
      const { twapId } = response.data.status.running;
      const slices = (): Promise<{ fill: { sz: string }; twapId: number }[]> => info.call('userTwapSliceFills', { user });
      await until(async () => (await slices()).length > 0);
      const { twapStates } = await info.call('webData2', { user });
      expect(twapStates).to.have.length(1);
      expect(twapStates[0][1]).to.include({ coin: COIN, sz: '2.2', minutes: 5, randomize: true });
      const canceled = await exchange.call('twapCancel', { a: asset, t: twapId });
      expect(canceled.response.data.status).to.equal('success');
      const [ended, started] = await info.call('twapHistory', { user });
      expect([ended.twapId, ended.status.status, started.status.status]).to.deep.equal([twapId, 'terminated', 'activated']);
      const [slice, ...others] = await slices();
      expect(others).to.deep.equal([]);
      expect([slice?.twapId, slice?.fill.sz]).to.deep.equal([twapId, ended.state.executedSz]);
      expect(Number(slice?.fill.sz)).to.be.within(0.16, 0.24);
    });

    it('sets the dead man’s switch, puts it off and removes it', async () => {
      for (const fields of [{ time: Date.now() + 60_000 }, { time: Date.now() + 120_000 }, {}]) {
        const { response } = await exchange.call('scheduleCancel', fields);
        expect(response).to.deep.equal({ type: 'default' });
      }
    });

    it('is answered approveBuilderFee, setReferrer and other actions in passing, and orders with a builder', async () => {
      await exchange.call('approveBuilderFee', { maxFeeRate: '0.01%', builder: user });
      await exchange.call('setReferrer', { code: 'CODE' });
      await exchange.call('approveAgent', { agentAddress: user, agentName: 'bot' });
      await exchange.call('noop', {});
      await exchange.call('reserveRequestWeight', { weight: 10 });
      const builder = { b: user, f: 10 };
      const orders = [wireOrder(asset, { buy: false, px: '95', sz: '2', tif: 'Ioc', reduceOnly: true })];
      await exchange.call('order', { orders, grouping: 'na', builder });
      const [fill] = await info.call('userFills', { user });
      expect(fill).not.to.have.property('builderFee');
      expect(fill.fee).to.equal('0.08991'); // 2 * 99.9 * 0.00045
    });

    it('gets an answer to every question it can ask, or a clear refusal', async () => {
      const asked = { ...requests, ...newerRequests };
      const startTime = Date.now() - DAY_MS;
      for (const [method, { takesFields }] of parts.infoMethods) {
        if (EXPLORER_TYPES.includes(method)) continue;
        expect(method in asked || outsideTypes.has(method), `${method} is neither answered nor refused`).to.equal(true);
        const fields: { req?: object } = asked[method] ?? OUTSIDE_FIELDS;
        const call = takesFields ? info.call(method, { user, ...fields, ...fields.req, startTime }) : info.call(method);
        if (method in asked) await call;
        else expect((await raisedBy(call)).message).to.match(/^400 .*no meaning for a perpetuals paper account/);
      }
    });

    it('gets its schemas’ shapes from rarer questions too', async () => {
      const { levels, spread } = await info.call('l2Book', { coin: COIN, nSigFigs: 2 });
      expect([levels[0][0].px, levels[1][0].px, spread]).to.deep.equal(['99.0', '110.0', '0.2']);
      await info.call('l2Book', { coin: COIN, nSigFigs: 5, mantissa: 2 });
      expect(await info.call('l2Book', { coin: 'NONE' })).to.equal(null);
      await info.call('userFills', { user, aggregateByTime: true });
      await info.call('userFillsByTime', { user, startTime: 0, endTime: null, reversed: true });
      for (const method of ['allMids', 'meta', 'metaAndAssetCtxs']) await info.call(method, { dex: '' });
      for (const interval of ['1m', '15m', '8h', '1d', '3d', '1w', '1M']) {
        const startTime = Date.now() - 40 * DAY_MS;
        expect(await info.call('candleSnapshot', { coin: COIN, interval, startTime }), interval).not.to.deep.equal([]);
      }
      const { leverage } = await info.call('activeAssetData', { user, coin: QUIET_COIN });
      expect([leverage.type, leverage.value]).to.deep.equal(['isolated', 5]);

      const cloid = `0x${'c6'.repeat(16)}`;
      await raisedBy(order(wireOrder(asset, { px: '101', sz: '1', tif: 'Alo', cloid })));
      expect((await info.call('orderStatus', { user, oid: cloid })).order.status).to.equal('badAloPxRejected');
      const [newest] = await info.call('historicalOrders', { user });
      expect([newest.status, newest.order.cloid]).to.deep.equal(['badAloPxRejected', cloid]);
    });

    it('makes a sub-account, renames it, and moves USD there and back', async () => {
      const { response } = await exchange.call('createSubAccount', { name: 'second' });
      const subAccountUser = response.data;
      await exchange.call('subAccountModify', { subAccountUser, name: 'renamed' });
      await exchange.call('subAccountTransfer', { subAccountUser, isDeposit: true, usd: 5_000_000 });
      await exchange.call('subAccountTransfer', { subAccountUser, isDeposit: false, usd: 1 });
      const [made] = await info.call('subAccounts', { user: account.address });
      expect(made).to.include({ name: 'renamed', subAccountUser, master: account.address });
      expect(made.clearinghouseState.marginSummary.accountValue).to.equal('4.999999');
      const role = { role: 'subAccount', data: { master: account.address } };
      expect(await info.call('userRole', { user: subAccountUser })).to.deep.equal(role);
    });

    it('raises HttpRequestError where nothing is found', async () => {
      const { kind, message } = await raisedBy(info.call('fundingHistory', { coin: 'NONE', startTime: 0 }));
      expect(kind).to.equal('HttpRequestError');
      expect(message).to.match(/^400 .*unknown_coin/);
    });

    const refusals: { name: string; text: RegExp; call: () => Promise<unknown> }[] = [
      {
        name: 'two of three orders',
        text: /^Order 1: Insufficient margin.* asset=5, Order 2: Order must have minimum value/i,
        call: () =>
          order(
            wireOrder(asset, { px: '50', sz: '1' }),
            wireOrder(asset, { px: '90', sz: '10000' }),
            wireOrder(asset, { px: '90', sz: '0.01' }),
          ),
      },
      {
        name: 'a cancel of an unknown order',
        text: /Order was never placed/,
        call: () => exchange.call('cancel', { cancels: [{ a: asset, o: 1 }] }),
      },
      {
        name: 'a cancel by an unknown cloid',
        text: /Order was never placed/,
        call: () => exchange.call('cancelByCloid', { cancels: [{ asset, cloid: `0x${'00'.repeat(16)}` }] }),
      },
      {
        name: 'leverage above the maximum',
        text: /leverage/i,
        call: () => exchange.call('updateLeverage', { asset, isCross: true, leverage: 21 }),
      },
      {
        name: 'scheduleCancel too near',
        text: /Scheduled cancel time too early, must be at least 5 seconds from now/,
        call: () => exchange.call('scheduleCancel', { time: Date.now() + 1000 }),
      },
      {
        name: 'a TWAP worth 50 USD',
        text: /TWAP order value too small. Min is \$100/,
        call: () => exchange.call('twapOrder', { twap: { a: asset, b: true, s: '0.5', r: false, m: 30, t: false } }),
      },
      {
        name: 'a cancel of an unknown TWAP',
        text: /TWAP was never placed, already canceled, or filled/,
        call: () => exchange.call('twapCancel', { a: asset, t: 1 }),
      },
      {
        name: 'updateIsolatedMargin without a position',
        text: /Cannot update margin for empty position/,
        call: () => exchange.call('updateIsolatedMargin', { asset: parts.assetOf('DOGE'), isBuy: true, ntli: 1_000_000 }),
      },
      {
        name: 'usdClassTransfer',
        text: /Insufficient balance for token transfer/,
        call: () => exchange.call('usdClassTransfer', { amount: '1', toPerp: false }),
      },
      {
        name: 'withdraw3',
        text: /withdraw3 is not available on a paper trading account/,
        call: () => exchange.call('withdraw3', { destination: user, amount: '1' }),
      },
    ];
    for (const { name, text, call } of refusals) {
      it(`raises ApiRequestError: ${name}`, async () => {
        const { kind, message, cause } = await raisedBy(call());
        expect(kind).to.equal('ApiRequestError');
        expect(message).to.match(text);
        const answer = (cause as { response: { status: string; response: { type: string } } }).response;
        if (answer.status === 'ok') expect(complaints('exchange', answer.response.type, answer)).to.deep.equal([]);
        else expect(answer).to.deep.equal({ status: 'err', response: message });
      });
    }

    const doors: { name: string; status: RegExp; address: () => Promise<string> }[] = [
      {
        name: 'a wrong key',
        status: /^401 .*invalid_api_key/,
        address: async () => addressOf({ apiKey: 'pe_000000000000000000000000' }, shared.clientUrl),
      },
      {
        name: 'a trial that is over',
        status: /^403 .*trial_expired/,
        address: async () => addressOf(await shared.stack.register(shared.strictUrl), shared.clientUrl),
      },
    ];
    for (const { name, status, address } of doors) {
      it(`raises HttpRequestError for ${name}`, async () => {
        const error = await connect(`${await address()}/`).then(
          () => undefined,
          (reason: Error) => reason,
        );
        expect(error?.name).to.equal('HttpRequestError');
        expect(error?.message).to.match(status);
      });
    }

    it('raises HttpRequestError past the limit of the plan', async () => {
      const { apiKey } = await shared.stack.register();
      const hasty = async (): Promise<void> => {
        const other = await connect(`${addressOf({ apiKey }, shared.strictUrl)}/`);
        await other.info.call('meta');
      };
      const reason: unknown = await hasty().catch((error: unknown) => error);
      expect(String(reason)).to.match(/429 .*rate_limit/);
    });
  });
}

interface Classes {
  readonly info: object;
  readonly exchange: object;
  readonly symbols: { getAssetId(name: string): number | undefined };
}

function toParts({ info, exchange, symbols }: Classes): Parts {
  const prototype = Object.getPrototypeOf(info);
  const names = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return {
    info: checked('info', inProcess(info)),
    exchange: checked('exchange', inProcess(exchange)),
    infoMethods: new Map(names.map((name) => [name, { takesFields: prototype[name].length === 2 }])),
    assetOf: (coin) => symbols.getAssetId(coin) ?? expect.fail(`no asset id of ${coin}`),
  };
}

/** Checks every answer by the schema that the older version has for it. */
const checked = (endpoint: 'info' | 'exchange', client: Client): Client => ({
  ...client,
  call: async (method, params) => {
    const answer = await client.call(method, params);
    if (!(method in newerRequests)) expect(complaints(endpoint, method, answer), method).to.deep.equal([]);
    return answer;
  },
});
