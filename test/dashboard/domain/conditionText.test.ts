import { expect } from 'chai';
import { CAUSES } from '../../../src/api/operations/causes.ts';
import { causeText } from '../../../src/dashboard/domain/conditionText.ts';

describe('the condition of the exchange in words', () => {
  it('has a sentence for every cause that the API names, and shows one of a newer API as it is', () => {
    for (const cause of CAUSES) expect(causeText(cause)).to.match(/^[A-Z].*\.$/);
    expect(causeText('moon_away')).to.equal('moon_away');
  });
});
