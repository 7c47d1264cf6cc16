// `allMids`: the venue's mid prices by coin, spot pairs and the last prices of delisted coins included.

import { Type } from '@sinclair/typebox';
import { DexField, marketType, requireMainDex } from '../infoType.ts';
import { requireMeta } from './coins.ts';

const CONTRACT = {
  about: 'Mid prices by coin.',
  fields: { dex: DexField },
  answers: Type.Record(Type.String(), Type.String({ examples: ['65000.5'] })),
};

export const allMids = marketType('allMids', CONTRACT, (request, services) => {
  requireMainDex(request);
  requireMeta(services);
  return services.market.mids();
});
