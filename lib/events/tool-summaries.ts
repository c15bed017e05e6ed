import type { JsonObject } from '../util/json.ts';
import { shortText } from '../util/short-text.ts';
import type { EventOf } from './registry.ts';

const MAX_SUMMARY_CHARS = 200;

/** The arguments' JSON, at most 200 UTF-16 units (E5). */
export function summarizeArgs(args: JsonObject): string {
  return shortText(JSON.stringify(args), MAX_SUMMARY_CHARS);
}

/** The result's JSON, at most 200 UTF-16 units (E5). */
export function summarizeResult(result: EventOf<'tool-call.ended'>['result']): string {
  return shortText(JSON.stringify(result), MAX_SUMMARY_CHARS);
}
