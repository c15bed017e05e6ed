import type { HttpServer, McpServer, StdioServer } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import { environmentSecrets } from '../sharing/redaction/environment.ts';
import type { Secret } from './secrets.ts';

/** `${NAME}`, or `${NAME:-default}` for a variable that may be missing. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
/** References of other hosts with another meaning, or misspelled ones. */
const OTHER_REFERENCE = /\$\{[^}]*\}/;

/** A scheme and its `token68` (RFC 9110, section 11.4), also within JSON. */
const CREDENTIALS = /\b(bearer|basic|token|api-?key)\s+([A-Za-z0-9\-._~+/]{6,}=*)/gi;

/** A server with the values of its references, and its secrets. Only in memory, while it starts. */
export interface ResolvedServer<Server extends McpServer = McpServer> {
  server: Server;
  secrets: readonly Secret[];
}

/** Whether a value refers to a variable, so that showing it reveals nothing. */
export function hasReference(value: string): boolean {
  return new RegExp(REFERENCE).test(value);
}

/** The problem with the references in a value; `undefined` if there is none. */
export function referenceProblem(value: string): string | undefined {
  const other = OTHER_REFERENCE.exec(value.replaceAll(REFERENCE, ''));
  return other
    ? `${other[0].slice(0, 60)} is not the name of a variable. Write \${NAME} for a variable of Loupe's environment.`
    : undefined;
}

/** The secret parts of a value: not system paths, numbers or words such as "true". */
function secretsOf(name: string, value: string): Secret[] {
  // With such a name, even shorter values count: a person set them on purpose.
  const found = [value, ...credentialsIn(value)].flatMap((text) =>
    environmentSecrets({ [`${name}_SECRET`]: text }),
  );
  return [...new Set(found)].map((text) => ({ name, value: text }));
}

/** Credentials after an authentication scheme, as in headers: servers repeat them without the scheme. */
function credentialsIn(value: string): string[] {
  return [...value.matchAll(CREDENTIALS)].flatMap(([, scheme = '', credentials = '']) => {
    if (scheme.toLowerCase() !== 'basic') return [credentials];
    const pair = Buffer.from(credentials, 'base64').toString('utf8');
    const password = pair.slice(pair.indexOf(':') + 1);
    return [credentials, pair, password];
  });
}

/**
 * Fills in the variables that a configuration refers to. The values of `env`, `headers` and variables count as secret.
 *
 * @throws {AppError} `mcp_variable_missing`
 */
export function resolveReferences(
  name: string,
  server: McpServer,
  environment: Readonly<Record<string, string | undefined>>,
): ResolvedServer {
  const secrets: Secret[] = [];
  const filled = (value: string) =>
    value.replaceAll(REFERENCE, (_, variable: string, fallback: string | undefined) => {
      const found = environment[variable] ?? fallback;
      if (found === undefined) {
        throw new AppError({
          code: 'mcp_variable_missing',
          message: `The server "${name}" needs the variable ${variable}, which Loupe's environment does not have.`,
          hint: `Start Loupe with it: ${variable}=… npm start`,
        });
      }
      secrets.push(...secretsOf(variable, found));
      return found;
    });
  const hidden = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const result = filled(value);
        secrets.push(...secretsOf(key, result));
        return [key, result];
      }),
    );
  return { server: server.type === 'http' ? http(server) : stdio(server), secrets };

  function stdio(one: StdioServer): StdioServer {
    return {
      ...one,
      command: filled(one.command),
      args: one.args.map(filled),
      env: hidden(one.env),
    };
  }

  function http(one: HttpServer): HttpServer {
    const { oauth, ...rest } = { ...one, url: filled(one.url), headers: hidden(one.headers) };
    if (oauth === undefined) return rest;
    const { client_id, client_secret } = oauth;
    const secret = client_secret === undefined ? {} : hidden({ client_secret });
    return { ...rest, oauth: { client_id: filled(client_id), ...secret } };
  }
}
