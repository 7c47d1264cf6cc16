import { expect } from 'chai';
import { readWebhookUrl } from '../../../src/features/alerts/store/webhook.ts';
import { isPublicAddress, networksOf, readNetworks, readPorts } from '../../../src/shared/config/publicAddress.ts';

const NONE = networksOf([]);
const read = (url: string, allowed = NONE, closed?: ReadonlySet<number>): string => {
  const target = readWebhookUrl(url, allowed, closed);
  return typeof target === 'string' ? target : `ok ${target.host}`;
};

describe('webhook addresses: nothing but the internet, in any spelling', () => {
  const notPublic = [
    ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '100.64.0.1', '100.127.255.255', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.1', '198.18.0.1', '198.19.255.255'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::7f00:1', '64:ff9b::7f00:1', '64:ff9b:1::1', '100::1', 'fe80::1'],
    ...['fc00::1', 'fd00:ec2::254', 'fec0::1', 'ff02::1', '2001::1', '2001:10::1', '2001:db8::1', '2002:7f00:1::', '3fff::1'],
    ...['', 'example.com', '1.2.3', '0x7f.0.0.1', '127.1'],
  ];
  for (const address of notPublic)
    it(`${address || 'nothing'} is not public`, () => expect(isPublicAddress(address)).to.equal(false));

  const arePublic = [
    '1.1.1.1',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '223.255.255.255',
  ];
  for (const address of [...arePublic, '2606:4700:4700::1111', '2a00:1450:4001::1'])
    it(`${address} is public`, () => expect(isPublicAddress(address)).to.equal(true));

  const PRIVATE = 'url must not lead to a private or reserved address that WEBHOOK_NETWORKS does not open';
  const refused: readonly (readonly [url: string, why: string])[] = [
    ['https://127.0.0.1/', PRIVATE],
    ['https://127.1/', PRIVATE],
    ['https://localhost/', PRIVATE],
    ['http://localhost:9999/hook', PRIVATE],
    ['https://0x7f000001/', PRIVATE],
    ['https://2130706433/', PRIVATE],
    ['https://0177.0.0.1/', PRIVATE],
    ['https://169.254.169.254/latest/meta-data', PRIVATE],
    ['https://[::1]/', PRIVATE],
    ['https://[::ffff:10.0.0.1]/', PRIVATE],
    ['https://[::ffff:a00:1]/', PRIVATE],
    ['https://[fe80::1]/', PRIVATE],
    ['https://１２７.0.0.1/', PRIVATE],
    ['https://127。0。0。1/', PRIVATE],
    ['https://①②⑦.0.0.1/', PRIVATE],
    ['https://%31%32%37.0.0.1/', PRIVATE],
    ['https://127.0.0.1./', PRIVATE],
    ['https://127.0.0.1.:443/', PRIVATE],
    ['HTTPS://0X7F.1/', PRIVATE],
    ['https:127.0.0.1', PRIVATE],
    ['https://127.0.\t0.1/', PRIVATE],
    ['https:\\\\127.0.0.1\\', PRIVATE],
    ['https://example.com@127.0.0.1/', 'url must have no user name or password'],
    ['https://0/', PRIVATE],
    ['https://017700000001/', PRIVATE],
    ['https://0xa9fea9fe/', PRIVATE],
    ['https://255.255.255.255/', PRIVATE],
    ['https://224.0.0.1/', PRIVATE],
    ['https://100.64.0.1/', PRIVATE],
    ['https://[::ffff:127.0.0.1]/', PRIVATE],
    ['https://[::ffff:0:127.0.0.1]/', PRIVATE],
    ['https://[::127.0.0.1]/', PRIVATE],
    ['https://[0:0:0:0:0:ffff:7f00:1]/', PRIVATE],
    ['https://[64:ff9b::169.254.169.254]/', PRIVATE],
    ['https://[2002:7f00:1::]/', PRIVATE],
    ['https://[2001:0:53aa:64c::1]/', PRIVATE],
    ['https://[fd00:ec2::254]/', PRIVATE],
    ['https://[ff02::1]/', PRIVATE],
    ['https://[::]/', PRIVATE],
    ['https://[fe80::1%25eth0]/', 'url must be an address such as https://example.com/hook'],
    ['https://[fe80::1%eth0]/', 'url must be an address such as https://example.com/hook'],
    ['https://[127.0.0.1]/', 'url must be an address such as https://example.com/hook'],
    ['https://256.1.1.1/', 'url must be an address such as https://example.com/hook'],
    ['https://xn--a/', 'url must be an address such as https://example.com/hook'],
    ['https:///', 'url must be an address such as https://example.com/hook'],
    ['https://', 'url must be an address such as https://example.com/hook'],
    ['', 'url must be an address such as https://example.com/hook'],
    ['https://:@example.com:1/', 'url must use port 443'],
    ['https://example.com:0/', 'url must use port 443'],
    ['wss://example.com/', 'url must begin with https://'],
    ['javascript:alert(1)', 'url must have a host'],
    ['https://user:@example.com/', 'url must have no user name or password'],
    ['http://example.com/', 'url must begin with https://'],
    ['ftp://example.com/', 'url must begin with https://'],
    ['file:///etc/passwd', 'url must have a host'],
    ['https://example.com:22/', 'url must use port 443'],
    ['https://1.1.1.1:6379/', 'url must use port 443'],
    ['https://user:word@example.com/', 'url must have no user name or password'],
    ['https://user@example.com/', 'url must have no user name or password'],
    ['https://example.com/#top', 'url must have no fragment'],
    ['example.com/hook', 'url must be an address such as https://example.com/hook'],
    [`https://example.com/${'a'.repeat(481)}`, 'url must have 500 characters at most'],
  ];
  for (const [url, why] of refused) it(`${url.slice(0, 60)}: ${why}`, () => expect(read(url)).to.equal(why));

  for (const [url, host] of [
    ['https://example.com/hook?a=1', 'example.com'],
    ['https://example.com:443/', 'example.com'],
    ['HTTPS://EXAMPLE.COM:0443/', 'example.com'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
    ['https://example.com/\\@127.0.0.1', 'example.com'],
    ['https://[2606:4700:4700::1111]/', '2606:4700:4700::1111'],
    [`https://example.com/${'a'.repeat(480)}`, 'example.com'],
  ] as const)
    it(`${url.slice(0, 60)} is fine`, () => expect(read(url)).to.equal(`ok ${host}`));

  it('an operator’s own networks are open beside it, by http and at other ports', () => {
    const own = readNetworks('127.0.0.0/8, fd00::/8');
    expect(read('http://127.0.0.1:8080/hook', own)).to.equal('ok 127.0.0.1');
    expect(read('https://[fd00::7]:8443/', own)).to.equal('ok fd00::7');
    expect(read('http://10.0.0.1/', own)).to.equal(PRIVATE);
    expect(read('http://1.1.1.1/', own)).to.equal('url must begin with https://');
    expect(read('http://localhost:9999/', own)).to.equal('ok 127.0.0.1');
    expect(read('http://localhost/', readNetworks('fd00::/8'))).to.equal(PRIVATE);
    expect(read('http://localhost.example.com/', own)).to.equal('url must begin with https://');
  });

  it('but for the ports that are closed, in any spelling', () => {
    const own = readNetworks('127.0.0.0/8,::1/128');
    const closed = readPorts('6379, 80,27017');
    const CLOSED = /^url must not lead to port \d+, which is the exchange’s own$/;
    for (const url of [
      'http://127.0.0.1:6379/',
      'http://localhost:06379/',
      'https://[::1]:27017/',
      'http://[::ffff:7f00:1]:27017/',
    ])
      expect(read(url, own, closed)).to.match(CLOSED);
    expect(read('http://0x7f.1/', own, closed)).to.match(CLOSED);
    expect(read('https://127.0.0.2/', own, readPorts('443'))).to.match(CLOSED);
    expect(read('http://127.0.0.1:6380/', own, closed)).to.equal('ok 127.0.0.1');
    expect(read('https://example.com/', own, readPorts('443'))).to.equal('ok example.com');
    for (const text of ['http', '65536', '1-2', '6379,']) expect(() => readPorts(text)).to.throw(/is no port such as/);
  });

  for (const text of ['10.0.0.0', '10.0.0.0/33', '::/129', 'example.com/8', '10.0.0.0/8,', '10.0.0.0/-1'])
    it(`"${text}" names no networks`, () => expect(() => readNetworks(text)).to.throw(/is no network such as/));
});
