// What a control action asks the emulated venue to do. All that can be wrong with it is found here, before the venue is asked: prices,
// sizes, the order of levels, coins. So a refused action has changed nothing.
import {
  hasTooManyDecimals,
  hasTooManyFigures,
  isWholeLots,
  priceDecimals,
  readNumber,
} from '../../actors/core/checks/checkForm.ts';
import { quoted, unreadable } from '../../api/http/requestReader.ts';
import type { Asset } from '../../market/domain/asset.ts';
import type { LiveMarket } from '../../market/domain/liveMarket.ts';
import { Decimal } from '../../shared/domain/decimal.ts';
import { RequestError } from '../../shared/errors.ts';
import type { MarketControl } from './controlBody.ts';

/** Prices (USD) and sizes (coins) up to this: beyond any market, and small enough that their products stay exact. */
const NUMBER_MAX = new Decimal(10).pow(12);
/** The venue's own bound of an hour's rate. */
const RATE_MAX = new Decimal('0.04');

type Level = { readonly px: string; readonly sz: string };

/**
 * The venue's operations, in their order.
 * @throws {RequestError} 400 for an action that makes no sense, 409 for a coin that is off the list
 */
export function toOperations(asked: MarketControl, market: Pick<LiveMarket, 'assetOf'>): readonly object[] {
  switch (asked.action) {
    case 'setBook': {
      const asset = requireListed(market, asked.coin);
      const [bids, asks] = [toSide(asked.bids, asset, 'bids'), toSide(asked.asks, asset, 'asks')];
      const [bid, ask] = [asked.bids[0], asked.asks[0]];
      if (bid && ask && new Decimal(bid.px).gte(ask.px)) throw unreadable('bids[0].px must be below asks[0].px');
      return [{ op: 'setBook', coin: asked.coin, bids, asks, isNew: true }];
    }
    case 'trade': {
      const { coin, px, sz, side, keepBook = false } = asked;
      const asset = requireListed(market, coin);
      requirePrice(px, asset, 'px');
      requireSize(sz, asset, 'sz');
      return [{ op: 'trade', coin, px, sz, side, keepBook }];
    }
    case 'setPrice':
      requirePrice(asked.px, requireListed(market, asked.coin), 'px');
      return [{ op: 'setPrice', coin: asked.coin, px: asked.px }];
    case 'setFunding':
      requireListed(market, asked.coin);
      return [{ op: 'setFunding', coin: asked.coin, rate: toRate(asked.rate) }];
    case 'pause':
    case 'resume':
      if (asked.coin === undefined) return [{ op: asked.action }];
      requireListed(market, asked.coin);
      return [{ op: asked.action, coin: asked.coin }];
    case 'disconnect':
      return [{ op: 'disconnect', refuseMs: asked.ms ?? 0 }];
    case 'delist':
      requireListed(market, asked.coin);
      // Who connects again reads the list again: otherwise it would be read once a minute.
      return [{ op: 'delist', coin: asked.coin }, { op: 'disconnect' }];
  }
}

/** A rate as the venue writes it. @throws {RequestError} 400 */
export function toRate(text: string): string {
  const rate = new Decimal(text);
  if (rate.abs().gt(RATE_MAX)) throw unreadable(`rate must be from -${RATE_MAX.toString()} to ${RATE_MAX.toString()}`);
  if (rate.isZero()) return '0.0';
  return rate.toFixed();
}

function requireListed(market: Pick<LiveMarket, 'assetOf'>, coin: string): Asset {
  const asset = market.assetOf(coin);
  if (asset === undefined) throw new RequestError(400, 'unknown_coin', `There is no coin ${quoted(coin)}.`);
  if (asset.isDelisted) throw new RequestError(409, 'coin_delisted', `${coin} is off the venue’s list.`);
  return asset;
}

function toSide(levels: readonly Level[], asset: Asset, side: 'bids' | 'asks'): [px: string, sz: string][] {
  let before: Decimal | undefined;
  return levels.map(({ px, sz }, at) => {
    const price = requirePrice(px, asset, `${side}[${at}].px`);
    requireSize(sz, asset, `${side}[${at}].sz`);
    const isInOrder = before === undefined || (side === 'bids' ? price.lt(before) : price.gt(before));
    if (!isInOrder) throw unreadable(`${side}[${at}].px must be ${side === 'bids' ? 'below' : 'above'} the level before it`);
    before = price;
    return [px, sz];
  });
}

function requirePrice(text: string, { sizeDecimals }: Asset, field: string): Decimal {
  const price = requireNumber(text, field);
  if (hasTooManyFigures(price) || hasTooManyDecimals(price, sizeDecimals)) {
    throw unreadable(`${field} must have at most 5 significant figures and ${priceDecimals(sizeDecimals)} decimals, or be whole`);
  }
  return price;
}

function requireSize(text: string, { sizeDecimals }: Asset, field: string): void {
  if (!isWholeLots(requireNumber(text, field), sizeDecimals)) {
    throw unreadable(`${field} must have at most ${sizeDecimals} decimals`);
  }
}

function requireNumber(text: string, field: string): Decimal {
  const value = readNumber(text);
  if (value?.gt(0) && value.lte(NUMBER_MAX)) return value;
  throw unreadable(`${field} must be above 0 and at most ${NUMBER_MAX.toFixed()}`);
}
