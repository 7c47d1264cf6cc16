import { expect } from 'chai';
import fc from 'fast-check';
import {
  DEPTH_MAX,
  DIGITS_MAX,
  type JsonFault,
  NAMES_MAX,
  type ScannedJson,
  scanJson,
  VALUES_MAX,
} from '../../../src/api/domain/jsonBounds.ts';
import { leastCpuMs } from '../../support/leastCpu.ts';

const scan = (text: string): ScannedJson => scanJson(Buffer.from(text));
const lists = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);
const many = (count: number, one: (i: number) => string): string => Array.from({ length: count }, (_, i) => one(i)).join(',');

describe('jsonBounds: JSON is bounded before it is parsed', () => {
  const cases: { name: string; text: string; fault: JsonFault | undefined }[] = [
    { name: 'as deep as allowed', text: lists(DEPTH_MAX), fault: undefined },
    { name: 'one level deeper', text: lists(DEPTH_MAX + 1), fault: 'tooDeep' },
    { name: 'objects are levels too', text: `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`, fault: 'tooDeep' },
    { name: 'brackets in a text are no levels', text: `["${'['.repeat(100)}"]`, fault: undefined },
    { name: 'nor behind a quote in a text', text: `["\\"${'['.repeat(100)}"]`, fault: undefined },
    { name: 'a backslash before the last quote is a text of its own', text: `["\\\\",${lists(DEPTH_MAX)}]`, fault: 'tooDeep' },
    { name: 'lists beside each other', text: `[${many(100, () => '[]')}]`, fault: undefined },
    { name: 'a number of as many digits as allowed', text: `[${'9'.repeat(DIGITS_MAX - 1)}]`, fault: undefined },
    { name: 'a digit more', text: `[${'9'.repeat(DIGITS_MAX)}]`, fault: 'longNumber' },
    { name: 'decimals count', text: `[1.${'9'.repeat(DIGITS_MAX - 1)}]`, fault: 'longNumber' },
    { name: 'digits of an exponent count', text: `[1e+${'9'.repeat(DIGITS_MAX - 1)}]`, fault: 'longNumber' },
    { name: 'numbers beside each other', text: `[${many(100, () => '9'.repeat(60))}]`, fault: undefined },
    { name: 'digits in a text are no number', text: `["${'9'.repeat(10_000)}"]`, fault: undefined },
    { name: 'as many values as allowed', text: `[${many(VALUES_MAX, () => '1')}]`, fault: undefined },
    { name: 'one value more', text: `[${many(VALUES_MAX + 1, () => '1')}]`, fault: 'tooManyValues' },
    { name: 'empty lists are values', text: `[${many(VALUES_MAX, () => '[]')}]`, fault: 'tooManyValues' },
    { name: 'as many names as allowed', text: `{${many(NAMES_MAX, (i) => `"name${i}":1`)}}`, fault: undefined },
    { name: 'one name more', text: `{${many(NAMES_MAX + 1, (i) => `"name${i}":1`)}}`, fault: 'tooManyNames' },
    { name: 'names of many objects', text: `[${many(NAMES_MAX + 1, (i) => `{"name${i}":1}`)}]`, fault: 'tooManyNames' },
    { name: 'the same names in many objects', text: `[${many(5000, () => '{"a":1,"b":2}')}]`, fault: undefined },
    { name: 'texts are no names', text: `{"a":[${many(5000, (i) => `"text${i}"`)}]}`, fault: undefined },
    { name: 'a member behind a list is a name', text: `{${many(2000, (i) => `"name${i}":[1,"x"]`)}}`, fault: 'tooManyNames' },
  ];
  for (const { name, text, fault } of cases) it(name, () => expect(scan(text).fault).to.equal(fault));

  const odd: { text: string; isOdd: boolean }[] = [
    { text: '{"type":"order","orders":[{"a":0,"p":"-1e5","r":false}]}', isOdd: false },
    { text: '[-0]', isOdd: true },
    { text: '[1e400]', isOdd: true },
    { text: '[1E400]', isOdd: true },
    { text: '[true,false,null]', isOdd: false },
    { text: '{"__proto__":1}', isOdd: true },
    { text: '[{"x":1,"\\u005f_proto__":1}]', isOdd: true },
    { text: '["__proto__"]', isOdd: false },
  ];
  for (const { text, isOdd } of odd)
    it(`${text} ${isOdd ? 'has' : 'need not'} to be searched`, () => expect(scan(text).isOdd).to.equal(isOdd));

  /** The verdict of the bounds on a value, without its text. */
  const measure = (value: unknown): { depth: number; values: number; names: Set<string> } => {
    if (typeof value !== 'object' || value === null) return { depth: 0, values: 0, names: new Set() };
    const inner = Object.values(value).map(measure);
    return {
      depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
      values: 1 + Math.max(0, inner.length - 1) + inner.reduce((sum, { values }) => sum + values, 0),
      names: new Set([...(Array.isArray(value) ? [] : Object.keys(value)), ...inner.flatMap(({ names }) => [...names])]),
    };
  };

  it('refuses no JSON within the bounds, and searches all that holds an odd number, however it is written', () => {
    const isOddNumber = (value: unknown): boolean =>
      typeof value === 'number'
        ? !Number.isFinite(value) || Object.is(value, -0)
        : typeof value === 'object' && value !== null && Object.values(value).some(isOddNumber);
    const written = fc.tuple(fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }), fc.constantFrom(0, 1, 4));
    fc.assert(
      fc.property(
        written,
        fc.nat({ max: 40 }),
        fc.constantFrom('0', '-0', '1e400', '-1E999', '0e0'),
        ([value, indent], levels, number) => {
          const text = lists(levels, `[${number},${JSON.stringify(value, undefined, indent)}]`);
          const parsed: unknown = JSON.parse(text);
          const { depth, values, names } = measure(parsed);
          const { fault, isOdd } = scan(text);
          if (depth <= DEPTH_MAX && values <= VALUES_MAX && names.size <= NAMES_MAX) expect(fault).to.equal(undefined);
          if (depth > DEPTH_MAX) expect(fault).to.equal('tooDeep');
          if (fault === undefined && isOddNumber(parsed)) expect(isOdd).to.equal(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never throws, and passes or refuses any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(scanJson(bytes)).to.have.property('isOdd');
      }),
    );
  });

  it('what it passes costs the parser no deeper recursion than allowed, whatever stands before', () => {
    const pieces = fc.array(fc.constantFrom('[', ']', '{', '}', '"', '\\', ',', ':', '1', '"a":', '[[[[[[[[', ' '), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(pieces, (some) => {
        const text = some.join('');
        if (scan(text).fault !== undefined) return;
        try {
          expect(measure(JSON.parse(text)).depth).to.be.at.most(DEPTH_MAX);
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('costs a look at each byte: a megabyte of any kind takes a fraction of what it took to parse it', () => {
    const size = 1_048_576;
    const hostile = ['9'.repeat(99).concat(','), '[', '{"a":', '[],', '"a":1,', '\\"', '"\\\\\\\\', ' ', 'e'];
    for (const piece of hostile) {
      const bytes = Buffer.from(`[${piece.repeat(size / piece.length)}`);
      // It takes 1 to 10 ms; the pattern that was here before took 541 ms.
      expect(
        leastCpuMs(() => scanJson(bytes)),
        piece,
      ).to.be.below(200);
    }
  });
});
