// Which network addresses a webhook may be sent to. An address that a user chooses must not lead into the network that the service
// stands in: no private, link-local, loopback, shared, reserved or translated address, in any spelling. What an operator names
// in WEBHOOK_NETWORKS is allowed beside the public internet.
import { BlockList, isIP } from 'node:net';

/** IANA's special-purpose registry, and multicast. */
const NOT_PUBLIC_V4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.31.196.0/24', '192.52.193.0/24', '192.88.99.0/24', '192.168.0.0/16', '192.175.48.0/24'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** Of IPv6 only this is the internet, without what carries IPv4 addresses (Teredo, 6to4) or is documentation. */
const GLOBAL_V6 = ['2000::/3'];
const NOT_PUBLIC_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'];

const notPublicV4 = networksOf(NOT_PUBLIC_V4);
const globalV6 = networksOf(GLOBAL_V6);
const notPublicV6 = networksOf(NOT_PUBLIC_V6);

/** @throws Error when one of them is no network */
export function networksOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', bits = ''] = cidr.split('/');
    const family = isIP(address);
    const isPrefix = /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 6 ? 128 : 32);
    if (family === 0 || !isPrefix) throw new Error(`"${cidr}" is no network such as 192.0.2.0/24.`);
    list.addSubnet(address, Number(bits), family === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** @throws Error when the text of WEBHOOK_NETWORKS names something else than networks */
export const readNetworks = (text: string): BlockList =>
  networksOf(text === '' ? [] : text.split(',').map((cidr) => cidr.trim()));

/** @throws Error when the text of WEBHOOK_CLOSED_PORTS names something else than ports */
export function readPorts(text: string): ReadonlySet<number> {
  const ports = text === '' ? [] : text.split(',').map((port) => port.trim());
  const wrong = ports.find((port) => !/^\d{1,5}$/.test(port) || Number(port) > 65_535);
  if (wrong !== undefined) throw new Error(`"${wrong}" is no port such as 6379.`);
  return new Set(ports.map(Number));
}

/** @param address of a socket, without brackets; anything else is not public */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublicV4.check(address, 'ipv4');
  return family === 6 && globalV6.check(address, 'ipv6') && !notPublicV6.check(address, 'ipv6');
}

export function isAllowedAddress(address: string, allowed: BlockList): boolean {
  const family = isIP(address);
  return isPublicAddress(address) || (family !== 0 && allowed.check(address, family === 6 ? 'ipv6' : 'ipv4'));
}
