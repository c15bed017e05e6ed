import { homedir } from 'node:os';
import {
  MAX_MCP_SERVERS,
  type McpServerRequest,
  mcpServer,
  mcpServerName,
  type ReadMcpConfigReply,
  type ReadMcpServer,
} from '../api/mcp.ts';
import { MAX_SERVER_NAME_CHARS } from '../events/mcp-names.ts';
import { expandHome } from '../sandbox/home-path.ts';
import { isRecord, jsonValue } from '../util/json.ts';
import { describeFieldProblems, IN_WORDS } from '../util/schema-problems.ts';
import { shortText } from '../util/short-text.ts';
import { referenceProblem } from './references.ts';

/** The fields in which hosts keep their servers. */
const MAPS = ['mcpServers', 'servers', 'context_servers', 'mcp'];
/** Their names of streamable HTTP. */
const HTTP_TYPES = ['http', 'streamable-http', 'streamableHttp', 'streamable_http', 'remote'];

/**
 * Reads the configuration of another host or of one server: the servers that can be added, and the problems of the
 * others. Pure.
 *
 * References to variables take the form of Loupe (`${env:NAME}` of VS Code becomes `${NAME}`), names become valid, and
 * fields that only the other host understands are left out and named.
 */
export function readMcpConfig(text: string): ReadMcpConfigReply {
  const value = jsonValue(withoutFence(text));
  if (!isRecord(value)) {
    return { servers: [], problems: ['This is not a JSON object. Paste the whole block with "mcpServers".'] };
  }
  const map = serverMap(value);
  if (map === undefined) {
    return {
      servers: [],
      problems: ['There are no servers in it: "mcpServers" or an object with "command" or "url" is missing.'],
    };
  }
  const servers: ReadMcpServer[] = [];
  const problems: string[] = [];
  const entries = Object.entries(map);
  if (entries.length > MAX_MCP_SERVERS) problems.push(`Only the first ${MAX_MCP_SERVERS} servers were read.`);
  for (const [key, entry] of entries.slice(0, MAX_MCP_SERVERS)) {
    const read = readServer(entry);
    if ('problem' in read) problems.push(`${shortText(key, 60)}: ${read.problem}`);
    else {
      const name = serverName(key, new Set(servers.map((each) => each.name)));
      servers.push({ name, ...(name === key ? {} : { renamed_from: shortText(key, 100) }), ...read });
    }
  }
  return { servers, problems };
}

/** A valid name that is not taken yet. */
function serverName(key: string, taken: ReadonlySet<string>): string {
  const words = key
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, MAX_SERVER_NAME_CHARS - 3)
    .replace(/_+$/, '');
  const plain = mcpServerName.safeParse(words).success ? words : 'server';
  let free = plain;
  for (let number = 2; taken.has(free); number++) free = `${plain}_${number}`;
  return free;
}

function readServer(entry: unknown): { server: McpServerRequest; ignored: string[] } | { problem: string } {
  if (!isRecord(entry)) return { problem: 'This is not an object.' };
  const type = textOf(entry.type ?? entry.transport);
  if (type === 'sse') {
    return { problem: 'It uses the old transport "sse". Enter its address for streamable HTTP, often /mcp.' };
  }
  const url = textOf(entry.url ?? entry.serverUrl ?? entry.httpUrl);
  const isHttp = url !== undefined || (type !== undefined && HTTP_TYPES.includes(type));
  const command = commandOf(entry);
  const variables = variablesOf(command.env);
  const fields = isHttp
    ? { type: 'http', url, headers: entry.headers, oauth: oauthOf(entry) }
    : { type: 'stdio', ...command, env: variables.set, cwd: homePath(entry.cwd), ...ownFields(entry) };
  const parsed = mcpServer.safeParse(
    {
      ...withVariables(definedOf(fields)),
      ...definedOf({
        enabled: entry.disabled === true || entry.enabled === false ? false : undefined,
        timeout_seconds: entry.timeout_seconds,
        trust_read_only: entry.trust_read_only,
      }),
    },
    IN_WORDS,
  );
  if (!parsed.success) return { problem: describeFieldProblems(parsed.error.issues, 'server').join(' ') };
  const problem = referenceProblems(parsed.data);
  if (problem !== undefined) return { problem };
  const used = FIELDS[parsed.data.type];
  const ignored = Object.keys(entry).filter((field) => !used.has(field));
  return { server: parsed.data, ignored: [...ignored, ...(isHttp ? [] : variables.unset)] };
}

