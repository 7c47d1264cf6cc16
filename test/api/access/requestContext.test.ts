import { expect } from 'chai';
import fc from 'fast-check';
import { addressOf, networkOf, toNetwork } from '../../../src/api/access/requestContext.ts';

type Asked = Parameters<typeof addressOf>[0];
const from = (ip: string, remoteAddress = '192.0.2.99'): Asked =>
  ({ ip, req: { socket: { remoteAddress } } }) as unknown as Asked;

describe('clientAddress: one form of an address, and the network of one customer', () => {
  const cases: { name: string; ip: string; address: string; network: string }[] = [
    { name: 'IPv4', ip: '203.0.113.7', address: '203.0.113.7', network: '203.0.113.7' },
    { name: 'IPv4 written as IPv6', ip: '::ffff:203.0.113.7', address: '203.0.113.7', network: '203.0.113.7' },
    { name: 'the same in hex', ip: '::ffff:cb00:7107', address: '203.0.113.7', network: '203.0.113.7' },
    { name: 'IPv6 in its usual form', ip: '2001:DB8:0:1::0001', address: '2001:db8:0:1::1', network: '2001:db8:0:1::/64' },
    {
      name: 'another address of that /64',
      ip: '2001:db8:0:1:ffff::',
      address: '2001:db8:0:1:ffff::',
      network: '2001:db8:0:1::/64',
    },
    { name: 'the /64 beside it', ip: '2001:db8:0:2::1', address: '2001:db8:0:2::1', network: '2001:db8:0:2::/64' },
    { name: 'a zone is no part of the address', ip: 'fe80::1%eth0', address: 'fe80::1', network: 'fe80::/64' },
    { name: 'this machine', ip: '::1', address: '::1', network: '::/64' },
    { name: 'IPv4 behind a translator', ip: '64:ff9b::203.0.113.7', address: '64:ff9b::cb00:7107', network: '203.0.113.7' },
    {
      name: 'IPv4 with a port, as some proxies write it',
      ip: '203.0.113.7:4711',
      address: '203.0.113.7',
      network: '203.0.113.7',
    },
    { name: 'IPv6 with a port', ip: '[2001:db8::1]:4711', address: '2001:db8::1', network: '2001:db8::/64' },
    { name: 'text that is no address', ip: '<script>', address: '192.0.2.99', network: '192.0.2.99' },
    { name: 'an octal number', ip: '0300.1.2.3', address: '192.0.2.99', network: '192.0.2.99' },
    { name: 'a bare number', ip: '16909060', address: '192.0.2.99', network: '192.0.2.99' },
    { name: 'nothing', ip: '', address: '192.0.2.99', network: '192.0.2.99' },
  ];
  for (const { name, ip, address, network } of cases) {
    it(name, () => {
      expect(addressOf(from(ip))).to.equal(address);
      expect(networkOf(from(ip))).to.equal(network);
    });
  }

  it('has no subject for a connection that is gone', () => {
    expect(networkOf(from('', ''))).to.equal('');
  });

  it('whatever the last 64 bits are, the network is the same', () => {
    const words = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(words, words, words, (network, one, other) => {
        // 2001::/16, so that the address is none that stands for an IPv4 address.
        const written = (host: readonly number[]): string =>
          [0x2001, ...network.slice(1), ...host].map((word) => word.toString(16)).join(':');
        expect(toNetwork(written(one))).to.equal(toNetwork(written(other)));
      }),
    );
  });
});
