import type { Source } from './source.ts';

/** A stretch of text between backticks. */
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

const RUN = /`+/y;
const LANGUAGE = /[ \t]{0,8}([\w+#.-]{0,32})/y;
const FENCE_END = /(?<=\n[ \t]{0,8})```/g;
const MAX_INLINE_CHARS = 400;

/** The fence or inline code that starts with the backtick at `at`. */
export function readCodeSpan(source: Source, at: number): CodeSpan {
  const { text } = source;
  RUN.lastIndex = at;
  const run = RUN.exec(text)?.[0] ?? '`';
  const inside = at + run.length;
  if (run.length < 3) return readInlineCode(text, run, inside);
  LANGUAGE.lastIndex = inside;
  const [written = '', language = ''] = LANGUAGE.exec(text) ?? [];
  const after = inside + written.length;
  const closer = source.find(FENCE_END, after);
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
  /(?:\bfor (?:example|instance)\b|\be\.g\.|\bexample(?: call| usage)?:|\b(?:syntax|format) (?:is|looks)\b|\bwould look like\b|\buser (?:typed|wrote|said)\b)[^.!?\n]{0,60}$/i;
const EXAMPLE_WINDOW = 160;

/** Whether the words before an offset announce an example rather than a call. */
export function isAnnouncedAsExample(text: string, at: number): boolean {
  return EXAMPLE.test(text.slice(Math.max(0, at - EXAMPLE_WINDOW), at).trimEnd());
}
