import { expect } from 'chai';
import { readRequestPath } from '../../../src/api/http/requestPath.ts';

describe('requestPath: a path is put in order and loses its key', () => {
  const cases: { name: string; target: string; path: string; key?: string; exchange?: string; query?: string }[] = [
    { name: 'a plain path', target: '/v1/auth/me', path: '/v1/auth/me' },
    { name: 'the root', target: '/', path: '/' },
    { name: 'an exchange', target: '/v1/exchanges/perpx/info', path: '/v1/exchanges/perpx/info', exchange: 'perpx' },
    { name: 'repeated slashes', target: '//v1//exchanges///perpx//info', path: '/v1/exchanges/perpx/info', exchange: 'perpx' },
    { name: 'a slash at the end', target: '/v1/exchanges/perpx/info/', path: '/v1/exchanges/perpx/info', exchange: 'perpx' },
    {
      name: 'a key',
      target: '/v1/exchanges/perpx/key/pe_x/info',
      path: '/v1/exchanges/perpx/info',
      exchange: 'perpx',
      key: 'pe_x',
    },
    {
      name: 'a key between repeated slashes',
      target: '/v1/exchanges/perpx//key//pe_x//info',
      path: '/v1/exchanges/perpx/info',
      exchange: 'perpx',
      key: 'pe_x',
    },
    {
      name: 'a key in percent-encoding, behind a word in percent-encoding',
      target: '/v1/exchanges/perpx/%6Bey/pe%5Fx/info',
      path: '/v1/exchanges/perpx/info',
      exchange: 'perpx',
      key: 'pe_x',
    },
    {
      name: 'a key and nothing after it',
      target: '/v1/exchanges/perpx/key/pe_x',
      path: '/v1/exchanges/perpx',
      exchange: 'perpx',
      key: 'pe_x',
    },
    {
      name: 'no key where one belongs',
      target: '/v1/exchanges/perpx/key',
      path: '/v1/exchanges/perpx',
      exchange: 'perpx',
      key: '',
    },
    {
      name: 'a key for another exchange',
      target: '/v1/exchanges/other/key/pe_x/info',
      path: '/v1/exchanges/other/info',
      exchange: 'other',
      key: 'pe_x',
    },
    {
      name: 'slashes in percent-encoding',
      target: '/v1%2Fexchanges%2fperpx%2Fkey/pe_x%2Finfo',
      path: '/v1/exchanges/perpx/info',
      exchange: 'perpx',
      key: 'pe_x',
    },
    {
      name: 'what would end a path stays encoded',
      target: '/v1/exchanges/perpx/info%3Fa%23b%25',
      path: '/v1/exchanges/perpx/info%3Fa%23b%25',
      exchange: 'perpx',
    },
    { name: 'letters in percent-encoding', target: '/v1/%61uth/m%65', path: '/v1/auth/me' },
    { name: 'other letter case is another path', target: '/V1/Exchanges/PERPX/Info', path: '/V1/Exchanges/PERPX/Info' },
    { name: 'a query', target: '/v1/auth/me?a=/b//c', path: '/v1/auth/me', query: '?a=/b//c' },
  ];
  for (const { name, target, path, key, exchange, query = '' } of cases) {
    it(name, () => {
      const want = { path, query, ...(key !== undefined && { key }), ...(exchange !== undefined && { exchange }) };
      expect(readRequestPath(target)).to.deep.equal(want);
    });
  }

  it('cannot read a lone percent sign or bytes that are no UTF-8', () => {
    expect(readRequestPath('/v1/%')).to.equal(undefined);
    expect(readRequestPath('/v1/%ff')).to.equal(undefined);
  });
});
