import { expect } from 'chai';
import { JsonText, toJson } from '../../../src/api/domain/wireText.ts';

describe('JsonText: an answer that is written once', () => {
  it('is its text by itself, without reading it, and a value inside of another answer', () => {
    const text = JsonText.of({ a: '1.0' });
    const isRead = (): never => expect.fail('it was read');
    expect(toJson(Object.assign(JsonText.of({ a: '1.0' }), { toJSON: isRead }))).to.equal(text.text);
    expect(JSON.parse(toJson({ data: text }))).to.deep.equal({ data: { a: '1.0' } });
    expect(toJson(undefined)).to.equal('null');
  });

  it('takes one field more at its end', () => {
    expect(JsonText.of({ a: '1.0' }).with('time', 5).text).to.equal('{"a":"1.0","time":5}');
  });

  it('knows the length of a list', () => {
    expect([JsonText.of([1, 2]).rows, JsonText.of({}).rows]).to.deep.equal([2, 0]);
  });
});
