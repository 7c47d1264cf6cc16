import { expect } from 'chai';
import { endpoint } from '../../../src/api/contract/endpoint.ts';
import { CHEAP, LIGHT } from '../../../src/api/domain/requestPrice.ts';
import { channel } from '../../../src/api/stream/channel/channelEntry.ts';
import { notOffered } from '../../../src/api/stream/channels/notOffered.ts';
import { subscriptionReader } from '../../../src/api/stream/subscriptionReader.ts';

const own = { id: 'x', method: 'get', path: '/x', tag: 'Trading', summary: 'X.', answer: { about: 'X.' } } as const;

describe('what the compiler refuses of endpoints and channels', () => {
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

  it('a channel without the weight of a subscription', () => {
    const [made] = notOffered;
    const told = { about: 'X.', messages: {}, create: () => made as NonNullable<typeof made> };
    const read = subscriptionReader('x', {});
    // @ts-expect-error: `weight` is missing
    expect(channel(read, told).type).to.equal('x');
    expect(channel(read, { ...told, weight: LIGHT }).weight).to.equal(LIGHT);
  });
});
