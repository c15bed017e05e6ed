import type { JsonObject } from '../util/json.ts';
import { memoized } from '../util/memoized.ts';
import { sortedJson } from '../util/sorted-json.ts';

/** A requested call, as far as calls are compared (G7). */
export interface ComparedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** Names and arguments in order: equal texts for equal lists of calls (G7). */
export function callsKey(calls: readonly ComparedCall[]): string {
  return calls.map(callKey).join('|');
}

/** Argument keys are sorted because Ollama sends them in random order (G7). */
const callKey = memoized((call: ComparedCall) => `${call.name}:${sortedJson(call.arguments)}`);
