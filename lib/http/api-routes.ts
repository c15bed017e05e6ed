import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AppError } from '../errors/app-error.ts';
import { errorResponse, noSuchEndpoint } from './handle.ts';
import type { PageHandler } from './http-server.ts';
import { sendResponse } from './send-response.ts';
import { webRequest } from './web-request.ts';

type RouteHandler = (
  request: Request,
  context: { params: Promise<Record<string, string>> },
) => Promise<Response>;

interface Folder {
  /** Its route file, if it has one. */
  file: string | undefined;
  folders: Map<string, Folder>;
  /** The folder for any name, such as `[runId]`. */
  param: { name: string; folder: Folder } | undefined;
}

/** A source file, or its counterpart in the server's bundle (docs/decisions/0042). */
const ROUTE_FILES = ['route.ts', 'route.js'];
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** A path below `/api` without empty names or backslashes, in which every percent escape is complete. */
const PATH = /^\/api((?:\/(?:[\w.~!$&'()*+,;=:@-]|%[\dA-Fa-f]{2})+)+)(?:\?|$)/;

/**
 * Calls the route handlers of `app/api` without Next, which takes several milliseconds per request to reach them
 * (docs/decisions/0040) and refuses requests without a body. Handles paths with exactly one route file, and every method
 * that Next does not know. Everything else is left to Next, which answers OPTIONS.
 */
export class ApiRoutes {
  readonly #root: Folder;
  readonly #modules = new Map<string, Promise<Record<string, unknown>>>();

  /** @param folder the `app/api` folder, or its counterpart in the bundle */
  constructor(folder: string) {
    this.#root = readFolder(folder);
  }

  /** Preloads the modules of the given paths, so that the first request need not wait. */
  async load(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const found = this.#find(path);
      if (!found) throw new RangeError(`No route file for ${path}`);
      await this.#module(found.file);
    }
  }

  /** Answers requests for the API; all others are passed to `next`. */
  before(next: PageHandler): PageHandler {
    return async (incoming, response) => {
      const { method: asked = '', url = '' } = incoming;
      const method = asked === 'HEAD' ? 'GET' : asked;
      const found = method === 'OPTIONS' ? undefined : this.#find(url);
      if (!found) {
        const isKnown = method === 'OPTIONS' || METHODS.includes(method);
        if (isKnown || !url.startsWith('/api/')) return next(incoming, response);
        return sendResponse(response, errorResponse(noSuchEndpoint(method, url.replace(/\?.*/, ''))));
      }
      const handlers = await this.#module(found.file);
      const handler = handlers[method];
      if (!isHandler(handler)) return sendResponse(response, methodNotAllowed(handlers));
      const params = Promise.resolve(found.params);
      await sendResponse(response, await handler(webRequest(incoming, response), { params }));
    };
  }

  #find(url: string): { file: string; params: Record<string, string> } | undefined {
    const path = PATH.exec(url)?.[1];
    if (path === undefined) return undefined;
    let folder: Folder | undefined = this.#root;
    const params: Record<string, string> = {};
    for (const name of path.slice(1).split('/')) {
      const value = decoded(name);
      if (value === undefined || value === '.' || value === '..') return undefined;
      const own: Folder | undefined = folder.folders.get(name);
      if (!own && folder.param) params[folder.param.name] = value;
      folder = own ?? folder.param?.folder;
      if (!folder) return undefined;
    }
    return folder.file === undefined ? undefined : { file: folder.file, params };
  }

  #module(file: string): Promise<Record<string, unknown>> {
    const loading = this.#modules.get(file) ?? import(/* webpackIgnore: true */ pathToFileURL(file).href);
    this.#modules.set(file, loading);
    return loading;
  }
}

/** @returns `undefined` for escapes that are not UTF-8 */
function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function readFolder(path: string): Folder {
  const file = ROUTE_FILES.map((name) => join(path, name)).find((candidate) => existsSync(candidate));
  const folder: Folder = { file, folders: new Map(), param: undefined };
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name.startsWith('[...')) continue;
    const inner = readFolder(join(path, entry.name));
    const name = /^\[(\w+)\]$/.exec(entry.name)?.[1];
    if (name === undefined) folder.folders.set(entry.name, inner);
    else folder.param = { name, folder: inner };
  }
  return folder;
}

function methodNotAllowed(handlers: Record<string, unknown>): Response {
  const handled = METHODS.filter((method) => isHandler(handlers[method]));
  const reply = errorResponse(
    new AppError({ code: 'method_not_allowed', message: `This path only accepts ${handled.join(', ')}.` }),
  );
  // The same list as in Next's answer to OPTIONS.
  const allowed = [...handled, 'OPTIONS', ...(handled.includes('GET') ? ['HEAD'] : [])];
  reply.headers.set('allow', allowed.toSorted().join(', '));
  return reply;
}

function isHandler(value: unknown): value is RouteHandler {
  return typeof value === 'function';
}
