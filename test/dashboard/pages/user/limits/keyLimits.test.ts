import { expect } from 'chai';
import { limitFields, limitsBody, limitWords } from '../../../../../src/dashboard/pages/user/limits/keyLimits.ts';

const NONE = { scopes: ['read', 'trade'], expires_at: null, addresses: null, trade_limits: null } as const;
const ALL = {
  scopes: ['read'],
  expires_at: '2099-01-31T12:00:00.000Z',
  addresses: ['192.0.2.0/24', '2001:db8::1'],
  trade_limits: { order_usd: '1234567.5', leverage: 3, daily_loss_usd: '50.0', orders_per_minute: 60 },
} as const;
const formOf = (fields: ReadonlyMap<string, string>) => ({ get: (name: string) => fields.get(name) ?? null });
const mutable = <T>(limited: T) => structuredClone(limited) as Parameters<typeof limitFields>[0];

describe('the form of a key’s limits', () => {
  it('comes to what it was filled in from', () => {
    for (const limited of [NONE, ALL]) {
      const body = limitsBody(formOf(limitFields(mutable(limited))));
      const trade = limited.trade_limits;
      expect(body).to.deep.equal({ ...limited, trade_limits: trade });
    }
  });

  it('leaves to the API what is no number', () => {
    const fields = new Map([
      ['scopes', 'read'],
      ['leverage', '1.5'],
      ['order_usd', ' 1 000.50 '],
      ['orders_per_minute', 'x'],
    ]);
    expect(limitsBody(formOf(fields))).to.deep.include({
      trade_limits: { leverage: '1.5', order_usd: '1000.50', orders_per_minute: 'x' },
      addresses: null,
      expires_at: null,
    });
  });

  it('is told in words, none for a key without limits', () => {
    expect(limitWords(mutable(NONE))).to.deep.equal([]);
    expect(limitWords(mutable(ALL))).to.deep.equal([
      'orders up to 1\u202f234\u202f567.5 USD',
      'leverage up to 3',
      'opens nothing more after a loss of 50 USD a day',
      '60 orders a minute at most',
      'from 192.0.2.0/24, 2001:db8::1 alone',
    ]);
  });
});
