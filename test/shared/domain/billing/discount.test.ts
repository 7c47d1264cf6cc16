import { expect } from 'chai';
import {
  type Discount,
  discountCents,
  discountFault,
  releaseUse,
  spendUse,
  takeUse,
} from '../../../../src/shared/domain/billing/discount.ts';
import { centsText, readCents } from '../../../../src/shared/domain/billing/terms.ts';

const NOW = 1_000_000;
const use = (userId: string, fields: object = {}) => ({ userId, takenAtMs: 0, invoiceId: null, isSpent: false, ...fields });
const code = (fields: Partial<Discount> = {}): Discount => ({
  ...{ code: 'SPRING', kind: 'percent', value: 20, appliesTo: 'first', usesMax: 2, expiresAtMs: null, uses: [] },
  ...fields,
});

describe('billing: discounts', () => {
  const cases: { kind: 'percent' | 'amount'; value: number; price: number; want: number }[] = [
    { kind: 'percent', value: 20, price: 2000, want: 400 },
    { kind: 'percent', value: 100, price: 2000, want: 2000 },
    { kind: 'percent', value: 33, price: 999, want: 330 },
    { kind: 'percent', value: 10, price: 1005, want: 101 },
    { kind: 'amount', value: 500, price: 2000, want: 500 },
    { kind: 'amount', value: 5000, price: 2000, want: 2000 },
  ];
  for (const { kind, value, price, want } of cases) {
    it(`${value} ${kind} of ${price} cents is ${want}`, () => expect(discountCents({ kind, value }, price)).to.equal(want));
  }

  it('gives a use to each user until there is none', () => {
    expect(takeUse(code(), { userId: 'a', invoiceId: 'i', nowMs: NOW })).to.deep.equal([
      { userId: 'a', takenAtMs: NOW, invoiceId: 'i', isSpent: false },
    ]);
    const full = code({ uses: [use('a'), use('b')] });
    expect(takeUse(full, { userId: 'c', invoiceId: null, nowMs: NOW })).to.equal('usedUp');
    expect(takeUse(full, { userId: 'b', invoiceId: null, nowMs: NOW })).to.deep.equal(full.uses);
  });

  it('gives a user no second one, and nobody one after the end', () => {
    expect(takeUse(code({ uses: [use('a', { isSpent: true })] }), { userId: 'a', invoiceId: 'j', nowMs: NOW })).to.equal(
      'alreadyUsed',
    );
    const ended = code({ expiresAtMs: NOW, uses: [use('a')] });
    expect(takeUse(ended, { userId: 'b', invoiceId: 'j', nowMs: NOW })).to.equal('expired');
    expect(takeUse(ended, { userId: 'a', invoiceId: 'j', nowMs: NOW })).to.deep.equal([use('a', { invoiceId: 'j' })]);
  });

  it('moves a use from a reservation or from the invoice that is replaced, not from another', () => {
    const held = code({ uses: [use('a', { invoiceId: 'i' })] });
    expect(takeUse(held, { userId: 'a', invoiceId: 'j', nowMs: NOW })).to.equal('busy');
    expect(takeUse(held, { userId: 'a', invoiceId: 'j', replaces: 'i', nowMs: NOW })).to.deep.equal([
      use('a', { invoiceId: 'j' }),
    ]);
  });

  it('gives back what is not spent, of that invoice only', () => {
    const held = code({ uses: [use('a', { invoiceId: 'i' }), use('b', { invoiceId: 'j' })] });
    expect(releaseUse(held, { userId: 'a', invoiceId: 'i' })).to.deep.equal([use('b', { invoiceId: 'j' })]);
    expect(releaseUse(held, { userId: 'a', invoiceId: 'x' })).to.deep.equal(held.uses);
    const spent = code({ uses: spendUse(held, { userId: 'a', invoiceId: 'i', nowMs: NOW }) ?? [] });
    expect(spent.uses).to.deep.equal([use('a', { invoiceId: 'i', isSpent: true }), use('b', { invoiceId: 'j' })]);
    expect(releaseUse(spent, { userId: 'a', invoiceId: 'i' })).to.deep.equal(spent.uses);
  });

  it('spends a use on one invoice: not on another of the same user, and on one that lost it while there is room', () => {
    const wanted = { userId: 'a', invoiceId: 'i', nowMs: NOW };
    const moved = [use('a', { invoiceId: 'j' })];
    expect(spendUse(code({ uses: moved }), wanted)).to.equal(undefined);
    expect(spendUse(code({ uses: [use('a', { invoiceId: 'j', isSpent: true })] }), wanted)).to.equal(undefined);
    expect(spendUse(code({ uses: [] }), wanted)).to.deep.equal([use('a', { takenAtMs: NOW, invoiceId: 'i', isSpent: true })]);
    expect(spendUse(code({ uses: [use('b'), use('c')] }), wanted)).to.equal(undefined);
  });

  it('that hold for all payments are spent by the first and hold for the others', () => {
    const spent = [use('a', { invoiceId: 'j', isSpent: true })];
    const wanted = { userId: 'a', invoiceId: 'i', nowMs: NOW };
    expect(spendUse(code({ uses: spent, appliesTo: 'all' }), wanted)).to.deep.equal(spent);
    expect(spendUse(code({ uses: [use('a', { invoiceId: 'j' })], appliesTo: 'all' }), wanted)).to.equal(undefined);
  });

  const faults: { name: string; fields: Partial<Discount>; isFault: boolean }[] = [
    { name: '100 percent', fields: { value: 100 }, isFault: false },
    { name: '101 percent', fields: { value: 101 }, isFault: true },
    { name: 'nothing', fields: { value: 0 }, isFault: true },
    { name: 'half a cent', fields: { kind: 'amount', value: 0.5 }, isFault: true },
    { name: '10.00 USD', fields: { kind: 'amount', value: 1000 }, isFault: false },
    { name: 'no use', fields: { usesMax: 0 }, isFault: true },
    { name: '5001 uses', fields: { usesMax: 5001 }, isFault: true },
    { name: 'a code with a space', fields: { code: 'A B' }, isFault: true },
  ];
  for (const { name, fields, isFault } of faults) {
    it(`${name} is ${isFault ? 'no' : 'a'} discount`, () => expect(discountFault(code(fields)) !== undefined).to.equal(isFault));
  }

  it('writes and reads cents', () => {
    expect([0, 5, 2000, 123_456].map(centsText)).to.deep.equal(['0.00', '0.05', '20.00', '1234.56']);
    expect(['20', '20.5', '0.05', '-1', '1.234', '', '1e3'].map(readCents)).to.deep.equal([
      ...[2000, 2050, 5],
      ...[undefined, undefined, undefined, undefined],
    ]);
  });
});
