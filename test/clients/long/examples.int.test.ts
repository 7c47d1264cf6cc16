// The examples of frameworks that take minutes to install or to build, against the running service: bin/test clients-all.
import { type SharedStack, sharedStack } from '../../compat/sharedStack.ts';
import { Example } from '../example.ts';
import { tradeWith } from '../tradeWith.ts';
import { newerPython } from './newerPython.ts';

interface Long {
  /** What it prints, whatever it prints beside. */
  readonly prints: readonly RegExp[];
  /** The oldest minor version of Python 3 that it runs on. */
  readonly python?: number;
}

const FILLS = [/^resting \d+ at/m, /^canceled \d+/m, /^fill of \d+: Open Long 0\.01 at/m, /^fill of \d+: Close Long 0\.01 at/m];
const LONG: Readonly<Record<string, Long>> = {
  freqtrade: { python: 11, prints: [/"exit_reason": "the stop has moved"/, /"ft_order_side": "sell"/] },
  nautilus_trader: {
    python: 12,
    prints: [/^resting \d+/m, /^canceled \d+/m, /^filled BUY 0\.0100 at/m, /^position 0\.01 at/m, /^filled SELL 0\.0100 at/m],
  },
  'go-hyperliquid': { prints: FILLS },
  hyperliquid_rust_sdk: { prints: FILLS },
  hummingbot: {
    python: 12,
    prints: [/^resting \[/m, /^canceled 0x/m, /^filled BUY 0\.01 at/m, /^filled SELL 0\.01 at/m],
  },
};

describe('examples of clients that take long', function () {
  this.timeout(3_600_000);
  let shared: SharedStack;

  before(async () => {
    shared = await sharedStack();
  });

  for (const [name, { prints, python }] of Object.entries(LONG)) {
    it(`${name} places, shows, cancels, fills and listens`, async () => {
      const example = python === undefined ? new Example(name) : new Example(name, newerPython(python));
      await tradeWith(example, shared, prints);
    });
  }
});
