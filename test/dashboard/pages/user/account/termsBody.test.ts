import { expect } from 'chai';
import type { AccountTerms } from '../../../../../src/dashboard/api/contract.ts';
import { chosenFees, FEES, termsBody } from '../../../../../src/dashboard/pages/user/account/termsBody.ts';

const filled = (fields: Readonly<Record<string, string>>) => ({ get: (name: string) => fields[name] ?? null });
const termsOf = (fees: Partial<AccountTerms['fees']>): AccountTerms => ({
  fees: { source: 'default', tier: null, rebate: null, maker: '0.00015', taker: '0.00045', ...fees },
  fill_model: 'queue',
  changed: null,
  text: '',
});

describe('the form of an account’s terms', () => {
  it('says one form of fees, or none', () => {
    const own = { fees: 'own', maker: ' -0.0001 ', taker: '0.0004', rebate: '1' };
    expect(termsBody(filled(own))).to.deep.equal({ fees: { maker: '-0.0001', taker: '0.0004' }, fill_model: 'queue' });
    expect(termsBody(filled({ fees: 'tier 0', rebate: '3' }))).to.deep.equal({
      fees: { tier: 0, rebate: 3 },
      fill_model: 'queue',
    });
    expect(termsBody(filled({ fees: 'tier 6', rebate: 'none', fill_model: 'touch' }))).to.deep.equal({
      fees: { tier: 6 },
      fill_model: 'touch',
    });
    expect(termsBody(filled({ fees: 'volume' }))).to.deep.equal({ fees: { by_volume: true }, fill_model: 'queue' });
    expect(termsBody(filled({ fees: 'default' }))).to.deep.equal({ fill_model: 'queue' });
  });

  it('begins with the choice that holds', () => {
    expect(chosenFees(termsOf({ source: 'tier', tier: 3 }))).to.equal('tier 3');
    expect(chosenFees(termsOf({ source: 'volume', tier: 3 }))).to.equal('volume');
    for (const source of ['default', 'own', 'volume', 'what_if'] as const)
      expect(FEES.map(([value]) => value)).to.include(chosenFees(termsOf({ source })));
  });
});