/** Variables as texts: other hosts also accept numbers, `true` and `false`, and `null` for an unset variable. */
function variablesOf(env: unknown): { set: unknown; unset: string[] } {
  if (!isRecord(env)) return { set: env, unset: [] };
  const entries = Object.entries(env);
  return {
    set: Object.fromEntries(
      entries
        .filter(([, value]) => value !== null)
        .map(([name, value]) => [
          name,
          typeof value === 'number' || typeof value === 'boolean' ? String(value) : value,
        ]),
    ),
    unset: entries.flatMap(([name, value]) => (value === null ? [`env.${name}`] : [])),
  };
}

/** The fields that Loupe adds to those of other hosts. */
function ownFields({ folders, workspace, network }: Record<string, unknown>) {
  return { folders, workspace, network };
}

/** A registered client for sign-ins, in the notation of hosts. */
function oauthOf({ oauth, auth }: Record<string, unknown>): Record<string, unknown> | undefined {
  const written = { ...(isRecord(auth) && auth), ...(isRecord(oauth) && oauth) };
  const client_id = textOf(written.client_id ?? written.clientId ?? written.CLIENT_ID);
  const client_secret = textOf(written.client_secret ?? written.clientSecret ?? written.CLIENT_SECRET);
  return client_id === undefined ? undefined : definedOf({ client_id, client_secret });
}

const COMMON_FIELDS = ['type', 'transport', 'disabled', 'enabled', 'timeout_seconds', 'trust_read_only'];

/** The fields that are read, by the type of a server. */
const FIELDS: Readonly<Record<McpServerRequest['type'], ReadonlySet<string>>> = {
  http: new Set([...COMMON_FIELDS, 'url', 'serverUrl', 'httpUrl', 'headers', 'oauth', 'auth']),
  stdio: new Set([...COMMON_FIELDS, 'command', 'args', 'env', 'cwd', 'folders', 'workspace', 'network']),
};

/** Hosts write a command and its arguments as two fields, as one list, or as an object with its variables. */
function commandOf({
  command,
  args,
  env,
}: Record<string, unknown>): Record<'command' | 'args' | 'env', unknown> {
  if (Array.isArray(command))
    return { command: command[0], args: [...command.slice(1), ...listOf(args)], env };
  if (isRecord(command))
    return { command: command.path, args: command.args ?? args, env: command.env ?? env };
  return { command, args, env };
}

/** The problem of the first reference that is not to a variable. */
export function referenceProblems(server: McpServerRequest): string | undefined {
  const values =
    server.type === 'http'
      ? [server.url, ...Object.values(server.headers), ...Object.values(server.oauth ?? {})]
      : [server.command, ...server.args, ...Object.values(server.env)];
  return values.flatMap((value) => (value === null ? [] : (referenceProblem(value) ?? [])))[0];
}

/** `${env:NAME}` and `{env:NAME}` as `${NAME}`, in all texts. */
function withVariables(value: unknown): Record<string, unknown> {
  const renamed: unknown = JSON.parse(
    JSON.stringify(value).replaceAll(/\$?\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name) => `\${${name}}`),
  );
  return isRecord(renamed) ? renamed : {};
}

function serverMap(value: Record<string, unknown>): Record<string, unknown> | undefined {
  for (const name of MAPS) {
    const found = value[name];
    if (isRecord(found)) return serverMap(found) ?? found;
  }
  if (isServer(value)) return { server: value };
  const entries = Object.values(value);
  return entries.length > 0 && entries.every((entry) => isRecord(entry) && isServer(entry))
    ? value
    : undefined;
}

function isServer(value: Record<string, unknown>): boolean {
  return value.command !== undefined || [value.url, value.serverUrl, value.httpUrl].some(textOf);
}

/** A pasted block often comes with its fence, or as the inner part of an object. */
function withoutFence(text: string): string {
  const inner = /^\s*```\w*\r?\n([\s\S]*?)```\s*$/.exec(text)?.[1] ?? text;
  return /^\s*"/.test(inner) ? `{${inner.replace(/,\s*$/, '')}}` : inner;
}

function homePath(path: unknown): unknown {
  return typeof path === 'string' ? expandHome(path, homedir()) : path;
}

function definedOf(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null),
  );
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
