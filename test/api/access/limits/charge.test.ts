import { expect } from 'chai';
import { budgetOfAddress, budgetOfKey, budgetOfToken, chargesOf } from '../../../../src/api/access/budget.ts';
import { byPlace, placeOf } from '../../../../src/api/access/limits/charge.ts';
import { readConfig } from '../../../../src/shared/config/config.ts';

const config = readConfig({});
const price = { requests: 1, weight: 20 };
const users = Array.from({ length: 200 }, (_, i) => `user-${i}`);

describe('places of windows on a cluster', () => {
  it('all windows of a request stand at one place', () => {
    for (const userId of users) {
      const keys = [1, 2].map((key) => budgetOfKey({ keyId: `${userId}-${key}`, userId, plan: 'basic' }, config));
      const charges = keys.flatMap((budget) => chargesOf(budget, price));
      expect(charges).to.have.length(8);
      expect(new Set(charges.map(placeOf)).size, userId).to.equal(1);
      for (const budget of [budgetOfToken({ userId, plan: 'basic' }, config), budgetOfAddress(userId, config)]) {
        expect(new Set(chargesOf(budget, price).map(placeOf)).size, userId).to.equal(1);
      }
    }
  });

  it('those of many users are spread over 16', () => {
    const requests = users.map((userId) => ({ charges: chargesOf(budgetOfToken({ userId, plan: 'basic' }, config), price) }));
    const places = [...byPlace(requests)];
    expect(places).to.have.length(16);
    expect(places.flat()).to.have.length(users.length);
    for (const there of places) expect(new Set(there.map(({ charges: [first] }) => first && placeOf(first))).size).to.equal(1);
  });
});
