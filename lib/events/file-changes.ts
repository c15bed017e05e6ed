import type { JsonValue } from '../util/json.ts';
import { WRITING_TOOLS } from './modes.ts';
import { applyEdits, readEdits, type TextEdit } from './text-edits.ts';
import type { Cut, TimelineRow, ToolRow } from './timeline.ts';

/**
 * A text of an event, with the place where it is whole if it was truncated on its way to a viewer, or a text with edits.
 */
export interface EventText {
  readonly text: string;
  readonly seq: number;
  readonly path: string;
  /** Set if the text, or what it was made from, is here only in part: `wholeText` gets it. */
  readonly cut?: Cut;
  /** Set if calls edited the text at `seq` and `path`: that text, and their edits in order. `text` is the result. */
  readonly edited?: { readonly base: EventText; readonly by: readonly LoggedEdits[] };
}

/** The edits of one call, and where they are in the log. */
interface LoggedEdits {
  readonly seq: number;
  readonly path: string;
  readonly edits: readonly TextEdit[];
}

/** The content of a file: a text, nothing because it did not exist, or something Loupe cannot show. */
export type FileContent =
  | { readonly kind: 'absent' }
  | ({ readonly kind: 'text' } & EventText)
  | { readonly kind: 'binary'; readonly bytes: number }
  | { readonly kind: 'unknown' };

/** The changes of a run's tools to one file, from the first to the last. */
export interface FileChange {
  /** From the workspace, with `/`. */
  readonly path: string;
  readonly before: FileContent;
  readonly after: EventText;
  /** The calls that wrote it, in order. */
  readonly rows: readonly ToolRow[];
}

/**
 * The files that a run changed with its file tools, in the order of their first change. Changes made by commands are
 * unknown. A call that was interrupted counts, because it may have written the file.
 */
export function fileChanges(rows: readonly TimelineRow[]): FileChange[] {
  const changes = new Map<string, { before: FileContent; after: EventText; rows: ToolRow[] }>();
  for (const row of rows) {
    if (row.kind !== 'tool' || !mayHaveWritten(row)) continue;
    const path = pathOf(row);
    if (path === undefined) continue;
    const change = changes.get(path);
    const after = textAfter(row, change && isUnchanged(row) ? change.after : storedText(row));
    if (!after) continue;
    if (change) {
      change.after = after;
      change.rows.push(row);
    } else changes.set(path, { before: storedContent(row), after, rows: [row] });
  }
  return [...changes].map(([path, change]) => ({ path, ...change }));
}

/** The change that one call made or would make to its file. */
interface CallChange {
  readonly path: string;
  readonly before: FileContent;
  /** `undefined` if the edits do not fit the file's earlier content, or the log does not have it. */
  readonly after: EventText | undefined;
}

/**
 * The change that one call made to its file. `undefined` for calls that change none, or if the log does not have the
 * earlier content.
 */
export function changeOfCall(rows: readonly TimelineRow[], row: ToolRow): CallChange | undefined {
  if (!row.file || !WRITING_TOOLS.includes(row.name)) return undefined;
  const { path } = row.file;
  if (!isUnchanged(row)) return { path, before: storedContent(row), after: textAfter(row, storedText(row)) };
  const text = textLeftBefore(rows, row);
  return {
    path,
    before: text ? { kind: 'text', ...text } : { kind: 'unknown' },
    after: textAfter(row, text),
  };
}

/** The content left by the last earlier call that wrote the file. */
function textLeftBefore(rows: readonly TimelineRow[], row: ToolRow): EventText | undefined {
  // Back to the call whose log has the whole text, then forward through the edits since.
  const writes: ToolRow[] = [];
  for (let at = rows.findLastIndex(({ key }) => key === row.key) - 1; at >= 0; at--) {
    const earlier = rows[at];
    if (earlier?.kind !== 'tool' || earlier.status !== 'succeeded' || earlier.file?.path !== row.file?.path) {
      continue;
    }
    writes.push(earlier);
    if (earlier.name === 'write_file' || !isUnchanged(earlier)) break;
  }
  return writes.reduceRight<EventText | undefined>(
    (text, write) => textAfter(write, isUnchanged(write) ? text : storedText(write)),
    undefined,
  );
}

/**
 * The whole of a text.
 *
 * @param value reads a value of an event whole
 * @returns `undefined` if it cannot be made from what the log has
 */
