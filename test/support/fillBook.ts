// An account's money as fills make it, without orders around them: each fill gets its numbers from the rules and is
// added up by the rules, as an actor would do. For tests of the arithmetic alone.

import type { LeverageSetting, Position } from '../../src/actors/core/account/account.ts';
import type { CoinFunding } from '../../src/actors/core/account/fundingAccrual.ts';
import { type HoldingOrder, OpenOrderBook } from '../../src/actors/core/account/openOrderBook.ts';
import { type FillNumbers, fillNumbers } from '../../src/actors/core/fills/fillPlan.ts';
import type { MarginState } from '../../src/actors/core/margin/margin.ts';
import { applyFill, foundTrip } from '../../src/actors/core/margin/position.ts';
import { leverageOf } from '../../src/actors/core/margin/positionMargin.ts';
import type { Side } from '../../src/actors/core/messages/order.ts';
import { Decimal } from '../../src/shared/domain/decimal.ts';
import type { FixtureMarket } from './fixtureMarket.ts';

export interface FillFields {
  readonly side: Side;
  readonly price: string;
  readonly size: string;
  readonly liquidity?: 'maker' | 'taker';
}

export class FillBook implements MarginState {
  readonly market: FixtureMarket;
  cash: Decimal;
  readonly positions = new Map<number, Position>();
  readonly leverage = new Map<number, LeverageSetting>();
  readonly orders = new OpenOrderBook<HoldingOrder>();
  readonly funding: ReadonlyMap<number, CoinFunding> = new Map();

  constructor(market: FixtureMarket, cashUsd: string) {
    this.market = market;
    this.cash = new Decimal(cashUsd);
  }

  setLeverage(coin: string, leverage: number, marginMode: 'cross' | 'isolated' = 'cross'): this {
    this.leverage.set(this.market.require(coin).id, { marginMode, leverage });
    return this;
  }

  /** Fills as taker unless a field says otherwise; gives the numbers of the fill. */
  fill(coin: string, fields: FillFields): FillNumbers {
    const asset = this.market.require(coin);
    const { side } = fields;
    const [price, size] = [new Decimal(fields.price), new Decimal(fields.size)];
    const before = { cash: this.cash, position: this.positions.get(asset.id) };
    const numbers = fillNumbers(before.position, {
      side,
      price,
      size,
      sizeDecimals: asset.sizeDecimals,
      liquidity: fields.liquidity ?? 'taker',
      setting: leverageOf(this, asset),
      markPrice: this.market.prices(asset.id)?.markPrice,
    });
    const after = applyFill(before, { ...numbers, asset: asset.id, coin, side, price, size });
    this.cash = after.cash;
    if (after.position) this.positions.set(asset.id, after.position);
    else this.positions.delete(asset.id);
    return numbers;
  }

  filled(coin: string, fields: FillFields): this {
    this.fill(coin, fields);
    return this;
  }

  /** A position as a recording shows it, without the fills that made it. */
  held(coin: string, fields: { signedSize: string; entryPrice: string; rawUsd?: string }): this {
    const { id } = this.market.require(coin);
    const setting = leverageOf(this, this.market.require(coin));
    const signedSize = new Decimal(fields.signedSize);
    const none = new Decimal(0);
    this.positions.set(id, {
      asset: id,
      coin,
      signedSize,
      entryNotional: signedSize.abs().times(fields.entryPrice),
      ...setting,
      rawUsd: new Decimal(fields.rawUsd ?? 0),
      funding: { allTime: none, sinceOpen: none, sinceChange: none },
      trip: foundTrip(signedSize.abs(), signedSize.abs().times(fields.entryPrice), 1),
    });
    return this;
  }

  /** An order that rests; oids count from 1. */
  resting(coin: string, side: Side, size: string, limitPrice: string, { reduceOnly = false } = {}): this {
    const { id } = this.market.require(coin);
    this.orders.set(this.orders.size + 1, { asset: id, side, size, limitPrice, reduceOnly });
    return this;
  }

  position(coin: string): Position {
    const position = this.positions.get(this.market.require(coin).id);
    if (!position) throw new Error(`no position in ${coin}`);
    return position;
  }
}
