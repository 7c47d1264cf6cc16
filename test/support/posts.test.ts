import { expect } from 'chai';
import { Posts } from './posts.ts';

describe('posts: an answer is that to what was asked', () => {
  const mids = { BTC: '65000.0' };
  const cancel = { action: { type: 'cancel', cancels: [{ a: 0, o: 1 }] }, nonce: 1 };
  const canceled = { status: 'ok', response: { type: 'cancel', data: { statuses: ['success'] } } };
  const resting = { status: 'ok', response: { type: 'order', data: { statuses: [{ resting: { oid: 1 } }] } } };
  const cases = [
    { name: 'an info answer', asked: { type: 'allMids' }, response: { type: 'info', payload: { type: 'allMids', data: mids } } },
    { name: 'that of an action', asked: cancel, response: { type: 'action', payload: canceled } },
    { name: 'a refusal', asked: cancel, response: { type: 'action', payload: { status: 'err', response: 'no' } } },
    { name: 'a body of a 400', asked: cancel, response: { type: 'action', payload: { detail: 'no', code: 'no', msg: 'no' } } },
    { name: 'an error', asked: cancel, response: { type: 'error', payload: '429 Too Many Requests' } },
    {
      name: 'an info answer of another type',
      asked: { type: 'allMids' },
      response: { type: 'info', payload: { type: 'allMids', data: [mids] } },
      isWrong: true,
    },
    { name: 'that of another action', asked: cancel, response: { type: 'action', payload: resting }, isWrong: true },
  ];
  for (const { name, asked, response, isWrong = false } of cases) {
    it(`${name} ${isWrong ? 'is found' : 'passes'}`, () => {
      const posts = new Posts();
      posts.onSent('{"method":"post",');
      posts.onSent(JSON.stringify({ method: 'post', id: 8, request: { type: 'info', payload: { type: 'meta' } } }));
      posts.onSent(JSON.stringify({ method: 'post', id: 7, request: { payload: asked } }));
      const judge = () => posts.requireAnswer({ channel: 'post', data: { id: 7, response } });
      if (isWrong) expect(judge).to.throw('not an answer to');
      else expect(judge).not.to.throw();
    });
  }
});
