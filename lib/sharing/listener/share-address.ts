import { networkInterfaces } from 'node:os';
import type { ShareReach } from '../../api/share.ts';
import type { ShareSettings } from '../../config/share-settings.ts';

/**
 * The base URL of links, and who can reach it.
 *
 * @param network the addresses on which a person can open links to the network, and the one that was chosen
 */
export function reachOf(
  settings: ShareSettings,
  listening: { port: number } | undefined,
  network: { addresses: string[]; open?: string } = { addresses: [] },
): ShareReach {
  const { host, url } = settings;
  const port = listening?.port ?? settings.port;
  const on = listening !== undefined;
  if (url !== undefined) return { listening: on, base_url: url, from: 'given' };
  if (!isLoopback(host)) {
    const all = host === '0.0.0.0' || host === '::';
    const shown = all ? (ownAddresses()[0] ?? '127.0.0.1') : host;
    return { listening: on, base_url: `http://${urlHost(shown)}:${port}`, from: 'network' };
  }
  return {
    listening: on,
    base_url: `http://${urlHost(network.open ?? host)}:${port}`,
    from: network.open === undefined ? 'loopback' : 'network',
    network,
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** This machine's addresses in its networks, IPv4 first. Link-local ones need a zone, which links cannot have. */
export function ownAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const usable = found.filter(({ internal, address }) => !internal && !/^fe80:/i.test(address));
  const of = (family: string) => usable.filter((one) => one.family === family).map(({ address }) => address);
  return [...new Set([...of('IPv4'), ...of('IPv6')])];
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
