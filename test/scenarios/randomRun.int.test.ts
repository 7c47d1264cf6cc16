// A long series of random orders and market moves on one coin, through the public API, beside the small reference
// model: after each step both agree, until a position falls below maintenance. A failure names the seed and the steps
// before it; SEED repeats or varies the run.
import { expect } from 'chai';
import { type Exchange, sharedExchange } from './exchange.ts';
import { type ModelBook, type ModelOrder, type ModelSetting, SmallModel } from './smallModel.ts';
import type { Trader } from './trader.ts';

const COIN = 'SOL';
const STEPS = 60;
const SEED = Number(process.env['SEED'] ?? 1);
/** Levels shown on each side. */
const LEVELS = 20;

describe('a random run agrees with the reference in small', function () {
  this.timeout(600_000);
  let exchange: Exchange;

  before(async () => {
    exchange = await sharedExchange();
  });

  const settings: readonly Omit<ModelSetting, 'maxLeverage' | 'sizeDecimals'>[] = [
    { leverage: 5, marginMode: 'cross' },
    { leverage: 10, marginMode: 'isolated' },
  ];
  for (const [index, setting] of settings.entries()) {
    it(`${setting.marginMode} ${setting.leverage}x`, async () => {
      const run = new Run(exchange, await exchange.trader(), SEED * 10 + index);
      await run.start(setting);
      for (let step = 0; step < STEPS && !run.isOver; step++) await run.step();
    });
  }
});

class Run {
  /** The position fell below maintenance and was liquidated: the model ends there. */
  isOver = false;
  readonly #exchange: Exchange;
  readonly #trader: Trader;
  readonly #seed: number;
  readonly #log: string[] = [];
  #random: () => number;
  #mid = 1000;
  #model!: SmallModel;
  #seen = 0;

  constructor(exchange: Exchange, trader: Trader, seed: number) {
    this.#exchange = exchange;
    this.#trader = trader;
    this.#seed = seed;
    this.#random = randomOf(seed);
  }

  async start(setting: Omit<ModelSetting, 'maxLeverage' | 'sizeDecimals'>): Promise<void> {
    const book = this.#randomBook();
    await this.#exchange.book(COIN, { ...onWire(book), mark: '100' });
    expect(await this.#trader.leverage(COIN, setting.leverage, setting.marginMode)).to.equal('ok');
    const asset = this.#exchange.asset(COIN);
    const { maxLeverage, szDecimals: sizeDecimals } = (await this.#trader.info('meta')).universe[asset];
    this.#model = new SmallModel({ asset, book, mark: 1000, setting: { ...setting, maxLeverage, sizeDecimals } });
  }

  async step(): Promise<void> {
    const roll = this.#random();
    if (roll < 0.45) await this.#place();
    else if (roll < 0.52) await this.#cancel();
    else if (roll < 0.6) await this.#modify();
    else if (roll < 0.8) await this.#trade();
    else if (roll < 0.93) await this.#book();
    else await this.#mark();
    await this.#compare();
  }

  async #place(): Promise<void> {
    const order = this.#randomOrder();
    const wanted = this.#model.place(order);
    this.#log.push(`place ${JSON.stringify(order)}: ${wanted}`);
    const [answer] = await this.#trader.place(wireOrderOf(order));
    expect(answer, this.#story).to.equal(wanted);
  }

  async #cancel(): Promise<void> {
    const oid = await this.#anyOpen();
    if (!oid) return;
    this.#model.cancel(oid.index);
    this.#log.push(`cancel ${oid.index}`);
    expect(await this.#trader.cancel([COIN, oid.oid]), this.#story).to.deep.equal(['success']);
  }

  async #modify(): Promise<void> {
    const oid = await this.#anyOpen();
    const old = oid && this.#model.resting[oid.index];
    if (!old) return;
    const { price, size } = this.#randomOrder();
    const order = { price: Math.abs(price - old.price) < 30 ? price : old.price, size };
    const wanted = this.#model.modify(oid.index, order);
    this.#log.push(`modify ${oid.index} ${JSON.stringify(order)}: ${wanted}`);
    const [answer] = await this.#trader.modify({
      oid: oid.oid,
      order: wireOrderOf({ ...old, ...order, tif: this.#random() < 0.5 ? 'Alo' : 'Gtc' }),
    });
    expect(answer, this.#story).to.equal(wanted);
  }

  /** Open orders in the order of their oids are the model's in order of acceptance. */
  async #anyOpen(): Promise<{ index: number; oid: number } | undefined> {
    const open: { oid: number }[] = await this.#trader.info('openOrders');
    const oids = open.map(({ oid }) => oid).sort((a, b) => a - b);
    const index = Math.floor(this.#random() * oids.length);
    const oid = oids[index];
    return oid === undefined ? undefined : { index, oid };
  }

  async #trade(): Promise<void> {
    const aggressor = this.#random() < 0.5 ? 1 : -1;
    const best = this.#model.book[aggressor === 1 ? 'asks' : 'bids'][0]?.[0] ?? this.#mid;
    const price = best + aggressor * (this.#whole(5) - 1);
    const size = 1 + this.#whole(800);
    this.#log.push(`trade ${aggressor} ${size} at ${price}`);
    const [px, sz] = [String(price / 10), String(size / 100)];
    await this.#exchange.stack.market.control({ op: 'trade', coin: COIN, side: aggressor === 1 ? 'B' : 'A', px, sz });
    await this.#exchange.settled();
    this.#model.onTrade(aggressor, price, size);
  }

  async #book(): Promise<void> {
    this.#mid += this.#whole(9) - 4;
    const book = this.#randomBook();
    this.#log.push(`book around ${this.#mid}: ${JSON.stringify([book.bids.slice(0, 4), book.asks.slice(0, 4)])}`);
    await this.#exchange.book(COIN, onWire(book));
    this.#model.onBook(book);
  }

  async #mark(): Promise<void> {
    const mark = this.#mid + this.#whole(21) - 10;
    this.#log.push(`mark ${mark}`);
    await this.#exchange.mark(COIN, String(mark / 10));
    this.#model.mark = mark;
  }

