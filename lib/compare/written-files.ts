import { createHash } from 'node:crypto';
import { type EventText, type FileChange, type FileContent, fileChanges } from '../events/file-changes.ts';
import { emptyTimeline, foldTimeline } from '../events/fold-timeline.ts';
import type { RunEvent } from '../events/registry.ts';

/** The location of a text in the log: a path within an event. */
export interface TextPlace {
  seq: number;
  path: string;
  chars: number;
}

/** A file that the file tools of a run changed; its contents stay in the log. */
export interface WrittenFile {
  /** From the workspace, with `/`. */
  path: string;
  /** How many calls wrote it. */
  calls: number;
  /** Its content before the first of them. */
  before:
    | { kind: 'absent' }
    | ({ kind: 'text' } & TextPlace)
    | { kind: 'binary'; bytes: number }
    | { kind: 'unknown' };
  after: TextPlace;
  /** Equal for equal contents. */
  digest: string;
}

export interface WrittenFiles {
  /** In the order of their first change, at most 500. */
  files: WrittenFile[];
  /** How many more there are; missing if none. */
  files_left_out?: number;
}

const MAX_FILES = 500;

/**
 * Finds the files that a run changed, as `fileChanges` does, from its event stream. Keeps the events since the last
 * reply only.
 */
export class WrittenFileReader {
  readonly #files = new Map<string, WrittenFile>();
  readonly #leftOut = new Set<string>();
  /** A reply with calls, and all events after it. */
  #reply: RunEvent[] = [];

  /** Processes the next event. */
  take(event: RunEvent): void {
    if (event.type !== 'reply.parsed') {
      if (this.#reply.length > 0) this.#reply.push(event);
      return;
    }
    this.#endReply();
    if (event.calls.length > 0) this.#reply = [event];
  }

  /** The files, once the log has ended. */
  result(): WrittenFiles {
    this.#endReply();
    const leftOut = this.#leftOut.size;
    return { files: [...this.#files.values()], ...(leftOut > 0 && { files_left_out: leftOut }) };
  }

  #endReply(): void {
    const events = this.#reply;
    this.#reply = [];
    const [first] = events;
    if (!first) return;
    const { rows } = foldTimeline({ ...emptyTimeline, seq: first.seq - 1, rowOfSeq: [] }, events);
    for (const change of fileChanges(rows)) this.#add(change);
  }

  #add({ path, before, after, rows }: FileChange): void {
    const known = this.#files.get(path);
    if (!known && this.#files.size === MAX_FILES) {
      this.#leftOut.add(path);
      return;
    }
    this.#files.set(path, {
      path,
      calls: (known?.calls ?? 0) + rows.length,
      before: known?.before ?? contentPlace(before),
      after: textPlace(after),
      digest: createHash('sha256').update(after.text, 'utf16le').digest('base64'),
    });
  }
}

function contentPlace(content: FileContent): WrittenFile['before'] {
  return content.kind === 'text' ? { kind: 'text', ...textPlace(content) } : { ...content };
}

function textPlace({ seq, path, text }: EventText): TextPlace {
  return { seq, path, chars: text.length };
}
