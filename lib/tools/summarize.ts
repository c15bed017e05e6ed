import type { JsonObject } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import type { ToolResult } from './tool.ts';

const MAX_LINE_CHARS = 160;

/**
 * A one-line summary that replaces an older result in the conversation: `read_file src/a.ts: ok, 1.2 KB` (C4). No
 * line break, at most 160 UTF-16 units.
 *
 * @param result a text if the operator of a fork replaced the result; it does not say whether the call succeeded
 * @param mainArgument name of the argument that identifies the call
 */
export function oneLineSummary(
  call: { name: string; arguments: JsonObject },
  result: ToolResult | string,
  mainArgument?: string,
): string {
  const value = mainArgument === undefined ? undefined : call.arguments[mainArgument];
  const about = value === undefined ? '' : ` ${typeof value === 'string' ? value : JSON.stringify(value)}`;
  const end = `: ${outcomeOf(result)}`;
  return `${shortText(oneLine(`${call.name}${about}`), MAX_LINE_CHARS - end.length)}${end}`;
}

function outcomeOf(result: ToolResult | string): string {
  if (typeof result === 'string') return readableBytes(Buffer.byteLength(result));
  const size = readableBytes(Buffer.byteLength(JSON.stringify(result.output)));
  return result.success ? `ok, ${size}` : `failed (${shortText(oneLine(result.output.error), 60)}), ${size}`;
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: every break and control character becomes a space
  return text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
}

function readableBytes(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`;
}
