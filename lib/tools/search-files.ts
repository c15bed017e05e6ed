import { AppError } from '../errors/app-error.ts';
import { type FileCalls, readFd } from '../sandbox/file-calls.ts';
import { isGitStep } from '../sandbox/git-step.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { lookAt, readFrom } from '../sandbox/workspace-files.ts';
import { workspaceSteps } from '../sandbox/workspace-path.ts';
import type { JsonObject } from '../util/json.ts';
import { optionalInteger, optionalText, textArgument } from './arguments.ts';
import { lineExcerpt } from './line-excerpt.ts';
import { literalSearch } from './literal-search.ts';
import type { Found, Match, SearchRequest } from './text-search.ts';
import type { Tool, ToolContext } from './tool.ts';
import { failed, MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from './tool-results.ts';

const DEFAULT_MAX_RESULTS = 50;
const MAX_RESULTS = 500;
const TIMEOUT_MS = 10_000;
/** Time beyond TIMEOUT_MS for starting the sandbox and ending the search. */
const GRACE_MS = 2000;
/** Time limit for finding the positions of matches in long lines. */
const PLACES_TIMEOUT_MS = 2000;
/** More than the longest paths and lines of MAX_RESULTS matches need in Base64. */
const KEPT_BYTES = 4 * 1024 * 1024;
const MAX_PATTERN_CHARS = 1000;
/** The longest line that ripgrep prints in full. */
const MAX_COLUMNS = 1000;
/** How many bytes of a longer line are read, before its match and in total. */
const PART_BYTES = { before: 200, all: 1200 };

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
          'Search the files in the workspace for a regular expression. Returns matching lines with path and line number. Ignored and binary files are skipped.',
        parameters: {
          type: 'object',
          properties: {
            pattern: { type: 'string', description: 'Regular expression or plain text to look for' },
            path: { type: 'string', description: 'Folder or file to search in (default: ".")' },
            max_results: {
              type: 'integer',
              minimum: 1,
              description: `Maximum number of matching lines to return (default ${DEFAULT_MAX_RESULTS}, at most ${MAX_RESULTS})`,
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
      note: 'The pattern is not a valid regular expression, so it was searched for as plain text.',
    }
  );
}

/** @returns the matches, the error output of ripgrep if it failed, or `undefined` if the operator stopped it */
async function runRipgrep(
  sandbox: Sandbox,
  program: string,
  request: SearchRequest,
  context: ToolContext,
  flags: readonly string[],
): Promise<Found | string | undefined> {
  const search = (more: readonly string[], timeoutMs: number) =>
    listRows({ sandbox, program, request, context, flags: [...flags, ...more], timeoutMs });
  const { rows, isEnough, end, status, message } = await search([], TIMEOUT_MS);
  const timedOut = end === 'timeout' || status === STATUS.timedOut;
  const isComplete = end === 'exited' && status !== undefined && status <= STATUS.trouble;
  if (context.signal.aborted) return undefined;
  if (rows.length === 0 && !isEnough && !timedOut && (!isComplete || message !== '')) {
    return message || `ripgrep did not finish (${end}, exit status ${status ?? 'unknown'}).`;
  }
  const found = rows.slice(0, request.maxResults);
  // Finding columns can take far longer than finding lines, so a separate search does it.
  const isLong = ({ text }: Row) => lineExcerpt({ text, at: 0 }).isCut;
  const places = found.some(isLong) ? (await search(PLACES, PLACES_TIMEOUT_MS)).rows : [];
  const matches: Match[] = [];
  for (const row of found) {
    const { path, line, text } = row;
    const place = isLong(row) ? places.find((each) => each.path === path && each.line === line) : undefined;
    matches.push((place && (await matchAt(context.workspace, place))) ?? { path, line, text, at: 0 });
  }
  if (context.signal.aborted) return undefined;
  return {
    matches,
    incomplete: isEnough || !isComplete,
    ...(timedOut && { note: `The search was stopped after ${TIMEOUT_MS / 1000} s.` }),
  };
}

/** Runs ripgrep for one line more than requested. */
async function listRows({
  sandbox,
  program,
  request,
  context,
  flags,
  timeoutMs,
}: {
  sandbox: Sandbox;
  program: string;
  request: SearchRequest;
  context: ToolContext;
  flags: readonly string[];
  timeoutMs: number;
}) {
  const maxRows = request.maxResults + 1;
  const outcome = await sandbox.run({
    workspace: context.workspace,
    readOnly: true,
    timeoutMs: timeoutMs + GRACE_MS,
    signal: context.signal,
    limits: { keptBytes: KEPT_BYTES },
    argv: [
      '/bin/sh',
      ...['-c', SCRIPT, 'sh', `${timeoutMs / 1000}`, `${maxRows}`],
      ...[program, ...RIPGREP_OPTIONS, ...flags],
      ...['-e', request.pattern, '--', `${ROOT}${request.steps.join('/')}`],
    ],
  });
  const output = Buffer.from(outcome.stdout.text, 'base64').toString('utf8');
  const { status, message } = readStatus(outcome.stderr.text);
  const isEnough = output.split('\n').length > maxRows;
  return { rows: readRows(output), isEnough, end: outcome.end, status, message };
}

/**
 * Runs a command for at most `$1` seconds and prints its first `$2` lines in Base64, which preserves every file name:
 * output of the sandbox loses control characters. The exit status is the last line of standard error. macOS has no
 * timeout(1); there the sandbox ends the search.
 */
const SCRIPT =
  'seconds=$1 rows=$2; shift 2; command -v timeout >/dev/null || timeout() { shift; "$@"; }; ' +
  '{ timeout "$seconds" "$@"; echo "$?" >&2; } | head -n "$rows" | base64';

/** Exit statuses: ripgrep's up to `trouble` (2 also means that some files were unreadable), then that of timeout(1). */
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
  `--max-columns=${MAX_COLUMNS}`,
  '--max-columns-preview',
  '--mmap', // otherwise a line of several gigabytes would need more memory than the sandbox allows
  '--sort=path', // deterministic order
  '--line-buffered', // matches found before a timeout are kept
  '--no-messages',
];