  async #compare(): Promise<void> {
    if (this.#model.isBelowMaintenance) {
      const fills: { liquidation?: object }[] = await this.#trader.info('userFills');
      expect(fills[0]?.liquidation, this.#story).to.be.an('object');
      this.isOver = true;
      return;
    }
    const state = await this.#trader.info('clearinghouseState');
    const position = state.assetPositions[0]?.position;
    const { accountValue, totalRawUsd, totalMarginUsed } = state.marginSummary;
    const open = (await this.#trader.open()).map((words) => words.replace(' reduce', ''));
    const seen = { accountValue, totalRawUsd, totalMarginUsed, withdrawable: state.withdrawable };
    const view = { ...seen, szi: position?.szi ?? '0.0', entryPx: position?.entryPx ?? null, open };
    expect(view, this.#story).to.deep.equal(this.#model.view);

    const wanted = this.#model.fills.slice(this.#seen);
    const fills = (await this.#trader.info('userFills')).slice(0, wanted.length).reverse();
    const words = fills.map(({ side, sz, px, crossed, startPosition, closedPnl, fee }: Record<string, unknown>) =>
      [side, sz, px, crossed, startPosition, closedPnl, fee].join(' '),
    );
    expect(words, this.#story).to.deep.equal(wanted);
    this.#seen += wanted.length;
    await this.#trader.expectConsistent();
  }

  get #story(): string {
    return `SEED=${SEED} (run ${this.#seed})\n${this.#log.slice(-12).join('\n')}\n`;
  }

  #randomOrder(): ModelOrder {
    const direction = this.#random() < 0.5 ? 1 : -1;
    const tif = (['Gtc', 'Gtc', 'Ioc', 'Alo'] as const)[this.#whole(4)] ?? 'Gtc';
    const price = this.#mid + direction * (this.#whole(14) - 8);
    const size = this.#random() < 0.06 ? 30_000 + this.#whole(40_000) : this.#whole(1200);
    return { direction, price, tif, size: Math.max(1, size), reduceOnly: this.#random() < 0.2 };
  }

  #randomBook(): ModelBook {
    const side = (direction: 1 | -1): [number, number][] =>
      Array.from({ length: LEVELS }, (_, index): [number, number] => [
        this.#mid + direction * (index + 1),
        100 + this.#whole(900),
      ]).filter((_, index) => index === LEVELS - 1 || this.#random() < 0.8);
    return { bids: side(-1), asks: side(1) };
  }

  #whole(below: number): number {
    return Math.floor(this.#random() * below);
  }
}

const wireOrderOf = ({ direction, price, size, tif, reduceOnly }: ModelOrder) => ({
  coin: COIN,
  buy: direction === 1,
  px: String(price / 10),
  sz: String(size / 100),
  tif,
  reduceOnly,
});

const onWire = ({ bids, asks }: ModelBook) => {
  const levels = (rows: ModelBook['bids']) => rows.map(([px, sz]) => [String(px / 10), String(sz / 100)] as const);
  return { bids: levels(bids), asks: levels(asks) };
};

/** A small generator of numbers in [0, 1), the same for the same seed. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return ((state ^ (state >>> 15)) >>> 0) / 2 ** 32;
  };
}
