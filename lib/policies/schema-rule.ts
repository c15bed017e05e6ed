import type { JsonObject } from '../util/json.ts';

/**
 * Describes the schema in a prompt. Models do not see Ollama's `format`, which only limits the tokens they can choose.
 */
export function schemaRule(schema: JsonObject): string {
  return `a JSON value and no other text. The value must match this JSON schema:\n${JSON.stringify(schema)}`;
}
