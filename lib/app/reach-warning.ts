import { isLoopbackAddress } from '../model/ollama-host.ts';

/** What it means that other machines can reach a listener, in lines; none if it is on a loopback address. Pure. */
export function reachWarning({
  address,
  host,
  port,
}: {
  /** The IP address that it is bound to. */
  address: string;
  /** The address or name that a person asked for. */
  host: string;
  port: number;
}): string[] {
  if (isLoopbackAddress(address)) return [];
  return [
    '',
    `Loupe listens on ${host}, port ${port}: other machines can reach it. Anyone with the operator token can run`,
    'commands here. The connection is not encrypted: use it only in a trusted network, or through an SSH tunnel.',
  ];
}
