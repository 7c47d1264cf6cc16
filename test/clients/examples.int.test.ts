// The examples of frameworks that install in seconds, against the running service: each installs and runs as its page says.
// Those that take minutes are in the folder long/.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { addressOf, type SharedStack, sharedStack } from '../compat/sharedStack.ts';
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

  it('sub-accounts: two bots trade apart, also when they are run again, and the sum is that of all', async () => {
    const account = await shared.stack.register();
    const program = fileURLToPath(new URL('../../examples/sub-accounts/bots.mjs', import.meta.url));
    const env = { ...process.env, BASE: addressOf(account, shared.clientUrl) };
    for (const size of ['0.001', '0.002']) {
      const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
      expect(stdout).to.match(
        /^up bought 0.001 at [\d.]+, worth [\d.]+\ndown sold 0.001 at [\d.]+, worth [\d.]+\nmaster 9000\.0\n/,
      );
      const values = [...stdout.matchAll(/^(?:master|up|down) ([\d.]+)$/gm)].map(([, value]) => Number(value));
      expect(Number(/^together ([\d.]+)$/m.exec(stdout)?.[1])).to.be.closeTo(
        values.reduce((sum, one) => sum + one, 0),
        0.000_01,
      );
      const made = await shared.stack.ask(account.apiKey, { type: 'subAccounts', user: account.address });
      // biome-ignore lint/suspicious/noExplicitAny: an answer is what a client sees, JSON of any shape
      const held = made.map((one: any) => [one.name, one.clearinghouseState.assetPositions[0].position.szi]);
      expect(held).to.have.deep.members([...[['up', size]], ...[['down', `-${size}`]]]);
    }
  });
});
