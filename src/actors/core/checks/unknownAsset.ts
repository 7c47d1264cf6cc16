// Why an asset id cannot be traded here. The venue gives spot pairs, perpetuals of builders' dexs and outcomes ids of their own ranges;
// their market data is shown and nothing of them is simulated, and the refusal says that. Every other unknown id is just unknown.
import { rejection } from '../messages/rejection.ts';

/** First ids by kind, the highest first. Ids from 100,000 on are 100,000 + 10,000 times a dex, and dex 0 is no builder's. */
const KINDS: readonly (readonly [from: number, what: string])[] = [
  [100_000_000, 'Trading of outcomes'],
  [110_000, 'Trading on builder-deployed dexs'],
  [100_000, ''],
  [10_000, 'Spot trading'],
];

/** The text of the refusal of an asset id that the market does not have. */
export function unknownAssetText(asset: number): string {
  const what = KINDS.find(([from]) => asset >= from)?.[1];
  return what ? `${what} is not available on a paper trading account. asset=${asset}` : rejection('unknownAsset', { asset }).text;
}