export async function wholeText(
  { text, seq, path, cut, edited }: EventText,
  value: (seq: number, path: string) => Promise<unknown>,
): Promise<string | undefined> {
  if (!cut) return text;
  if (!edited) {
    const whole = await value(seq, path);
    return typeof whole === 'string' ? whole : undefined;
  }
  let whole = await wholeText(edited.base, value);
  for (const by of edited.by) {
    const edits = readEdits((await value(by.seq, by.path)) as JsonValue);
    const outcome = whole !== undefined && edits ? applyEdits(whole, edits) : undefined;
    whole = outcome?.ok ? outcome.text : undefined;
  }
  return whole;
}

function mayHaveWritten(row: ToolRow): boolean {
  return row.status === 'succeeded' || row.status === 'interrupted';
}

function pathOf({ file, result }: ToolRow): string | undefined {
  if (file) return file.path;
  // Logs of earlier versions keep no content, and the path as the model wrote it.
  const output = result?.success ? result.output : undefined;
  if (typeof output !== 'object' || output === null || Array.isArray(output)) return undefined;
  return typeof output.path === 'string' ? output.path : undefined;
}

/**
 * The text that a call wrote, or was about to write, with the arguments that it ran with.
 *
 * @param before the file's earlier content, as far as the log has it
 */
function textAfter(row: ToolRow, before: EventText | undefined): EventText | undefined {
  const ran = argumentsRun(row);
  if (row.name === 'write_file') {
    const text = ran.arguments.content;
    return typeof text === 'string' ? eventText(text, ran.seq, `${ran.path}.content`, ran.cuts) : undefined;
  }
  const edits = row.name === 'edit_file' ? readEdits(ran.arguments.edits) : undefined;
  if (!edits || !before) return undefined;
  const path = `${ran.path}.edits`;
  const cut = before.cut ?? ran.cuts.find((each) => each.path.startsWith(`${path}.`));
  const outcome = cut ? undefined : applyEdits(before.text, edits);
  if (outcome && !outcome.ok) return undefined;
  const { base, by } = before.edited ?? { base: before, by: [] };
  return {
    text: outcome?.text ?? before.text,
    seq: base.seq,
    path: base.path,
    ...(cut && { cut: before.cut ?? { path: base.path, chars: before.text.length } }),
    edited: { base, by: [...by, { seq: ran.seq, path, edits }] },
  };
}

/** Whether the log only says that a call found the content of the run's last write. */
function isUnchanged({ file }: ToolRow): boolean {
  return file?.before.kind === 'unchanged';
}

/** The earlier content of a call's file, if the log has it as text. */
function storedText(row: ToolRow): EventText | undefined {
  const stored = storedContent(row);
  return stored.kind === 'text' ? stored : undefined;
}

/** The arguments that a call ran with: as edited at its approval or in a fork, or the model's own. */
function argumentsRun(row: ToolRow): NonNullable<ToolRow['forked']> {
  return (
    editedArguments(row) ?? {
      seq: row.seq,
      path: row.argumentsPath,
      arguments: row.arguments,
      cuts: row.argumentsCuts,
    }
  );
}

/** The arguments that a person gave a call, at its approval or in a fork; `undefined` if the model's own were used. */
export function editedArguments({ decided, decidedCuts = [], forked }: ToolRow): ToolRow['forked'] {
  if (decided?.decision !== 'edited') return forked;
  return { seq: decided.seq, path: 'arguments', arguments: decided.arguments ?? {}, cuts: decidedCuts };
}

function storedContent({ file }: ToolRow): FileContent {
  if (!file) return { kind: 'unknown' };
  const { before, seq, cuts } = file;
  switch (before.kind) {
    case 'absent':
      return before;
    case 'text':
      return { kind: 'text', ...eventText(before.text, seq, 'file.before.text', cuts) };
    case 'binary': {
      const cut = cuts.find(({ path }) => path === 'file.before.base64');
      return { kind: 'binary', bytes: Math.floor(((cut?.chars ?? before.base64.length) * 3) / 4) };
    }
    case 'unchanged':
    case 'not_kept':
      return { kind: 'unknown' };
  }
}

function eventText(text: string, seq: number, path: string, cuts: readonly Cut[]): EventText {
  const cut = cuts.find((each) => each.path === path);
  return { text, seq, path, ...(cut && { cut }) };
}
