// How the fill models of resting orders (trading-rules 3.6) compare with the truth of a first-in, first-out queue. A level of a book is
// simulated order by order, so that it is known when an order behind it would have filled; each model sees the displayed sizes and the
// trades alone, through the rules themselves: each trade before the book that
// shows it, and each book first. Prints one line of JSON: `node --import tsx bench/fillModels.ts [--runs n]`
import { parseArgs } from 'node:util';
import { FILL_MODELS, type FillModel } from '../src/actors/core/messages/terms.ts';
import { Random } from '../test/support/faults/seeds.ts';
import { book, deposit, lateTrade, place, Scenario, type Step, trade, wait } from '../test/support/scenario.ts';

/** A kind of market: coins ahead at first, events, and how often each is a cancel, a trade, or else an arrival. */
interface Kind {
  readonly name: string;
  readonly orders: readonly [least: number, most: number];
  readonly events: number;
  readonly cancels: number;
  readonly trades: number;
  readonly tradeMax: number;
}

const KINDS: readonly Kind[] = [
  { name: 'lively', orders: [5, 20], events: 45, cancels: 0.4, trades: 0.2, tradeMax: 20 },
  { name: 'thick', orders: [30, 60], events: 100, cancels: 0.5, trades: 0.1, tradeMax: 24 },
  { name: 'seldom traded', orders: [10, 30], events: 60, cancels: 0.5, trades: 0.06, tradeMax: 16 },
];
/** Of the runs whose price is traded through at their end; in the others it turns away. */
const THROUGH = 0.3;
const PRICE = '99.5';
const OWN = 10;
const ORDER_MAX = 9;
const EVENT_MS = 100;

type Filled = Record<FillModel | 'truth', number>;

/** One order in one queue: coins filled under each model, and in truth. */
function run(kind: Kind, { seed, booksFirst }: { readonly seed: number; readonly booksFirst: boolean }): Filled {
  const random = new Random(seed);
  const whole = (least: number, most: number): number => random.whole(least, most);
  // Public orders at the price, first in first out; those before `ahead` were there before the own order.
  const queue = Array.from({ length: whole(...kind.orders) }, () => whole(1, ORDER_MAX));
  let ahead = queue.length;
  let truth = 0;
  const shown = (): number => queue.reduce((sum, size) => sum + size, 0);
  const scenarios = FILL_MODELS.map((model) =>
    new Scenario().given(
      deposit('1000000'),
      { type: 'setTerms', terms: model === 'queue' ? {} : { fillModel: model } },
      bookOf(shown()),
      place({ size: String(OWN), limitPrice: PRICE }),
    ),
  );
  const all = (step: Step): void => {
    for (const scenario of scenarios) scenario.given(wait(EVENT_MS), step);
  };
  for (let event = 0; event < kind.events; event += 1) {
    const dice = random.next();
    if (dice < kind.cancels && queue.length > 0) {
      const at = whole(0, queue.length - 1);
      queue.splice(at, 1);
      if (at < ahead) ahead -= 1;
    } else if (dice < kind.cancels + kind.trades && queue.length > 0) {
      const size = Math.min(whole(1, kind.tradeMax), shown());
      const before = queue.slice(0, ahead).reduce((sum, each) => sum + each, 0);
      truth = Math.min(OWN, truth + Math.max(0, size - before));
      for (let left = size; left > 0; ) {
        const [first = 0] = queue;
        const taken = Math.min(left, first);
        left -= taken;
        if (taken < first) queue[0] = first - taken;
        else {
          queue.shift();
          ahead = Math.max(0, ahead - 1);
        }
      }
      if (booksFirst) all(bookOf(shown()));
      const move = booksFirst ? lateTrade : trade;
      for (const scenario of scenarios) scenario.given(move('SOL', ['sell', PRICE, String(size)]));
      if (booksFirst) continue;
    } else queue.push(whole(1, ORDER_MAX));
    all(bookOf(shown()));
  }
  if (random.chance(THROUGH)) {
    truth = OWN;
    all(trade('SOL', ['sell', '99.4', String(OWN)]));
  }
  const filled = scenarios.map(({ account }) => Number(account.positions.get(2)?.signedSize ?? 0));
  return { ...Object.fromEntries(FILL_MODELS.map((model, at) => [model, filled[at] ?? 0])), truth } as Filled;
}

const bookOf = (size: number) => book('SOL', [['99.9', '5'], ...(size > 0 ? [[PRICE, String(size)] as const] : []), ['99', '50']], [['100', '5']]); // biome-ignore format: one line reads as a book

const share = (part: number, whole: number): number => Math.round((1000 * part) / whole) / 10;

const { values } = parseArgs({ options: { runs: { type: 'string', default: '600' } } });
const runs = Number(values.runs);
const results = KINDS.flatMap((kind, at) => [false, true].map((booksFirst) => figuresOf(kind, { at, booksFirst })));
console.log(JSON.stringify({ bench: 'fillModels', runs, ...Object.fromEntries(results) }));

function figuresOf(kind: Kind, { at, booksFirst }: { readonly at: number; readonly booksFirst: boolean }) {
  const filled = Array.from({ length: runs }, (_, n) => run(kind, { seed: 1 + at * runs + n, booksFirst }));
  const figures = ([...FILL_MODELS, 'truth'] as const).map((model) => [
    model,
    {
      /** Percent of all runs: something was filled, all was; filled where in truth less was; and of the coins. */
      filledPercent: share(filled.filter((one) => one[model] > 0).length, runs),
      wholePercent: share(filled.filter((one) => one[model] === OWN).length, runs),
      falsePercent: share(filled.filter((one) => one[model] > one.truth).length, runs),
      coinsPercent: share(
        filled.reduce((sum, one) => sum + one[model], 0),
        runs * OWN,
      ),
    },
  ]);
  return [booksFirst ? `${kind.name}, books first` : kind.name, Object.fromEntries(figures)] as const;
}
