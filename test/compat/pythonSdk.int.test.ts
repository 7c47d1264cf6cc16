// hyperliquid-python-sdk as its registry publishes it, with Info and Exchange made as its documentation shows. Only
// the address, which holds the key, is ours; the wallet is arbitrary.
import { expect } from 'chai';
import type { TestAccount } from '../support/stack.ts';
import { until } from '../support/until.ts';
import { type Client, raisedBy } from './client.ts';
import { startPythonClient } from './pythonClient.ts';
import { addressOf, COIN, moveTriggerCoin, type SharedStack, sharedStack, TRIGGER_COIN } from './sharedStack.ts';

/** Address of the wallet below, which a bot sends as `user`. */
const USER = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a';
const QUIET_COIN = 'AVAX';
const GTC = { limit: { tif: 'Gtc' } };
const ALO = { limit: { tif: 'Alo' } };
const DAY_MS = 86_400_000;

const connect = (baseUrl: string, { skipWs = true } = {}): Promise<Client> =>
  startPythonClient('sdk', { baseUrl, privateKey: `0x${'11'.repeat(32)}`, skipWs });

describe('hyperliquid-python-sdk', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let account: TestAccount;
  let sdk: Client;

  before(async () => {
    shared = await sharedStack();
    account = await shared.stack.register();
    sdk = await connect(addressOf(account, shared.clientUrl));
  });

  after(() => sdk?.close());

  const statusesOf = (answer: { status: string; response: { data: { statuses: object[] } } }): object[] => {
    expect(answer.status, JSON.stringify(answer)).to.equal('ok');
    return answer.response.data.statuses;
  };
  const rest = async (px: number, sz: number, cloid?: string): Promise<number> => {
    const named = cloid === undefined ? [] : [false, { cloid }];
    const [status] = statusesOf(await sdk.call('exchange.order', COIN, true, sz, px, GTC, ...named));
    return (status as { resting: { oid: number } }).resting.oid;
  };
  const openOrders = (): Promise<{ oid: number; limitPx: string; sz: string; cloid?: string }[]> =>
    sdk.call('info.open_orders', USER);

  it('loads the markets and the account', async () => {
    expect(await sdk.call('info.name_to_asset', COIN)).to.equal(5);
    const { universe } = await sdk.call('info.meta');
    const [meta, contexts] = await sdk.call('info.meta_and_asset_ctxs');
    expect([meta.universe.length, contexts.length]).to.deep.equal([universe.length, universe.length]);
    expect(await sdk.call('info.perp_dexs')).to.deep.equal([null]);
    expect((await sdk.call('info.user_state', USER)).marginSummary.accountValue).to.equal('10000.0');
    expect(await sdk.call('info.spot_user_state', USER)).to.deep.equal({ balances: [] });
  });

  it('sets leverage', async () => {
    expect((await sdk.call('exchange.update_leverage', 10, COIN)).status).to.equal('ok');
    expect((await sdk.call('exchange.update_leverage', 5, QUIET_COIN, false)).status).to.equal('ok');
  });

  it('opens at the market, sees position and fills, and closes', async () => {
    const [opened] = statusesOf(await sdk.call('exchange.market_open', COIN, true, 2));
    expect(opened).to.have.nested.include({ 'filled.totalSz': '2.0', 'filled.avgPx': '100.15' });
    const { assetPositions } = await sdk.call('info.user_state', USER);
    expect(assetPositions[0].position).to.include({ coin: COIN, szi: '2.0', entryPx: '100.15' });

    const fills = await sdk.call('info.user_fills', USER);
    expect(fills.map(({ px, sz, fee }: Record<string, string>) => [px, sz, fee])).to.deep.equal([
      ['100.2', '1.0', '0.04509'],
      ['100.1', '1.0', '0.045045'],
    ]);
    expect(await sdk.call('info.user_fills_by_time', USER, fills[0].time)).to.deep.equal(fills.toReversed());

    const [closed] = statusesOf(await sdk.call('exchange.market_close', COIN));
    expect(closed).to.have.nested.include({ 'filled.totalSz': '2.0', 'filled.avgPx': '99.9' });
    expect((await sdk.call('info.user_state', USER)).assetPositions).to.deep.equal([]);
  });

  it('rests orders, modifies and cancels them by both ids', async () => {
    const cloid = `0x${'c2'.repeat(16)}`;
    const [first] = [await rest(90, 1), await rest(91, 1, cloid)];
    expect(await openOrders()).to.have.length(2);
    expect(await sdk.call('info.frontend_open_orders', USER)).to.have.length(2);
    statusesOf(await sdk.call('exchange.modify_order', first, COIN, true, 2, 89, GTC));
    statusesOf(await sdk.call('exchange.modify_order', { cloid }, COIN, true, 1, 92, ALO, false, { cloid }));
    const open = await openOrders();
    const moved = open.find((one) => one.cloid === undefined);
    const named = open.find((one) => one.cloid === cloid);
    expect(moved).to.include({ limitPx: '89.0', sz: '2.0' });
    expect(named).to.include({ limitPx: '92.0', sz: '1.0' });

    expect(statusesOf(await sdk.call('exchange.cancel', COIN, moved?.oid))).to.deep.equal(['success']);
    expect(statusesOf(await sdk.call('exchange.cancel_by_cloid', COIN, { cloid }))).to.deep.equal(['success']);
    expect(await openOrders()).to.deep.equal([]);
    const byOid = await sdk.call('info.query_order_by_oid', USER, named?.oid);
    expect([byOid.order.status, byOid.order.order.cloid]).to.deep.equal(['canceled', cloid]);
    expect(await sdk.call('info.query_order_by_cloid', USER, { cloid })).to.deep.equal(byOid);
    const ended = await sdk.call('info.historical_orders', USER);
    expect(ended.map((one: { status: string }) => one.status)).to.include.members(['open', 'filled', 'canceled']);
  });

  it('places and cancels in bulk', async () => {
    const order = { coin: COIN, is_buy: true, sz: 1, order_type: GTC, reduce_only: false };
    const [first, second, third] = [`0x${'c3'.repeat(16)}`, `0x${'c4'.repeat(16)}`, `0x${'c5'.repeat(16)}`].map((cloid, at) => ({
      ...order,
      cloid: { cloid },
      limit_px: 90 - at,
    }));
    const placed = statusesOf(await sdk.call('exchange.bulk_orders', [first, second, third]));
    expect(placed.map((status) => Object.keys(status))).to.deep.equal([['resting'], ['resting'], ['resting']]);
    statusesOf(await sdk.call('exchange.bulk_modify_orders_new', [{ oid: first?.cloid, order: { ...first, sz: 2 } }]));
    const [one, two, three] = await openOrders();
    const cancels = [one, two].map((open) => ({ coin: COIN, oid: open?.oid }));
    expect(statusesOf(await sdk.call('exchange.bulk_cancel', cancels))).to.deep.equal(['success', 'success']);
    const last = [{ coin: COIN, cloid: { cloid: three?.cloid } }];
    expect(statusesOf(await sdk.call('exchange.bulk_cancel_by_cloid', last))).to.deep.equal(['success']);
  });

  it('sees a resting order filled by a trade of the market', async () => {
    const [status] = statusesOf(await sdk.call('exchange.order', QUIET_COIN, true, 10, 2, ALO));
    const { oid } = (status as { resting: { oid: number } }).resting;
    const trade = { coin: QUIET_COIN, px: '1', sz: '100', side: 'A', keepBook: true } as const;
    await shared.stack.market.control({ op: 'trade', ...trade });
    await until(async () => (await sdk.call('info.query_order_by_oid', USER, oid)).order.status === 'filled');
    const [fill] = await sdk.call('info.user_fills', USER);
    expect(fill).to.include({ coin: QUIET_COIN, px: '2.0', sz: '10.0', crossed: false, oid });
  });

  it('moves margin into an isolated position and out of it', async () => {
    const rawUsd = async (): Promise<string> => {
      const { assetPositions } = await sdk.call('info.user_state', USER);
      return assetPositions.find(({ position }: { position: { coin: string } }) => position.coin === QUIET_COIN).position.leverage
        .rawUsd;
    };
    // 10 bought at 2 with 5x: 4 moved in, 20 paid, and 0.003 of fee.
    expect(await rawUsd()).to.equal('-16.003');
    expect((await sdk.call('exchange.update_isolated_margin', 10.5, QUIET_COIN)).status).to.equal('ok');
    expect((await sdk.call('exchange.update_isolated_margin', -0.5, QUIET_COIN)).status).to.equal('ok');
    expect(await rawUsd()).to.equal('-6.003');
    const tooMuch = await sdk.call('exchange.update_isolated_margin', 1_000_000, QUIET_COIN);
    expect(tooMuch.response).to.equal('Account does not have sufficient margin available for increase.');
    const pool = await sdk.call('exchange.usd_class_transfer', 10, true);
    expect(pool.response).to.equal('Insufficient balance for token transfer.');
    const [agent] = await sdk.call('exchange.approve_agent');
    expect(agent.status).to.equal('ok');
  });

  it('places stops and take-profits, alone and in groups, and sees them fire', async () => {
    const trigger = (triggerPx: number, tpsl: 'tp' | 'sl') => ({ trigger: { triggerPx, isMarket: true, tpsl } });
    const child = (triggerPx: number, tpsl: 'tp' | 'sl') => ({
      ...{ coin: TRIGGER_COIN, is_buy: false, sz: 2, limit_px: 80, reduce_only: true },
      order_type: trigger(triggerPx, tpsl),
    });
    const waiting = async (): Promise<string[]> =>
      (await sdk.call('info.frontend_open_orders', USER))
        .filter(({ coin }: { coin: string }) => coin === TRIGGER_COIN)
        .map(({ triggerCondition }: { triggerCondition: string }) => triggerCondition);
    await moveTriggerCoin(shared, account.apiKey, 100);

    const parent = { coin: TRIGGER_COIN, is_buy: true, sz: 2, limit_px: 99, order_type: GTC, reduce_only: false };
    const family = [parent, child(90, 'sl'), child(110, 'tp')];
    const [resting, ...children] = statusesOf(await sdk.call('exchange.bulk_orders', family, null, 'normalTpsl'));
    expect(children).to.deep.equal(['waitingForFill', 'waitingForFill']);
    const { oid } = (resting as { resting: { oid: number } }).resting;
    const { order } = await sdk.call('info.query_order_by_oid', USER, oid);
    expect(order.order.children.map((one: { triggerPx: string }) => one.triggerPx)).to.deep.equal(['90.0', '110.0']);
    const trade = { coin: TRIGGER_COIN, px: '98.9', sz: '100', side: 'A', keepBook: true } as const;
    await shared.stack.market.control({ op: 'trade', ...trade });
    await until(async () => (await sdk.call('info.query_order_by_oid', USER, oid)).order.status === 'filled');
    expect(await waiting()).to.deep.equal(['Price above 110', 'Price below 90']);
    await moveTriggerCoin(shared, account.apiKey, 110);
    await until(async () => (await waiting()).length === 0);
    const [closing] = await sdk.call('info.user_fills', USER);
    expect(closing).to.include({ coin: TRIGGER_COIN, px: '109.9', sz: '2.0', dir: 'Close Long' });

    await moveTriggerCoin(shared, account.apiKey, 100);
    const [entry] = statusesOf(await sdk.call('exchange.order', TRIGGER_COIN, true, 1, 115, trigger(105, 'sl')));
    const entryOid = (entry as { resting: { oid: number } }).resting.oid;
    const moved = await sdk.call('exchange.modify_order', entryOid, TRIGGER_COIN, true, 1, 115, trigger(106, 'sl'));
    expect(moved).to.deep.equal({
      status: 'err',
      response: 'Modify without always_place must place an Alo order, or a Gtc order that does not execute.',
    });
    expect(await waiting()).to.deep.equal(['Price above 105']);
    const [open] = await sdk.call('info.frontend_open_orders', USER);
    expect(statusesOf(await sdk.call('exchange.cancel', TRIGGER_COIN, open.oid))).to.deep.equal(['success']);
    const [reached] = statusesOf(await sdk.call('exchange.order', TRIGGER_COIN, true, 1, 115, trigger(99, 'sl')));
    expect(JSON.stringify(reached)).to.contain('Invalid TP/SL price.');
  });

  it('sets the dead man’s switch, which ends its orders', async () => {
    const oid = await rest(90, 1);
    expect((await sdk.call('exchange.schedule_cancel', Date.now() + 60_000)).status).to.equal('ok');
    expect((await sdk.call('exchange.schedule_cancel', null)).status).to.equal('ok');
    const tooEarly = await sdk.call('exchange.schedule_cancel', Date.now() + 1000);
    expect(tooEarly).to.deep.equal({
      status: 'err',
      response: 'Scheduled cancel time too early, must be at least 5 seconds from now.',
    });
    // Where the machine takes half a second to say it, it is too early, and asked for later.
    for (let aheadMs = 5500; (await sdk.call('exchange.schedule_cancel', Date.now() + aheadMs)).status !== 'ok'; )
      aheadMs += 5000;
    await until(async () => (await openOrders()).length === 0);
    expect((await sdk.call('info.query_order_by_oid', USER, oid)).order.status).to.equal('scheduledCancel');
  });

  it('is answered approveBuilderFee and setReferrer, and orders with a builder', async () => {
    expect((await sdk.call('exchange.approve_builder_fee', USER, '0.01%')).status).to.equal('ok');
    expect((await sdk.call('exchange.set_referrer', 'CODE')).status).to.equal('ok');
    const builder = { b: USER, f: 10 };
    statusesOf(await sdk.call('exchange.market_open', COIN, false, 1, null, 0.05, null, builder));
    const [fill] = await sdk.call('info.user_fills', USER);
    expect(fill).not.to.have.property('builderFee');
  });

  it('reads the market', async () => {
    expect((await sdk.call('info.all_mids'))[COIN]).to.equal('100.0');
    const { levels } = await sdk.call('info.l2_snapshot', COIN);
    expect(levels.map((side: { px: string }[]) => side[0]?.px)).to.deep.equal(['99.9', '100.1']);
    const startTime = Date.now() - DAY_MS;
    const candles = await sdk.call('info.candles_snapshot', COIN, '1h', startTime, Date.now());
    expect(candles.length).to.be.within(24, 25);
    expect((await sdk.call('info.funding_history', COIN, startTime)).length).to.be.within(23, 24);
    const [spotMeta, spotContexts] = await sdk.call('info.spot_meta_and_asset_ctxs');
    expect(spotMeta).to.deep.equal(await sdk.call('info.spot_meta'));
    expect(spotContexts).not.to.deep.equal([]);
    expect(await sdk.call('info.query_perp_deploy_auction_status')).to.have.property('startGas');
  });

  it('reads everything about the account', async () => {
    expect((await sdk.call('info.user_fees', USER)).userCrossRate).to.equal('0.00045');
    expect((await sdk.call('info.user_rate_limit', USER)).nRequestsUsed).to.be.above(0);
    expect(await sdk.call('info.user_role', USER)).to.deep.equal({ role: 'user' });
    expect((await sdk.call('info.portfolio', USER)).map(([name]: [string]) => name)).to.include('perpAllTime');
    const [deposit] = await sdk.call('info.user_non_funding_ledger_updates', USER, 0);
    expect(deposit.delta).to.deep.equal({ type: 'deposit', usdc: '10000.0' });
    expect((await sdk.call('info.query_referral_state', USER)).referrerState.stage).to.equal('needToTrade');
    expect((await sdk.call('info.user_staking_summary', USER)).delegated).to.equal('0.0');
    expect(await sdk.call('info.query_user_abstraction_state', USER)).to.equal('default');
    const empty = [
      'user_staking_delegations',
      'user_staking_rewards',
      'delegator_history',
      'user_twap_slice_fills',
      'user_vault_equities',
      'extra_agents',
    ];
    for (const method of empty) expect(await sdk.call(`info.${method}`, USER), method).to.deep.equal([]);
    const nothing = ['query_sub_accounts', 'query_user_to_multi_sig_signers', 'query_user_dex_abstraction_state'];
    for (const method of nothing) expect(await sdk.call(`info.${method}`, USER), method).to.equal(null);
    expect(await sdk.call('info.user_funding_history', USER, 0)).to.deep.equal([]);
  });

  it('gets the venue’s words when an order is refused', async () => {
    const [status] = statusesOf(await sdk.call('exchange.order', COIN, true, 0.01, 99, GTC));
    expect(status).to.deep.equal({ error: 'Order must have minimum value of $10. asset=5' });
    const [unknown] = statusesOf(await sdk.call('exchange.cancel', COIN, 1));
    expect(unknown).to.deep.equal({ error: 'Order was never placed, already canceled, or filled. asset=5' });
    const tooHigh = await sdk.call('exchange.update_leverage', 21, COIN);
    expect(tooHigh.status).to.equal('err');
    expect(await sdk.call('info.query_order_by_oid', USER, 1)).to.deep.equal({ status: 'unknownOid' });
  });

  it('makes a sub-account, funds it, and sees it', async () => {
    const { response } = await sdk.call('exchange.create_sub_account', 'second');
    expect(response).to.include({ type: 'createSubAccount' });
    expect(await sdk.call('exchange.sub_account_transfer', response.data, true, 5_000_000)).to.deep.equal({
      status: 'ok',
      response: { type: 'default' },
    });
    const [made] = await sdk.call('info.query_sub_accounts', USER);
    expect(made).to.include({ name: 'second', subAccountUser: response.data, master: account.address });
    expect(made.clearinghouseState.marginSummary.accountValue).to.equal('5.0');
  });

  it('is told what is not offered', async () => {
    const never = [await sdk.call('exchange.withdraw_from_bridge', 10, USER), await sdk.call('exchange.usd_transfer', 10, USER)];
    for (const { status, response } of never) {
      expect(`${status} ${response}`).to.match(/^err .* is not available on a paper trading account\.$/);
    }
  });

  it('raises ClientError where nothing is found, with code and sentence', async () => {
    const raised = await raisedBy(sdk.call('info.query_spot_deploy_auction_status', USER));
    expect(raised.kind).to.equal('ClientError');
    expect(raised.message).to.contain('400').and.contain('not_offered');
  });

  it('raises ClientError for a wrong key, already when it is made', async () => {
    const raised = await raisedBy(connect(addressOf({ apiKey: 'pe_000000000000000000000000' }, shared.clientUrl)));
    expect(raised.kind).to.equal('ClientError');
    expect(raised.message).to.contain('401');
  });

  it('raises ClientError when the trial is over, and past the limit of the plan', async () => {
    const expired = await shared.stack.register(shared.strictUrl);
    const late = await raisedBy(connect(addressOf(expired, shared.clientUrl)));
    expect(late.message).to.contain('403').and.contain('trial_expired');
    const { apiKey } = await shared.stack.register();
    const hasty = await raisedBy(connect(addressOf({ apiKey }, shared.strictUrl)));
    expect(hasty.message).to.contain('429').and.contain('rate_limit');
    expect([late.kind, hasty.kind]).to.deep.equal(['ClientError', 'ClientError']);
  });

  it('answers questions too when its WebSocket, for streams, is refused', async () => {
    const other = await connect(addressOf(account, shared.clientUrl), { skipWs: false });
    const mids = await other.call('info.all_mids');
    await other.call('info.disconnect_websocket');
    await other.close();
    expect(mids[COIN]).to.equal('100.0');
  });
});
