import type { McpServer, McpServerRequest } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import { hasReference } from './references.ts';

/** A configuration without its hidden values: only those that refer to variables are shown. Pure. */
export function shownConfig(server: McpServer): McpServerRequest {
  return server.type === 'http'
    ? { ...server, headers: shownValues(server.headers) }
    : { ...server, env: shownValues(server.env) };
}

function shownValues(values: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, hasReference(value) ? value : null]),
  );
}

/**
 * The configuration that a request describes, with the values that it keeps. Pure.
 *
 * @throws {AppError} `invalid_request` for a kept value that there is not, or one that would go to another address
 */
export function mergedConfig(request: McpServerRequest, before: McpServer | undefined): McpServer {
  if (request.type === 'stdio') {
    return { ...request, env: keptValues(request.env, before?.type === 'stdio' ? before.env : {}) };
  }
  const isSame = before?.type === 'http' && URL.parse(before.url)?.origin === URL.parse(request.url)?.origin;
  // A token was entered for one host: it does not go to another.
  return { ...request, headers: keptValues(request.headers, isSame ? before.headers : {}) };
}

function keptValues(
  values: Readonly<Record<string, string | null>>,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const kept = value ?? (Object.hasOwn(before, name) ? before[name] : undefined);
      if (kept !== undefined) return [name, kept];
      throw new AppError({ code: 'invalid_request', message: `${name}: Enter a value.` });
    }),
  );
}
