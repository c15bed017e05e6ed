import { networkInterfaces } from 'node:os';
import type { ShareReach } from '../../api/share.ts';
import type { ShareSettings } from '../../config/share-settings.ts';

/** The base URL of links, and who can reach it. */
export function reachOf(settings: ShareSettings, listening: { port: number } | undefined): ShareReach {
  const { host, url } = settings;
  const port = listening?.port ?? settings.port;
  const on = listening !== undefined;
  if (url !== undefined) return { listening: on, base_url: url, from: 'given' };
  const open = host === '0.0.0.0' || host === '::';
  return {
    listening: on,
    base_url: `http://${urlHost(open ? (ownAddress() ?? '127.0.0.1') : host)}:${port}`,
    from: isLoopback(host) ? 'loopback' : 'network',
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host);
}

/** This machine's address in its network, if it has one. */
function ownAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}
