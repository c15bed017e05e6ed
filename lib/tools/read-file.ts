import { IMAGE_LIMITS } from '../events/limits.ts';
import { type FileCalls, readFd } from '../sandbox/file-calls.ts';
import type { FoundFile } from '../sandbox/folder-walk.ts';
import { chunkBytes, isEnd, readFrom, readWhole } from '../sandbox/workspace-files.ts';
import { readImageHeader } from '../util/image-header.ts';
import { countLineFeeds } from '../util/line-feeds.ts';
import { optionalInteger, textArgument } from './arguments.ts';
import { fitStart } from './fit-text.ts';
import { readOrSuggest } from './suggest-path.ts';
import type { Tool, ToolContext, ToolResult } from './tool.ts';
import { failed, MAX_RESULT_BYTES, RESULT_OVERHEAD_BYTES, succeeded } from './tool-results.ts';

/** Lines beyond this offset must be found with other tools. */
const MAX_SCAN_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** Reads a text file or a range of its lines. Says so if it returns less than requested (O9). */
export const readFile: Tool = {
  isReadOnly: true,
  isIndependent: true,
  definition: {
    type: 'function',
    function: {
      name: 'read_file',
      description:
        'Read a text file or an image in the workspace. Long files are cut; read on with start_line. Line numbers start at 1.',
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string', description: 'Path of the file, relative to the workspace' },
          start_line: { type: 'integer', minimum: 1, description: 'First line to read (default 1)' },
          end_line: {
            type: 'integer',
            minimum: 1,
            description: 'Last line to read, inclusive (default: to the end)',
          },
        },
        required: ['path'],
      },
    },
  },
  async run(args, { workspace, signal, onImage }) {
    const path = textArgument(args, 'path');
    const startLine = optionalInteger(args, 'start_line') ?? 1;
    const endLine = optionalInteger(args, 'end_line') ?? Number.POSITIVE_INFINITY;
    if (endLine < startLine) {
      return failed('read_file', { error: `end_line (${endLine}) is less than start_line (${startLine}).` });
    }
    const read = await readOrSuggest(workspace, path, (steps) =>
      readFrom(workspace, steps, (file) => readLines(file, { startLine, endLine, signal })),
    );
    const { sizeBytes } = read;
    if (read.binary) return readBinary(path, { sizeBytes, workspace, onImage });
    if (read.text === '' && startLine > Math.max(1, read.lastLine)) {
      return failed('read_file', {
        error: read.complete
          ? `"${path}" has only ${lineCount(read.lastLine)}; line ${startLine} does not exist.`
          : `Line ${startLine} of "${path}" is more than ${MAX_SCAN_BYTES} bytes into the file. Use search_files instead.`,
      });
    }
    return succeeded('read_file', readOutput(path, startLine, read), { truncated: read.truncated });
  },
};

/** A file that is not text: an image is attached to the result, anything else is refused. */
async function readBinary(
  path: string,
  { sizeBytes, workspace, onImage }: { sizeBytes: number } & Pick<ToolContext, 'workspace' | 'onImage'>,
): Promise<ToolResult> {
  const { data } = await readOrSuggest(workspace, path, (steps) =>
    readWhole(workspace, steps, IMAGE_LIMITS.max_file_bytes),
  );
  const header = data && readImageHeader(data);
  if (!header || !onImage) {
    const limit = `images are shown up to ${IMAGE_LIMITS.max_file_bytes} bytes`;
    return failed('read_file', {
      error: `"${path}" is not a text file (${sizeBytes} bytes with NUL characters) and cannot be shown${data ? '' : `; ${limit}`}.`,
    });
  }
  onImage({ name: path.slice(path.lastIndexOf('/') + 1), data });
  const { type, width, height } = header;
  return succeeded('read_file', {
    path,
    size_bytes: sizeBytes,
    image: `${type.toUpperCase()}, ${width} × ${height} pixels`,
  });
}

interface LinesRead {
  /** Of the file. */
  sizeBytes: number;
  text: string;
  /** Number of the last line read. */
  lastLine: number;
  /** First line not returned completely, if the result was cut. */
  nextLine: number;
  truncated: boolean;
  /** Whether the end of the file was reached. */
  complete: boolean;
  /** Whether bytes that are not UTF-8 were replaced in the text. */
  lossy: boolean;
  binary: boolean;
}

