// The examples of frameworks that install in seconds, against the running service: each installs and runs as its page says.
// Those that take minutes are in the folder long/.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { addressOf, type SharedStack, sharedStack } from '../compat/sharedStack.ts';
import { Example } from './example.ts';
import { requireTraded } from './judge.ts';

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

const loadRootAccount = (name = 'rootAccount') => import(`../../tools/start/${name}.mjs`);

describe('examples of clients', function () {
  this.timeout(600_000);
  let shared: SharedStack;

  before(async () => {
    shared = await sharedStack();
  });

  for (const [name, prints] of Object.entries(PRINTS)) {
    it(`${name} places, shows, cancels, fills and listens`, async () => {
      const example = new Example(name);
      const account = await shared.stack.register();
      const { openRootAccount } = await loadRootAccount();
      const root = await openRootAccount({ baseUrl: shared.clientUrl, apiKey: account.apiKey }, 0);
      try {
        await example.install();
        const wallet = { WALLET_ADDRESS: hex(20), WALLET_PRIVATE_KEY: hex(32) };
        const printed = (await example.run({ BASE: addressOf(account, shared.clientUrl), ROOT: root.url, ...wallet })).join('\n');
        for (const line of prints) expect(printed).to.match(line);
        await requireTraded(shared.stack, account);
      } finally {
        await root.stop();
      }
    });
  }
});

const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`;
