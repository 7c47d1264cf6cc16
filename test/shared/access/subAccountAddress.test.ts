import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { accountAddresses, subAccountAddress, subAccountAddresses } from '../../../src/shared/access/subAccountAddress.ts';

describe('subAccountAddress: follows from the master’s address and a number', () => {
  const master = `0x${'ab'.repeat(20)}`;

  it('is the beginning of a SHA-256, the same for ever', () => {
    const digest = createHash('sha256').update(`${master}:sub:7`).digest('hex');
    expect(subAccountAddress(master, 7)).to.equal(`0x${digest.slice(0, 40)}`);
    // As every build must compute it: accounts are stored under these.
    expect(subAccountAddress(`0x${'00'.repeat(19)}aa`, 1)).to.equal('0x93a8d3e9271f1b07ee20caeedf0c1c1f37683cdf');
  });

  it('is another one for each number and master', () => {
    const all = [...subAccountAddresses(master, 50), ...subAccountAddresses(`0x${'cd'.repeat(20)}`, 50)];
    expect(new Set(all).size).to.equal(100);
  });

  it('all accounts that a user may have: the master first', () => {
    expect(accountAddresses({ address: master })).to.deep.equal([master]);
    expect(accountAddresses({ address: master, subAccountsMade: 2 })).to.deep.equal([
      master,
      subAccountAddress(master, 1),
      subAccountAddress(master, 2),
    ]);
  });
});
