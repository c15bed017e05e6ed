import type { CallRow, NoteRow, TimelineRow } from '../../events/timeline.ts';

/** A text of the conversation: what a person said, or the text of a reply. */
export interface ChatText {
  readonly kind: 'chat-text';
  readonly key: string;
  readonly seq: number;
  readonly at: number;
  readonly from: 'person' | 'model';
  readonly row: Extract<TimelineRow, { kind: 'created' }> | CallRow | NoteRow;
}

/** The rows between two texts, folded into one line. */
export interface ChatFold {
  readonly kind: 'chat-fold';
  readonly key: string;
  readonly seq: number;
  readonly at: number;
  readonly rows: readonly TimelineRow[];
}

/** An item of the chat view. A fold that is open is followed by its rows. */
export type ChatItem = TimelineRow | ChatText | ChatFold;

/** The figures of a fold. */
export interface FoldFigures {
  readonly modelCalls: number;
  /** The names of the called tools, in order. */
  readonly tools: readonly string[];
  readonly failed: number;
  /** The time of the model calls and tool calls that are over. */
  readonly ms: number;
  /** The tool that is running. */
  readonly running?: string;
}

/** Which folds are unfolded, by key. */
export type Unfolded = Readonly<Record<string, boolean>>;

/**
 * Arranges the rows of a run as a chat: texts in the open, everything between them folded. What needs a decision or ends
 * the run stays in the open. In the order of the log, except that a fold takes in what only announced a message. While
 * the run grows, only what follows the last fold that stayed the same is arranged again.
 */
export class ChatArrangement {
  #rows: readonly TimelineRow[] = [];
  #items: readonly ChatItem[] = [];
  #unfolded: Unfolded = {};
  /** How many items the rows so far have produced, if no fold is open. */
  #marks: { rows: number; items: number }[] = [];

  /** The items of the rows. */
  of(rows: readonly TimelineRow[], unfolded: Unfolded): readonly ChatItem[] {
    const start = unfolded === this.#unfolded ? this.#unchanged(rows) : { rows: 0, items: 0 };
    const items = this.#items.slice(0, start.items);
    this.#marks = this.#marks.filter((mark) => mark.rows < start.rows);
    let group: TimelineRow[] = [];
    const flush = () => {
      const [first] = group;
      if (!first) return;
      const { seq, at } = first;
      const fold: ChatFold = { kind: 'chat-fold', key: `fold.${first.key}`, seq, at, rows: group };
      items.push(fold, ...(unfolded[fold.key] ? group : []));
      group = [];
    };
    for (let index = start.rows; index < rows.length; index += 1) {
      const row = rows[index];
      if (!row) continue;
      if (group.length === 0) this.#marks.push({ rows: index, items: items.length });
      const text = chatTextOf(row);
      if (text?.from === 'person') {
        if (!group.every(announces)) flush();
        items.push(text);
        // A message has no details of its own; the first one comes with the settings.
        if (row.kind === 'created') group.push(row);
      } else if (text) {
        group.push(row);
        flush();
        items.push(text);
      } else if (isInTheOpen(row)) {
        if (row.kind !== 'note' || !group.every(announces)) flush();
        items.push(row);
      } else group.push(row);
    }
    if (group.length === 0) this.#marks.push({ rows: rows.length, items: items.length });
    flush();
    this.#rows = rows;
    this.#items = items;
    this.#unfolded = unfolded;
    return items;
  }

  /** The last place up to which rows and items are the same as before. */
  #unchanged(rows: readonly TimelineRow[]): { rows: number; items: number } {
    let same = 0;
    while (same < rows.length && rows[same] === this.#rows[same]) same += 1;
    return this.#marks.findLast((mark) => mark.rows <= same) ?? { rows: 0, items: 0 };
  }
}

/** The key of a row's text. */
export function chatTextKey(row: Pick<TimelineRow, 'key'>): string {
  return `text.${row.key}`;
}

/** The fold that holds a row. */
export function foldOf(items: readonly ChatItem[], rowKey: string): ChatFold | undefined {
  return items.find(
    (item): item is ChatFold => item.kind === 'chat-fold' && item.rows.some(({ key }) => key === rowKey),
  );
}

const texts = new WeakMap<TimelineRow, ChatText>();

/** The text that a row adds to the conversation, the same object for the same row. */
function chatTextOf(row: TimelineRow): ChatText | undefined {
  const known = texts.get(row);
  if (known) return known;
  const from = speakerOf(row);
  if (!from) return undefined;
  const { seq, at } = row;
  const text = { kind: 'chat-text', key: chatTextKey(row), seq, at, from, row } as ChatText;
  texts.set(row, text);
  return text;
}

function speakerOf(row: TimelineRow): ChatText['from'] | undefined {
  switch (row.kind) {
    case 'created':
      return row.event.config.task.trim() === '' ? undefined : 'person';
    case 'note':
      return row.event.type === 'operator.messaged' ? 'person' : undefined;
    case 'call':
      if (row.setAside) return undefined;
      if (row.status === 'open') return 'model';
      return row.status === 'ended' && (row.parsed?.text ?? '').trim() !== '' ? 'model' : undefined;
    default:
      return undefined;
  }
}

/** Whether a row only says that something is about to happen. */
function announces(row: TimelineRow): boolean {
  switch (row.kind) {
    case 'iteration':
    case 'attempt':
      return true;
    case 'resumed':
      return row.event.after_wait === true;
    case 'note':
      return !steers(row.event);
    default:
      return false;
  }
}

/** Whether a row is never folded: it waits for a person, warns, or shows how the run was steered. */
function isInTheOpen(row: TimelineRow): boolean {
  switch (row.kind) {
    case 'forked':
    case 'stop':
    case 'end':
    case 'verification':
      return true;
    case 'resumed':
      return row.event.after_wait !== true;
    case 'call':
      return row.status === 'failed' || row.status === 'lost';
    case 'tool':
      return row.status === 'awaiting approval' || row.status === 'awaiting answer';
    case 'policy':
      return row.event.type !== 'policy.retried' && row.event.type !== 'policy.compacted';
    case 'note':
      return steers(row.event);
    default:
      return false;
  }
}

/**
 * Whether a note shows how the conversation was steered. A handover is one: without it, its summary would look like an
 * answer. A failed one also has a warning, which is in the open.
 */
function steers(event: NoteRow['event']): boolean {
  switch (event.type) {
    case 'harness.prompted':
    case 'autopilot.switched':
    case 'handover.started':
      return true;
    case 'handover.ended':
      return event.outcome === 'done';
    default:
      return false;
  }
}

/** Sums up a fold. Pure. */
export function foldFigures({ rows }: Pick<ChatFold, 'rows'>): FoldFigures {
  const tools: string[] = [];
  let modelCalls = 0;
  let failed = 0;
  let ms = 0;
  let running: string | undefined;
  for (const row of rows) {
    if (row.kind === 'call') {
      modelCalls += 1;
      ms += row.ended?.duration_ms ?? row.failed?.duration_ms ?? 0;
    }
    if (row.kind !== 'tool') continue;
    tools.push(row.name);
    ms += row.durationMs ?? 0;
    if (row.status === 'failed' || row.status === 'interrupted') failed += 1;
    if (row.status === 'running') running = row.name;
  }
  return { modelCalls, tools, failed, ms, ...(running === undefined ? {} : { running }) };
}
