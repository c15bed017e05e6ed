import { extensionOf, type Language, languageOfPath } from './language.ts';
import { MAX_IMAGE_CHARS, MAX_MARKDOWN_CHARS, MAX_RENDERED_CHARS } from './limits.ts';

/** How a text is shown. */
export type ContentKind =
  | { readonly kind: 'text'; readonly isTooLong?: boolean }
  | { readonly kind: 'markdown' | 'diff' | 'json' | 'ansi' | 'image' }
  | { readonly kind: 'table'; readonly separator: ',' | '\t' }
  /** `firstLine`: the number of its first line; without one the lines are not numbered. */
  | {
      readonly kind: 'code';
      readonly language: Language | undefined;
      readonly firstLine: number | undefined;
    };

export interface ContentSource {
  readonly text: string;
  /** The name of the argument, or of the field of the result. */
  readonly name: string;
  /** The file that the text is of. */
  readonly path?: string;
  readonly firstLine?: number;
}

export const PLAIN: ContentKind = { kind: 'text' };
export const MARKDOWN: ContentKind = { kind: 'markdown' };
export const ANSI: ContentKind = { kind: 'ansi' };

/** Arguments and fields with the text of a file, in the spellings that are common. */
const FILE_TEXTS = new Set([
  ...[
    'content',
    'contents',
    'file_text',
    'text',
    'old_string',
    'new_string',
    'old_text',
    'new_text',
    'old_str',
    'new_str',
  ],
]);
/** Fields with what a program printed. */
const OUTPUTS = new Set(['stdout', 'stderr', 'output', 'result', 'error']);
const COMMANDS = new Set(['command', 'cmd', 'script']);
/** Files to read and not to parse. */
const PROSE = new Set(['', 'txt', 'text', 'log', 'rst', 'adoc']);

const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,/;
/** A change of color or weight (SGR); other escape sequences are named like all control characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
const COLORS = /\u001b\[[\d;]*m/;
const DIFF = /^diff --git |^--- [^\n]+\n\+\+\+ [^\n]+\n@@ /m;
/** Numbers that JavaScript would round: a tree would show others than the text has. */
const LONG_NUMBER = /\d{16}/;
/** The part of a text that decides what it is. */
const LOOKED_AT = 20_000;

/**
 * Decides how to show an argument or a part of a result, from its name, the file it is of, and its text. Linear in the text,
 * and shows the text plainly above a size. Pure.
 */
export function contentKind({ text, name, path, firstLine }: ContentSource): ContentKind {
  if (IMAGE.test(text.slice(0, 40))) {
    return text.length <= MAX_IMAGE_CHARS ? { kind: 'image' } : { kind: 'text', isTooLong: true };
  }
  if (text.length > MAX_RENDERED_CHARS) return { kind: 'text', isTooLong: true };
  const start = text.slice(0, LOOKED_AT);
  if (OUTPUTS.has(name)) {
    if (hasColors(start)) return ANSI;
    if (DIFF.test(start)) return { kind: 'diff' };
    return isJson(text) ? { kind: 'json' } : PLAIN;
  }
  if (COMMANDS.has(name))
    return { kind: 'code', language: 'bash', firstLine: text.includes('\n') ? 1 : undefined };
  if (name === 'patch' || name === 'diff') return { kind: 'diff' };
  if (FILE_TEXTS.has(name) && path !== undefined) return fileKind(start, path, firstLine);
  return isJson(text) ? { kind: 'json' } : PLAIN;
}

/** Whether a program’s output changes colors. */
export function hasColors(text: string): boolean {
  return COLORS.test(text);
}

function fileKind(start: string, path: string, firstLine = 1): ContentKind {
  const extension = extensionOf(path.slice(path.lastIndexOf('/') + 1));
  if (extension === 'csv') return { kind: 'table', separator: ',' };
  if (extension === 'tsv') return { kind: 'table', separator: '\t' };
  if (extension === 'diff' || extension === 'patch') return DIFF.test(start) ? { kind: 'diff' } : PLAIN;
  const language = languageOfPath(path);
  return language === undefined && PROSE.has(extension) ? PLAIN : { kind: 'code', language, firstLine };
}

/** Whether a text is an object or a list as JSON that a tree shows faithfully. */
function isJson(text: string): boolean {
  if (!/^\s*[{[]/.test(text) || !/[}\]]\s*$/.test(text.slice(-200)) || LONG_NUMBER.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The text of a field, with its type if the fields beside it say that it is an image: tools return the bytes of an
 * image as `{ "mime_type": "image/png", "data": "iVBO…" }`.
 */
export function typedText(text: string, beside: Readonly<Record<string, unknown>>): string {
  const type = [beside.mime_type, beside.mimeType, beside.media_type].find(
    (each) => typeof each === 'string',
  );
  const isPicture = type !== undefined && /^image\/(?:png|jpeg|gif|webp)$/.test(type);
  return isPicture && text.length > 40 && /^[A-Za-z0-9+/]+=*$/.test(text)
    ? `data:${type};base64,${text}`
    : text;
}

/** Markdown, unless it is too long to be drawn. */
export function markdownKind(text: string): ContentKind {
  return text.length <= MAX_MARKDOWN_CHARS ? MARKDOWN : { kind: 'text', isTooLong: true };
}
