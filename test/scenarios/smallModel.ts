// The small reference model, for one coin and one account: books, queues, taken liquidity, self-trade, reduce-only
// and margin. It is written from the rules' text with whole numbers and exact fractions, without a line of the
// exchange's own code.
import { Fraction } from '../support/fraction.ts';
import { LedgerOracle, type OracleFill } from '../support/ledgerOracle.ts';
import { maintenance, marginFigures, type OracleCoin, type OracleFigures } from '../support/marginOracle.ts';

/** 1 or -1. */
type Direction = 1 | -1;

/** Prices in tenths of a USD, sizes in hundredths of a coin. */
export interface ModelOrder {
  readonly direction: Direction;
  readonly price: number;
  readonly size: number;
  readonly tif: 'Gtc' | 'Ioc' | 'Alo';
  readonly reduceOnly: boolean;
}

interface Resting extends ModelOrder {
  readonly number: number;
  /** The size that it could ever fill: its size less the cut. */
  size: number;
  left: number;
  ahead: number | 'unknown';
}

/** Best first. */
export type ModelBook = Readonly<Record<'bids' | 'asks', readonly (readonly [price: number, size: number])[]>>;

export interface ModelSetting {
  readonly leverage: number;
  /** Of the coin at the notionals of these runs, all in its first tier. */
  readonly maxLeverage: number;
  /** Of the coin's lots. */
  readonly sizeDecimals: number;
  readonly marginMode: 'cross' | 'isolated';
}

const DEPOSIT = '10000';

export class SmallModel {
  readonly fills: string[] = [];
  resting: Resting[] = [];
  position = 0;
  mark: number;
  setting: ModelSetting;
  book: ModelBook;
  readonly #ledger = new LedgerOracle();
  #numbers = 0;
  readonly #consumed = { bids: new Map<number, number>(), asks: new Map<number, number>() };
  readonly #asset: number;

  constructor(start: { asset: number; book: ModelBook; mark: number; setting: ModelSetting }) {
    this.#asset = start.asset;
    this.book = start.book;
    this.mark = start.mark;
    this.setting = start.setting;
    this.#ledger.deposit(DEPOSIT);
  }

