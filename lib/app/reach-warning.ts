import { isLoopbackAddress } from '../model/ollama-host.ts';

/** The consequences if other machines can reach a listener, line by line; empty for a loopback address. Pure. */
export function reachWarning({
  address,
  host,
  port,
}: {
  /** The IP address that it is bound to. */
  address: string;
  /** The configured address or name. */
  host: string;
  port: number;
}): string[] {
  if (isLoopbackAddress(address)) return [];
  return [
    '',
    `Loupe listens on ${host}, port ${port}: other machines can reach it. Anyone with the operator token can run`,
    'commands here. The connection is not encrypted: use it only on a trusted network, or through an SSH tunnel.',
  ];
}
