import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { dashboardContract } from './contract.ts';

const file = new URL('../../src/dashboard/api/contract.ts', import.meta.url);

describe('the dashboard reads answers', () => {
  it('by the types of the published contract; UPDATE_DOCS=1 with this test makes them anew', async () => {
    const text = await dashboardContract();
    if (process.env['UPDATE_DOCS'] !== undefined) writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).to.equal(text);
  });
});