function readStatus(stderr: string): { status: number | undefined; message: string } {
  const [, message = '', status] = /^(.*?)(\d+)\n?$/s.exec(stderr) ?? [undefined, stderr];
  return { status: status === undefined ? undefined : Number(status), message: message.trim() };
}

/** Print the text as `column:offset:text`: the byte offsets of the match in the line, and of the line in the file. */
const PLACES = ['--column', '--byte-offset'];

/** A line that ripgrep printed, shortened if it is long. */
type Row = Pick<Match, 'path' | 'line' | 'text'>;

/** Parses rows of the form `.//path`, NUL, `line:text`; skips other lines, such as warnings about binary files. */
function readRows(output: string): Row[] {
  return [...output.matchAll(/([^\0]*)\0(\d+):([^\n]*)\n/g)].flatMap(([, before = '', line, text = '']) => {
    const start = before.lastIndexOf(ROOT);
    if (start === -1) return [];
    return [{ path: before.slice(start + ROOT.length), line: Number(line), text }];
  });
}

/**
 * A match in a long line. Reads the part around it from the file if ripgrep did not print it; `undefined` if that
 * fails.
 */
async function matchAt(workspace: string, { path, line, text: printed }: Row): Promise<Match | undefined> {
  const [, column, offset, text = ''] = /^(\d+):(\d+):(.*)$/s.exec(printed) ?? [];
  const matchBytes = Number(column) - 1;
  if (matchBytes <= MAX_COLUMNS - PART_BYTES.before) {
    const at = Buffer.from(text).subarray(0, matchBytes).toString('utf8').length;
    return { path, line, text, at };
  }
  const from = Number(offset) + matchBytes - PART_BYTES.before;
  const part = await readPart(workspace, path, from).catch((error: unknown) => {
    if (error instanceof AppError) return undefined; // the file has changed since
    throw error;
  });
  // For UTF-16, offsets refer to ripgrep's transcoded text.
  if (part === undefined || part.includes(0)) return undefined;
  const before = withoutPartialStart(part.subarray(0, PART_BYTES.before)).toString('utf8');
  const after = part.subarray(PART_BYTES.before);
  const end = after.indexOf(10);
  const rest = after.subarray(0, end === -1 ? undefined : end).toString('utf8');
  return { path, line, text: before + rest, at: before.length, isCutBefore: true };
}

function readPart(workspace: string, path: string, from: number): Promise<Buffer> {
  return readFrom(workspace, workspaceSteps(path), function* ({ fd }): FileCalls<Buffer> {
    const part = Buffer.alloc(PART_BYTES.all);
    return part.subarray(0, yield* readFd(fd, part, from));
  });
}

/** Removes the rest of a character that begins before the excerpt. */
function withoutPartialStart(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80);
  return start > 0 && start < 4 ? bytes.subarray(start) : bytes;
}

function searchResult(pattern: string, path: string, found: Found) {
  const matches: JsonObject[] = [];
  let bytes = RESULT_OVERHEAD_BYTES + 2 * Buffer.byteLength(pattern);
  let cut = false;
  let isLineCut = false;
  for (const match of found.matches) {
    const { text, isCut } = lineExcerpt(match);
    const shown: JsonObject = { path: match.path, line: match.line, text };
    bytes += Buffer.byteLength(JSON.stringify(shown)) + 1;
    if (bytes > MAX_RESULT_BYTES) {
      cut = true;
      break;
    }
    matches.push(shown);
    isLineCut ||= isCut;
  }
  const isMissing = found.incomplete || cut;
  const truncated = isMissing || isLineCut || found.isPartial === true;
  const notes = [
    found.note,
    isMissing ? missingNote(matches.length) : undefined,
    isLineCut ? 'Long lines are cut.' : undefined,
  ];
  const note = notes.filter((part) => part !== undefined).join(' ');
  return succeeded(
    'search_files',
    { pattern, path, count: matches.length, ...(note !== '' && { note }), matches },
    { truncated },
  );
}

/** For a search that ended early or found more than is shown. */
function missingNote(shown: number): string {
  return shown === 0 ? 'Not everything was searched.' : `Only the first ${shown} matches are shown.`;
}
