import { setImmediate } from 'node:timers/promises';
import { AppError } from '../errors/app-error.ts';
import { isGitStep } from '../sandbox/git-step.ts';
import { listFolder, readWhole } from '../sandbox/workspace-files.ts';
import type { Found, Match, SearchRequest } from './text-search.ts';

const TIME_LIMIT_MS = 10_000;
/** Files are read on the event loop: after this long, it is other work's turn. */
const MAX_TURN_MS = 10;
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_ENTRIES_PER_FOLDER = 5000;
const MAX_DEPTH = 30;
/** Folders with dependencies or build output, which ripgrep skips through ignore files. */
const SKIPPED = new Set(['node_modules', '.next', 'dist', 'build', 'target', '__pycache__', '.venv']);

const NOTE = 'ripgrep is not available here: the pattern was searched as plain text, without regard to case.';

/**
 * Plain-text search for systems without ripgrep. A model's pattern is never used as a JavaScript regular expression,
 * because one could block the whole server.
 *
 * @returns `undefined` when the signal aborted the search
 */
export async function literalSearch(
  workspace: string,
  { pattern, steps, maxResults }: SearchRequest,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const wanted = pattern.toLowerCase();
  const deadline = performance.now() + TIME_LIMIT_MS;
  const matches: Match[] = [];
  let late = false;
  let turnEnd = performance.now() + MAX_TURN_MS;
  const open = [steps];
  for (let current = open.pop(); current !== undefined; current = open.pop()) {
    if (performance.now() > turnEnd) {
      await setImmediate();
      turnEnd = performance.now() + MAX_TURN_MS;
    }
    if (signal.aborted) return undefined;
    late = performance.now() > deadline;
    if (late || matches.length > maxResults) break;
    const folder = await listIfFolder(workspace, current);
    if (folder === undefined) await searchFile(workspace, current, wanted, matches);
    else if (current.length < MAX_DEPTH) open.push(...folder);
  }
  return {
    matches: matches.slice(0, maxResults),
    incomplete: late || matches.length > maxResults,
    note: NOTE,
  };
}

/** The paths in a folder in reverse order, so that a stack yields them in order; `undefined` for a file. */
async function listIfFolder(workspace: string, steps: readonly string[]): Promise<string[][] | undefined> {
  try {
    const { entries } = await listFolder(workspace, steps, MAX_ENTRIES_PER_FOLDER);
    return entries
      .filter(
        ({ name, type }) =>
          (type === 'file' || type === 'directory') && !isGitStep(name) && !SKIPPED.has(name),
      )
      .map(({ name }) => [...steps, name])
      .reverse();
  } catch (error) {
    if (error instanceof AppError) return error.code === 'not_a_folder' ? undefined : [];
    throw error;
  }
}

async function searchFile(workspace: string, steps: readonly string[], wanted: string, matches: Match[]) {
  const text = await readText(workspace, steps);
  if (text === undefined) return;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.toLowerCase().includes(wanted)) {
      matches.push({ path: steps.join('/'), line: index + 1, text: line.trim() });
    }
  }
}

/** The text of a file; `undefined` if it is too large, binary or unreadable, which ripgrep skips too. */
async function readText(workspace: string, steps: readonly string[]): Promise<string | undefined> {
  try {
    const { data } = await readWhole(workspace, steps, MAX_FILE_BYTES);
    return data?.subarray(0, 8192).includes(0) ? undefined : data?.toString('utf8');
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
}
