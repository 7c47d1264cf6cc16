// `activeAssetData`: the account's leverage in one coin and the sizes it could trade, as pairs [buy, sell].

import { Type } from '@sinclair/typebox';
import type { AssetDataView } from '../../../actors/core/messages/accountFigures.ts';
import { RequestError } from '../../../shared/errors.ts';
import { askAccount } from '../../accounts/accountQuery.ts';
import { Address, CoinName, exactly, WireDecimal } from '../../contract/answerValues.ts';
import { described, named } from '../../contract/named.ts';
import { Leverage } from '../../contract/venueForms.ts';
import { HEAVY_QUESTION } from '../../domain/requestPrice.ts';
import { wireNumber } from '../../domain/wireText.ts';
import { CoinText } from '../../http/requestReader.ts';
import { accountType, askedUser } from '../infoType.ts';
import { requireMeta, unknownCoin } from '../market/coins.ts';
import { toLeverage } from './clearinghouseState.ts';

const ActiveAssetData = named(
  'ActiveAssetData',
  exactly({
    user: Address,
    coin: CoinName,
    leverage: Leverage,
    maxTradeSzs: described(Type.Array(WireDecimal, { minItems: 2, maxItems: 2 }), 'Coins that could be bought and sold.'),
    availableToTrade: described(Type.Array(WireDecimal, { minItems: 2, maxItems: 2 }), 'USD for buying and selling.'),
    markPx: WireDecimal,
  }),
);

const CONTRACT = {
  about: 'Leverage in one coin, and how much of it the account could trade.',
  price: HEAVY_QUESTION,
  fields: { coin: CoinText },
  answers: ActiveAssetData,
  example: { coin: 'BTC' },
};

export const activeAssetData = accountType('activeAssetData', CONTRACT, async (request, call, services) => {
  requireMeta(services);
  const asset = services.market.assetOf(request.coin);
  if (!asset) throw unknownCoin(request.coin);
  const { data } = await askAccount(call, services, { kind: 'assetData', asset: asset.id });
  if (!data) throw new RequestError(503, 'market_unavailable', `No price of ${asset.coin} has been received yet.`);
  return { user: askedUser(request, call), ...toAssetData(data) };
});

export const toAssetData = (data: AssetDataView) => ({
  coin: data.coin,
  leverage: toLeverage(data.leverage),
  maxTradeSzs: data.maxTradeSizes.map(wireNumber),
  availableToTrade: data.availableToTrade.map(wireNumber),
  markPx: wireNumber(data.markPrice),
});
