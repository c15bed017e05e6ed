import type { Source } from './source.ts';

/** A stretch of text between backticks. */
export interface CodeSpan {
  /** Offset behind the opening backticks and the language. */
  inside: number;
  /** Offset behind it. A fence that is not closed reaches to the end of the text, inline code nowhere. */
  end: number;
  closed: boolean;
  /** Language of a fence, in lower case; `undefined` for inline code. */
  language?: string;
}

/** Languages of fences in which models write calls. In others they write code for the user. */
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
  const behind = inside + written.length;
  const closer = source.find(FENCE_END, behind);
  const end = closer?.end ?? text.length;
  return { inside: behind, language: language.toLowerCase(), closed: closer !== undefined, end };
}

function readInlineCode(text: string, run: string, inside: number): CodeSpan {
  const window = text.slice(inside, inside + MAX_INLINE_CHARS);
  const line = window.split('\n', 1)[0] ?? '';
  const end = line.indexOf(run);
  if (end === -1) return { inside, closed: false, end: inside };
  return { inside, closed: true, end: inside + end + run.length };
}

/** Whether calls in the span are meant as calls (PARSING: known call in a json or plain fence). */
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
