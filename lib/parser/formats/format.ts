import type { TextLayer } from '../layers.ts';
import type { BodyReader, OfferedTools, SourceText, Verdict } from '../reading.ts';
import type { Tag } from '../tags.ts';

export interface FormatContext {
  source: SourceText;
  tools: OfferedTools;
  /** Reads the calls after a marker in any notation. Passed in so that a format need not import every body. */
  readBody: BodyReader;
}

/** An offset at which a format may begin. */
export interface Opener {
  at: number;
  /** Set at a `<…>`. */
  tag?: Tag;
  /** Set at a token like `[TOOL_CALLS]`. */
  bracket?: { token: string; end: number };
  /** No visible text comes before it. */
  isFirst?: boolean;
  /** Offset after the last construct that was read. A format may look back this far. */
  free: number;
}

export type FormatReading = {
  /** Offset where the construct starts, if that is before the opener. */
  start?: number;
} & (
  | {
      kind: 'calls';
      /** Offset after the whole construct, including its closing marker. */
      end: number;
      /** A more specific name. Default: the format's own. */
      format?: string;
      verdicts: Verdict[];
    }
  /** Text that contains no construct. */
  | { kind: 'text'; end: number }
  /** A control token: always hidden, or hidden only beside calls. */
  | { kind: 'control'; end: number; hidden: 'always' | 'with-calls' }
  /** Part of the model's thinking. */
  | { kind: 'thinking'; end: number; from: number; to: number }
);

/**
 * One way of writing calls, or a table of them. A new format is one such object in its own file, a test next to it, and
 * a line in the registry.
 */
export interface Format {
  name: string;
  /** The layer under which the dashboard shows it (P2): `json` for bare text, `xml` for text announced by a marker. */
  layer: TextLayer;
  /** What the format begins with. `\n` stands for the start of any line. */
  triggers: readonly Trigger[];
  /** Reads the construct at the opener; `undefined` when it is something else. Never throws. */
  read(context: FormatContext, opener: Opener): FormatReading | undefined;
}

export type Trigger = '<' | '[' | '{' | '`' | '\n' | '>>>' | 'functions' | 'functools';
