import type { McpServer, McpServerRequest } from '../api/mcp.ts';
import { AppError } from '../errors/app-error.ts';
import { jsonHash } from '../util/json-hash.ts';
import { hasReference } from './references.ts';

/** Identifies a configuration by what is shown of it: a hash of hidden values would help to guess them. Pure. */
export function shownHash(server: McpServer): string {
  return jsonHash(shownConfig(server));
}

/** A configuration without hidden values: only references to variables are shown. Pure. */
export function shownConfig(server: McpServer): McpServerRequest {
  if (server.type === 'stdio') return { ...server, env: shownValues(server.env) };
  const { oauth, ...rest } = { ...server, headers: shownValues(server.headers) };
  if (oauth?.client_secret === undefined) return { ...rest, ...(oauth && { oauth }) };
  return { ...rest, oauth: { ...oauth, ...shownValues({ client_secret: oauth.client_secret }) } };
}

function shownValues(values: Readonly<Record<string, string>>): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, hasReference(value) ? value : null]),
  );
}

/**
 * The configuration that a request describes, with the values that it keeps. Pure.
 *
 * @throws {AppError} `invalid_request` for a kept value that does not exist, or that would be sent to another address
 */
export function mergedConfig(request: McpServerRequest, before: McpServer | undefined): McpServer {
  if (request.type === 'stdio') {
    return { ...request, env: keptValues(request.env, before?.type === 'stdio' ? before.env : {}) };
  }
  const isSame = before?.type === 'http' && URL.parse(before.url)?.origin === URL.parse(request.url)?.origin;
  // A token was entered for one host and must not be sent to another.
  const { oauth, ...rest } = {
    ...request,
    headers: keptValues(request.headers, isSame ? before.headers : {}),
  };
  if (oauth === undefined) return rest;
  const { client_secret: secret, client_id } = oauth;
  if (secret === undefined) return { ...rest, oauth: { client_id } };
  const kept = isSame && before.oauth?.client_id === client_id ? before.oauth : {};
  return { ...rest, oauth: { client_id, ...keptValues({ client_secret: secret }, definedValues(kept)) } };
}

function definedValues(values: { client_secret?: string | undefined }): Record<string, string> {
  return values.client_secret === undefined ? {} : { client_secret: values.client_secret };
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
