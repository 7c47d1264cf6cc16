import { expect } from 'chai';
import { readConfig } from '../../../src/shared/config/config.ts';

describe('configuration: test payments where others reach the API', () => {
  const stripe = { PAYMENT_PROVIDER: 'stripe', STRIPE_API_KEY: 'sk_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' };
  const cases: { name: string; env: Record<string, string>; refused?: RegExp }[] = [
    { name: 'are taken on loopback', env: {} },
    { name: 'are taken on another loopback address', env: { HOST: '127.8.9.1', PUBLIC_URL: 'http://[::1]:3000' } },
    { name: 'are taken on localhost', env: { HOST: 'localhost', PUBLIC_URL: 'http://localhost:3000' } },
    {
      name: 'stop the start on all addresses',
      env: { HOST: '0.0.0.0' },
      refused: /^HOST is "0\.0\.0\.0".*ALLOW_TEST_PAYMENTS=yes/,
    },
    { name: 'stop the start on an IPv6 address', env: { HOST: '::' }, refused: /^HOST is "::"/ },
    { name: 'stop the start at a name that looks like loopback', env: { HOST: '127.0.0.1.example.com' }, refused: /^HOST/ },
    {
      name: 'stop the start behind a public address',
      env: { PUBLIC_URL: 'https://paper.example.com' },
      refused: /^PUBLIC_URL is "paper\.example\.com"/,
    },
    {
      name: 'stop the start behind a proxy, whatever address the API listens on',
      env: { PROXY_HOPS: '1' },
      refused: /^PROXY_HOPS is "1", which others can reach/,
    },
    { name: 'are taken where they are meant', env: { HOST: '0.0.0.0', ALLOW_TEST_PAYMENTS: 'yes' } },
    { name: 'are no question with Stripe', env: { HOST: '0.0.0.0', PUBLIC_URL: 'https://paper.example.com', ...stripe } },
    {
      name: 'are allowed by the word yes only',
      env: { ALLOW_TEST_PAYMENTS: 'true' },
      refused: /^ALLOW_TEST_PAYMENTS must be one of no, yes/,
    },
  ];
  for (const { name, env, refused } of cases) {
    it(name, () => {
      if (refused === undefined) expect(() => readConfig(env)).to.not.throw();
      else expect(() => readConfig(env)).to.throw(refused);
    });
  }

  it('an address that is none stops the start', () => {
    expect(() => readConfig({ PUBLIC_URL: 'paper' })).to.throw(/^PUBLIC_URL must be an address/);
  });
});
