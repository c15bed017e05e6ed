import type { Verdict } from '../call-shape.ts';
import type { Source } from '../source.ts';
import type { Tag } from '../tags.ts';
import type { ToolIndex } from '../tool-index.ts';

export interface FormatContext {
  source: Source;
  tools: ToolIndex;
}

/** A place where a format may begin. */
export interface Opener {
  at: number;
  /** Set when a `<…>` stands there. */
  tag?: Tag;
  /** Set when a `[TOOL_CALLS]`-like token stands there. */
  bracket?: { token: string; end: number };
  /** Nothing that a reader would see stands before it. */
  isFirst?: boolean;
}

export type FormatReading =
  | {
      kind: 'calls';
      /** Offset behind the whole construct, closing marker included. */
      end: number;
      /** Which of the format's names fits best; the format's own by default. */
      format?: string;
      verdicts: Verdict[];
    }
  /** Text in which nothing begins. */
  | { kind: 'text'; end: number }
  /** A control token: never shown, or hidden only where there are calls. */
  | { kind: 'control'; end: number; hidden: 'always' | 'with-calls' }
  /** A stretch that belongs to the model's thoughts. */
  | { kind: 'thinking'; end: number; from: number; to: number };

/**
 * One way of writing calls, or one table of them. A new format is one such object in its own file, a test beside it,
 * and a line in the registry.
 */
export interface Format {
  name: string;
  /** The layer that users see it under (P2): `json` for bare text, `xml` for text that a marker announces. */
  layer: 'json' | 'xml';
  /** What it begins with. `\n` stands for the start of a line, the first one included. */
  triggers: readonly Trigger[];
  /** Reads what begins at the opener. `undefined` when it is something else. Never throws. */
  read(context: FormatContext, opener: Opener): FormatReading | undefined;
}

export type Trigger = '<' | '[' | '{' | '`' | '\n' | '>>>' | 'functions' | 'functools';
