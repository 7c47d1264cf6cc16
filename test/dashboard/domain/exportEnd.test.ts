import { expect } from 'chai';
import { exportEnd } from '../../../src/dashboard/domain/exportEnd.ts';

const HASH = 'ab'.repeat(32);

describe('the end of an export’s file', () => {
  const whole = [
    { format: 'jsonl', tail: '{"fill":1}\n{"end":{"complete":true,"rows":12,"next":"7"}}\n' },
    { format: 'jsonl', tail: `{"hash":"${HASH}","entry":{}}\n{"hash":"${HASH}","end":{"complete":true,"rows":12}}\n` },
    { format: 'csv', tail: 'a,b\r\nend,complete,12,7,1,,\r\n' },
  ] as const;
  const missing = [
    {
      format: 'jsonl',
      tail: '{"end":{"complete":false,"rows":3,"error":{"code":"seq_forgotten","detail":"Rows are gone."}}}\n',
      why: /^The rest is missing: Rows are gone\.$/,
    },
    { format: 'csv', tail: 'a,b\r\nend,seq_forgotten,3,7,1\r\n', why: /^The rest is missing: seq_forgotten\.$/ },
    { format: 'jsonl', tail: '{"fill":1}\n', why: /broke off/ },
    { format: 'jsonl', tail: '{"name":"\\"end\\":{\\"complete\\":true"}\n', why: /broke off/ },
    { format: 'jsonl', tail: '{"end":{"complete":true,"rows":12}}', why: /broke off/ },
    { format: 'csv', tail: 'end,complete,12', why: /broke off/ },
    { format: 'csv', tail: 'x,complete,12\r\n', why: /broke off/ },
    { format: 'csv', tail: '', why: /broke off/ },
  ] as const;

  for (const { format, tail } of whole)
    it(`${format} is whole, with its rows: ${tail.slice(-40).trim()}`, () => {
      expect(exportEnd(tail, format)).to.deep.equal({ rows: 12 });
    });

  for (const { format, tail, why } of missing)
    it(`${format} is not whole: ${JSON.stringify(tail.slice(0, 60))}`, () => {
      expect(exportEnd(tail, format)).to.have.property('why').that.matches(why);
    });
});
