// The leader's questions for aggregated books (rule 3.5), with time as an input: a holder's book is no older for what others ask, users who ask share
// what is left, and who wants more makes the book coarser for nobody.
import { expect } from 'chai';
import { DeepTurns } from '../../src/market/deepBooks.ts';
import type { BookChange, DeepChange, FeedLevel } from '../../src/market/domain/feed.ts';
import type { DeepWant } from '../../src/shared/venue/deepWants.ts';

type Wants = Map<string, DeepWant[]>;

const SECOND_MS = 1000;
/** How long the venue takes to answer, ms. */
const ANSWER_MS = 150;
/** Coins of a side with this many digits: ten times as deep with each digit less. */
const DEPTH: Readonly<Record<number, number>> = { 5: 100, 4: 1000, 3: 10_000, 2: 100_000 };

const want = (kind: DeepWant['kind'], owner: string, coins = 50): DeepWant => ({ kind, owner, coins, untilMs: Number.MAX_VALUE });
const coinsNamed = (name: string, count: number): string[] => Array.from({ length: count }, (_, at) => `${name}${at}`);
/** `owner` wants each of the coins. */
const wantAll = (wants: Wants, coins: readonly string[], one: DeepWant): Wants => {
  for (const coin of coins) wants.set(coin, [...(wants.get(coin) ?? []), one]);
  return wants;
};

/** Runs the leader for some time. @returns its published books, and the questions that it asked */
function run(wants: Wants, { seconds, turns = new DeepTurns() }: { readonly seconds: number; readonly turns?: DeepTurns }) {
  const books: (DeepChange & { readonly atMs: number })[] = [];
  let questions = 0;
  turns.want(wants);
  for (let nowMs = 0; nowMs < seconds * SECOND_MS; ) {
    const question = turns.next(nowMs);
    if (question === undefined) {
      nowMs += 100;
      continue;
    }
    questions += 1;
    const askedAtMs = nowMs;
    nowMs += ANSWER_MS;
    const side: FeedLevel[] = [[String(10 ** (6 - question.nSigFigs)), String(DEPTH[question.nSigFigs]), 1]];
    const answer: BookChange = { type: 'book', coin: question.coin, timeMs: askedAtMs, bids: [], asks: side };
    const change = turns.onBook({ ...answer, bids: side.map(([price, ...rest]) => [String(1e6 - Number(price)), ...rest]) });
    if (change !== undefined) books.push({ ...change, atMs: nowMs });
  }
  /** The oldest that the coin's book was since `fromMs`, ms; from one to the next. */
  const oldestOf = (coin: string, fromMs = 10 * SECOND_MS): number => {
    const of = books.filter((book) => book.coin === coin && book.atMs >= fromMs);
    return Math.max(...of.slice(1).map(({ atMs }, at) => atMs - (of[at]?.timeMs ?? 0)));
  };
  return { books, questions, oldestOf };
}

describe('deepTurns: whose aggregated book is next', () => {
  it('a neighbour who names 230 coins makes the book of a holder no older', () => {
    const alone = run(wantAll(new Map(), ['SOL'], want('held', 'holder')), { seconds: 120 });
    expect(alone.oldestOf('SOL')).to.be.within(3000, 3300);
    const wants = wantAll(new Map(), ['SOL'], want('held', 'holder'));
    const beside = run(wantAll(wants, coinsNamed('C', 230), want('asked', 'neighbour')), { seconds: 120 });
    expect(beside.oldestOf('SOL')).to.be.within(3000, 3800);
    // The neighbour gets all the rest of two questions a second.
    expect(beside.questions).to.be.within(235, 250);
  });

  it('nor does one whose every question goes through all four digits: the holder waits for one round at most', () => {
    const wants = wantAll(new Map(), ['SOL'], want('held', 'holder'));
    const beside = run(wantAll(wants, coinsNamed('C', 230), want('asked', 'neighbour', 1e9)), { seconds: 120 });
    expect(beside.oldestOf('SOL')).to.be.within(3000, 5500);
  });

  it('twelve holders of a coin each stay fresh beside a neighbour with positions in 100', () => {
    const wants: Wants = new Map();
    for (const coin of coinsNamed('H', 12)) wantAll(wants, [coin], want('held', `holder of ${coin}`));
    const { oldestOf } = run(wantAll(wants, coinsNamed('C', 100), want('held', 'neighbour')), { seconds: 120 });
    for (const coin of coinsNamed('H', 12)) expect(oldestOf(coin), coin).to.be.below(9000);
  });

  it('a user who asks for one coin waits for one round of each other user, not of each coin', () => {
    const wants = wantAll(new Map(), coinsNamed('C', 200), want('asked', 'neighbour'));
    const turns = new DeepTurns();
    run(wants, { seconds: 30, turns });
    wantAll(wants, ['SOL'], want('asked', 'user'));
    turns.want(wants);
    const next = [1, 2].map((at) => {
      const question = turns.next(30 * SECOND_MS + at * SECOND_MS);
      turns.onNone();
      return question?.coin;
    });
    expect(next).to.include('SOL');
  });

  it('a coin that many want is read in the turn of the user with the fewest coins', () => {
    const wants = wantAll(new Map(), ['SOL', ...coinsNamed('C', 60)], want('asked', 'neighbour'));
    wantAll(wants, ['SOL'], want('asked', 'user'));
    expect(run(wants, { seconds: 60 }).oldestOf('SOL')).to.be.below(4500);
  });

  it('while held books use up all questions, one round in four is for who asks, unless a held book is late', () => {
    const few = wantAll(new Map(), coinsNamed('H', 8), want('held', 'holder'));
    const some = run(wantAll(few, ['SOL'], want('asked', 'user')), { seconds: 60 });
    expect(some.books.filter(({ coin }) => coin === 'SOL').length).to.be.greaterThan(5);
    const many = wantAll(new Map(), coinsNamed('H', 40), want('held', 'holder'));
    const none = run(wantAll(many, ['SOL'], want('asked', 'user')), { seconds: 60 });
    expect(none.books.filter(({ coin, atMs }) => coin === 'SOL' && atMs > 15 * SECOND_MS).length).to.equal(0);
  });

  it('a wish for more adds coarser prices beyond the finer ones', () => {
    const wants = wantAll(new Map(), ['SOL'], want('held', 'holder'));
    wantAll(wants, ['SOL'], want('asked', 'neighbour', 5000));
    const { books } = run(wants, { seconds: 20 });
    const { digits, asks } = books.at(-1) ?? {};
    expect(digits).to.equal(3);
    // The coarser buckets have less: the sizes of the finer buckets in them.
    expect(asks).to.deep.equal([
      ['10', '100', 1],
      ['100', '900', 1],
      ['1000', '9000', 1],
    ]);
    // The first time each answer is known at once; later the book is never less deep than before.
    expect(books.map((book) => book.digits)).to.deep.equal([5, 4, ...books.slice(2).map(() => 3)]);
  });

  it('two questions a second at most, but for the first eight', () => {
    const wants = wantAll(new Map(), coinsNamed('C', 230), want('held', 'holder', 1e9));
    expect(run(wants, { seconds: 100 }).questions).to.be.within(195, 212);
  });

  it('a question without an answer ends the round; the next coin is asked', () => {
    const turns = new DeepTurns();
    turns.want(wantAll(new Map(), ['SOL', 'ETH'], want('held', 'holder', 1e9)));
    const first = turns.next(0);
    turns.onNone();
    expect([first?.coin, turns.next(0)?.coin].sort()).to.deep.equal(['ETH', 'SOL']);
  });
});
