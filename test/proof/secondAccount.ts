// An account kept a second time. It gets the facts (fills, deposits, settings, a funding payment, a take-over) and computes every
// number itself, in exact rationals and without a line of the exchange's code. Where an event has a number, the two are compared.
import type { Account } from '../../src/actors/core/account/account.ts';
import type { AccountEvent } from '../../src/actors/core/messages/event.ts';
import { hourOf } from '../../src/market/domain/fundingRecords.ts';
import type { MarketView } from '../../src/market/domain/marketView.ts';
import { FeeOracle } from '../support/feeOracle.ts';
import { Fraction, NOTHING } from '../support/fraction.ts';
import { FundingOracle, type OracleRate } from '../support/fundingOracle.ts';
import { LedgerOracle } from '../support/ledgerOracle.ts';
import { marginFigures, type OracleCoin, type OracleFigures, type OracleOrder } from '../support/marginOracle.ts';
import { demand, type Fill, same, tiersOf } from './facts.ts';

/** Quotients of the rules end after 40 decimals. */
const DUST = Fraction.of(`0.${'0'.repeat(29)}1`);

interface Setting {
  readonly marginMode: 'cross' | 'isolated';
  readonly leverage: number;
}

type EventOf<Type extends AccountEvent['type']> = Extract<AccountEvent, { type: Type }>;

export class SecondAccount {
  #ledger = new LedgerOracle();
  readonly #settings = new Map<number, Setting>();
  #funding = new FundingOracle();
  readonly #rates = new FeeOracle();

  /** @throws Error when the event claims other numbers */
  see(event: AccountEvent, timeMs: number, market: MarketView): void {
    switch (event.type) {
      case 'accountOpened':
        this.#ledger.deposit(event.depositUsd);
        return;
      case 'balanceAdjusted':
        this.#ledger.deposit(event.usd);
        return;
      case 'transferSent':
        this.#ledger.deposit(`-${event.usd}`);
        return;
      case 'transferReceived':
        this.#ledger.deposit(event.usd);
        return;
      case 'accountReset':
        this.#beginAnew(event);
        return;
      case 'leverageSet':
        this.#settings.set(event.asset, event);
        return;
      case 'termsSet':
        this.#rates.choose(event.fees);
        return;
      case 'isolatedMarginMoved':
        this.#ledger.moveMargin(event.asset, Fraction.of(event.usd));
        return;
      case 'fundingSettled':
        this.#settleFunding(event, timeMs, market);
        return;
      case 'orderFilled':
        this.#fill(event, timeMs, market);
        return;
      case 'positionTakenOver':
        this.#takeOver(event, timeMs, market);
        return;
      case 'positionSettled':
        this.#settle(event, market.settlementPrice(event.asset)?.toFixed() ?? 'none', timeMs, market);
        return;
      case 'positionClosed':
        this.#settle(event, market.prices(event.asset)?.markPrice.toFixed() ?? 'none', timeMs, market);
        return;
      case 'liquidated':
        this.#payDebt(event);
        return;
      default:
      // No other event moves money.
    }
  }

