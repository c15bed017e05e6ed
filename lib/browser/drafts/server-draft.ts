import type { FolderAccess, McpServerRequest } from '../../api/mcp.ts';
import { SERVER_CALL_SECONDS } from '../../events/limits.ts';
import { MAX_SERVER_NAME_CHARS, SERVER_NAME } from '../../events/mcp-names.ts';
import { isWholePath } from './folder-path.ts';

/** Represents a value that Loupe's server keeps and does not show. */
export const HIDDEN_VALUE = '••••••';

/** An MCP server while a person fills in its form. */
export interface ServerDraft {
  name: string;
  type: 'stdio' | 'http';
  command: string;
  /** One argument per line. */
  args: string;
  cwd: string;
  /** One `NAME=value` per line. */
  env: string;
  folders: readonly { path: string; access: FolderAccess }[];
  workspace: 'none' | FolderAccess;
  network: boolean;
  url: string;
  /** One `Name: value` per line. */
  headers: string;
  clientId: string;
  clientSecret: string;
  enabled: boolean;
  timeoutSeconds: string;
  trustReadOnly: boolean;
}

export const emptyServerDraft: ServerDraft = {
  name: '',
  type: 'stdio',
  command: '',
  args: '',
  cwd: '',
  env: '',
  folders: [],
  workspace: 'none',
  network: false,
  url: '',
  headers: '',
  clientId: '',
  clientSecret: '',
  enabled: true,
  timeoutSeconds: '',
  trustReadOnly: false,
};

/** The draft of a configuration. Pure. */
export function serverDraftOf(name: string, server: McpServerRequest): ServerDraft {
  const shared = {
    name,
    enabled: server.enabled,
    timeoutSeconds:
      server.timeout_seconds === SERVER_CALL_SECONDS.default ? '' : String(server.timeout_seconds),
    trustReadOnly: server.trust_read_only,
  };
  if (server.type === 'http') {
    const headers = linesOf(server.headers, ': ');
    const { client_id: clientId = '', client_secret: secret } = server.oauth ?? {};
    const clientSecret = secret === null ? HIDDEN_VALUE : (secret ?? '');
    return { ...emptyServerDraft, ...shared, type: 'http', url: server.url, headers, clientId, clientSecret };
  }
  return {
    ...emptyServerDraft,
    ...shared,
    type: 'stdio',
    command: server.command,
    args: server.args.join('\n'),
    cwd: server.cwd ?? '',
    env: linesOf(server.env, '='),
    folders: server.folders,
    workspace: server.workspace,
    network: server.network,
  };
}

function linesOf(values: Readonly<Record<string, string | null>>, separator: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}${separator}${value ?? HIDDEN_VALUE}`)
    .join('\n');
}

export type ServerProblems = Partial<Record<keyof ServerDraft, string>>;

/** Reads a draft: the configuration, or the problems by field. Pure. */
export function serverOf(
  draft: ServerDraft,
): { ok: true; name: string; server: McpServerRequest } | { ok: false; problems: ServerProblems } {
  const problems: ServerProblems = {};
  const name = draft.name.trim();
  if (!SERVER_NAME.test(name) || name.length > MAX_SERVER_NAME_CHARS) {
    problems.name = 'Lower-case letters, digits and single underscores, such as my_server.';
  }
  const seconds = draft.timeoutSeconds.trim();
  const timeout = seconds === '' ? SERVER_CALL_SECONDS.default : Number(seconds);
  if (!Number.isInteger(timeout) || timeout < SERVER_CALL_SECONDS.min || timeout > SERVER_CALL_SECONDS.max) {
    problems.timeoutSeconds = `A whole number from ${SERVER_CALL_SECONDS.min} to ${SERVER_CALL_SECONDS.max}.`;
  }
  const shared = {
    enabled: draft.enabled,
    timeout_seconds: timeout,
    trust_read_only: draft.trustReadOnly,
  };
  const server = draft.type === 'http' ? httpOf(draft, problems) : stdioOf(draft, problems);
  if (Object.keys(problems).length > 0) return { ok: false, problems };
  return { ok: true, name, server: { ...server, ...shared } };
}

type Own<Type> = Omit<
  Extract<McpServerRequest, { type: Type }>,
  'enabled' | 'timeout_seconds' | 'trust_read_only'
>;

function httpOf(draft: ServerDraft, problems: ServerProblems): Own<'http'> {
  const url = draft.url.trim();
  if (!/^https?:\/\/./.test(url)) problems.url = 'Enter the full address, starting with http:// or https://.';
  const headers = valuesOf(draft.headers, ':', /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/);
  if (!headers.ok)
    problems.headers = `“${headers.line}” is not a header, such as Authorization: Bearer \${TOKEN}.`;
  const secret = draft.clientSecret.trim();
  const client_id = draft.clientId.trim();
  if (client_id === '' && secret !== '')
    problems.clientId = 'Enter the client ID that the secret belongs to.';
  const client_secret = secret === HIDDEN_VALUE ? null : secret;
  const oauth = { client_id, ...(secret !== '' && { client_secret }) };
  return {
    type: 'http',
    url,
    headers: headers.ok ? headers.values : {},
    ...(client_id !== '' && { oauth }),
  };
}

function stdioOf(draft: ServerDraft, problems: ServerProblems): Own<'stdio'> {
  const command = draft.command.trim();
  if (command === '') problems.command = 'Enter the command that starts the server.';
  const env = valuesOf(draft.env, '=', /^[A-Za-z_][A-Za-z0-9_]*$/);
  if (!env.ok) problems.env = `“${env.line}” is not a variable, such as API_KEY=\${API_KEY}.`;
  const folders = draft.folders
    .map(({ path, access }) => ({ path: path.trim(), access }))
    .filter(({ path }) => path !== '');
  const partial = folders.find(({ path }) => !isWholePath(path));
  if (partial) problems.folders = `“${partial.path}” is not a full path, starting with / or ~/.`;
  const cwd = draft.cwd.trim();
  if (cwd !== '' && !isWholePath(cwd))
    problems.cwd = 'Enter the full path of a folder, starting with / or ~/.';
  return {
    type: 'stdio',
    command,
    args: draft.args.split('\n').filter((line) => line !== ''),
    env: env.ok ? env.values : {},
    ...(cwd === '' ? {} : { cwd }),
    folders,
    workspace: draft.workspace,
    network: draft.network,
  };
}

/** Reads lines of names and values. A hidden value is kept as it is. */
function valuesOf(
  text: string,
  separator: string,
  isName: RegExp,
): { ok: true; values: Record<string, string | null> } | { ok: false; line: string } {
  const values: [string, string | null][] = [];
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const at = line.indexOf(separator);
    const name = line.slice(0, Math.max(0, at)).trim();
    if (!isName.test(name)) return { ok: false, line: name || line.trim().slice(0, 20) };
    const value = line.slice(at + separator.length);
    const trimmed = separator === ':' ? value.trim() : value;
    values.push([name, trimmed.trim() === HIDDEN_VALUE ? null : trimmed]);
  }
  return { ok: true, values: Object.fromEntries(values) };
}
