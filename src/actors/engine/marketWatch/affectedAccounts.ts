// Which accounts of a shard a market change can affect: by the prices at which their orders could fill, their
// triggers fire or their margin run out. An account that is named may find nothing to do; no account that has
// something to do is left out.
import type { BookChange, TradesChange } from '../../../market/domain/feed.ts';
import type { LiveMarket } from '../../../market/domain/liveMarket.ts';
import type { Rules } from '../decisions/rules.ts';
import type { Residents } from '../residents/residents.ts';
import type { OrderIndex } from './orderIndex.ts';
import type { RiskIndex } from './riskIndex.ts';
import type { TriggerIndex } from './triggerIndex.ts';

export interface AffectedAccountsParts {
  readonly rules: Rules;
  readonly market: LiveMarket;
  readonly residents: Residents;
  readonly index: OrderIndex;
  readonly triggers: TriggerIndex;
  readonly risk: RiskIndex;
}

const NO_ACCOUNTS: ReadonlySet<string> = new Set();

export class AffectedAccounts {
  readonly #parts: AffectedAccountsParts;

  constructor(parts: AffectedAccountsParts) {
    this.#parts = parts;
  }

  /** Assets whose mark could affect an account. */
  get markedAssets(): ReadonlySet<number> {
    const { triggers, risk } = this.#parts;
    return new Set([...triggers.assets, ...risk.assets]);
  }

  /**
   * By the view's book and not the change's: a bbo or trade may be newer. A book also affects accounts for which the mark
   * has done something that had to wait for a usable book.
   */
  byChange(asset: number, change: BookChange | TradesChange): Iterable<string> {
    const { market, index, triggers } = this.#parts;
    if (change.type === 'trades') return index.affectedByTrades(asset, change);
    const affected = triggers.waitingForBook(asset);
    for (const accountId of this.byMark(asset)) affected.add(accountId);
    const book = index.hasAsset(asset) ? market.bookText(change.coin) : undefined;
    if (book === undefined) return affected;
    for (const accountId of index.affectedByBook(asset, book, market.feedTimeMs(asset))) affected.add(accountId);
    return affected;
  }

  /** Accounts that the asset's current mark affects. */
  byMark(asset: number): ReadonlySet<string> {
    const { market, triggers } = this.#parts;
    const mark = triggers.size === 0 ? undefined : market.contextOf(asset)?.context.markPx;
    return mark === undefined ? NO_ACCOUNTS : triggers.affectedBy(asset, Number(mark));
  }

  /** Accounts whose wake price the asset's current mark has reached. Changed accounts get new wake prices first. */
  endangeredByMark(asset: number): ReadonlySet<string> {
    const { market, risk, residents, rules } = this.#parts;
    for (const accountId of risk.stale) {
      const resident = residents.get(accountId);
      if (resident === undefined) risk.remove(accountId);
      else risk.set(accountId, rules.wakePrices(resident.account, market));
    }
    const mark = market.contextOf(asset)?.context.markPx;
    return mark === undefined ? NO_ACCOUNTS : risk.wokenBy(asset, Number(mark));
  }

  /** The account has seen a mark: its wake prices are no longer those of the current marks. */
  onMarkSeen(accountId: string): void {
    const { residents, risk } = this.#parts;
    const resident = residents.get(accountId);
    if (resident !== undefined) risk.touch(resident.account);
  }
}
