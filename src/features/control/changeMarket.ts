// Changes the emulated market: asks the venue for what an action means, and waits until this node shows it and the actors have it.
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { RequestError, RetryableError, TerminalError } from '../../shared/errors.ts';
import { type ControlledVenue, ControlUnanswered, requestControl } from '../../shared/venue/requestInfo.ts';
import { comesTrue } from '../../shared/waiting.ts';
import type { Advances } from './advances.ts';
import type { ControlAnswer, MarketControl } from './controlBody.ts';
import { toOperations, toRate } from './controlOperation.ts';

/** Longest wait, ms: beyond the pause of a leader that connects again and reads the list, also on a busy machine. */
const SHOWN_MS_MAX = 30_000;
const LOOK_EVERY_MS = 5;

export async function changeMarket(
  asked: MarketControl,
  { url, market, advances }: { url: string; market: LiveMarket; advances: Advances },
): Promise<ControlAnswer> {
  const connectedSinceMs = market.status?.connectedSinceMs;
  const [first, ...others] = toOperations(asked, market);
  const done = await ask(url, first ?? {});
  for (const operation of others) await ask(url, operation, { hasBegun: true });
  const isShown = await becomesShown(market, { asked, done, connectedSinceMs });
  return { status: 'ok', time: done.timeMs, shown: isShown && (await advances.isTaken()) };
}

/** @throws {RequestError} 400 when the venue refuses, 503 when nothing was done, 504 when some of it was, or may have been */
async function ask(url: string, operation: object, { hasBegun } = { hasBegun: false }): Promise<ControlledVenue> {
  try {
    return await requestControl(url, operation);
  } catch (error) {
    if (error instanceof TerminalError) throw new RequestError(400, 'upstream_refused', error.message);
    if (error instanceof ControlUnanswered || (error instanceof RetryableError && hasBegun)) {
      throw new RequestError(504, 'outcome_unknown', 'The emulated venue does not answer: whether it was done is unknown.');
    }
    if (error instanceof RetryableError) {
      const text = 'The emulated venue cannot be reached: nothing was done.';
      throw new RequestError(503, 'upstream_unavailable', text, { 'Retry-After': '1' });
    }
    throw error;
  }
}

interface Changed {
  readonly asked: MarketControl;
  readonly done: ControlledVenue;
  /** Of the feed, before the venue was asked. */
  readonly connectedSinceMs: number | null | undefined;
}

/**
 * Whether this node's view of the market has what a control action changed: the venue has sent it, the leader has published it, and
 * this node has folded it in.
 * @returns false when it has not come in time: the coin is paused, or the venue or the leader is away
 */
async function becomesShown(market: LiveMarket, changed: Changed): Promise<boolean> {
  if (changed.done.isHeldBack) return false;
  const bounds = { untilMs: performance.now() + SHOWN_MS_MAX, everyMs: LOOK_EVERY_MS };
  return await comesTrue(() => isShown(market, changed), bounds);
}

function isShown(market: LiveMarket, { asked, done, connectedSinceMs }: Changed): boolean {
  switch (asked.action) {
    case 'setBook':
      return hasBook(market, asked.coin, done);
    case 'trade':
      return market.recentTrades(asked.coin).some(({ tid }) => tid === done.tid) && hasBook(market, asked.coin, done);
    case 'setPrice': {
      const context = contextOf(market, asked.coin);
      const isIt = (price: string | null | undefined): boolean => typeof price === 'string' && new Decimal(price).eq(asked.px);
      const isPriced =
        isIt(context?.markPx) && isIt(context?.oraclePx) && isIt(context?.midPx) && isIt(market.mids()[asked.coin]);
      const candle = market.candle(asked.coin)?.candle;
      return isPriced && hasBook(market, asked.coin, done) && (candle === undefined || isIt(candle.c));
    }
    case 'setFunding':
      return contextOf(market, asked.coin)?.funding === toRate(asked.rate);
    case 'pause':
      return true;
    case 'resume':
      return coinsOf(market, asked.coin).every((coin) => (market.bookText(coin)?.timeMs ?? 0) >= done.timeMs);
    case 'disconnect':
      return market.status?.connectedSinceMs !== connectedSinceMs;
    case 'delist':
      return market.assetOf(asked.coin)?.isDelisted === true;
  }
}

/** The book as the venue left it, or a later one. */
function hasBook(market: LiveMarket, coin: string, { book }: ControlledVenue): boolean {
  const shown = market.bookText(coin);
  if (shown === undefined || book === undefined || shown.timeMs < book.timeMs) return false;
  if (shown.timeMs > book.timeMs) return true;
  return JSON.stringify([shown.bids, shown.asks]) === JSON.stringify([book.bids, book.asks]);
}

function contextOf(market: LiveMarket, coin: string) {
  const asset = market.assetOf(coin);
  return asset && market.contextOf(asset.id)?.context;
}

function coinsOf(market: LiveMarket, coin: string | undefined): readonly string[] {
  if (coin !== undefined) return [coin];
  return (market.rawMeta?.universe ?? []).flatMap(({ name, isDelisted }) => (isDelisted === true ? [] : [name]));
}
