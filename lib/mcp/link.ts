import type * as Sdk from '@modelcontextprotocol/client';
import type { HttpServer, StdioServer } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import type { Sandbox, ServerFolder } from '../sandbox/sandbox.ts';
import { HttpConnection } from './http-transport.ts';
import type { PendingRequests } from './pending-requests.ts';
import type { ResolvedServer } from './references.ts';
import type { SecretMask } from './secrets.ts';
import type { ConnectionSignIn, Tokens } from './sign-in/connection-sign-in.ts';
import { StdioTransport } from './stdio-transport.ts';

/** The data that a connection needs besides the configuration of its server. */
export interface ConnectionParts {
  sandbox: Sandbox;
  /** The server's own folder, which stays between starts. Canonical. */
  home: string;
  /** The folders of the configuration, checked. */
  folders: readonly ServerFolder[];
  /** The working folder, checked. */
  cwd?: string | undefined;
  /** The run's folder, if the server may see it. */
  root?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  signIns: Tokens;
}

/** A transport, with what Loupe knows about its end. */
export interface Link {
  transport: Sdk.Transport;
  /** The error if it could not be opened, as text after the server's name. */
  failed: string;
  /** A hint for that error. */
  hint: string;
  problem(): string | undefined;
  pending: PendingRequests;
  /** The error, if it means that a person must sign in, or that a token could not be renewed. */
  signInProblem(error: unknown): AppError | undefined;
  stderr(): string;
  /** Resolves when it has ended, or after a time limit. */
  ended(withinMs: number): Promise<void>;
  close(): Promise<void>;
}

export function linkTo(
  name: string,
  { server }: ResolvedServer,
  { parts, sdk, mask }: { parts: ConnectionParts; sdk: typeof Sdk; mask: SecretMask },
): Link {
  if (server.type === 'http') {
    const signIn = hasOwnToken(server)
      ? undefined
      : parts.signIns.forConnection({
          name,
          url: server.url,
          sdk,
          client: server.oauth,
          onSecret: (secret) => mask.add([secret]),
        });
    const connection = new HttpConnection(server, { sdk, mask, signIn });
    return {
      transport: connection.transport,
      failed: 'could not be used',
      hint: 'Check its address and headers on the Tools page, and that it is running.',
      problem: () => connection.problem,
      pending: connection.pending,
      signInProblem: (error) => signInProblem(error, signIn),
      stderr: () => '',
      ended: async () => undefined,
      close: () => connection.close(),
    };
  }
  const transport = new StdioTransport(() => startProgram(server, parts), sdk.deserializeMessage);
  return {
    transport,
    failed: 'did not start',
    hint: 'Check its command, its folders and its network on the Tools page.',
    problem: () => transport.problem,
    pending: transport.pending,
    signInProblem: () => undefined,
    stderr: () => transport.stderr,
    ended: (withinMs) => transport.ended(withinMs),
    close: () => transport.close(),
  };
}

const SIGN_IN_CODES: ReadonlySet<string> = new Set(['mcp_sign_in_needed', 'mcp_sign_in_failed']);

/** Whether a person configured a token, so that there is nothing to sign in for. */
export function hasOwnToken({ headers }: HttpServer): boolean {
  return Object.keys(headers).some((header) => header.toLowerCase() === 'authorization');
}

/** The error, if a token was refused and not replaced. */
function signInProblem(error: unknown, signIn: ConnectionSignIn | undefined): AppError | undefined {
  if (error instanceof AppError && SIGN_IN_CODES.has(error.code)) return error;
  return signIn?.insufficient(error);
}

function startProgram(server: StdioServer, { sandbox, home, folders, cwd }: ConnectionParts) {
  return sandbox.startServer({
    argv: [server.command, ...server.args],
    cwd,
    env: server.env,
    folders,
    network: server.network,
    home,
  });
}
