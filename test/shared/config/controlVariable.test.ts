import { expect } from 'chai';
import { readConfig } from '../../../src/shared/config/config.ts';

describe('configuration: who may move the market', () => {
  const EMULATED = { CONTROL: 'on', MARKET_SOURCE: 'emulated', MARKET_URL: 'http://127.0.0.1:4000' };
  const cases: { name: string; env: Record<string, string>; refused?: RegExp }[] = [
    { name: 'nobody, unless it is switched on', env: { HOST: '0.0.0.0', ALLOW_TEST_PAYMENTS: 'yes' } },
    { name: 'a test on this machine', env: EMULATED },
    {
      name: 'not the real market',
      env: { CONTROL: 'on' },
      refused: /^CONTROL=on moves an emulated market, and MARKET_SOURCE is live/,
    },
    { name: 'not a recorded one', env: { ...EMULATED, MARKET_SOURCE: 'replay' }, refused: /MARKET_SOURCE is replay/ },
    {
      name: 'not a venue elsewhere',
      env: { ...EMULATED, MARKET_URL: 'http://10.0.0.1:4000' },
      refused: /MARKET_URL must be a loopback/,
    },
    { name: 'not a venue at no address', env: { ...EMULATED, MARKET_URL: 'venue' }, refused: /MARKET_URL must be a loopback/ },
    {
      name: 'nobody from other machines',
      env: { ...EMULATED, HOST: '0.0.0.0', ALLOW_TEST_PAYMENTS: 'yes' },
      refused: /^HOST is "0\.0\.0\.0", which others can reach, and CONTROL=on/,
    },
    {
      name: 'nobody where users are elsewhere',
      env: { ...EMULATED, PUBLIC_URL: 'https://paper.example.com', ALLOW_TEST_PAYMENTS: 'yes' },
      refused: /^PUBLIC_URL is "paper\.example\.com".*CONTROL=on/,
    },
    {
      name: 'nobody behind a proxy',
      env: { ...EMULATED, PROXY_HOPS: '1', ALLOW_TEST_PAYMENTS: 'yes' },
      refused: /^PROXY_HOPS is "1".*CONTROL=on/,
    },
    { name: 'nobody by another word', env: { ...EMULATED, CONTROL: 'yes' }, refused: /^CONTROL must be one of off, on/ },
  ];
  for (const { name, env, refused } of cases) {
    it(name, () => {
      if (refused === undefined) expect(() => readConfig(env)).to.not.throw();
      else expect(() => readConfig(env)).to.throw(refused);
    });
  }
});
