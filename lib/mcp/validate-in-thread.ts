import type { SchemaProblems } from '../policies/schema-problems.ts';
import { askThread } from '../util/ask-thread.ts';
import { errorMessage } from '../util/error-message.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';

/** A value and the schema of a server for the thread. */
export interface ToValidate {
  value: JsonValue;
  schema: JsonObject;
}

/** An answer of the thread. */
export type Validated = SchemaProblems | { failure: string };

/** Ordinary schemas take less than a millisecond. */
const MAX_VALIDATE_MS = 2000;

/**
 * Validates a value against a server's schema in a thread, because schemas of servers can take any amount of time and
 * memory.
 *
 * @returns the problem; `undefined` if the value is valid
 * @throws the reason of the signal
 */
export async function validateInThread(job: ToValidate, signal: AbortSignal): Promise<string | undefined> {
  const module = new URL('./validate-thread.ts', import.meta.url);
  let validated: Validated | undefined;
  try {
    validated = await askThread<Validated>(module, job, { signal, maxMs: MAX_VALIDATE_MS });
  } catch (error) {
    signal.throwIfAborted();
    return `The schema of the tool cannot be used: ${errorMessage(error)}`;
  }
  if (!validated) return `The schema of the tool takes more than ${MAX_VALIDATE_MS / 1000} s to check.`;
  if ('failure' in validated) return `The schema of the tool cannot be used: ${validated.failure}`;
  return validated.problems.length === 0 ? undefined : validated.problems.join(' ');
}
