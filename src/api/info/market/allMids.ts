// `allMids`: the venue's mid prices by coin, spot pairs and the last prices of delisted coins included.

import { Type } from '@sinclair/typebox';
import type { Services } from '../../accounts/services.ts';
import { LIGHT_QUESTION } from '../../domain/requestPrice.ts';
import { DexField, marketType } from '../infoType.ts';
import { ofDex } from './builderDexs.ts';
import { requireMeta } from './coins.ts';

const CONTRACT = {
  about: 'Mid prices by coin.',
  price: LIGHT_QUESTION,
  fields: { dex: DexField },
  answers: Type.Record(Type.String(), Type.String({ examples: ['65000.5'] })),
};

export const allMids = marketType('allMids', CONTRACT, (request, services, call) =>
  ofDex(request, { services, call }, { type: 'allMids', main: () => mids(services) }),
);

function mids(services: Services): Readonly<Record<string, string>> {
  requireMeta(services);
  return services.market.mids();
}
