// Accounts whose liquidation waits for data. No pool is judged by a stale mark, and the house takes nothing that no fresh book
// has been asked for (trading-rules 5.4): so one coin whose feed stands still spares the whole cross account. Operators see how
// many accounts that are.
import type { MarketView } from '../../../market/domain/marketView.ts';
import type { Account } from '../account/account.ts';
import { freshMarket } from '../checks/checkForm.ts';
import {
  hasFreshMarks,
  healthOf,
  isForBackstop,
  isLiquidatable,
  type MarginPool,
  marginPoolKeys,
  marginPoolOf,
} from '../margin/marginPool.ts';

interface Now {
  readonly market: MarketView;
  readonly nowMs: number;
}

/**
 * True when a margin pool is below its maintenance margin with every coin at its last known mark and cannot be judged, because one
 * of them is too old; or when only an unusable book keeps the house from taking it. The cash has what a stale coin cost in it, so
 * that coin is counted at its last mark and not left out.
 */
export function liquidationWaits(account: Pick<Account, 'cash' | 'positions'>, now: Now): boolean {
  return marginPoolKeys(account).some((key) => poolWaits(marginPoolOf(account, key), now));
}

function poolWaits(pool: MarginPool, now: Now): boolean {
  const health = healthOf(pool, now.market);
  if (!isLiquidatable(health)) return false;
  if (!hasFreshMarks(pool, now.market, now.nowMs)) return true;
  return isForBackstop(health) && !hasFreshBooks(pool, now);
}

/**
 * False while the book of any of its positions is missing, old or crossed: the first mark after an outage is a gap, and the house
 * takes nothing that no book has been asked for.
 */
export function hasFreshBooks({ positions }: MarginPool, { market, nowMs }: Now): boolean {
  return positions.every(({ asset }) => freshMarket(market, { asset, nowMs }).type === 'fresh');
}
