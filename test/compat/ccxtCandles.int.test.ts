// ccxt and ccxt.pro: a bot reads its candles at its start, and none of them is refused.
import { expect } from 'chai';
import { ccxtPro } from './ccxtPro.ts';
import type { Client } from './client.ts';
import { type SharedStack, sharedStack } from './sharedStack.ts';

/** Three times as fast as the client is by itself: 180 questions a minute, less than the plan's requests. */
const RATE_LIMIT_MS = 16;
const CANDLES = 500;
/** As the venue has coins; the emulated one has 190, so ten of them are asked for candles of two lengths. */
const QUESTIONS = 200;
const WATCHED = 50;

describe('ccxt and ccxt.pro: the candles of a bot that starts', function () {
  this.timeout(600_000);
  let shared: SharedStack;
  let client: Client;
  let symbols: string[];

  before(async () => {
    shared = await sharedStack();
    client = await ccxtPro(shared, await shared.stack.register(), RATE_LIMIT_MS);
    const markets: { symbol: string; swap: boolean; active: boolean }[] = Object.values(await client.call('loadMarkets'));
    symbols = markets.flatMap(({ symbol, swap, active }) => (swap && active ? [symbol] : []));
    expect(symbols.length).to.be.above(150);
  });
  after(() => client?.close());

  it(`fetches ${CANDLES} of every coin, one after another: ${QUESTIONS} times, and is refused none`, async () => {
    const questions = [...symbols.map((symbol) => [symbol, '1m']), ...symbols.map((symbol) => [symbol, '5m'])].slice(
      0,
      QUESTIONS,
    );
    for (const [symbol, length] of questions) {
      const rows = await client.call('fetchOHLCV', symbol, length, undefined, CANDLES);
      expect(rows.length, `${symbol} ${length}`).to.be.within(CANDLES, CANDLES + 1);
    }
  });

  it(`watches those of ${WATCHED} coins on one socket`, async () => {
    const watched = await Promise.all(symbols.slice(0, WATCHED).map((symbol) => client.call('watchOHLCV', symbol, '5m')));
    expect(watched.every((rows) => rows.length > 0)).to.equal(true);
  });
});
