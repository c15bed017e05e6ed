import { plural } from '#lib/browser/format.ts';
import type { ToolRow } from '#lib/events/fold-timeline.ts';
import type { JsonValue } from '#lib/util/json.ts';
import { shortText } from '#lib/util/short-text.ts';

/** One line about a result: the error, or the first words of what came back. */
export function resultSummary(result: NonNullable<ToolRow['result']>): string {
  if (!result.success) return oneLine(result.output.error);
  return summarizeValue(result.output);
}

function summarizeValue(value: JsonValue): string {
  if (typeof value === 'string') return oneLine(value);
  if (value === null || typeof value !== 'object') return String(value);
  if (Array.isArray(value))
    return `${plural(value.length, 'entry', 'entries')}: ${oneLine(value.map(word).join(', '))}`;
  const { content, output, stdout, entries, matches, error } = value;
  for (const text of [content, output, stdout, error]) {
    if (typeof text === 'string' && text.trim() !== '') return oneLine(text);
  }
  for (const list of [entries, matches]) if (Array.isArray(list)) return summarizeValue(list);
  return oneLine(
    Object.entries(value)
      .map(([name, field]) => `${name} ${word(field)}`)
      .join(', '),
  );
}

function word(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function oneLine(text: string): string {
  return shortText(text.slice(0, 600).replace(/\s+/g, ' ').trim(), 200);
}
