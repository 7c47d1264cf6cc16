// The displayed book of a coin as one account finds it: what of each level it has taken before, and where its own orders stand in
// the queue. A view for traders who look at the book; no rule uses it.
import type { Book, MarketView } from '../../../market/domain/marketView.ts';
import { Decimal, toWire, ZERO } from '../../../shared/domain/decimal.ts';
import type { Account } from '../account/account.ts';
import { freshMarket } from '../checks/checkForm.ts';
import { availabilityOf, displayedAt } from '../fills/bookLiquidity.ts';
import type { OwnLevelView } from '../messages/answers/ownMarket.ts';
import type { AnswerOf } from '../messages/answers/queryAnswer.ts';

/** Own prices of a side that are told, the best ones: a ladder shows fewer. */
const OWN_PRICES_MAX = 50;

/** @param asset.asset id; of a coin without a book only the orders are told */
export function ownBook(
  account: Account,
  asset: number,
  { market, nowMs }: { readonly market: MarketView; readonly nowMs: number },
): AnswerOf<'ownBook'> {
  const book = market.book(asset);
  const prices = market.prices(asset);
  const fresh = freshMarket(market, { asset, nowMs });
  return {
    kind: 'ownBook',
    own: {
      ...(book && { bookTimeMs: book.timeMs, bookWholeMs: book.wholeMs, bookVersion: book.version }),
      ...(prices && { markTimeMs: prices.timeMs }),
      maxAgeMs: market.maxAgeMs,
      ...(fresh.type === 'stale' && { staleAge: fresh.age }),
      bids: levelsOf(account, { asset, bookSide: 'bid', book, market }),
      asks: levelsOf(account, { asset, bookSide: 'ask', book, market }),
    },
  };
}

interface Place {
  readonly asset: number;
  readonly bookSide: 'bid' | 'ask';
  readonly book: Book | undefined;
  readonly market: MarketView;
}

/** Where the account has an order or has taken something, best first. */
function levelsOf(account: Account, place: Place): readonly OwnLevelView[] {
  const { bookSide } = place;
  const byPrice = new Map<string, OwnLevelView>(ownOrdersBy(account, place));
  for (const [price, level] of takenLevels(account, place)) byPrice.set(price, { ...byPrice.get(price), ...level });
  const better = (a: OwnLevelView, b: OwnLevelView): number => new Decimal(a.price).cmp(b.price) * (bookSide === 'bid' ? -1 : 1);
  return [...byPrice.values()].sort(better);
}

/** The own orders of a side, those of one price together. The oldest one is first among them, so the queue before it is told. */
function ownOrdersBy(account: Account, { asset, bookSide, book }: Place): Map<string, OwnLevelView> {
  const side = account.orders.sides.get(asset)?.[bookSide === 'bid' ? 'buy' : 'sell'];
  const byPrice = new Map<string, OwnLevelView & { readonly own: NonNullable<OwnLevelView['own']> }>();
  for (const { oid, price, size } of side?.rows() ?? []) {
    const text = toWire(price);
    const known = byPrice.get(text);
    if (known === undefined && byPrice.size === OWN_PRICES_MAX) break;
    const ahead = account.orders.get(oid)?.resting.ahead ?? 'unknown';
    const own = known?.own ?? { size: '0', orders: 0, ahead };
    const displayed = book && displayedAt(book, bookSide, price);
    byPrice.set(text, {
      price: text,
      ...(displayed && { displayed: toWire(displayed) }),
      own: { ...own, size: toWire(size.plus(own.size)), orders: own.orders + 1 },
    });
  }
  return byPrice;
}

/** Displayed levels of which the account has taken something. */
function takenLevels(account: Account, { asset, bookSide, book, market }: Place): Map<string, OwnLevelView> {
  const levels = new Map<string, OwnLevelView>();
  const ledger = account.consumption.get(asset)?.[bookSide];
  if (book === undefined || ledger === undefined || ledger.size === 0) return levels;
  const place = { asset, bookSide, sizeDecimals: market.asset(asset)?.sizeDecimals ?? 0, book };
  const shown = bookSide === 'bid' ? book.bids : book.asks;
  const availableAt = availabilityOf(account, shown, place);
  for (const level of shown) {
    const { price, displayed, consumed } = availableAt(level);
    if (consumed.eq(ZERO)) continue;
    levels.set(toWire(price), { price: toWire(price), displayed: toWire(displayed), consumed: toWire(consumed) });
  }
  return levels;
}
