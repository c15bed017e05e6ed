import { StringDecoder } from 'node:string_decoder';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../errors/app-error.ts';
import { type FileCalls, readFd } from '../sandbox/file-calls.ts';
import type { FoundFile } from '../sandbox/folder-walk.ts';
import { isGitStep } from '../sandbox/git-step.ts';
import { chunkBytes, isEnd, listFolder, readFrom } from '../sandbox/workspace-files.ts';
import type { Found, Match, SearchRequest } from './text-search.ts';

const TIME_LIMIT_MS = 10_000;
/** Files are read on the event loop, which is yielded to other work after this long. */
const MAX_TURN_MS = 10;
const MAX_ENTRIES_PER_FOLDER = 5000;
const MAX_DEPTH = 30;
/** How much of a matching line is kept; a line may be as long as its file. */
const MAX_LINE_CHARS = 1000;
/** How much of a long line is kept before its match. */
const BEFORE_CHARS = 200;
/** Folders with dependencies or build output, which ripgrep skips through ignore files. */
const SKIPPED = new Set(['node_modules', '.next', 'dist', 'build', 'target', '__pycache__', '.venv']);

const PARTIAL = `Not everything was searched: folders with more than ${MAX_ENTRIES_PER_FOLDER} entries only in part, and nothing deeper than ${MAX_DEPTH} folders. Search in a folder further inside, or for a file by its path.`;
const NOT_UTF8 = 'Files and folders whose names are not UTF-8 were not searched.';
const NOTE = 'ripgrep is not available here: the pattern was searched for as plain text, ignoring case.';

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
  const deadline = performance.now() + TIME_LIMIT_MS;
  let timedOut = false;
  let isPartial = false;
  let hasUnnamable = false;
  const search: Search = {
    wanted: pattern.toLowerCase(),
    matches: [],
    isOver: () => {
      timedOut ||= performance.now() > deadline;
      return signal.aborted || search.matches.length > maxResults || timedOut;
    },
  };
  let turnEnd = performance.now() + MAX_TURN_MS;
  const open = [steps];
  while (open.length > 0 && !search.isOver()) {
    if (performance.now() > turnEnd) {
      await setImmediate();
      turnEnd = performance.now() + MAX_TURN_MS;
    }
    const current = open.pop() ?? [];
    const folder = await listIfFolder(workspace, current);
    if (folder === undefined) await searchFile(workspace, current, search);
    else if (folder.isUnnamable) hasUnnamable = true;
    else if (current.length - steps.length < MAX_DEPTH) {
      open.push(...folder.paths);
      isPartial ||= !folder.complete;
    } else isPartial ||= folder.paths.length > 0;
  }
  if (signal.aborted) return undefined;
  const more = search.matches.length > maxResults;
  const notes = [
    NOTE,
    ...(timedOut && !more ? [`The search was stopped after ${TIME_LIMIT_MS / 1000} s.`] : []),
    ...(isPartial ? [PARTIAL] : []),
    ...(hasUnnamable ? [NOT_UTF8] : []),
  ];
  return {
    matches: search.matches.slice(0, maxResults),
    incomplete: more || timedOut,
    isPartial: isPartial || hasUnnamable,
    note: notes.join(' '),
  };
}

interface Search {
  readonly wanted: string;
  readonly matches: Match[];
  /** Whether enough matches were found, the time is up or the search was stopped. */
  isOver(): boolean;
}

interface ListedFolder {
  /** The paths in it in reverse order, so that a stack yields them in order. */
  paths: string[][];
  complete: boolean;
  /** It, or a file, has a name that is not UTF-8, so that no path in text leads to it. */
  isUnnamable?: boolean;
}

/** Lists a folder; `undefined` for a file. */
async function listIfFolder(workspace: string, steps: readonly string[]): Promise<ListedFolder | undefined> {
  try {
    const { entries, complete } = await listFolder(workspace, steps, MAX_ENTRIES_PER_FOLDER);
    const paths = entries
      .filter(
        ({ name, type }) =>
          (type === 'file' || type === 'directory') && !isGitStep(name) && !SKIPPED.has(name),
      )
      .map(({ name }) => [...steps, name])
      .reverse();
    return { paths, complete };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    if (error.code === 'not_a_folder') return undefined;
    const isUnnamable = error.code === 'not_found' && steps.at(-1)?.includes('\uFFFD') === true;
    return { paths: [], complete: true, isUnnamable };
  }
}

/** Skips unreadable files, as ripgrep does. */
async function searchFile(workspace: string, steps: readonly string[], search: Search): Promise<void> {
  try {
    await readFrom(workspace, steps, (file) => searchChunks(file, steps.join('/'), search));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

/** Reads in chunks and keeps only the end of an unfinished line, so that memory use is bounded for any file size. */
function* searchChunks({ fd, stats }: FoundFile, path: string, search: Search): FileCalls<void> {
  const decoder = new StringDecoder('utf8');
  const lines = new LineSearch(path, search);
  for (let position = 0; !search.isOver(); ) {
    const chunk = Buffer.allocUnsafe(chunkBytes(stats.size - position));
    const bytesRead = yield* readFd(fd, chunk, position);
    const data = chunk.subarray(0, bytesRead);
    const isBinary = position === 0 && data.subarray(0, 8192).includes(0);
    if (isBinary) return;
    position += bytesRead;
    lines.push(decoder.write(data));
    if (isEnd(bytesRead, chunk, position, stats)) break;
  }
  lines.push(`${decoder.end()}\n`);
}

/** Finds the matching lines of a text that arrives in pieces. */
class LineSearch {
  readonly #path: string;
  readonly #search: Search;
  #line = 1;
  /** The start of the line, or the part around its match. */
  #kept = '';
  #keptFrom = 0;
  /** The end of the unfinished line: a match may go on in the next piece. */
  #end = '';
  #chars = 0;
  #matchAt: number | undefined;

  constructor(path: string, search: Search) {
    this.#path = path;
    this.#search = search;
  }

  push(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.#extend(first);
    for (const line of others) {
      this.#finish();
      this.#extend(line);
    }
  }

  #extend(text: string): void {
    const { wanted } = this.#search;
    if (this.#kept.length < MAX_LINE_CHARS) this.#kept += text.slice(0, MAX_LINE_CHARS);
    const chars = this.#chars + text.length;
    this.#chars = chars;
    if (this.#matchAt !== undefined) return;
    const end = this.#end + text;
    const from = chars - end.length;
    // A letter can have another length in lower case, so the position is not always exact.
    const found = end.toLowerCase().indexOf(wanted);
    this.#end = end.slice(Math.max(0, end.length - wanted.length - BEFORE_CHARS));
    if (found === -1) return;
    this.#matchAt = from + found;
    if (this.#matchAt <= MAX_LINE_CHARS - BEFORE_CHARS) return;
    const start = Math.max(0, found - BEFORE_CHARS);
    this.#keptFrom = from + start;
    this.#kept = end.slice(start, start + MAX_LINE_CHARS);
  }

  #finish(): void {
    const { matches } = this.#search;
    const [path, line, text, keptFrom] = [this.#path, this.#line, this.#kept, this.#keptFrom];
    if (this.#matchAt !== undefined)
      matches.push({ path, line, text, at: this.#matchAt - keptFrom, isCutBefore: keptFrom > 0 });
    this.#line += 1;
    this.#kept = '';
    this.#keptFrom = 0;
    this.#end = '';
    this.#chars = 0;
    this.#matchAt = undefined;
  }
}
