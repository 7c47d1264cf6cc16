import { expect } from 'chai';
import { requireNoSecrets, requireNoSecretsIn } from './secrets.ts';

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

  const refusals = [
    { channel: 'error', data: `Invalid: ${secrets[0]}` },
    { channel: 'post', data: { id: 1, response: { type: 'error', payload: `401 ${secrets[0]}` } } },
    { channel: 'post', data: { id: 1, response: { type: 'action', payload: { status: 'err', response: secrets[0] } } } },
    { channel: 'post', data: { id: 1, response: { type: 'action', payload: { detail: secrets[0], code: 'x', msg: 'x' } } } },
  ];
  for (const message of refusals) {
    it(`finds a key in ${JSON.stringify(message).slice(0, 80)}`, () => {
      expect(() => requireNoSecretsIn(message)).to.throw('has an API key');
    });
  }

  it('lets ids and addresses pass', () => {
    const line =
      '{"keyId":"key_0123456789abcdef01234567","address":"0x00000000000000000000000000000000000000aa","msg":"request"}';
    expect(() => requireNoSecrets(line, 'the log')).not.to.throw();
  });
});
