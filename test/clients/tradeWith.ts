// One example on an account of its own, installed and run as docs/clients.md says, and judged by what it printed and by what the exchange knows.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { addressOf, type SharedStack } from '../compat/sharedStack.ts';
import type { Example } from './example.ts';
import { requireTraded } from './judge.ts';

const loadRootAccount = (name = 'rootAccount') => import(`../../tools/start/${name}.mjs`);

/**
 * @param prints what it prints, whatever it prints beside
 * @throws AssertionError when it does not print that, or has not traded
 */
export async function tradeWith(example: Example, shared: SharedStack, prints: readonly RegExp[]): Promise<void> {
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
}

const hex = (bytes: number): string => `0x${randomBytes(bytes).toString('hex')}`;
