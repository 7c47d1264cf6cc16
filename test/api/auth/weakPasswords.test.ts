import { expect } from 'chai';
import { refuseWeakPassword } from '../../../src/api/auth/parts/passwords.ts';
import type { RequestError } from '../../../src/shared/errors.ts';
import { leastCpuMs } from '../../support/leastCpu.ts';

describe('weakPasswords: what guessing finds first may not be set', () => {
  const refusal = (password: string, email?: string): string | undefined => {
    try {
      refuseWeakPassword(password, email);
      return undefined;
    } catch (error) {
      return (error as RequestError).code;
    }
  };

  for (const password of [
    'password',
    'PASSWORD',
    'Password1',
    '12345678',
    'qwertyuiop',
    'iloveyou1',
    'letmein1',
    'p@ssw0rd',
    'password123',
  ]) {
    it(`${password} is common`, () => expect(refusal(password)).to.equal('weak_password'));
  }
  for (const password of [
    'a good password',
    'correct horse battery',
    'ein gutes Passwort',
    'é'.repeat(128),
    'tr0ub4dor&3x',
    ' 12345678',
  ]) {
    it(`${password.slice(0, 24)} is not`, () => expect(refusal(password)).to.equal(undefined));
  }

  const email = 'alice.miller@acme-trading.example';
  const cases: { password: string; refused: boolean }[] = [
    { password: 'alice.miller', refused: true },
    { password: 'AliceMiller1', refused: true },
    { password: 'alice.miller@acme-trading.example', refused: true },
    { password: 'acme-trading', refused: true },
    { password: 'millerAlice99!', refused: true },
    { password: 'PaperExchange', refused: true },
    { password: 'paperperps2026', refused: true },
    { password: 'alice likes trading', refused: false },
    { password: 'my paper boat', refused: false },
  ];
  for (const { password, refused } of cases) {
    it(`${password} of ${email} is ${refused ? 'refused' : 'taken'}`, () =>
      expect(refusal(password, email)).to.equal(refused ? 'weak_password' : undefined));
  }

  it('a short local part may be in any password', () => expect(refusal('bot robot botany', 'bot@b.co')).to.equal(undefined));

  it('the longest password and address take no time to judge', () => {
    const judge = () => refuseWeakPassword('abcd.'.repeat(25), `${'abcd.'.repeat(12)}x@${'abcd.'.repeat(30)}com`);
    expect(leastCpuMs(judge)).to.be.below(50);
  });
});
