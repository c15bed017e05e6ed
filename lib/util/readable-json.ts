import { isRecord, type JsonValue } from './json.ts';

const INDENT = '  ';

/**
 * Writes JSON for people: one field per line with sorted keys, and texts of several lines as indented blocks with real
 * line breaks, as in YAML. Different objects and lists give different texts.
 */
export function readableJson(value: JsonValue): string {
  return linesOf(value).join('\n');
}

function linesOf(value: JsonValue): string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => entryLines('-', item));
  }
  if (isRecord(value)) {
    const keys = Object.keys(value).sort();
    if (keys.length > 0) return keys.flatMap((key) => entryLines(`${nameOf(key)}:`, value[key] ?? null));
  }
  return [JSON.stringify(value)];
}

/** A field or an item: on one line if it is short, else below its name. */
function entryLines(name: string, value: JsonValue): string[] {
  if (typeof value === 'string' && value.includes('\n')) {
    const isEnded = value.endsWith('\n');
    const lines = (isEnded ? value.slice(0, -1) : value).split('\n');
    // The mark says whether a line break follows the last line.
    return [`${name} ${isEnded ? '|' : '|-'}`, ...lines.map((line) => `${INDENT}${line}`)];
  }
  const lines = linesOf(value);
  const isNested = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  return isNested ? [name, ...lines.map((line) => `${INDENT}${line}`)] : [`${name} ${lines[0]}`];
}

function nameOf(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key);
}