  /** @throws Error when the account's pools are others */
  expectPools(account: Account): void {
    same(String(this.#ledger.isConserved), 'true', 'conservation');
    const { cash, held } = this.#ledger.pools;
    expectSame(account.cash.toFixed(), cash, 'cash');
    same([...account.positions.keys()].sort((a, b) => a - b).join(), this.#ledger.assets.join(), 'coins held');
    for (const [asset, { size, bucket, cost }] of held) {
      const position = account.positions.get(asset);
      expectSame(position?.signedSize.toFixed() ?? '0', size, `size of ${asset}`);
      expectSame(position?.rawUsd.toFixed() ?? '0', bucket, `bucket of ${asset}`);
      expectSame(position?.entryNotional.toFixed() ?? '0', cost, `cost of ${asset}`);
    }
  }

  /**
   * After a settlement: no coin with all of its rates has an unpaid hour; a coin with a gap has been paid up to it where that is late or
   * the coin delisted, and not at all otherwise.
   * @throws Error when the account was paid too much or too little
   */
  expectSettled(throughMs: number, late: boolean, events: readonly AccountEvent[], market: MarketView): void {
    for (const asset of this.#funding.assets) {
      const { hours, hasGap } = this.#funding.open(asset, throughMs, ratesOf(asset, market));
      const mayWait = hasGap && !late && market.asset(asset)?.isDelisted !== true;
      if (!mayWait) same(String(hours), '0', `unpaid hours of ${asset} after a settlement`);
      const settled = events.find(
        (event) => event.type === 'fundingSettled' && event.asset === asset && event.timeMs === throughMs,
      );
      if (mayWait) same(String(settled?.type), 'undefined', `a settlement of ${asset} without one of its rates`);
    }
  }

  figures(market: MarketView, orders: readonly OracleOrder[]): OracleFigures {
    const pending = this.#funding.assets.reduce(
      (sum, asset) => sum.plus(this.#funding.pending(asset, market.fundingHourMs, ratesOf(asset, market)).usd),
      NOTHING,
    );
    return marginFigures(this.#ledger, (asset) => this.#coin(asset, market), orders, pending);
  }

  #fill(fill: Fill, timeMs: number, market: MarketView): void {
    const { asset, fee, closedPnl, startPosition, marginMovedUsd = '0', tid } = fill;
    const { marginMode, leverage, markPrice, sizeDecimals } = this.#coin(asset, market);
    const rates = this.#rates.at(timeMs);
    const { exactPnl, ...numbers } = this.#ledger.fill({ ...fill, marginMode, leverage, markPrice, sizeDecimals, rates });
    this.#rates.traded(fill, timeMs);
    expectSame(fill.exactPnl ?? closedPnl, Fraction.of(exactPnl), `exact PnL of ${tid}`);
    same(JSON.stringify({ fee, closedPnl, startPosition, marginMovedUsd }), JSON.stringify(numbers), `fill ${tid}`);
    this.#funding.changed(asset, this.#ledger.pools.held.get(asset)?.size ?? NOTHING, timeMs);
  }

  #settleFunding(event: EventOf<'fundingSettled'>, timeMs: number, market: MarketView): void {
    const { asset, usd, bucketUsd = '0', hours, droppedToMs } = event;
    const wanted = this.#funding.settle(asset, hourOf(timeMs), ratesOf(asset, market), droppedToMs);
    if (droppedToMs !== undefined) this.#funding.forget(asset, droppedToMs);
    const hasBucket = this.#ledger.pools.held.has(asset) && this.#coin(asset, market).marginMode === 'isolated';
    const toBucket = hasBucket ? wanted.ofOpenPosition : NOTHING;
    expectSame(usd, wanted.usd, `funding of ${asset}`);
    expectSame(bucketUsd, toBucket, `funding of ${asset} for its bucket`);
    same(String(hours), String(wanted.hours), `funding hours of ${asset}`);
    this.#ledger.fund(asset, wanted.usd, toBucket);
  }

  /** An isolated bucket is left with nothing; a cross position goes for its value less its part of all cross equity. */
  #takeOver(event: EventOf<'positionTakenOver'>, timeMs: number, market: MarketView): void {
    const { asset, marginMode, usd, size, price, closedPnl } = event;
    const before = this.#ledger.pools.cash;
    const { sizeDecimals } = this.#coin(asset, market);
    const wanted = this.#ledger.closedAt({ asset, usd, price, size, sizeDecimals });
    same(closedPnl, wanted.closedPnl, `closed PnL of the take-over of ${asset}`);
    expectSame(event.exactPnl ?? closedPnl, Fraction.of(wanted.exactPnl), `exact PnL of the take-over of ${asset}`);
    demandLegal(price, sizeDecimals);
    if (marginMode === 'cross') demandPlain(usd);
    this.#ledger.takeOver({ asset, marginMode, usd: Fraction.of(usd) });
    if (marginMode === 'isolated') same(this.#ledger.pools.cash.minus(before).sign(), 0, 'cash beside a bucket');
    this.#funding.changed(asset, NOTHING, timeMs);
    const crossLeft = this.#ledger.assets.some((other) => this.#coin(other, market).marginMode === 'cross');
    if (marginMode === 'cross' && !crossLeft) expectSame('0', this.#ledger.pools.cash, 'cash after the last take-over');
  }

  /** The old state leaves as it is, and no part of it stays. */
  #beginAnew({ balanceUsd, withdrawnUsd }: EventOf<'accountReset'>): void {
    expectSame(withdrawnUsd, this.#ledger.pools.cash, 'what leaves with the reset');
    same(this.#ledger.assets.join(), '', 'coins held at the reset');
    this.#ledger = new LedgerOracle();
    this.#ledger.deposit(balanceUsd);
    this.#funding = new FundingOracle();
    this.#settings.clear();
    this.#rates.forget();
  }

  /**
   * A fill of a whole position for nothing: of a delisted coin at the market's settlement price, of an account that closes or
   * begins again at the mark.
   */
  #settle(event: EventOf<'positionSettled' | 'positionClosed'>, price: string, timeMs: number, market: MarketView): void {
    const { asset, side, size, closedPnl, startPosition, tid } = event;
    const { marginMode, leverage, markPrice, sizeDecimals } = this.#coin(asset, market);
    const { cash, held } = this.#ledger.pools;
    const bucket = held.get(asset)?.bucket ?? NOTHING;
    const fill = { asset, side, size, price, marginMode, leverage, markPrice, sizeDecimals, liquidity: 'settlement' } as const;
    const wanted = this.#ledger.fill(fill);
    same(event.price, price, `price of ${tid}`);
    same(JSON.stringify([closedPnl, startPosition]), JSON.stringify([wanted.closedPnl, wanted.startPosition]), `fill ${tid}`);
    expectSame(event.exactPnl ?? closedPnl, Fraction.of(wanted.exactPnl), `exact PnL of ${tid}`);
    expectSame(event.usd, this.#ledger.pools.cash.minus(cash).minus(bucket), `settlement of ${asset}`);
    demand(!this.#ledger.pools.held.has(asset), `position in ${asset} after its settlement`);
    this.#funding.changed(asset, NOTHING, timeMs);
  }

  #payDebt({ paidUsd, marginMode }: EventOf<'liquidated'>): void {
    if (paidUsd === undefined) return;
    same(marginMode, 'cross', 'the pool of a debt');
    expectSame(paidUsd, this.#ledger.pools.cash.negated(), 'a debt that the house pays');
    this.#ledger.payDebt(Fraction.of(paidUsd));
  }

  #coin(asset: number, market: MarketView): OracleCoin {
    return {
      ...(this.#settings.get(asset) ?? defaultSetting(asset, market)),
      markPrice: market.prices(asset)?.markPrice.toFixed() ?? '0',
      sizeDecimals: market.asset(asset)?.sizeDecimals ?? 0,
      tiers: tiersOf(market, asset),
    };
  }
}

/** @throws Error when the number is not the wanted one */
export function expectSame(seen: string, wanted: Fraction, what: string): void {
  const found = Fraction.of(seen);
  if (found.equals(wanted)) return;
  demand(found.minus(wanted).magnitude().compare(DUST) < 0, () => `${what} is ${seen} and should be ${wanted.text()}`);
}

/** 4.2: isolated where nothing else is allowed, 20x or the coin's maximum. */
function defaultSetting(asset: number, market: MarketView): Setting {
  const { maxLeverage = 1, onlyIsolated = false } = market.asset(asset) ?? {};
  return { marginMode: onlyIsolated ? 'isolated' : 'cross', leverage: Math.min(20, maxLeverage) };
}

function ratesOf(asset: number, market: MarketView): (hourMs: number) => OracleRate | undefined {
  return (hourMs) => {
    const known = market.fundingRate(asset, hourMs);
    return known && { rate: known.rate.toFixed(), oraclePrice: known.oraclePrice.toFixed() };
  };
}

/** At most five significant figures and 6 - szDecimals decimals; whole numbers always. */
function demandLegal(price: string, sizeDecimals: number): void {
  const [whole = '', decimals = ''] = price.replace('-', '').split('.');
  const figures = `${whole}${decimals}`.replace(/^0+/, '').length;
  demand(decimals === '' || (figures <= 5 && decimals.length <= 6 - sizeDecimals), `a take-over at ${price} off the tick`);
}

function demandPlain(usd: string): void {
  demand(/^-?\d+(\.\d+)?$/.test(usd), `a take-over for ${usd}`);
}
