import type { McpServer, StdioServer } from '../api/mcp.ts';
import { isLoopbackHost } from '../model/ollama-host.ts';
import { shortText } from '../util/short-text.ts';

const MAX_COMMAND_CHARS = 300;

/**
 * What a server can access, in sentences for a person who is about to start it. Pure.
 *
 * @param options.confined whether programs are confined on this machine
 */
export function reachOf(server: McpServer, { confined }: { confined: boolean }): string[] {
  if (server.type === 'stdio') return [runsAs(server), ...(confined ? confinedReach(server) : UNCONFINED)];
  const url = URL.parse(server.url);
  const host = url?.host ?? server.url;
  const isHere = isLoopbackHost(url?.hostname ?? '');
  const headers = Object.keys(server.headers);
  return [
    isHere
      ? `Connects to ${host} on this machine.`
      : `Connects to ${host}: the arguments of each call leave this machine.`,
    ...(url?.protocol === 'http:' && !isHere ? ['The connection is not encrypted.'] : []),
    ...(headers.length > 0 ? [`Sends the ${named('header', headers)}.`] : []),
  ];
}

const UNCONFINED = [
  'Runs without confinement, as you: it can change all your files and use the network (LOUPE_UNCONFINED=1).',
];

function runsAs({ command, args }: StdioServer): string {
  return `Runs ${shortText([command, ...args].join(' '), MAX_COMMAND_CHARS)}`;
}

function confinedReach({ folders, workspace, network, env }: StdioServer): string[] {
  const of = (access: 'read' | 'write') =>
    folders.filter((folder) => folder.access === access).map(({ path }) => path);
  const reads = of('read');
  const writes = of('write');
  const variables = Object.keys(env);
  return [
    ...(reads.length > 0 ? [`Reads ${reads.join(', ')}.`] : []),
    ...(writes.length > 0 ? [`Reads and writes ${writes.join(', ')}.`] : []),
    ...(workspace === 'none'
      ? []
      : [`${workspace === 'read' ? 'Reads' : 'Reads and writes'} the folder of the run that uses it.`]),
    reads.length + writes.length === 0 && workspace === 'none'
      ? 'Sees only its own folder and the programs of this machine.'
      : 'Otherwise sees only its own folder and the programs of this machine.',
    network ? 'Uses the network, and every port of this machine.' : 'No network access.',
    ...(variables.length > 0 ? [`Gets the ${named('variable', variables)}.`] : []),
  ];
}

function named(noun: string, names: readonly string[]): string {
  return `${noun}${names.length === 1 ? '' : 's'} ${names.join(', ')}`;
}
