// The known coins: perpetuals that are traded here, and spot pairs and perpetuals of builders' dexs (`dex:COIN`), whose market data passes
// through from the venue.
import { RequestError } from '../../shared/errors.ts';
import { quoted } from '../http/requestReader.ts';
import type { Services } from './services.ts';

/** `@107`, the one pair with a name, `xyz:TSLA`. */
const PASSED = /^(@\d{1,6}|PURR\/USDC|[A-Za-z0-9]{1,16}:[A-Za-z0-9._/-]{1,40})$/;

/**
 * @returns where data of the coin comes from, or undefined for an unknown coin
 * @throws {RequestError} 503 while the market has not been loaded
 */
export function findCoin(coin: string, services: Services): 'perp' | 'passed' | undefined {
  requireMeta(services);
  if (services.market.assetOf(coin)) return 'perp';
  return PASSED.test(coin) ? 'passed' : undefined;
}

/** @throws {RequestError} 400 for an unknown coin, 503 while the market has not been loaded */
export function requireCoin(coin: string, services: Services): 'perp' | 'passed' {
  const market = findCoin(coin, services);
  if (!market) throw unknownCoin(coin);
  return market;
}

export const unknownCoin = (coin: string): RequestError => new RequestError(400, 'unknown_coin', `Unknown coin ${quoted(coin)}.`);

/** @throws {RequestError} 503 while the market has not been loaded */
export function requireMeta({ market }: Services): NonNullable<Services['market']['rawMeta']> {
  if (!market.rawMeta) throw new RequestError(503, 'market_unavailable', 'Market data is not loaded yet.');
  return market.rawMeta;
}
