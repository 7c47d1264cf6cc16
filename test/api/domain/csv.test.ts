import { expect } from 'chai';
import { csvRecord } from '../../../src/api/domain/csv.ts';

describe('csvRecord: RFC 4180, and no cell that a spreadsheet runs', () => {
  const cases: { name: string; text: string; want: string }[] = [
    { name: 'plain text', text: 'BTC', want: 'BTC' },
    { name: 'a comma', text: 'a,b', want: '"a,b"' },
    { name: 'a quote', text: 'say "x"', want: '"say ""x"""' },
    { name: 'a line break', text: 'a\r\nb', want: '"a\r\nb"' },
    { name: 'a formula', text: '=1+1', want: "'=1+1" },
    { name: 'a plus', text: '+1', want: "'+1" },
    { name: 'a minus', text: '-1', want: "'-1" },
    { name: 'an at sign', text: '@SUM(A1)', want: "'@SUM(A1)" },
    { name: 'a formula behind a tab', text: '\t=1', want: "'\t=1" },
    { name: 'a formula behind a space', text: ' =1', want: "' =1" },
    { name: 'a formula with a comma', text: '=HYPERLINK("x","y")', want: '"\'=HYPERLINK(""x"",""y"")"' },
    { name: 'a formula behind a space that does not break', text: '\u00a0=1', want: "'\u00a0=1" },
    { name: 'a formula behind a byte order mark', text: '\ufeff=1', want: "'\ufeff=1" },
    { name: 'a formula behind a line separator', text: '\u2028=1', want: '"\'\u2028=1"' },
    { name: 'a wide equals sign', text: '＝1+1', want: "'＝1+1" },
    { name: 'a wide at sign', text: '＠SUM(A1)', want: "'＠SUM(A1)" },
    { name: 'a line separator', text: 'a\u2028b', want: '"a\u2028b"' },
    { name: 'a paragraph separator', text: 'a\u2029b', want: '"a\u2029b"' },
    { name: 'a next line', text: 'a\u0085b', want: '"a\u0085b"' },
    { name: 'an address', text: '0xab', want: '0xab' },
  ];
  for (const { name, text, want } of cases) it(name, () => expect(csvRecord([{ text }])).to.equal(`${want}\r\n`));

  it('numbers are written as they are, also below 0; what is absent is empty', () => {
    expect(csvRecord([{ number: '-0.000001' }, null, { number: 12 }])).to.equal('-0.000001,,12\r\n');
  });
});
