import { AppError } from '../errors/app-error.ts';
import { errorMessage } from '../util/error-message.ts';
import type { JsonObject, JsonValue } from '../util/json.ts';
import type { ToolResult } from './tool.ts';

/** Max size of a result as JSON (O9). */
export const MAX_RESULT_BYTES = 64 * 1024;

/** Reserved for the fields around the text of a result. */
export const RESULT_OVERHEAD_BYTES = 2048;

export function succeeded(
  tool: string,
  output: JsonValue,
  options: { truncated?: boolean } = {},
): ToolResult {
  return { success: true, tool, output, ...(options.truncated && { truncated: true }) };
}

/**
 * @param output.error what happened and what to do next; the model reads it
 */
export function failed(
  tool: string,
  output: { error: string } & JsonObject,
  options: { truncated?: boolean } = {},
): ToolResult {
  return { success: false, tool, output, ...(options.truncated && { truncated: true }) };
}

/** Turns an error into a failed result: expected errors keep their message, others are reported as internal. */
export function failedWith(tool: string, error: unknown): ToolResult {
  if (error instanceof AppError) {
    return failed(tool, {
      error: error.hint === undefined ? error.message : `${error.message} ${error.hint}`,
    });
  }
  const detail = errorMessage(error);
  return failed(tool, { error: `${tool} failed unexpectedly: ${detail.slice(0, 500)}` });
}
