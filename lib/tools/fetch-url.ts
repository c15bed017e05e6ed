import { FETCH_TOOL } from '../events/added-tools.ts';
import type { FetchHost } from '../events/fetch-hosts.ts';
import { readFetchHost } from '../events/fetch-hosts.ts';
import type { ToolDefinition } from '../parser/types.ts';
import type { JsonObject } from '../util/json.ts';
import { textArgument } from './arguments.ts';
import { FetchError } from './fetch/fetch-error.ts';
import { type Fetched, fetchListed, type Resolve } from './fetch/fetch-listed.ts';
import { FETCH_TIMEOUT_MS } from './fetch/limits.ts';
import { textOf } from './fetch/page-text.ts';
import { fitStart, jsonTextBytes } from './fit-text.ts';
import type { Tool, ToolResult } from './tool.ts';
import { failed, MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from './tool-results.ts';

export interface FetchUrlOptions {
  /** The hosts that the run lists, from `fetch_hosts`. */
  hosts: readonly string[];
  /** Default: `FETCH_TIMEOUT_MS`. */
  timeoutMs?: number;
  /** Finds the addresses of names; default: this machine's resolver. */
  resolve?: Resolve;
}

/**
 * Reads a page or a text from a listed host. A GET request can have effects and sends data in its URL, so its intent is
 * on disk first and it is never repeated.
 */
export function fetchUrl({ hosts, timeoutMs = FETCH_TIMEOUT_MS, resolve }: FetchUrlOptions): Tool {
  const listed: readonly FetchHost[] = hosts.flatMap((host) => readFetchHost(host) ?? []);
  return {
    definition: fetchDefinition(hosts),
    async run(args, { signal }) {
      const late = AbortSignal.timeout(timeoutMs);
      const either = AbortSignal.any([signal, late]);
      try {
        const fetched = await fetchListed(textArgument(args, 'url'), {
          hosts: listed,
          signal: either,
          resolve,
        });
        return fetchResult(fetched, await textOf(fetched, either));
      } catch (error) {
        if (error instanceof FetchError) return failed(FETCH_TOOL, { error: error.message, ...error.detail });
        signal.throwIfAborted();
        if (!late.aborted) throw error;
        return failed(FETCH_TOOL, {
          error: `The page was not read within ${timeoutMs / 1000} s.`,
          timed_out: true,
        });
      }
    },
  };
}

/** The tool's definition for models. It names the hosts, so that models need not guess them. Pure. */
export function fetchDefinition(hosts: readonly string[]): ToolDefinition {
  return {
    type: 'function',
    function: {
      name: FETCH_TOOL,
      description: `Fetch a web page or text file and return its text. Allowed hosts: ${hosts.join(', ') || 'none'}.`,
      parameters: {
        type: 'object',
        properties: { url: { type: 'string', description: 'Full URL, starting with http:// or https://' } },
        required: ['url'],
      },
    },
  };
}

/** The result for the model: the server's answer, with as much of its text as fits. Pure. */
function fetchResult(
  { url, redirects, status, body, isCut }: Fetched,
  { type, title, text, isCut: isTextCut }: { type: string; title?: string; text: string; isCut: boolean },
): ToolResult {
  const about: JsonObject = {
    url,
    status,
    type,
    bytes: body.length,
    ...(redirects > 0 && { redirects }),
    ...(title !== undefined && { title }),
  };
  const room = MAX_RESULT_BYTES - RESULT_OVERHEAD_BYTES - jsonTextBytes(JSON.stringify(about));
  const shown = fitStart(text.toWellFormed(), room);
  const truncated = isCut || isTextCut || shown.length < text.length;
  const output: JsonObject = {
    ...about,
    ...(truncated && { text_chars: text.length, ...(isCut && { body_cut: true }) }),
    text: shown,
  };
  if (status >= 200 && status < 300) return succeeded(FETCH_TOOL, output, { truncated });
  return failed(
    FETCH_TOOL,
    { error: `The server answered with status ${status}.`, ...output },
    { truncated },
  );
}