const NOTHING_READ: Omit<LinesRead, 'sizeBytes'> = {
  text: '',
  lastLine: 0,
  nextLine: 1,
  truncated: false,
  complete: false,
  lossy: false,
  binary: false,
};

const LOSSY_NOTE = 'Bytes that are not UTF-8 are shown as U+FFFD; writing this text back would lose them.';

function readOutput(path: string, startLine: number, read: LinesRead) {
  const notes = [...(read.truncated ? [cutNote(startLine, read)] : []), ...(read.lossy ? [LOSSY_NOTE] : [])];
  return {
    path,
    size_bytes: read.sizeBytes,
    start_line: startLine,
    end_line: read.truncated ? Math.max(startLine, read.nextLine - 1) : read.lastLine,
    ...(read.complete && !read.truncated && { total_lines: read.lastLine }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
    content: read.text,
  };
}

function cutNote(startLine: number, { sizeBytes, text, nextLine, lossy }: LinesRead): string {
  // A replaced byte takes three bytes in the text, so the count could exceed the file's size.
  const part = lossy ? 'not all' : String(Buffer.byteLength(text));
  const shown = `Cut: ${part} of ${sizeBytes} bytes are shown.`;
  return nextLine === startLine
    ? `${shown} Line ${startLine} is too long to be shown whole; search_files finds text in it.`
    : `${shown} Read on with start_line ${nextLine}.`;
}

/** Reads in chunks and keeps only the requested lines, so that memory use is bounded for any file size. */
function* readLines(
  { fd, stats }: FoundFile,
  { startLine, endLine, signal }: { startLine: number; endLine: number; signal: AbortSignal },
): FileCalls<LinesRead> {
  const sizeBytes = stats.size;
  const budget = MAX_RESULT_BYTES - RESULT_OVERHEAD_BYTES;
  const wanted: Buffer[] = [];
  let wantedBytes = 0;
  let line = 1;
  let position = 0;
  let ended = false;
  let complete = false;
  let endsWithNewline = true;
  let unused: Buffer | undefined;
  while (position < MAX_SCAN_BYTES && line <= endLine && wantedBytes <= budget) {
    signal.throwIfAborted();
    const room = chunkBytes(sizeBytes - position);
    const chunk: Buffer = unused?.length === room ? unused : Buffer.allocUnsafe(room);
    const bytesRead = ended ? 0 : yield* readFd(fd, chunk, position);
    if (bytesRead === 0) {
      complete = true;
      break;
    }
    const data = chunk.subarray(0, bytesRead);
    if (position === 0 && data.subarray(0, 8192).includes(0)) {
      return { ...NOTHING_READ, sizeBytes, binary: true };
    }
    let wantedFrom: number | undefined;
    let from = 0;
    while (from < bytesRead && line <= endLine) {
      if (line >= startLine) wantedFrom ??= from;
      const newline = data.indexOf(LINE_FEED, from);
      from = newline === -1 ? bytesRead : newline + 1;
      if (newline !== -1) line++;
    }
    unused = wantedFrom === undefined ? chunk : undefined;
    if (wantedFrom !== undefined) {
      wanted.push(data.subarray(wantedFrom, from));
      wantedBytes += from - wantedFrom;
    }
    endsWithNewline = data[bytesRead - 1] === LINE_FEED;
    position += bytesRead;
    ended = isEnd(bytesRead, chunk, position, stats);
  }
  // `line` is the next line; a last line without a line feed counts too.
  const lastLine = Math.min(endLine, endsWithNewline || line > endLine ? line - 1 : line);
  const data = Buffer.concat(wanted);
  const whole = data.toString('utf8');
  const fitting = fitStart(whole, budget);
  const truncated = fitting.length < whole.length || (!complete && line <= endLine);
  const text = truncated ? fitting.slice(0, fitting.lastIndexOf('\n') + 1 || fitting.length) : fitting;
  const nextLine = startLine + countLineFeeds(text);
  const bytes = Buffer.from(text);
  const lossy = !data.subarray(0, bytes.length).equals(bytes);
  return { sizeBytes, text, lastLine, nextLine, truncated, complete, lossy, binary: false };
}

function lineCount(count: number): string {
  return count === 1 ? '1 line' : `${count} lines`;
}