  /** The answer in words. */
  place(order: ModelOrder): string {
    const { direction, price, tif, reduceOnly } = order;
    const closable = this.position * direction < 0 ? Math.abs(this.position) : 0;
    if (reduceOnly && closable === 0) return `Reduce only order would increase position. asset=${this.#asset}`;
    const size = reduceOnly ? Math.min(order.size, closable) : order.size;
    const own = this.#inPriority(-direction as Direction).filter((one) => (price - one.price) * direction >= 0);
    const side = direction === 1 ? 'asks' : 'bids';
    const inside = this.book[side].filter(([level]) => (price - level) * direction >= 0);

    const takes: [price: number, size: number][] = [];
    const canceled = new Set<Resting>();
    let left = size;
    if (tif !== 'Alo') {
      for (const [level, shown] of inside) {
        if (left === 0) break;
        const before = this.#consumed[side].get(level) ?? 0;
        const available = Math.max(0, shown - before);
        for (const one of own) {
          const standing = one.ahead === 'unknown' ? available : Math.max(0, one.ahead - before);
          if ((level - one.price) * direction > 0 || (level === one.price && left > standing)) canceled.add(one);
        }
        const taken = Math.min(left, available);
        if (taken > 0) takes.push([level, taken]);
        left -= taken;
      }
      if (left > 0) for (const one of own) canceled.add(one);
    }
    const worth = tif === 'Ioc' ? (takes[0]?.[0] ?? price) : price;
    if (order.size * worth < 10_000 && !(closable > 0 && size === closable)) {
      return `Order must have minimum value of $10. asset=${this.#asset}`;
    }
    if (tif === 'Alo' && (inside.length > 0 || own.length > 0)) {
      const owns = ([1, -1] as const).map((each) => this.#inPriority(each)[0]?.price);
      const bid = Math.max(this.book.bids[0]?.[0] ?? 0, owns[0] ?? 0) / 10;
      const asks = [this.book.asks[0]?.[0], owns[1]].filter((price) => price !== undefined);
      const ask = (asks.length === 0 ? 0 : Math.min(...asks)) / 10;
      return `Post only order would have immediately matched, bbo was ${bid}@${ask}. asset=${this.#asset}`;
    }
    if (tif === 'Ioc' && takes.length === 0) {
      return `Order could not immediately match against any resting orders. asset=${this.#asset}`;
    }
    const rest = { ...order, number: 0, left, ahead: 0 };
    const after = [...this.resting.filter((one) => !canceled.has(one)), ...(tif !== 'Ioc' && left > 0 ? [rest] : [])];
    const planned = takes.map(([level, taken]) => this.#oracleFill(direction, level, taken, 'taker'));
    if (size > closable && this.#free(planned, after).sign() < 0) {
      return `Insufficient margin to place order. asset=${this.#asset}`;
    }

    this.resting = this.resting.filter((one) => !canceled.has(one));
    for (const [level, taken] of takes) {
      this.#fill(direction, level, taken, 'taker');
      this.#consumed[side].set(level, (this.#consumed[side].get(level) ?? 0) + taken);
    }
    this.#followPosition();
    if (tif !== 'Ioc' && left > 0) {
      if (reduceOnly) this.#followPosition(left);
      this.#numbers += 1;
      this.resting.push({ ...order, size, number: this.#numbers, left, ahead: this.#shown(direction, price) });
    }
    if (takes.length === 0) return 'resting';
    const cost = takes.reduce((sum, [level, taken]) => sum + level * taken, 0);
    const average = new Fraction(BigInt(cost), BigInt(10 * (size - left))).cut(4);
    return `filled ${wire(hundredths(size - left))} @ ${wire(average)}`;
  }

  /** Cancels an open order, counted from the one accepted first. */
  cancel(index: number): void {
    this.resting.splice(index, 1);
  }

  /** Without always place: the new order is an Alo, and a new order that is worth too little leaves the old order. */
  modify(index: number, order: Pick<ModelOrder, 'price' | 'size'>): string {
    const old = this.resting[index];
    if (!old) throw new Error('no such order');
    const { direction, reduceOnly } = old;
    const closable = this.position * direction < 0 ? Math.abs(this.position) : 0;
    const closesAll = order.size === closable || (reduceOnly && order.size > closable);
    if (order.size * order.price < 10_000 && !closesAll) return `Order must have minimum value of $10. asset=${this.#asset}`;
    this.resting.splice(index, 1);
    const answer = this.place({ direction, reduceOnly, ...order, tif: 'Alo' });
    return /^(resting|filled)/.test(answer) ? answer : `Error placing new order during modify: ${answer}`;
  }

  onBook(book: ModelBook): void {
    this.book = book;
    for (const side of ['bids', 'asks'] as const) {
      const direction = side === 'bids' ? 1 : -1;
      for (const [price, taken] of this.#consumed[side]) {
        const shown = this.#shown(direction, price);
        // A level that is gone keeps what was taken of it, and a run is shorter than a half-life.
        if (shown !== 'unknown' && shown > 0) this.#consumed[side].set(price, Math.min(taken, shown));
      }
    }
    for (const one of this.resting) {
      const shown = this.#shown(one.direction, one.price);
      if (shown === 'unknown') continue;
      one.ahead = one.ahead === 'unknown' ? shown : Math.min(one.ahead, shown);
    }
    for (const direction of [1, -1] as const) for (const one of this.#inPriority(direction)) this.#fillFromBook(one);
  }

  onTrade(aggressor: Direction, price: number, size: number): void {
    const passive = -aggressor as Direction;
    const consumed = this.#consumed[aggressor === 1 ? 'asks' : 'bids'];
    const before = consumed.get(price) ?? 0;
    if (before > 0) consumed.set(price, Math.max(0, before - size));
    let budget = size;
    for (const one of this.#inPriority(passive)) {
      if (!this.resting.includes(one) || (one.price - price) * passive < 0) continue;
      if (one.price !== price) one.ahead = 0;
      else {
        const used = one.ahead === 'unknown' ? budget : Math.min(one.ahead, budget);
        if (one.ahead !== 'unknown') one.ahead -= used;
        budget -= used;
      }
      budget -= this.#fillResting(one, budget);
    }
    const side = aggressor === 1 ? 'asks' : 'bids';
    const left = this.book[side].flatMap(([level, shown]): [number, number][] => {
      if ((level - price) * aggressor < 0) return [];
      if (level !== price) return [[level, shown]];
      return shown > size ? [[level, shown - size]] : [];
    });
    this.onBook({ ...this.book, [side]: left });
  }

  /** The expected answers of `clearinghouseState` and `openOrders`. */
  get view(): object {
    const held = this.#ledger.position(this.#asset);
    const figures = this.#figures(this.#ledger, this.resting);
    return {
      accountValue: wire(figures.accountValue),
      totalRawUsd: wire(figures.totalRawUsd),
      totalMarginUsed: wire(figures.totalMarginUsed),
      withdrawable: wire(figures.withdrawable),
      szi: wire(hundredths(this.position)),
      entryPx: held ? wire(Fraction.of(held.entryPrice).cut(6 - this.setting.sizeDecimals)) : null,
      open: this.resting.map(
        (one) =>
          `${one.direction === 1 ? 'B' : 'A'} ${wire(hundredths(one.left))}/${wire(hundredths(one.size))} @ ${wire(tenths(one.price))}`,
      ),
    };
  }

  /** The model holds no rules for what follows: the exchange liquidates the position. */
  get isBelowMaintenance(): boolean {
    const { accountValue, crossValue, totalNotional } = this.#figures(this.#ledger, this.resting);
    const equity = this.setting.marginMode === 'cross' ? crossValue : accountValue.minus(crossValue);
    return equity.compare(maintenance(totalNotional, this.#tiers)) < 0;
  }

  get #tiers(): OracleCoin['tiers'] {
    return [{ lowerBound: '0', maxLeverage: this.setting.maxLeverage }];
  }

  #fillFromBook(one: Resting): void {
    const { direction, price } = one;
    const side = direction === 1 ? 'asks' : 'bids';
    if (!this.resting.includes(one)) return;
    const consumed = this.#consumed[side];
    const levels = this.book[side]
      .filter(([level]) => (price - level) * direction >= 0)
      .map(([level, shown]): [number, number] => [level, Math.max(0, shown - (consumed.get(level) ?? 0))]);
    let filled = this.#fillResting(
      one,
      levels.reduce((sum, [, available]) => sum + available, 0),
    );
    for (const [level, available] of levels) {
      const taken = Math.min(filled, available);
      if (taken > 0) consumed.set(level, (consumed.get(level) ?? 0) + taken);
      filled -= taken;
    }
  }

  /** Size filled; 0 and the order's end when the margin is gone. */
  #fillResting(one: Resting, available: number): number {
    const size = Math.min(one.left, available);
    if (size === 0) return 0;
    const opens = this.position * one.direction >= 0 || size > Math.abs(this.position);
    const others = this.resting.filter((other) => other !== one);
    const rest = one.left > size ? [{ ...one, left: one.left - size }] : [];
    const planned = this.#oracleFill(one.direction, one.price, size, 'maker');
    if (opens && this.#free([planned], [...others, ...rest]).sign() < 0) {
      this.resting = others;
      return 0;
    }
    one.left -= size;
    if (one.left === 0) this.resting = others;
    this.#fill(one.direction, one.price, size, 'maker');
    this.#followPosition();
    return size;
  }

  #fill(direction: Direction, price: number, size: number, liquidity: 'maker' | 'taker'): void {
    const fill = this.#oracleFill(direction, price, size, liquidity);
    const numbers = this.#ledger.fill(fill);
    this.position += direction * size;
    const words = [direction === 1 ? 'B' : 'A', wire(fill.size), wire(fill.price), liquidity === 'taker'];
    this.fills.push([...words, wire(numbers.startPosition), wire(numbers.closedPnl), wire(numbers.fee)].join(' '));
  }

  #oracleFill(direction: Direction, price: number, size: number, liquidity: 'maker' | 'taker'): OracleFill {
    return {
      ...this.setting,
      asset: this.#asset,
      side: direction === 1 ? 'buy' : 'sell',
      price: tenths(price).text(),
      size: hundredths(size).text(),
      liquidity,
      markPrice: tenths(this.mark).text(),
    };
  }

  /** The margin that these fills would leave free, with these orders at rest. */
  #free(fills: readonly OracleFill[], resting: readonly Resting[]): Fraction {
    const ledger = this.#ledger.copy();
    for (const fill of fills) ledger.fill(fill);
    return this.#figures(ledger, resting).free;
  }

