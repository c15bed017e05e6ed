import { JSONRepairError, jsonrepair } from 'jsonrepair';
import type { JsonValue } from '../../util/json.ts';

/** Repairs JSON with jsonrepair; `undefined` when it is beyond repair. */
export function repairJson(written: string): { text: string; value: JsonValue } | undefined {
  try {
    const text = jsonrepair(written);
    return { text, value: JSON.parse(text) };
  } catch (error) {
    // Expected: text beyond repair, and nesting too deep for jsonrepair's recursion.
    if (error instanceof JSONRepairError || error instanceof RangeError || error instanceof SyntaxError)
      return undefined;
    throw error;
  }
}
