import { z } from 'zod';
import { MAX_PATH_CHARS, MAX_SERVER_CONFIG_CHARS, SERVER_CALL_SECONDS } from '../events/limits.ts';
import { CUSTOM_GROUP, MAX_SERVER_NAME_CHARS, SERVER_NAME } from '../events/mcp-names.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import type { ErrorReply } from './error-reply.ts';

/** Servers of one data directory. */
export const MAX_MCP_SERVERS = 50;

const text = z
  .string()
  .max(10_000)
  .refine((value) => !value.includes('\0'), 'It contains a NUL character.');
const variableName = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]{0,199}$/, 'This is not the name of a variable.');
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,200}$/, 'This is not the name of a header.');
/** A value that may refer to variables of Loupe's environment: `Bearer ${NAME}`. */
const hiddenValue = text;

export const mcpServerName = z
  .string()
  .max(MAX_SERVER_NAME_CHARS)
  .regex(SERVER_NAME, 'Use lowercase letters, digits and single underscores, such as "my_server".')
  .refine(
    (name) => name !== CUSTOM_GROUP,
    `"${CUSTOM_GROUP}" is the name of the custom tools. Choose another.`,
  );

/** A server's access to a folder. */
const folderAccess = z.enum(['read', 'write']);
export type FolderAccess = z.infer<typeof folderAccess>;

const common = {
  /** A disabled server is not started, and its tools are not offered. */
  enabled: z.boolean().default(true),
  /** Time limit of a call. */
  timeout_seconds: z
    .int()
    .min(SERVER_CALL_SECONDS.min)
    .max(SERVER_CALL_SECONDS.max)
    .default(SERVER_CALL_SECONDS.default),
  /** Trusts the server's claim about which of its tools only read, so that their calls need no approval. */
  trust_read_only: z.boolean().default(false),
};

/** A server that Loupe starts as a program, and confines. */
const stdioServer = z.strictObject({
  type: z.literal('stdio').default('stdio'),
  command: text.trim().min(1, 'Enter the command that starts the server.'),
  args: z.array(text).max(100).default([]),
  env: z.record(variableName, hiddenValue).default({}),
  /** Working folder; it must be in one of the folders. Default: the server's own folder. */
  cwd: z.string().min(1).max(MAX_PATH_CHARS).optional(),
  /** The folders it sees, at the same paths. */
  folders: z
    .array(z.strictObject({ path: z.string().min(1).max(MAX_PATH_CHARS), access: folderAccess }))
    .max(20)
    .default([]),
  /** Its access to the folder of its run. */
  workspace: z.enum(['none', 'read', 'write']).default('none'),
  /** Whether it has the network, with all ports of this machine. */
  network: z.boolean().default(false),
  ...common,
});

const oauthClient = z.strictObject({
  client_id: text.trim().min(1, 'Enter the client ID.').max(1000),
  client_secret: hiddenValue.min(1).optional(),
});

/** A server at an address (streamable HTTP). */
const httpServer = z.strictObject({
  type: z.literal('http'),
  url: z
    .string()
    .max(4000)
    .refine(
      (url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ''),
      'Enter an address with http:// or https://.',
    )
    .refine(
      (url) => (URL.parse(url)?.username ?? '') === '',
      'The address must not contain a user name or password. Use a header instead.',
    ),
  headers: z.record(headerName, hiddenValue).default({}),
  /** The client that a person registered for sign-ins, where the server's authorization server registers none itself. */
  oauth: oauthClient.optional(),
  ...common,
});

/** The configuration of a server. */
export const mcpServer = z.discriminatedUnion('type', [stdioServer, httpServer]);
export type McpServer = z.output<typeof mcpServer>;
export type StdioServer = z.output<typeof stdioServer>;
export type HttpServer = z.output<typeof httpServer>;

const NULLABLE_VALUES = {
  env: z.record(variableName, hiddenValue.nullable()).default({}),
  headers: z.record(headerName, hiddenValue.nullable()).default({}),
};

/**
 * The configuration of a server in a request. `null` keeps a value, because replies hide values without a reference.
 */
export const mcpServerRequest = z.discriminatedUnion('type', [
  stdioServer.extend({ env: NULLABLE_VALUES.env, type: z.literal('stdio') }),
  httpServer.extend({
    headers: NULLABLE_VALUES.headers,
    oauth: oauthClient.extend({ client_secret: hiddenValue.min(1).nullable().optional() }).optional(),
  }),
]);
export type McpServerRequest = z.output<typeof mcpServerRequest>;

/** Body of `POST /api/mcp/servers`. */
export const addMcpServerRequest = z.strictObject({ name: mcpServerName, server: mcpServerRequest });

/**
 * Body of `POST /api/mcp/servers/{name}`: replaces the configuration, or enables or disables the server with the one that
 * it has. `base` is the hash of the configuration that was edited.
 */
export const updateMcpServerRequest = z
  .strictObject({
    server: mcpServerRequest.optional(),
    base: z.string().max(100).optional(),
    enabled: z.boolean().optional(),
  })
  .refine(({ server, enabled }) => (server === undefined) !== (enabled === undefined), {
    message: 'Send either server or enabled.',
  });

