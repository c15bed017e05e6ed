import { BlockList, isIP } from 'node:net';
import { type FetchHost, isListed } from '../../events/fetch-hosts.ts';

/** Addresses that no public server has (IANA special-purpose registries), except loopback addresses. */
const NOT_PUBLIC_V4 = [
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
] as const;

/** Parts of the public range (2000::/3) that are not: Teredo and other protocols, documentation, 6to4. */
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const notPublic = new BlockList();
for (const [address, bits] of NOT_PUBLIC_V4) notPublic.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of NOT_PUBLIC_V6) notPublic.addSubnet(address, bits, 'ipv6');

const publicV6 = new BlockList();
publicV6.addSubnet('2000::', 3, 'ipv6');

/** No server can have them: unspecified, multicast, reserved and broadcast addresses. */
const never = new BlockList();
never.addSubnet('0.0.0.0', 8, 'ipv4');
never.addSubnet('224.0.0.0', 4, 'ipv4');
never.addSubnet('240.0.0.0', 4, 'ipv4');
never.addAddress('::', 'ipv6');
never.addSubnet('ff00::', 8, 'ipv6');

/** An IPv4 address written as IPv6, in the short form of URLs: `::ffff:7f00:1`. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/**
 * An address as URLs have it, without brackets; an IPv4 address in IPv6 becomes IPv4.
 *
 * @returns `undefined` if it is not an address, or has a zone
 */
export function plainAddress(address: string): string | undefined {
  const family = isIP(address);
  if (family === 0 || address.includes('%')) return undefined;
  if (family === 4) return address;
  const short = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(short ?? '') ?? [];
  if (high === undefined || low === undefined) return short;
  const [left, right] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [left >> 8, left & 255, right >> 8, right & 255].join('.');
}

/**
 * Why no connection is made to an address; `undefined` if it may be. A non-public address must be listed itself
 * (127.0.0.1 and ::1 also as `localhost`), because a listed name can resolve to anything. Pure.
 */
export function addressProblem(
  address: string,
  { port, hosts }: { port: number; hosts: readonly FetchHost[] },
): string | undefined {
  const plain = plainAddress(address);
  if (plain === undefined) return `"${address}" is not an address`;
  const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
  if (never.check(plain, family)) return `${plain} is not the address of a server`;
  if (isPublic(plain, family)) return undefined;
  const names = [family === 'ipv6' ? `[${plain}]` : plain, ...(isLocalhost(plain) ? ['localhost'] : [])];
  if (names.some((name) => isListed(name, port, hosts))) return undefined;
  return `${plain} is an address of this machine or of a private network`;
}

function isPublic(address: string, family: 'ipv4' | 'ipv6'): boolean {
  if (family === 'ipv6' && !publicV6.check(address, 'ipv6')) return false;
  return !notPublic.check(address, family);
}

function isLocalhost(address: string): boolean {
  return address === '127.0.0.1' || address === '::1';
}
