import { expect } from 'chai';
import { readJson } from '../../../src/api/http/readJson.ts';
import { RequestError } from '../../../src/shared/errors.ts';
import { leastCpuMs } from '../../support/leastCpu.ts';

describe('readJson: a megabyte of anything is read or refused, and costs little', () => {
  const cases: { name: string; piece: (i: number) => string; code?: string }[] = [
    { name: 'numbers of 99 digits', piece: () => '9'.repeat(99) },
    { name: 'lists in each other', piece: () => '[', code: 'body_too_deep' },
    { name: 'ever new names', piece: (i) => `{"name${i}":1}`, code: 'body_too_complex' },
    { name: 'empty objects', piece: () => '{}', code: 'body_too_complex' },
    { name: 'one long text of escapes', piece: () => '\\u0041\\\\' },
    { name: 'exponents', piece: () => '-1.5e-300', code: 'body_too_complex' },
  ];
  for (const { name, piece, code } of cases) {
    it(`${name}: ${code ?? 'read'}`, () => {
      const pieces: string[] = [];
      for (let length = 0, i = 0; length < 1_000_000; i++) length += pieces.push(piece(i)) && piece(i).length + 1;
      const text = name.startsWith('one long') ? `["${pieces.join('')}"]` : `[${pieces.join(',')}]`;
      const bytes = Buffer.from(text);
      let refused: string | undefined;
      const costMs = leastCpuMs(() => {
        try {
          readJson(bytes);
        } catch (error) {
          refused = (error as RequestError).code;
        }
      });
      expect(refused).to.equal(code);
      // It takes 1 to 20 ms. The code before took 541 ms for the digits, 274 for the lists and 179 for the names.
      expect(costMs).to.be.below(160);
    });
  }

  it('refuses in words that do not repeat the body', () => {
    expect(() => readJson(Buffer.from('{"secret'))).to.throw(RequestError, /^The body is not valid JSON\.$/);
  });
});
