import { expect } from 'chai';
import { endpoint } from '../../../src/api/contract/endpoint.ts';
import { CHEAP } from '../../../src/api/domain/requestPrice.ts';

const own = { id: 'x', method: 'get', path: '/x', tag: 'Trading', summary: 'X.', answer: { about: 'X.' } } as const;

describe('endpoint: what the compiler refuses', () => {
  it('an endpoint without a price', () => {
    // @ts-expect-error: `price` is missing
    expect(endpoint({ ...own, credential: 'none' }).id).to.equal('x');
    expect(endpoint({ ...own, credential: 'none', price: CHEAP }).price).to.equal(CHEAP);
  });

  it('an endpoint that takes API keys and names no scope', () => {
    // @ts-expect-error: `scope` is missing
    expect(endpoint({ ...own, credential: 'either', price: CHEAP }).id).to.equal('x');
    expect(endpoint({ ...own, credential: 'either', scope: 'read', price: CHEAP }).scope).to.equal('read');
  });

  it('a scope where no API key is taken', () => {
    // @ts-expect-error: `scope` says nothing here
    expect(endpoint({ ...own, credential: 'token', scope: 'read', price: CHEAP }).scope).to.equal('read');
  });
});
