import { AppError } from '../errors/app-error.ts';
import { isGitStep } from '../sandbox/git-step.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { lookAt } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import type { JsonObject } from '../util/json.ts';
import { optionalInteger, optionalText, textArgument } from './arguments.ts';
import { fitStart } from './fit-text.ts';
import { literalSearch } from './literal-search.ts';
import type { Found, Match, SearchRequest } from './text-search.ts';
import type { Tool, ToolContext } from './tool.ts';
import { failed, MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from './tool-results.ts';

const DEFAULT_MAX_RESULTS = 50;
const MAX_RESULTS = 500;
const TIMEOUT_MS = 10_000;
/** For the start of the sandbox and the end of the search, beyond TIMEOUT_MS. */
const GRACE_MS = 2000;
/** More than the longest paths and lines of MAX_RESULTS matches need in Base64. */
const KEPT_BYTES = 4 * 1024 * 1024;
const MAX_PATTERN_CHARS = 1000;
const MAX_LINE_BYTES = 400;

/**
 * Searches file contents. With ripgrep it runs in the sandbox on a read-only workspace: its regular expressions are
 * linear, and file access is confined. Without ripgrep, the pattern is searched as plain text.
 */
export function searchFiles(sandbox: Sandbox | undefined): Tool {
  return {
    isReadOnly: true,
    isIndependent: true,
    definition: {
      type: 'function',
      function: {
        name: 'search_files',
        description:
          'Search the text of the files in the workspace for a regular expression. Returns matching lines with path and line number. Ignored and binary files are skipped.',
        parameters: {
          type: 'object',
          properties: {
            pattern: { type: 'string', description: 'Regular expression or plain text to look for' },
            path: { type: 'string', description: 'Folder or file to search in (default: ".")' },
            max_results: {
              type: 'integer',
              minimum: 1,
              description: `Most matching lines to return (default ${DEFAULT_MAX_RESULTS}, at most ${MAX_RESULTS})`,
            },
          },
          required: ['pattern'],
        },
      },
    },
    async run(args, context) {
      const pattern = textArgument(args, 'pattern');
      const path = optionalText(args, 'path') ?? '.';
      const maxResults = optionalInteger(args, 'max_results') ?? DEFAULT_MAX_RESULTS;
      if (pattern === '' || pattern.length > MAX_PATTERN_CHARS || /[\0\n]/.test(pattern)) {
        return failed('search_files', {
          error: `The pattern must be one line of 1 to ${MAX_PATTERN_CHARS} characters.`,
        });
      }
      const steps = workspaceSteps(path);
      await mustBeSearchable(context.workspace, steps, path);
      const request: SearchRequest = { pattern, steps, maxResults: Math.min(maxResults, MAX_RESULTS) };
      const found =
        sandbox?.report.available && sandbox.ripgrep !== undefined
          ? await ripgrep(sandbox, sandbox.ripgrep, request, context)
          : await literalSearch(context.workspace, request, context.signal);
      return found === undefined
        ? failed('search_files', { error: 'Stopped by the operator.' })
        : searchResult(pattern, path, found);
    },
  };
}

async function mustBeSearchable(workspace: string, steps: readonly string[], path: string): Promise<void> {
  const refuse = (code: string, message: string, hint?: string) => new AppError({ code, message, hint });
  if (steps.some(isGitStep)) throw refuse('git_protected', 'The .git folder is not searched.');
  const stats = await lookAt(workspace, steps);
  if (!stats)
    throw refuse('not_found', `"${path}" does not exist.`, 'Use list_directory to see what is there.');
  if (stats.isSymbolicLink())
    throw refuse('path_link', `"${path}" is a symbolic link, and links are not followed.`);
  if (!stats.isFile() && !stats.isDirectory()) {
    throw refuse('not_a_regular_file', `"${path}" is a pipe, a socket or a device.`);
  }
}

async function ripgrep(
  sandbox: Sandbox,
  program: string,
  request: SearchRequest,
  context: ToolContext,
): Promise<Found | undefined> {
  const asExpression = await runRipgrep(sandbox, program, request, context, []);
  if (asExpression === undefined || typeof asExpression !== 'string') return asExpression;
  if (
    !/regex parse error|regex could not be compiled|unrecognized|not supported|Compiled regex exceeds/i.test(
      asExpression,
    )
  ) {
    throw new AppError({
      code: 'search_failed',
      message: `The search failed: ${asExpression.slice(0, 500)}`,
    });
  }
  const asText = await runRipgrep(sandbox, program, request, context, ['--fixed-strings']);
  if (typeof asText === 'string') {
    throw new AppError({ code: 'search_failed', message: `The search failed: ${asText.slice(0, 500)}` });
  }
  return (
    asText && {
      ...asText,
      note: 'The pattern is not a valid regular expression; it was searched as plain text.',
    }
  );
}

/** @returns the matches, the error output of ripgrep if it failed, or `undefined` if the operator stopped it */
async function runRipgrep(
  sandbox: Sandbox,
  program: string,
  request: SearchRequest,
  { workspace, signal }: ToolContext,
  flags: readonly string[],
): Promise<Found | string | undefined> {
  const maxRows = request.maxResults + 1;
  const outcome = await sandbox.run({
    workspace,
    readOnly: true,
    timeoutMs: TIMEOUT_MS + GRACE_MS,
    signal,
    limits: { keptBytes: KEPT_BYTES },
    argv: [
      '/bin/sh',
      ...['-c', SCRIPT, 'sh', `${TIMEOUT_MS / 1000}`, `${maxRows}`],
      ...[program, ...RIPGREP_OPTIONS, ...flags],
      ...['-e', request.pattern, '--', `${ROOT}${request.steps.join('/')}`],
    ],
  });
  if (signal.aborted) return undefined;
  const output = Buffer.from(outcome.stdout.text, 'base64').toString('utf8');
  const { status, message } = readStatus(outcome.stderr.text);
  const matches = readMatches(output);
  const isEnough = output.split('\n').length > maxRows;
  const timedOut = outcome.end === 'timeout' || status === STATUS.timedOut;
  const isComplete = outcome.end === 'exited' && status !== undefined && status <= STATUS.trouble;
  if (matches.length === 0 && !isEnough && !timedOut && (!isComplete || message !== '')) {
    return message || `ripgrep did not finish (${outcome.end}, exit status ${status ?? 'unknown'}).`;
  }
  return {
    matches: matches.slice(0, request.maxResults),
    incomplete: isEnough || !isComplete,
    ...(timedOut && { note: `The search was ended after ${TIMEOUT_MS / 1000} s.` }),
  };
}

/**
 * Runs a command for at most `$1` seconds and prints its first `$2` lines in Base64, which carries every file name through
 * the sandbox: its output loses control characters. The exit status is the last line of standard error. macOS has no
 * timeout(1); there the sandbox ends the search.
 */
const SCRIPT =
  'seconds=$1 rows=$2; shift 2; command -v timeout >/dev/null || timeout() { shift; "$@"; }; ' +
  '{ timeout "$seconds" "$@"; echo "$?" >&2; } | head -n "$rows" | base64';

/** Exit statuses: up to `trouble` those of ripgrep (2 is also that of a search with unreadable files), then of timeout(1). */
const STATUS = { trouble: 2, timedOut: 124 } as const;

/** The folder to search. No path contains `//` elsewhere, so it marks where one begins. */
const ROOT = './/';

const RIPGREP_OPTIONS = [
  '--no-config', // a config file could name a program to run on each file
  '--no-follow',
  '--hidden',
  '--glob=!.git',
  '--no-heading',
  '--with-filename',
  '--line-number',
  '--null', // after the path, which may contain colons and line breaks
  '--color=never',
  '--max-columns=1000',
  '--max-columns-preview',
  '--mmap', // otherwise a line of gigabytes would need more memory than the sandbox allows
  '--sort=path', // deterministic order
  '--line-buffered', // matches found before a timeout are kept
  '--no-messages',
];

function readStatus(stderr: string): { status: number | undefined; message: string } {
  const [, message = '', status] = /^(.*?)(\d+)\n?$/s.exec(stderr) ?? [undefined, stderr];
  return { status: status === undefined ? undefined : Number(status), message: message.trim() };
}

/** Parses rows of the form `.//path`, NUL, `line:text`; skips other lines, such as warnings about binary files. */
function readMatches(output: string): Match[] {
  return [...output.matchAll(/([^\0]*)\0(\d+):([^\n]*)\n/g)].flatMap(([, before = '', line, text = '']) => {
    const start = before.lastIndexOf(ROOT);
    if (start === -1) return [];
    return [{ path: before.slice(start + ROOT.length), line: Number(line), text: text.trim() }];
  });
}

function searchResult(pattern: string, path: string, found: Found) {
  const matches: JsonObject[] = [];
  let bytes = RESULT_OVERHEAD_BYTES + 2 * Buffer.byteLength(pattern);
  let cut = false;
  let isLineCut = false;
  for (const match of found.matches) {
    const text = fitStart(match.text, MAX_LINE_BYTES);
    const isThisCut = text.length < match.text.length;
    const shown: JsonObject = { ...match, text: isThisCut ? `${text} […]` : text };
    bytes += Buffer.byteLength(JSON.stringify(shown)) + 1;
    if (bytes > MAX_RESULT_BYTES) {
      cut = true;
      break;
    }
    matches.push(shown);
    isLineCut ||= isThisCut;
  }
  const isMissing = found.incomplete || cut;
  const truncated = isMissing || isLineCut || found.isPartial === true;
  const notes = [
    found.note,
    isMissing ? `Only the first ${matches.length} matches are shown.` : undefined,
    isLineCut ? 'Long lines are cut.' : undefined,
  ];
  const note = notes.filter((part) => part !== undefined).join(' ');
  return succeeded(
    'search_files',
    { pattern, path, count: matches.length, ...(note !== '' && { note }), matches },
    { truncated },
  );
}
