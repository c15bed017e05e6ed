import type { Source } from './source.ts';

/** A stretch of text between backticks, or a fence of tildes. */
export interface CodeSpan {
  /** Offset after the opening backticks and the language. */
  inside: number;
  /** Offset after the span. An unclosed fence extends to the end of the text, unclosed inline code is empty. */
  end: number;
  closed: boolean;
  /** Language of a fence, in lower case; `undefined` for inline code. */
  language?: string;
}

/** Fence languages in which models write calls. Others hold code for the user. */
const CALL_LANGUAGES = new Set([
  '',
  'json',
  'json5',
  'jsonc',
  'xml',
  'text',
  'plaintext',
  'txt',
  'tool',
  'tool_call',
  'tool_calls',
  'tool_use',
  'tool_code',
  'tool-call',
  'function',
  'function_call',
  'action',
]);

const RUN = /`+|~{3,}/y;
const LANGUAGE = /[ \t]{0,8}([\w+#.-]{0,32})/y;
/** Longer fences are closed by this many characters, too. */
const MAX_FENCE_CHARS = 6;
/**
 * The end of a fence, by its character and length: at least as long as its start, and without a language, which would start
 * a fence inside it (CommonMark 0.31, 4.5). A sentence may follow in the same line.
 */
const FENCE_ENDS = new Map(
  ['`', '~'].flatMap((mark) =>
    [3, 4, 5, MAX_FENCE_CHARS].map((chars): [string, RegExp] => [
      mark.repeat(chars),
      new RegExp(
        `(?<=\\n[ \\t]{0,8})${mark}{${chars},}(?!${mark}|\\w[\\w+#.-]{0,31}[ \\t]{0,8}(?:\\n|$))`,
        'g',
      ),
    ]),
  ),
);
const MAX_INLINE_CHARS = 400;

/** The fence or inline code that starts with the backtick or the three tildes at `at`. */
export function readCodeSpan(source: Source, at: number): CodeSpan {
  const { text } = source;
  RUN.lastIndex = at;
  const run = RUN.exec(text)?.[0] ?? '`';
  const inside = at + run.length;
  if (run.length < 3) return readInlineCode(text, run, inside);
  LANGUAGE.lastIndex = inside;
  const [written = '', language = ''] = LANGUAGE.exec(text) ?? [];
  const after = inside + written.length;
  const closing = FENCE_ENDS.get(run.slice(0, MAX_FENCE_CHARS));
  const closer = closing && source.find(closing, after);
  const end = closer?.end ?? text.length;
  return { inside: after, language: language.toLowerCase(), closed: closer !== undefined, end };
}

function readInlineCode(text: string, run: string, inside: number): CodeSpan {
  const window = text.slice(inside, inside + MAX_INLINE_CHARS);
  const line = window.split('\n', 1)[0] ?? '';
  const end = line.indexOf(run);
  if (end === -1) return { inside, closed: false, end: inside };
  return { inside, closed: true, end: inside + end + run.length };
}

/** Whether calls inside the span count as calls. */
export function mayHoldCalls({ language }: CodeSpan): boolean {
  return language !== undefined && CALL_LANGUAGES.has(language);
}

const EXAMPLE =
  /(?:\bfor (?:example|instance)\b|\be\.g\.|\bexample(?: call| usage| of [^.!?:\n]{1,60})?:|\b(?:syntax|format) (?:is|looks)\b|\bwould look like\b|\buser (?:typed|wrote|said)\b)[^.!?\n]{0,60}$/i;
const EXAMPLE_WINDOW = 160;

/** Whether the words before an offset announce an example rather than a call. */
export function isAnnouncedAsExample(text: string, at: number): boolean {
  return EXAMPLE.test(text.slice(Math.max(0, at - EXAMPLE_WINDOW), at).trimEnd());
}
