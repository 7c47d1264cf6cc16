import { expect } from 'chai';
import { requireNoSecrets } from './secrets.ts';

describe('requireNoSecrets: what logs and errors may not hold', () => {
  const secrets = [
    `{"key":"pe_${'0aZ'.repeat(10)}"}`,
    'Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1In0.c2ln',
    '$argon2id$v=19$m=64,t=1,p=1$c2FsdA$aGFzaA',
    'a'.repeat(64),
    'http://127.0.0.1/reset-password?token=abcdefghijklmnopqrstuvwxyz',
    '"password":"a good password"',
  ];
  for (const text of secrets) {
    it(`finds ${text.slice(0, 30)}`, () => {
      expect(() => requireNoSecrets(`{"level":30,"msg":${text}}`, 'the log')).to.throw(/^the log has /);
    });
  }

  it('lets ids and addresses pass', () => {
    const line =
      '{"keyId":"key_0123456789abcdef01234567","address":"0x00000000000000000000000000000000000000aa","msg":"request"}';
    expect(() => requireNoSecrets(line, 'the log')).not.to.throw();
  });
});
