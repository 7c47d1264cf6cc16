// `activeAssetData`: the account's leverage in one coin and how much it could trade of it, as pairs [buy, sell].
import type { AssetDataView } from '../../actors/domain/outcome.ts';
import { RequestError } from '../../shared/errors.ts';
import { askAccount } from '../accountQuery.ts';
import { CoinText } from '../requestReader.ts';
import { wireNumber } from '../wireText.ts';
import { toLeverage } from './clearinghouseState.ts';
import { requireMeta, unknownCoin } from './coins.ts';
import { accountType, askedUser } from './infoType.ts';

export const activeAssetData = accountType('activeAssetData', { coin: CoinText }, async (request, call, services) => {
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
