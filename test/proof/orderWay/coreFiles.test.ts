// How many files of the core run while one IOC order that fills is decided and folded. A reader who follows the order reads them all, so
// their number is held like a speed: tools/checks/figures.json. `SHOW_FILES=1` prints them.
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { Coverage } from './coverage.ts';
import { DecidedOrder } from './decidedOrder.ts';
import { expectFigures } from './expectFigures.ts';

/** The core, and the rules of features. */
const RULES = /^(?:actors\/core|features)\//;

describe('the way of an order through the core', () => {
  it('passes no more files than it did', async () => {
    const order = new DecidedOrder();
    const coverage = await Coverage.begin();
    order.take();
    const files = (await coverage.filesSince()).filter((file) => RULES.test(file));
    coverage.end();
    expect(order.fills, 'both orders filled').to.equal(2);
    if (process.env['SHOW_FILES'] !== undefined) console.log(files.map(withLines).join('\n'));
    expectFigures({ coreFilesOfAnOrder: files });
  });
});

function withLines(file: string): string {
  const lines = readFileSync(new URL(`../../../src/${file}`, import.meta.url), 'utf8').split('\n').length - 1;
  return `${String(lines).padStart(4)} ${file}`;
}
