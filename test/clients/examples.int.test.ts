// The examples of frameworks that install in seconds, against the running service: each installs and runs as its page says.
// Those that take minutes are in the folder long/.
import { type SharedStack, sharedStack } from '../compat/sharedStack.ts';
import { Example } from './example.ts';
import { tradeWith } from './tradeWith.ts';

const OPEN = /^open \d+: 0\.001 at \d[\s\S]*^filled \d+: 0\.001 at \d[\s\S]*^position .*0\.001 at \d/m;
const HEARD = [/^heard canceled \d/m, /^heard Open Long 0\.001/m, /^heard Close Long 0\.001/m];

/** By the name of the example: what it prints, whatever it prints beside. */
const PRINTS: Readonly<Record<string, readonly RegExp[]>> = {
  'ccxt-js': [OPEN, /^canceled \d+/m, /^trade sell 0\.001/m, /^heard open/m, /^heard canceled/m, /^heard trade buy 0\.001/m],
  'ccxt-python': [OPEN, /^canceled \d+/m, /^trade sell 0\.001/m, /^heard canceled/m, /^heard trade buy 0\.001/m],
  nktkas: [OPEN, ...HEARD],
  'npm-hyperliquid': [OPEN, ...HEARD],
  'python-sdk': [OPEN, ...HEARD],
};

describe('examples of clients', function () {
  this.timeout(600_000);
  let shared: SharedStack;

  before(async () => {
    shared = await sharedStack();
  });

  for (const [name, prints] of Object.entries(PRINTS)) {
    it(`${name} places, shows, cancels, fills and listens`, () => tradeWith(new Example(name), shared, prints));
  }
});
