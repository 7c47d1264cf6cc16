// Samples and lists of the venue's API pages: the sample account to the last digit, the texts of errors, the statuses
// of orders, the actions that it names, and what a batch counts.
import { expect } from 'chai';
import { REJECTIONS } from '../../src/actors/core/messages/rejection.ts';
import { accountState } from '../../src/actors/core/views/accountState.ts';
import { actionTypes } from '../../src/api/exchange/runAction.ts';
import { infoTypes } from '../../src/api/info/answerInfo.ts';
import { ExchangeInMemory } from '../support/exchangeInMemory.ts';
import { FillBook } from '../support/fillBook.ts';
import { FixtureMarket } from '../support/fixtureMarket.ts';
import { orderAction } from '../support/orderWire.ts';

describe('for-developers/api/info-endpoint/perpetuals.md: the sample account', () => {
  // 0.0335 ETH from 2986.3 at 20x, isolated, with 13,104.514502 beside it; the value shown gives the mark 2985.9.
  const market = new FixtureMarket([{ coin: 'ETH', sizeDecimals: 4, maxLeverage: 50, mark: '2985.9' }]);
  const book = new FillBook(market, '13104.514502');
  book.setLeverage('ETH', 20, 'isolated');
  book.held('ETH', { signedSize: '0.0335', entryPrice: '2986.3', rawUsd: '-95.059824' });
  const state = accountState(book, market, 1_708_622_398_623);

  it('has the sums of the page', () => {
    const cross = { accountValue: '13104.514502', totalNotional: '0.0', totalRawUsd: '13104.514502', totalMarginUsed: '0.0' };
    expect(state.crossMarginSummary).to.deep.equal(cross);
    expect(state.marginSummary).to.deep.equal({
      accountValue: '13109.482328',
      totalNotional: '100.02765',
      totalRawUsd: '13009.454678',
      totalMarginUsed: '4.967826',
    });
    expect(state).to.deep.include({ crossMaintenanceMarginUsed: '0.0', withdrawable: '13104.514502' });
  });

  it('has the position of the page, the ratio with two decimals more; the liquidation price has no cut in it (rule 5.2)', () => {
    const [position] = state.positions;
    expect(position).to.deep.include({
      coin: 'ETH',
      signedSize: '0.0335',
      leverage: { type: 'isolated', value: 20, rawUsd: '-95.059824' },
      positionValue: '100.02765',
      unrealizedPnl: '-0.0134',
      marginUsed: '4.967826',
    });
    expect(Number(position?.returnOnEquity).toFixed(7)).to.equal('-0.0026789');
    // The page has 2866.26936529, which newer answers of the venue do not round to.
    expect(position?.liquidationPrice).to.equal('2866.2693803709');
  });
});

describe('for-developers/api/error-responses.md', () => {
  const texts = Object.values(REJECTIONS).map(({ text }) => text);
  const onThePage = [
    'Price must be divisible by tick size.',
    'Order must have minimum value of $10.',
    'Insufficient margin to place order.',
    'Reduce only order would increase position.',
    'Post only order would have immediately matched, bbo was ',
    'Order could not immediately match against any resting orders.',
    'Invalid TP/SL price.',
    'No liquidity available for market order.',
    'Order would cause position to exceed margin tier limit at current leverage',
  ];
  for (const text of onThePage) {
    it(`an order is refused with: ${text}`, () => {
      expect(texts.filter((ours) => ours.startsWith(text))).to.have.length(1);
    });
  }
});

describe('for-developers/api/info-endpoint.md: statuses of orders', () => {
  const onThePage =
    'rejected tickRejected minTradeNtlRejected perpMarginRejected reduceOnlyRejected badAloPxRejected iocCancelRejected ' +
    'badTriggerPxRejected marketOrderNoLiquidityRejected perpMaxPositionRejected';
  /** Types about open-interest caps, and the type that the page leaves out. */
  const others =
    'positionIncreaseAtOpenInterestCapRejected positionFlipAtOpenInterestCapRejected tooAggressiveAtOpenInterestCapRejected ' +
    'openInterestIncreaseRejected tooManyOpenOrdersRejected';
  const statuses = new Set<string>(Object.values(REJECTIONS).map(({ status }) => status));

  it('a refused order has a status of the page, or the one of too many orders', () => {
    expect([...statuses]).to.include.members(onThePage.split(' '));
    expect([...onThePage.split(' '), ...others.split(' ')]).to.include.members([...statuses]);
  });
});

