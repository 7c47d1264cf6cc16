import { Type } from '@sinclair/typebox';
import { expect } from 'chai';
import {
  absentOr,
  CloidText,
  compileReader,
  DecimalText,
  quoted,
  TimeMs,
  WholeNumber,
} from '../../../src/api/http/requestReader.ts';
import { RequestError } from '../../../src/shared/errors.ts';

const read = compileReader(
  Type.Object(
    {
      price: DecimalText,
      time: absentOr(TimeMs),
      list: Type.Optional(Type.Array(Type.Object({ id: Type.Union([WholeNumber, CloidText], { expected: 'an id' }) }))),
    },
    { expected: 'a JSON object' },
  ),
);

describe('a body that cannot be read is a 400 that names the first fault after the venue’s sentence', () => {
  const faults: { body: unknown; names: string }[] = [
    { body: null, names: 'the body must be a JSON object' },
    { body: [], names: 'the body must be a JSON object' },
    { body: {}, names: 'price is missing' },
    { body: { price: 5 }, names: 'price must be a decimal string' },
    ...[
      '1e3',
      '+1',
      '-1',
      ' 1',
      '1 ',
      '.5',
      '1.',
      '',
      'NaN',
      '01',
      '00.5',
      'Infinity',
      '0x1',
      '1_0',
      '1,0',
      '١',
      '1.123456789',
      '9'.repeat(21),
    ].map((price) => ({
      body: { price },
      names: 'price must be a decimal string',
    })),
    { body: { price: '1', time: 1.5 }, names: 'time must be an integer of milliseconds' },
    { body: { price: '1', time: -1 }, names: 'time must be an integer of milliseconds' },
    { body: { price: '1', time: 2 ** 53 }, names: 'time must be an integer of milliseconds' },
    { body: { price: '1', time: '5' }, names: 'time must be an integer of milliseconds' },
    { body: { price: '1', list: {} }, names: 'list must be array' },
    { body: { price: '1', list: [{ id: 1 }, {}] }, names: 'list[1].id is missing' },
    { body: { price: '1', list: [{ id: 1 }, { id: '0x1' }] }, names: 'list[1].id must be an id' },
  ];
  for (const { body, names } of faults) {
    it(`${JSON.stringify(body).slice(0, 60)}: ${names}`, () => {
      expect(() => read(body))
        .to.throw(RequestError, `Failed to deserialize the JSON body into the target type: ${names}`)
        .with.property('status', 400);
    });
  }

  const good: unknown[] = [
    { price: '0' },
    { price: '0.10' },
    { price: `${'9'.repeat(20)}.12345678` },
    { price: '1', time: null, list: [{ id: 0 }, { id: `0x${'aB'.repeat(16)}` }] },
    { price: '1', time: 2 ** 53 - 1, unknown: { field: true } },
    JSON.parse('{"price":"1","__proto__":{"price":5}}'),
  ];
  for (const body of good) it(`reads ${JSON.stringify(body).slice(0, 60)}`, () => expect(read(body)).to.equal(body));
});

describe('quoted', () => {
  it('says short text back whole and long text shortened, as JSON', () => {
    expect(quoted('a"b')).to.equal('"a\\"b"');
    expect(quoted('x'.repeat(5000))).to.have.length(67);
  });
});
