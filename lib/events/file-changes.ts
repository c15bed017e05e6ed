import type { Cut, TimelineRow, ToolRow } from './timeline.ts';

/** A text of an event, with the place where it is whole if it was truncated on its way to a viewer. */
export interface EventText {
  readonly text: string;
  readonly seq: number;
  readonly path: string;
  readonly cut?: Cut;
}

/** What a file held: a text, nothing because it did not exist, or something Loupe cannot show. */
export type FileContent =
  | { readonly kind: 'absent' }
  | ({ readonly kind: 'text' } & EventText)
  | { readonly kind: 'binary'; readonly bytes: number }
  | { readonly kind: 'unknown' };

/** What the tools of a run did to one file, from its first change to the last. */
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
    if (row.kind !== 'tool') continue;
    const after = writtenText(row);
    if (!after || !mayHaveWritten(row)) continue;
    const path = pathOf(row);
    if (path === undefined) continue;
    const change = changes.get(path);
    if (change) {
      change.after = after;
      change.rows.push(row);
    } else changes.set(path, { before: storedContent(row), after, rows: [row] });
  }
  return [...changes].map(([path, change]) => ({ path, ...change }));
}

/** What one call did to its file. `undefined` for calls that change none, or whose log does not say what it held. */
export function changeOfCall(
  rows: readonly TimelineRow[],
  row: ToolRow,
): { path: string; before: FileContent; after: EventText } | undefined {
  const after = writtenText(row);
  if (!row.file || !after) return undefined;
  const { path, before } = row.file;
  if (before.kind !== 'unchanged') return { path, before: storedContent(row), after };
  const earlier = rows.findLast(
    (other) =>
      other.kind === 'tool' &&
      other.seq < row.seq &&
      other.file?.path === path &&
      other.status === 'succeeded',
  );
  const text = earlier?.kind === 'tool' ? writtenText(earlier) : undefined;
  return { path, before: text ? { kind: 'text', ...text } : { kind: 'unknown' }, after };
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

/** The text that a call wrote, or was about to write, with the arguments that it ran with. */
function writtenText(row: ToolRow): EventText | undefined {
  if (row.name !== 'write_file') return undefined;
  const ran = argumentsRun(row);
  const text = ran.arguments.content;
  if (typeof text !== 'string') return undefined;
  return eventText(text, ran.seq, `${ran.path}.content`, ran.cuts);
}

/** The arguments that a call ran with: edited at its approval, in a fork, or those of the model. */
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

/** The arguments that a person gave a call, at its approval or in a fork. `undefined`: those of the model stand. */
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
