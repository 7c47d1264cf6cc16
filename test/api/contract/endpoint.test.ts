import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import { CHEAP, LIGHT, LIGHT_QUESTION } from '../../../src/api/domain/requestPrice.ts';
import { actionType, DONE } from '../../../src/api/exchange/actionType.ts';
import { endpoint } from '../../../src/api/http/endpoint.ts';
import { marketType } from '../../../src/api/info/infoType.ts';
import { notOffered } from '../../../src/api/stream/allChannels.ts';
import { channel, subscriptionReader } from '../../../src/api/stream/channel/channel.ts';

const own = {
  id: 'x',
  method: 'get',
  path: '/x',
  tag: 'Trading',
  summary: 'X.',
  answer: { about: 'X.' },
  handle: () => () => undefined,
} as const;

describe('what the compiler refuses of endpoints, info types, actions and channels', () => {
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

  it('an endpoint that refuses who may not by a code of its own', () => {
    const told = { ...own, credential: 'token', price: CHEAP } as const;
    // @ts-expect-error: 401 and 403 come from the table of rules
    expect(endpoint({ ...told, errors: { 403: ['not_operator'] } }).id).to.equal('x');
    // @ts-expect-error: there is no such rule
    expect(endpoint({ ...told, asks: ['operators'] }).id).to.equal('x');
    expect(endpoint({ ...told, asks: ['operator'], errors: { 404: ['not_found'] } }).asks).to.deep.equal(['operator']);
  });

  it('a scope where no API key is taken', () => {
    // @ts-expect-error: `scope` says nothing here
    expect(endpoint({ ...own, credential: 'token', scope: 'read', price: CHEAP }).scope).to.equal('read');
  });

  it('a channel without the weight of a subscription', () => {
    const [made] = notOffered;
    const told = { about: 'X.', messages: {}, serve: () => made as NonNullable<typeof made> };
    const read = subscriptionReader('x', {});
    // @ts-expect-error: `weight` is missing
    expect(channel(read, told).type).to.equal('x');
    expect(channel(read, { ...told, weight: LIGHT }).weight).to.equal(LIGHT);
  });

  it('an info type without the price of a question', () => {
    const told = { about: 'X.', fields: {}, answers: Type.Null() };
    // @ts-expect-error: `price` is missing
    expect(marketType('x', told, () => null).type).to.equal('x');
    expect(marketType('x', { ...told, price: LIGHT_QUESTION }, () => null).price).to.equal(LIGHT_QUESTION);
  });

  it('an action without a price', () => {
    const told = { type: 'x', about: 'X.', schema: Type.Object({}), answers: Type.Null(), example: {}, run: () => DONE };
    // @ts-expect-error: `price` is missing
    expect(actionType(told).type).to.equal('x');
    expect(actionType({ ...told, price: 'one' }).price).to.equal('one');
  });
});
