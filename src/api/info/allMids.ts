// `allMids`: the venue's mid prices by coin, spot pairs and the last prices of delisted coins included.

import { requireMeta } from './coins.ts';
import { DexField, marketType, requireMainDex } from './infoType.ts';

export const allMids = marketType('allMids', { dex: DexField }, (request, services) => {
  requireMainDex(request);
  requireMeta(services);
  return services.market.mids();
});