  #figures(ledger: LedgerOracle, resting: readonly Resting[]): OracleFigures {
    const coin = { ...this.setting, markPrice: tenths(this.mark).text(), tiers: this.#tiers };
    const orders = resting.map(({ direction, price, left, reduceOnly }) => ({
      asset: this.#asset,
      side: direction === 1 ? ('buy' as const) : ('sell' as const),
      limitPrice: tenths(price).text(),
      size: hundredths(left).text(),
      reduceOnly,
    }));
    return marginFigures(ledger, () => coin, orders);
  }

  /** The newest reduce-only orders first: the rest of the position goes to earlier orders. */
  #followPosition(newcomer = 0): void {
    let room = Math.abs(this.position) - newcomer;
    for (const one of this.resting.toReversed()) {
      if (!one.reduceOnly) continue;
      const left = this.position * one.direction < 0 ? Math.min(one.left, room) : 0;
      one.size -= one.left - left;
      one.left = left;
      room -= left;
    }
    this.resting = this.resting.filter(({ left }) => left > 0);
  }

  #inPriority(direction: Direction): Resting[] {
    return this.resting
      .filter((one) => one.direction === direction)
      .sort((a, b) => (b.price - a.price) * direction || a.number - b.number);
  }

  #shown(direction: Direction, price: number): number | 'unknown' {
    const levels = this.book[direction === 1 ? 'bids' : 'asks'];
    const last = levels.at(-1);
    if (last && (last[0] - price) * direction > 0) return 'unknown';
    return levels.find(([level]) => level === price)?.[1] ?? 0;
  }
}

const tenths = (value: number): Fraction => new Fraction(BigInt(value), 10n);
const hundredths = (value: number): Fraction => new Fraction(BigInt(value), 100n);

/** As numbers stand in answers: at least one decimal, no zeros beyond it. */
function wire(value: Fraction | string): string {
  const text = value instanceof Fraction ? value.text() : value;
  const plain = text.includes('.') ? text : `${text}.0`;
  return plain === '-0.0' ? '0.0' : plain;
}
