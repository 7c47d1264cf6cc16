// A source of a spot pair. Pairs are not followed here, so the venue is also asked whether a pair exists.
import type { Services } from '../../accounts/services.ts';
import { unknownCoin } from '../../info/market/coins.ts';
import { readSpotPairs } from '../../info/market/venueOnlyTypes.ts';
import type { Source } from './sharedChannel.ts';

/**
 * @param open the source of a pair that is listed
 * @throws {RequestError} 400 `unknown_coin` for a pair that the venue does not list
 */
export async function spotSource(coin: string, services: Services, open: () => Promise<Source>): Promise<Source> {
  if (!(await readSpotPairs(services)).has(coin)) throw unknownCoin(coin);
  return open();
}
