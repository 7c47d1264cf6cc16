// The examples of frameworks that install in seconds, against the running service: each installs and runs as its page says.
// Those that take minutes are in the folder long/.
import { type SharedStack, sharedStack } from '../compat/sharedStack.ts';
import { Example } from './example.ts';
import { tradeWith } from './tradeWith.ts';

/** By the name of the example: what it prints, in this order, whatever it prints beside. */
const PRINTS: Readonly<Record<string, readonly RegExp[]>> = {
  'ccxt-js': [
    /^open \d+: 0\.001 at/m,
    /^canceled \d+/m,
    /^filled \d+: 0\.001 at/m,
    /^position long 0\.001/m,
    /^trade sell 0\.001/m,
  ],
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