describe('for-developers/api, exchange-endpoint.md and the pages of deployers: every action that they name', () => {
  const run =
    'order cancel cancelByCloid scheduleCancel modify batchModify updateLeverage updateIsolatedMargin twapOrder twapCancel ' +
    'usdClassTransfer approveAgent approveBuilderFee reserveRequestWeight noop';
  const refused =
    'sendAsset agentSendAsset sendToEvmWithData usdSend spotSend withdraw3 cDeposit cWithdraw tokenDelegate vaultTransfer ' +
    'hip3LiquidatorTransfer userDexAbstraction agentEnableDexAbstraction userSetAbstraction agentSetAbstraction userOutcome ' +
    'validatorL1Stream authorizeAqav2Role claimRewards perpDeploy spotDeploy activateOutcomeDeployer gossipPriorityBid';

  it('those that a paper account has are run', () => {
    expect(actionTypes()).to.include.members(run.split(' '));
  });

  for (const type of refused.split(' ')) {
    it(`${type} is refused by its name`, async () => {
      const response = `Action ${type} is not available on a paper trading account.`;
      expect(await new ExchangeInMemory().exchange({ type })).to.deep.equal({ status: 'err', response });
    });
  }
});

describe('for-developers/api, info-endpoint.md and the pages below it: every type that they name', () => {
  const answered =
    'allMids openOrders frontendOpenOrders userFills userFillsByTime userRateLimit orderStatus l2Book candleSnapshot maxBuilderFee ' +
    'historicalOrders userTwapSliceFills subAccounts userVaultEquities userRole portfolio referral userFees delegations ' +
    'delegatorSummary delegatorHistory delegatorRewards userDexAbstraction userAbstraction borrowLendUserState approvedBuilders ' +
    'perpDexs meta metaAndAssetCtxs clearinghouseState userFunding userNonFundingLedgerUpdates fundingHistory predictedFundings ' +
    'perpsAtOpenInterestCap perpDeployAuctionStatus activeAssetData perpDexLimits perpDexStatus allPerpMetas perpAnnotation ' +
    'perpCategories perpConciseAnnotations spotMeta spotMetaAndAssetCtxs spotClearinghouseState outcomeMeta';
  const refused =
    'vaultDetails borrowLendReserveState allBorrowLendReserveStates spotDeployState spotPairDeployAuctionStatus tokenDetails ' +
    'settledOutcome outcomeTemplates gossipPriorityAuctionStatus';

  it('those that a paper account has are answered', () => {
    expect(infoTypes()).to.include.members(answered.split(' '));
  });

  for (const type of refused.split(' ')) {
    it(`${type} is refused by its name`, async () => {
      const raised = await new ExchangeInMemory().info({ type }).catch((error: unknown) => error);
      expect(raised).to.include({ status: 400, code: 'not_offered' });
    });
  }
});

describe('for-developers/api/rate-limits-and-user-limits.md: what a batch counts', () => {
  it('three orders in one action are three requests of the address limit, which grows by a request for each USD traded', async () => {
    const exchange = new ExchangeInMemory();
    exchange.setMarket('BTC', { mark: '65000', bids: [['64999', '3']], asks: [['65000', '3']] });
    const resting = { px: '60000', sz: '0.001' };
    await exchange.exchange(orderAction(0, resting, resting, { px: '65000', sz: '0.01', tif: 'Ioc' }));
    const limit = await exchange.info({ type: 'userRateLimit' });
    expect(limit).to.include({ nRequestsUsed: 3, cumVlm: '650.0', nRequestsCap: 10_650 });
  });
});
