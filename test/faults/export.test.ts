import { expect } from 'chai';
import { verifyLines } from '../../src/operators/archive/verifyJournal.ts';
import { BTC } from '../support/faults/coins.ts';
import type { FaultStack } from '../support/faults/faultStack.ts';
import { sharedFaults } from '../support/faults/sharedFaults.ts';
import { wireOrder } from '../support/orderWire.ts';
import type { TestAccount } from '../support/stack.ts';

/** Some megabytes of journal: more than a node sends before a signal reaches it. */
const BATCHES = 100;
const ORDERS = 40;
const TRIES = 10;

describe('an export through kill -9 of its API node', function () {
  this.timeout(600_000);
  let faults: FaultStack;
  let account: TestAccount;
  let api: string;

  sharedFaults.use((shared) => {
    faults = shared;
  });

  before(async () => {
    const { stack } = faults;
    api = await stack.add('api');
    await stack.waitHealthy();
    account = await stack.register();
    // They rest nowhere: each ends in the entry that it came with.
    const orders = Array.from({ length: ORDERS }, () => wireOrder(BTC.asset, { px: '50000', sz: '0.001', tif: 'Ioc' }));
    for (let i = 0; i < BATCHES; i++) await stack.act(account.apiKey, { type: 'order', orders, grouping: 'na' });
  });

  for (const kind of ['journal', 'orders'] as const) {
    it(`of ${kind} goes on at another node behind the last whole line, byte by byte`, async () => {
      const { stack } = faults;
      const whole = linesOf(await (await ask(stack.baseUrl, `kind=${kind}`)).text());
      expect(JSON.parse(whole.at(-1) ?? '').end).to.include({ complete: true });
      const part = linesOf(await cut(kind));
      expect(whole.slice(0, part.length), 'what came before the cut').to.deep.equal(part);
      const last = JSON.parse(part.at(-1) ?? '');
      const from = kind === 'journal' ? `${last.entry.seq + 1}&chain=${last.hash}` : last.next;
      const rest = linesOf(await (await ask(stack.baseUrl, `kind=${kind}&from=${from}`)).text());
      expect([...part, ...rest.slice(1, -1)]).to.deep.equal(whole.slice(0, -1));
      expect(JSON.parse(rest.at(-1) ?? '').end).to.include({ complete: true });
      if (kind === 'journal') await verifyLines([Buffer.from([...part, ...rest].map((line) => `${line}\n`).join(''))]);
    });
  }

  const ask = (baseUrl: string, query: string): Promise<Response> =>
    fetch(`${baseUrl}/v1/exchanges/perpx/account/export?${query}`, { headers: { 'x-api-key': account.apiKey } });

  /** The bytes that come before the node is killed at the first rows; a node that had sent all is tried once more. */
  async function cut(kind: string): Promise<string> {
    const { stack } = faults;
    for (let i = 0; i < TRIES; i++) {
      const answer = await ask(stack.baseUrls.at(-1) ?? '', `kind=${kind}`);
      let [text, isKilled, isWhole] = ['', false, true];
      try {
        for await (const piece of answer.body as unknown as AsyncIterable<Uint8Array>) {
          text += Buffer.from(piece).toString();
          // Two lines at least are whole: the head and a row.
          if (isKilled || text.split('\n').length <= 2) continue;
          isKilled = true;
          await stack.kill(api);
        }
      } catch {
        isWhole = false;
      }
      await stack.restart(api);
      await stack.waitHealthy();
      if (!isWhole) return text;
    }
    throw new Error(`the node has sent all in each of ${TRIES} tries`);
  }
});

/** Whole lines: a line that was cut in the middle is left out. */
const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
