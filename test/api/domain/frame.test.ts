import { expect } from 'chai';
import fc from 'fast-check';
import { readFrame } from '../../../src/api/domain/frame.ts';

describe('frame: what a client sends', () => {
  it('a ping, whatever else is in it', () => {
    expect(readFrame('{"method":"ping"}')).to.deep.equal({ type: 'ping' });
    expect(readFrame('{"method":"ping","id":1}')).to.deep.equal({ type: 'ping' });
  });

  it('a subscription, with its text as it was sent', () => {
    const text = '{ "coin" : "a\\"}\\\\", "type":"trades", "x":[1,{"y":"]"}] }';
    const frame = readFrame(`{"method":"subscribe","z":[{}], "subscription" : ${text} ,"n":1.50}`);
    expect(frame).to.deep.equal({ type: 'subscribe', subscription: JSON.parse(text), text });
  });

  it('the last subscription where there are two, as JSON has it', () => {
    const frame = readFrame('{"subscription":{"type":"a"},"method":"unsubscribe","subscr\\u0069ption":{"type":"b"}}');
    expect(frame).to.deep.equal({ type: 'unsubscribe', subscription: { type: 'b' }, text: '{"type":"b"}' });
  });

  it('a post', () => {
    const text = '{"method":"post","id":7,"request":{"type":"info","payload":{"type":"meta"}}}';
    expect(readFrame(text)).to.deep.equal({
      type: 'post',
      id: 7,
      request: { type: 'info', payload: { type: 'meta' } },
    });
  });

  const unreadable = [
    '',
    'ping',
    'null',
    '[]',
    '"ping"',
    '{"method":"pong"}',
    '{"method":["ping"]}',
    '{"method":"subscribe"}',
    '{"method":"subscribe","subscription":"allMids"}',
    '{"method":"subscribe","subscription":[]}',
    '{"method":"subscribe","subscription":{"type":1}}',
    '{"method":"post","request":{"type":"info","payload":{}}}',
    '{"method":"post","id":"1","request":{"type":"info","payload":{}}}',
    '{"method":"post","id":1.5,"request":{"type":"info","payload":{}}}',
    '{"method":"post","id":1,"request":{"type":"exchange","payload":{}}}',
    '{"method":"post","id":1,"request":[]}',
    `${'['.repeat(100_000)}`,
  ];
  for (const text of unreadable) {
    it(`nothing in ${text.slice(0, 70)}`, () => expect(readFrame(text)).to.equal(undefined));
  }

  it('the text of any subscription parses to it', () => {
    const subscription = fc.dictionary(fc.string(), fc.jsonValue()).map((fields) => ({ ...fields, type: 'x' }));
    fc.assert(
      fc.property(subscription, fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(4), (given, more, indent) => {
        const text = JSON.stringify({ ...more, subscription: given, method: 'subscribe', last: more }, null, indent);
        const frame = readFrame(text);
        if (frame?.type !== 'subscribe') throw new Error('not read');
        expect(JSON.parse(frame.text)).to.deep.equal(JSON.parse(JSON.stringify(given)));
      }),
    );
  });
});
