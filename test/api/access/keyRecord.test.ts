import { expect } from 'chai';
import { isListed, toAddressEntry } from '../../../src/api/access/keyRecord.ts';

describe('addressList: entries in their usual form', () => {
  const entries: [given: string, usual: string][] = [
    ['192.0.2.7', '192.0.2.7'],
    ['192.0.2.7/32', '192.0.2.7'],
    ['192.0.2.7/24', '192.0.2.0/24'],
    ['10.255.255.255/9', '10.128.0.0/9'],
    ['192.0.2.7/31', '192.0.2.6/31'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8::1', '2001:db8::1'],
    ['2001:db8:0:0:0:0:0:1/128', '2001:db8::1'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['::/0', '::/0'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7/120', '192.0.2.0/24'],
    ['::ffff:192.0.2.7/96', '0.0.0.0/0'],
    ['::ffff:192.0.2.7/128', '192.0.2.7'],
    ['::ffff:192.0.2.7/95', '::fffe:0:0/95'],
  ];
  for (const [given, usual] of entries) it(`${given} is ${usual}`, () => expect(toAddressEntry(given)).to.equal(usual));

  const refused = [
    ...['', ' ', 'localhost', '192.0.2', '192.0.2.7.1', '192.0.2.256', '0300.0.2.7', '0xc0.0.2.7', '3221225991', '192.0.2.7 '],
    ...['192.0.2.7/33', '192.0.2.7/-1', '192.0.2.7/', '192.0.2.7/08', '192.0.2.7/8/8', '192.0.2.7/255.255.255.0', '192.0.2.7:80'],
    ...[
      '2001:db8::/129',
      '2001:db8:::1',
      '[2001:db8::1]',
      'fe80::1%eth0',
      '2001:db8::1/1e1',

      '*',
      '0.0.0.0/00',
    ],
  ];
  for (const text of refused) it(`"${text}" is none`, () => expect(toAddressEntry(text)).to.equal(undefined));
});

describe('addressList: who is in a list', () => {
  const cases: { entries: string[]; inside: string[]; outside: string[] }[] = [
    { entries: ['192.0.2.7'], inside: ['192.0.2.7'], outside: ['192.0.2.6', '192.0.2.8', '::c000:207', '2001:db8::1', ''] },
    { entries: ['192.0.2.4/30'], inside: ['192.0.2.4', '192.0.2.7'], outside: ['192.0.2.3', '192.0.2.8'] },
    { entries: ['10.128.0.0/9'], inside: ['10.128.0.0', '10.255.255.255'], outside: ['10.127.255.255', '11.0.0.0'] },
    { entries: ['0.0.0.0/0'], inside: ['0.0.0.0', '255.255.255.255'], outside: ['::', '2001:db8::1'] },
    { entries: ['::/0'], inside: ['::', '2001:db8::1'], outside: ['192.0.2.7'] },
    {
      entries: ['2001:db8:8000::/33'],
      inside: ['2001:db8:8000::', '2001:db8:ffff:ffff::1'],
      outside: ['2001:db8:7fff::1', '2001:db9::'],
    },
    { entries: ['2001:db8::1', '192.0.2.0/24'], inside: ['2001:db8::1', '192.0.2.255'], outside: ['2001:db8::2', '192.0.3.0'] },
    { entries: [], inside: [], outside: ['192.0.2.7', '::1', '', 'unknown', '192.0.2.7, 192.0.2.8'] },
  ];
  for (const { entries, inside, outside } of cases) {
    it(`${entries.join(' and ') || 'an empty list'}`, () => {
      for (const address of inside) expect(isListed(entries, address), address).to.equal(true);
      for (const address of outside) expect(isListed(entries, address), address).to.equal(false);
    });
  }
});
