import { formatCount, plural } from '#lib/browser/words/format.ts';
import type { ToolRow } from '#lib/events/timeline.ts';
import type { JsonValue } from '#lib/util/json.ts';
import { shortText } from '#lib/util/short-text.ts';

/** Summarizes a result: the first two lines of its error or output, or what it lists. */
export function resultSummary(row: ToolRow): string {
  const { result } = row;
  if (!result) return '';
  if (!result.success) return twoLines(result.output.error);
  return summarizeValue(result.output, Object.values(row.arguments));
}

/** @param known values that the row shows already */
function summarizeValue(value: JsonValue, known: readonly JsonValue[]): string {
  if (typeof value === 'string') return twoLines(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value))
    return oneLine(
      [plural(value.length, 'entry', 'entries'), value.map(word).join(', ')].filter(Boolean).join(': '),
    );
  const { content, output, stdout, text, entries, matches, error } = value;
  for (const each of [content, output, stdout, text, error]) {
    if (typeof each === 'string' && each.trim() !== '') return twoLines(each);
  }
  for (const list of [entries, matches]) if (Array.isArray(list)) return summarizeValue(list, known);
  return oneLine(
    Object.entries(value)
      .filter(([, field]) => field !== false && !known.includes(field))
      .map(([name, field]) => (field === true ? name : `${name.replaceAll('_', ' ')} ${word(field)}`))
      .join(', '),
  );
}

/** A display name for an entry: file name, path, matching line, or the value itself. */
function word(value: JsonValue): string {
  if (typeof value === 'string') return value;
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
    const { name, path, line, text } = value;
    if (typeof path === 'string' && typeof text === 'string') return `${path}:${String(line)} ${text}`;
    if (typeof name === 'string') return name;
    if (typeof path === 'string') return path;
  }
  return JSON.stringify(value);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: changes of color, which are not shown here
const COLORS = /\u001b\[[\d;]*m/g;

function twoLines(text: string): string {
  if (text.startsWith('data:image/')) return `Image, ${formatCount(text.length)} characters`;
  const lines = text
    .slice(0, 2000)
    .replace(COLORS, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines
    .slice(0, 2)
    .map((line) => shortText(line.trimEnd(), 160))
    .join('\n');
}

function oneLine(text: string): string {
  return shortText(text.slice(0, 600).replace(/\s+/g, ' ').trim(), 200);
}
