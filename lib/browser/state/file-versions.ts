import { editedArguments } from '../../events/file-changes.ts';
import { readEdits } from '../../events/text-edits.ts';
import type { TimelineRow, ToolRow } from '../../events/timeline.ts';
import { isRecord, type JsonObject } from '../../util/json.ts';

/** The change that a call makes to a file, as far as the log has it. */
export interface KnownChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** The event with the earlier content; missing if the call itself names the replaced text. */
  readonly beforeSeq?: number;
  /** Whether a command ran since, which may have changed the file too. */
  readonly commandSince: boolean;
}

/** The arguments that a call ran with, or would run with: those the model wrote, unless a person changed them. */
function effectiveArguments(row: ToolRow): JsonObject {
  return (editedArguments(row) ?? row).arguments;
}

/**
 * The change that a call makes to a file: the parts it replaces, or its content next to what an earlier call read or
 * wrote. `undefined` for other calls, and if the log does not have the complete earlier content. Pure.
 *
 * @param rows the rows of the run, in order
 */
export function knownChange(rows: readonly TimelineRow[], row: ToolRow): KnownChange | undefined {
  const args = effectiveArguments(row);
  const { path, content } = args;
  if (typeof path !== 'string' || isCut(row)) return undefined;
  const edits = row.name === 'edit_file' ? readEdits(args.edits) : undefined;
  if (edits) {
    const part = (text: 'oldText' | 'newText') => edits.map((edit) => edit[text]).join('\n');
    return { path, before: part('oldText'), after: part('newText'), commandSince: false };
  }
  if (row.name !== 'write_file' || typeof content !== 'string' || hasCreated(row)) return undefined;
  let commandSince = false;
  const from = rows.findLastIndex(({ key }) => key === row.key);
  for (let index = from - 1; index >= 0; index -= 1) {
    const earlier = rows[index];
    if (earlier?.kind !== 'tool') continue;
    if (earlier.name === 'run_command' && earlier.result) commandSince = true;
    const before = contentAfter(earlier, path);
    if (before !== undefined)
      return { path, before, after: content, beforeSeq: earlier.resultSeq, commandSince };
    // It changed the file in a way that is not known.
    if (
      earlier.result?.success &&
      earlier.name !== 'read_file' &&
      isSamePath(effectiveArguments(earlier).path, path)
    ) {
      return undefined;
    }
  }
  return undefined;
}

/** The whole content of a file after a call, if the call read or wrote all of it. */
function contentAfter(row: ToolRow, path: string): string | undefined {
  const args = effectiveArguments(row);
  if (!row.result?.success || !isSamePath(args.path, path)) return undefined;
  if (row.name === 'write_file') {
    return typeof args.content === 'string' && !isCut(row) ? args.content : undefined;
  }
  const { output } = row.result;
  if (row.name !== 'read_file' || row.resultCuts.length > 0) return undefined;
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return undefined;
  const isWhole =
    output.start_line === 1 && output.total_lines !== undefined && output.end_line === output.total_lines;
  return isWhole && typeof output.content === 'string' ? output.content : undefined;
}

function hasCreated({ result }: ToolRow): boolean {
  const output = result?.output;
  return isRecord(output) && output.created === true;
}

/** Whether the arguments are here only in part: long texts are truncated for viewers. */
function isCut({ argumentsPath, argumentsCuts, decided, decidedCuts = [], forked }: ToolRow): boolean {
  if (decided?.decision === 'edited') return decidedCuts.length > 0;
  if (forked) return forked.cuts.length > 0;
  return argumentsCuts.some(({ path }) => path.startsWith(`${argumentsPath}.`));
}

function isSamePath(one: unknown, other: string): boolean {
  return typeof one === 'string' && plainPath(one) === plainPath(other);
}

function plainPath(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}