/** Body of `POST /api/mcp/read`: text with the configuration of other hosts. */
export const readMcpConfigRequest = z.strictObject({ text: z.string().max(MAX_SERVER_CONFIG_CHARS) });

/** Body of `POST /api/mcp/servers/{name}/accept`: the tools that runs may use, as they are now. */
export const acceptMcpToolsRequest = z.strictObject({
  tools: z.array(z.strictObject({ name: z.string().max(200), hash: z.string().max(100) })).max(500),
});

/**
 * Body of `POST /api/mcp/sign-in`: what the browser came back with from a sign-in (RFC 6749, section 4.1.2; RFC 9207).
 */
export const finishMcpSignInRequest = z.object({
  state: z.string().min(1).max(200),
  code: z.string().min(1).max(4000).optional(),
  iss: z.string().max(4000).optional(),
  error: z.string().max(4000).optional(),
  error_description: z.string().max(4000).optional(),
});
export type FinishMcpSignInRequest = z.output<typeof finishMcpSignInRequest>;

/** `POST /api/mcp/servers/{name}/sign-in` */
export interface McpSignInReply {
  /** Where to sign in; for a person to open. */
  address: string;
  /** The host of the token endpoint, if it differs from that of the address. */
  token_host?: string;
}

/** `POST /api/mcp/sign-in` */
export interface McpSignedInReply {
  /** The name of the server. */
  server: string;
}

/** Body of `POST /api/mcp/servers/{name}/call`. */
export const callMcpToolRequest = z.strictObject({
  tool: z.string().max(200),
  arguments: z.record(z.string(), z.json()).default({}),
});

/** A server's description of a tool. All of it is untrusted. */
export interface McpAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/**
 * `accepted`: runs can use it. `new`: nobody has accepted it. `changed`: it is not what was accepted. `missing`: accepted,
 * but the server no longer has it. `unusable`: Loupe cannot use it, and `problem` says why.
 */
export type McpToolStatus = 'accepted' | 'new' | 'changed' | 'missing' | 'unusable';

/** A tool of a server as the dashboard shows it. */
export interface McpToolReply {
  /** The server's name for it. */
  name: string;
  /** The name for models: `server__tool`. */
  offered: string;
  status: McpToolStatus;
  title?: string;
  /** Cleaned of invisible characters and shortened: what models get. */
  description: string;
  /** How many characters of the description were left out. */
  left_out_chars?: number;
  /** How many invisible characters were removed. */
  hidden_chars?: number;
  input_schema: JsonObject;
  output_schema?: JsonObject;
  annotations: McpAnnotations;
  /** Identifies what was described. */
  hash: string;
  /** Why it is unusable. */
  problem?: string;
  /** It was accepted, and is missing or unusable by now: runs with it are refused. */
  was_accepted?: true;
  /** The tokens that its definition adds to every request. */
  estimated_tokens: number;
  /** Whether its calls run without approval by default. */
  unasked: boolean;
  /** For a changed tool: the accepted version. */
  accepted?: { description: string; input_schema: JsonObject; annotations: McpAnnotations };
}

/** `disabled` and `off` servers have no process or connection. */
export type McpState = 'disabled' | 'off' | 'starting' | 'ready' | 'failed';

/** A server with its state. */
export interface McpServerReply {
  name: string;
  server: McpServerRequest;
  /** Identifies the configuration as it is shown, without hidden values. */
  hash: string;
  state: McpState;
  /** Whether it wants a person to sign in before it can be used, or one has. */
  sign_in?: 'needed' | 'signed_in';
  /** Why it failed, and the end of what it wrote to stderr. */
  failure?: { message: string; hint?: string; stderr?: string };
  /** Its description of itself. */
  info?: { name: string; version: string; protocol: string; instructions?: string };
  tools: McpToolReply[];
  /** The runs that use it now, each with its own process or session. */
  runs: number;
  /** Its access, in sentences. */
  reach: string[];
}

/** `GET /api/mcp/servers` */
export interface McpServersReply {
  servers: McpServerReply[];
  /** Whether servers can be started as programs, and if not, why. */
  programs: { available: boolean; confined: boolean; reason?: string; hint?: string };
  /** The location of the configuration. */
  path: string;
  /** What is wrong with servers in that file that cannot be read. */
  problems: ErrorReply['error'][];
}

/** A server that was read from the configuration of another host. */
export interface ReadMcpServer {
  name: string;
  /** Its name there, if it had to be changed. */
  renamed_from?: string;
  server: McpServerRequest;
  /** Fields that Loupe does not use. */
  ignored: string[];
}

/** `POST /api/mcp/read` */
export interface ReadMcpConfigReply {
  servers: ReadMcpServer[];
  problems: string[];
}

/** `POST /api/mcp/servers/{name}/call` */
export interface CallMcpToolReply {
  result: { success: boolean; output: JsonValue; truncated?: true; note?: string };
  duration_ms: number;
}
