import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { newRecovery, newSecret, stepOf, uriOf, withoutCode } from '../../../src/api/auth/parts/secondFactorCodes.ts';
import { seal, unseal } from '../../../src/api/auth/parts/secondFactors.ts';

/** RFC 6238, appendix B: the last six of its eight digits. */
const RFC_SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const RFC_CODES: [seconds: number, code: string][] = [
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
];

describe('codes of a second factor', () => {
  for (const [seconds, code] of RFC_CODES) {
    it(`RFC 6238 at ${seconds} s: ${code}, and one step before and after`, () => {
      const step = Math.floor(seconds / 30);
      const at = (steps: number): number | undefined => stepOf(code, RFC_SECRET, (step + steps) * 30_000);
      expect([-2, -1, 0, 1, 2].map(at)).to.deep.equal([undefined, step, step, step, undefined]);
      expect(stepOf(code, RFC_SECRET, (step + 2) * 30_000 - 1)).to.equal(step);
    });
  }

  it('spaces do not matter, everything else does', () => {
    expect(stepOf(' 287 082 ', RFC_SECRET, 59_000)).to.equal(1);
    for (const code of ['', '28708', '2870820', '287083', 'abcdef', '２８７０８２', '-287082.0'])
      expect(stepOf(code, RFC_SECRET, 59_000), code).to.equal(undefined);
  });

  it('a secret has 160 bits, and its address names user and issuer', () => {
    const secret = newSecret();
    expect(secret)
      .to.match(/^[A-Z2-7]{32}$/)
      .and.not.equal(newSecret());
    const uri = new URL(uriOf(secret, 'a+b@example.com'));
    expect(uri.protocol).to.equal('otpauth:');
    expect(decodeURIComponent(uri.pathname)).to.include('a+b@example.com');
    expect(Object.fromEntries(uri.searchParams)).to.include({ secret, digits: '6', period: '30', algorithm: 'SHA1' });
  });

  it('of ten recovery codes each is good once, however it is typed', () => {
    const { codes, recovery } = newRecovery();
    expect(codes).to.have.length(10);
    expect(JSON.stringify(recovery)).to.not.include(codes[0] as string);
    let left = recovery;
    for (const [n, code] of codes.entries()) {
      const typed = [code, code.toLowerCase(), code.replaceAll('-', ' '), code.replaceAll('-', '')][n % 4] as string;
      const after = withoutCode(typed, left);
      expect(after?.digests).to.have.length(9 - n);
      left = after ?? left;
      expect(withoutCode(code, left)).to.equal(undefined);
    }
    for (const wrong of ['', 'A', 'A'.repeat(24), `${codes[0]}A`, '$ne', newRecovery().codes[0] as string])
      expect(withoutCode(wrong, recovery), wrong).to.equal(undefined);
  });
});

describe('sealing of secrets', () => {
  it('opens with the key and for the user that it was sealed with, and never otherwise', () => {
    const [key, other] = [randomBytes(32), randomBytes(32)];
    const sealed = seal('SECRET', { key, userId: 'user_1' });
    expect(sealed)
      .to.not.include('SECRET')
      .and.not.equal(seal('SECRET', { key, userId: 'user_1' }));
    expect(unseal(sealed, { key, userId: 'user_1' })).to.equal('SECRET');
    expect(() => unseal(sealed, { key: other, userId: 'user_1' })).to.throw();
    expect(() => unseal(sealed, { key, userId: 'user_2' })).to.throw();
    const bytes = Buffer.from(sealed.slice(3), 'base64');
    for (const at of [0, 12, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => unseal(`v1.${changed.toString('base64')}`, { key, userId: 'user_1' }), String(at)).to.throw();
    }
    expect(() => unseal(`v1.${bytes.subarray(0, 20).toString('base64')}`, { key, userId: 'user_1' })).to.throw();
  });
});
